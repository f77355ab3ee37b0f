import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {CellRole} from '../../../batch/input/cell-text.ts';
import {openInput} from '../../../batch/input/csv-input.ts';
import type {CellFault, RecordSource} from '../../../batch/input/record.ts';
import {openSource} from '../../../batch/input/source.ts';
import type {Retype} from '../../../batch/model/accept.ts';
import {normaliseReference} from '../../../batch/model/identity.ts';
import type {Resolving} from '../../../batch/repair/resolve.ts';
import {type IdFormat, isId, usualId} from '../../../contract/ids.ts';
import {RemitError} from '../../../errors.ts';
import {byName} from '../../../narrow.ts';

/** One line of a `resolve --from` file. */
export interface ResolveLine extends Resolving {
  /** `line 3` of a CSV, `row 3` of a sheet. */
  place: string;
}

const COLUMNS = ['reference', 'verdict', 'id'] as const;
type Column = (typeof COLUMNS)[number];
/** How the cells of a sheet are read. */
const ROLES: Readonly<Record<Column, CellRole>> = {reference: 'name', verdict: 'code', id: 'name'};
const SHOWN = 10;

/** A `resolve --from` file, and how to read it. */
interface ResolveFile {
  path: string;
  /** The input of the path `-`. */
  stdin: NodeJS.ReadableStream | undefined;
  /** Name of the sheet, for a workbook with several. */
  sheet: string | undefined;
  /** The typed command with arguments added, for hints. */
  retype: Retype;
  ids: IdFormat;
}

/**
 * Reads the verdicts on rows in doubt: a CSV or a workbook with the header `reference,verdict,id`. The verdict is `paid`,
 * with the id of the record, or `not-paid`, without an id.
 * @throws RemitError CSV_INVALID naming every invalid line; nothing was changed
 */
export async function readResolveFile(file: ResolveFile): Promise<ResolveLine[]> {
  const input = openInput(file.path, file.stdin);
  const folder = mkdtempSync(join(tmpdir(), 'remit-resolve-')); // a workbook keeps its texts there while it is read
  try {
    const {sheet, retype} = file;
    const source = await openSource(input, {sheet, retype, spool: join(folder, 'texts')});
    try {
      return await readLines(source, file);
    } finally {
      source.close();
    }
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
}

async function readLines(source: RecordSource, {path, ids}: ResolveFile): Promise<ResolveLine[]> {
  const lines: ResolveLine[] = [];
  const problems: string[] = [];
  const seen = new Map<string, string>();
  let at: Partial<Record<Column, number>> = {};
  for await (const piece of source.read()) {
    if ('header' in piece) {
      at = columnsOf(piece.header, path);
      source.beginWith(new Map(COLUMNS.map((name) => [at[name] ?? -1, ROLES[name]])));
      continue;
    }
    for (const {line, cells, typed} of piece.records) {
      const place = `${source.sheet === undefined ? 'line' : 'row'} ${line}`;
      const cell = (name: Column) => (cells[at[name] ?? -1] ?? '').trim();
      const reference = normaliseReference(cell('reference'));
      const first = seen.get(reference);
      const [fault] = typed?.faults ?? [];
      const found =
        fault === undefined
          ? readLine({reference, verdict: cell('verdict').toLowerCase(), id: cell('id')}, ids)
          : faultText(fault, at);
      if (typeof found === 'string') problems.push(`${place}: ${found}`);
      else if (first !== undefined) problems.push(`${place}: ${reference} is repeated (${first})`);
      else lines.push({place, ...found});
      seen.set(reference, first ?? place);
    }
  }
  const {count, lines: hidden} = source.end().hiddenRecords;
  if (count > 0)
    problems.push(
      `rows are hidden (${hidden.join(', ')}${count > hidden.length ? ', …' : ''}): show or delete them`,
    );
  if (problems.length > 0) throw invalidLines(path, problems);
  if (lines.length === 0) throw invalidLines(path, ['it has no row']);
  return lines;
}

const faultText = ({index, message}: CellFault, at: Partial<Record<Column, number>>): string => {
  const column = COLUMNS.find((name) => at[name] === index);
  return column === undefined ? message : `${column} ${message}`;
};

/** @throws RemitError CSV_INVALID: refuses the whole file if some lines are invalid */
export function invalidLines(path: string, problems: readonly string[]): RemitError {
  const more = problems.length > SHOWN ? `; and ${problems.length - SHOWN} more` : '';
  return new RemitError(
    'CSV_INVALID',
    `${path}: ${problems.slice(0, SHOWN).join('; ')}${more}; nothing was changed`,
    {
      hint: 'each line is REFERENCE,paid,ID or REFERENCE,not-paid, under the header reference,verdict,id',
      details: {problems},
    },
  );
}

function columnsOf(header: readonly string[], path: string): Record<Column, number> {
  const names = header.map((name) => name.trim().toLowerCase());
  const isRight = names.length === COLUMNS.length && COLUMNS.every((name) => names.includes(name));
  if (!isRight) throw invalidLines(path, [`its header is ${header.join(',')}, not ${COLUMNS.join(',')}`]);
  return byName(COLUMNS, (name) => names.indexOf(name));
}

function readLine(
  {reference, verdict, id}: Readonly<Record<Column, string>>,
  ids: IdFormat,
): Resolving | string {
  if (reference === '') return 'it has no reference';
  if (verdict === 'not-paid')
    return id === '' ? {reference, resolution: 'not-paid'} : `${reference} is not-paid and has an id`;
  if (verdict !== 'paid') return `${reference} has the verdict "${verdict}"; write paid or not-paid`;
  if (!isId(id, ids))
    return `${reference} is paid and has ${id === '' ? 'no id' : `${id}, which is not an id`}`;
  return {reference, resolution: {paid: usualId(id)}};
}
