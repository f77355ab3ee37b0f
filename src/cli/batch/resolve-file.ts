import {CsvRecords} from '../../batch/input/csv-records.ts';
import {openInput, TextInput} from '../../batch/input/csv-input.ts';
import {normaliseReference} from '../../batch/model/identity.ts';
import type {Resolving} from '../../batch/repair/resolve.ts';
import {type IdFormat, isId, usualId} from '../../contract/ids.ts';
import {RemitError} from '../../errors.ts';
import {byName} from '../../narrow.ts';

/** One line of a `resolve --from` file. */
export interface ResolveLine extends Resolving {
  line: number;
}

const COLUMNS = ['reference', 'verdict', 'id'] as const;
type Column = (typeof COLUMNS)[number];
const SHOWN = 10;

/**
 * Reads the verdicts on rows in doubt: a CSV with the header `reference,verdict,id`. The verdict is `paid`, with the
 * id of the record, or `not-paid`, without an id.
 * @throws RemitError CSV_INVALID naming every invalid line; nothing was changed
 */
export async function readResolveFile(
  path: string,
  stdin: NodeJS.ReadableStream,
  ids: IdFormat,
): Promise<ResolveLine[]> {
  const text = new TextInput(openInput(path, stdin));
  const records = new CsvRecords({path, chunks: text.chunks()});
  const lines: ResolveLine[] = [];
  const problems: string[] = [];
  const seen = new Map<string, number>();
  let at: Partial<Record<Column, number>> = {};
  for await (const piece of records.read()) {
    if ('header' in piece) {
      at = columnsOf(piece.header.cells, path);
      continue;
    }
    for (const {line, cells} of piece.records) {
      const cell = (name: Column) => (cells[at[name] ?? -1] ?? '').trim();
      const reference = normaliseReference(cell('reference'));
      const first = seen.get(reference);
      const found = readLine({reference, verdict: cell('verdict').toLowerCase(), id: cell('id')}, ids);
      if (typeof found === 'string') problems.push(`line ${line}: ${found}`);
      else if (first !== undefined) problems.push(`line ${line}: ${reference} is repeated (line ${first})`);
      else lines.push({line, ...found});
      seen.set(reference, first ?? line);
    }
  }
  if (problems.length > 0) throw invalidLines(path, problems);
  if (lines.length === 0) throw invalidLines(path, ['it has no row']);
  return lines;
}

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
