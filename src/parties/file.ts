import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {InputRecord, RecordSource} from '../batch/input/record.ts';
import type {InputFile} from '../batch/input/csv-input.ts';
import {maskCell} from '../batch/input/issues.ts';
import {openSource} from '../batch/input/source.ts';
import type {Retype} from '../batch/model/accept.ts';
import {checkReference, foldReference, normaliseReference} from '../batch/model/identity.ts';
import {RemitError} from '../errors.ts';
import {type Columns, isSecret, readColumns, rolesOf} from './columns.ts';
import {contractProblems, type ImportKind, type PartyRow, readParty, UNSEEN_CHARACTER} from './row.ts';

const SHOWN = 10;

/** A file of payees or payers, and how it is read. */
export interface PartyFile {
  input: InputFile;
  kind: ImportKind;
  sheet: string | undefined;
  retype: Retype;
  /** Check the requests of a row against the contract. @throws RemitError LOCAL_VALIDATION */
  validate: readonly ((row: PartyRow) => Promise<void>)[];
  /** The time that decides whether a card has expired. */
  nowMs: number;
  /** Called with what a workbook shows otherwise than it contains, and with references that look alike. */
  tell: (warning: string) => void;
}

/**
 * Reads and checks all rows. Nothing is sent, and nothing of an account is written to disk.
 * @throws RemitError CSV_INVALID naming every wrong cell
 */
export async function readPartyFile(file: PartyFile): Promise<PartyRow[]> {
  const {input, sheet, retype} = file;
  const folder = mkdtempSync(join(tmpdir(), 'remit-import-'));
  try {
    const source = await openSource(input, {sheet, retype, spool: join(folder, 'texts')});
    try {
      return await readRows(source, file);
    } finally {
      source.close();
    }
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
}

async function readRows(
  source: RecordSource,
  {input, kind, nowMs, validate, tell}: PartyFile,
): Promise<PartyRow[]> {
  const problems: string[] = [];
  const rows: PartyRow[] = [];
  const seen = new Map<string, string>();
  let columns: Columns | undefined;
  for await (const piece of source.read()) {
    if ('header' in piece) {
      const found = readColumns(piece.header, {isPayer: kind === 'payer'});
      if (found.problems.length > 0) throw invalidFile(input.path, found.problems);
      ({columns} = found);
      source.beginWith(rolesOf(columns));
      continue;
    }
    for (const record of piece.records) {
      if (columns === undefined) continue;
      const place = `${source.sheet === undefined ? 'line' : 'row'} ${record.line}`;
      const before = problems.length;
      const row = rowOf(record, columns, {
        ...{place, nowMs},
        complain: (text) => problems.push(`${place}: ${text}`),
      });
      const first = seen.get(row.reference);
      if (first !== undefined) problems.push(`${place}: reference ${row.reference} is repeated (${first})`);
      seen.set(row.reference, first ?? place);
      // What is wrong with the account was said by its cells.
      for (const check of problems.length === before ? validate : validate.slice(0, 1))
        problems.push(...(await problemsOf(row, check)).map((text) => `${place}: ${text}`));
      rows.push(row);
    }
  }
  const {facts, warnings, hiddenRecords} = source.end();
  const {count, lines} = hiddenRecords;
  if (input.isPipe && !facts.endsWithNewline)
    problems.push('the last line has no newline, so the input may have been cut');
  for (const warning of warnings) tell(warning);
  const alike = alikeIn(seen);
  if (alike.length > 0)
    tell(
      `${alike.length === 1 ? 'a reference differs' : `${alike.length} references differ`} from an earlier one only in case or spaces: ${alike.slice(0, SHOWN).join(', ')}${alike.length > SHOWN ? ' …' : ''}`,
    );
  if (count > 0) problems.push(`rows are hidden (${lines.join(', ')}): show or delete them`);
  if (problems.length > 0) throw invalidFile(input.path, problems);
  if (rows.length === 0) throw invalidFile(input.path, ['it has no row']);
  return rows;
}

/** References that are probably one, typed in two ways. A batch asks about them too, and pays them if they are accepted. */
function alikeIn(places: ReadonlyMap<string, string>): string[] {
  const folds = new Map<string, string>();
  return [...places].flatMap(([reference, place]) => {
    const fold = foldReference(reference);
    const first = folds.get(fold);
    if (first === undefined) folds.set(fold, reference);
    return first === undefined ? [] : [`${reference} (${place}) from ${first} (${places.get(first)})`];
  });
}

async function problemsOf(row: PartyRow, check: (row: PartyRow) => Promise<void>): Promise<string[]> {
  try {
    await check(row);
    return [];
  } catch (error) {
    return contractProblems(error);
  }
}

function rowOf(
  {cells, typed}: InputRecord,
  {at, metadata, headers}: Columns,
  {place, nowMs, complain}: {place: string; nowMs: number; complain: (text: string) => void},
): PartyRow {
  if (cells.length !== headers.length)
    complain(
      `has ${cells.length} cells, but the header has ${headers.length}; a comma inside a cell needs quotes around the cell`,
    );
  const nameOf = new Map([...at].map(([name, index]) => [index, name]));
  for (const {index, message} of typed?.faults ?? [])
    complain(`${nameOf.get(index) ?? headers[index] ?? 'a cell outside the table'} ${message}`);
  const faulty = new Set(typed?.faults.map(({index}) => nameOf.get(index)));
  const cell = (column: string) => (cells[at.get(column) ?? -1] ?? '').trim();
  const reference = normaliseReference(cell('reference'));
  const problem = checkReference(reference);
  if (problem !== undefined) complain(problem.message);
  const values = metadata.flatMap(({key, index}): [string, string][] => {
    const value = (cells[index] ?? '').trim();
    return value === '' ? [] : [[key, value]];
  });
  return readParty(cell, Object.fromEntries(values), {
    ...{reference, place, nowMs},
    complain: ({column, message}) => {
      if (faulty.has(column)) return; // said already
      const value = cell(column);
      const shown =
        value === '' || isSecret(column) || UNSEEN_CHARACTER.test(value)
          ? ''
          : ` (found: ${maskCell(value)})`;
      complain(`${column} ${message}${shown}`);
    },
  });
}

/** @throws RemitError CSV_INVALID: the whole file is refused if some rows are invalid */
function invalidFile(path: string, problems: readonly string[]): RemitError {
  const more = problems.length > SHOWN ? `\n  and ${problems.length - SHOWN} more; -o json lists them` : '';
  return new RemitError(
    'CSV_INVALID',
    `${path === '-' ? 'standard input' : path} was refused, and nothing was sent:\n  ${problems.slice(0, SHOWN).join('\n  ')}${more}`,
    {details: {problems}},
  );
}
