import {type IdFormat, isId, usualId} from '../../contract/ids.ts';
import {LIMITS, SCHEDULE} from '../../contract/limits.ts';
import {must} from '../../narrow.ts';
import {type AmountRules, currencyOf, type Decimals, decimalsOf, readAmount} from './amounts.ts';
import {cellOf, type ColumnMap, headerAt} from './columns.ts';
import type {InputRecord} from './record.ts';
import {
  checkReference,
  fingerprintOf,
  foldReference,
  normaliseReference,
  REFERENCE_METADATA_KEY,
} from '../model/identity.ts';
import type {Issue} from '../model/issue.ts';
import {type Complain, maskCell} from './issues.ts';
import type {KindFacts} from '../model/kinds.ts';
import {OPTIONAL_FIELDS, type OptionalField, type RowContent} from '../model/row-fields.ts';

/** A row that may be sent: it has passed every check that can be made offline. */
export interface PlannedRow extends RowContent {
  /** 1 for the first record after the header. */
  row: number;
  line: number;
  /** Empty if the file has no references; the plan then derives one from the content. */
  reference: string;
  fold: string;
  fingerprint: string;
}

/** A payee or payer of the file of ids. */
export interface ImportedParty {
  id: string;
  /** Its bank account or card could not be verified, so it is not the default, which payments need. */
  isUnusable: boolean;
  /** It was not verified yet when the file of ids was written. */
  isPending: boolean;
}

export interface RowRules extends AmountRules {
  kind: KindFacts;
  /** Today in the schedule's time zone, YYYY-MM-DD. */
  today: string;
  /** UUIDs, unless the service file allows other ids. */
  ids?: IdFormat | undefined;
  /** Parties by their references, if the file names them so. */
  partyIds?: ReadonlyMap<string, ImportedParty> | undefined;
}

let dayFormat: Intl.DateTimeFormat | undefined; // constructing one costs more than a thousand uses

/** The calendar day of an instant in the time zone of schedules. */
export function scheduleDay(nowMs: number): string {
  dayFormat ??= new Intl.DateTimeFormat('en-CA', {timeZone: SCHEDULE.timeZone, dateStyle: 'short'});
  return dayFormat.format(nowMs);
}

const NO_UUID = 'is not a UUID';
const NO_ID = 'is not an id, which has up to 144 letters, digits and _ . : ~ -';

/** Checks one record. Returns the row, or everything that is wrong with it. */
export function readRow(
  record: InputRecord,
  map: ColumnMap,
  rules: RowRules,
): {row?: PlannedRow; issues: Issue[]; decimals: Decimals} {
  const issues: Issue[] = [];
  const {kind} = rules;
  const complain: Complain = (name, code, message, value = '') => {
    const index = map.at[name];
    const column = index === undefined ? name : headerAt(map, index);
    issues.push({row: record.row, line: record.line, column, code, message, value: maskCell(value)});
  };
  if (record.cells.length !== map.headers.length) {
    const hidden =
      map.kept.length < map.headers.length
        ? '. The results do not repeat the row, because its cells may belong to an ignored column'
        : '';
    complain(
      '',
      'ragged',
      `has ${record.cells.length} cells, but the header has ${map.headers.length}; a delimiter inside a cell needs quotes around the cell${hidden}`,
    );
    return {issues, decimals: 'unread'};
  }
  const cell = (name: string) => cellOf(record.cells, map, name).trim();

  const reference = normaliseReference(cell('reference'));
  if (map.at['reference'] !== undefined) {
    const problem = checkReference(reference);
    if (problem) complain('reference', `reference-${problem.code}`, problem.message, reference);
  }
  const party = readPartyId(cell, rules, complain);

  const currency = currencyOf(record, map, rules);
  const amount = readAmount(record, map, rules, currency, complain);
  const content = {party: usualId(party), amount, currency} as RowContent; // whole unless the amount has an issue
  for (const field of OPTIONAL_FIELDS) {
    const column = field.wire[kind.kind];
    const text = cell(column);
    content[field.name] = text === '' ? null : READERS[field.cell](column, text, rules, complain);
  }
  content.metadata = readMetadata(record, map, reference, issues);

  const decimals = decimalsOf(amount, record, map, rules);
  applyFaults(record, map, issues);
  if (issues.length > 0 || amount === undefined) return {issues, decimals};
  const row: PlannedRow = {
    ...content,
    row: record.row,
    line: record.line,
    reference,
    fold: foldReference(reference),
    fingerprint: fingerprintOf(content),
  };
  return {row, issues, decimals};
}

/** The id of the party, which the cell has, or names by its reference. */
function readPartyId(cell: (column: string) => string, rules: RowRules, complain: Complain): string {
  const {kind, partyIds} = rules;
  const text = cell(kind.party);
  const imported = partyIds?.get(normaliseReference(text));
  const id = partyIds === undefined ? text : (imported?.id ?? '');
  if (text === '')
    complain(
      kind.party,
      'missing',
      `is empty; it must contain ${partyIds === undefined ? 'an id' : 'a reference'}`,
    );
  else if (id === '')
    complain(kind.party, 'unknown-party', 'is not a reference in the file of ids; import it first', text);
  else checkId(kind.party, id, rules, complain);
  if (imported?.isUnusable === true && cell(kind.method) === '')
    complain(
      kind.party,
      'unusable-party',
      `has an account that could not be verified, so the service would refuse the ${kind.kind}; import another account, or name a verified one in the column ${kind.method}`,
      text,
    );
  return id;
}

/** A cell of a sheet that cannot be read has one error: what its empty text would mean does not matter. */
function applyFaults({row, line, typed}: InputRecord, map: ColumnMap, issues: Issue[]): void {
  for (const {index, code, message, value} of typed?.faults ?? []) {
    const column = index === -1 ? '' : headerAt(map, index);
    for (let at = issues.length - 1; at >= 0; at--)
      if (column !== '' && issues[at]?.column === column) issues.splice(at, 1);
    issues.push({row, line, column, code, message, value});
  }
}

/** Reads the text of a cell that is not empty. */
type Reader = (column: string, text: string, rules: RowRules, complain: Complain) => string;

const readRail: Reader = (column, text, {kind}, complain) => {
  if (!kind.rails.includes(text))
    complain(column, 'rail', `is not a rail of a ${kind.kind}; one of ${kind.rails.join(', ')}`, text);
  return text;
};

const readId: Reader = (column, text, rules, complain) => {
  checkId(column, text, rules, complain);
  return usualId(text);
};

function checkId(column: string, text: string, {ids = 'uuid'}: RowRules, complain: Complain): void {
  if (isId(text, ids)) return;
  complain(column, 'uuid', (ids === 'uuid' ? NO_UUID : NO_ID) + damage(text), text);
}

const damage = (text: string): string =>
  /^\d+(?:[.,]\d+)?E\+\d+$/i.test(text)
    ? ': a spreadsheet has rewritten it as a number; format the column as text and export again'
    : '';

const readDay: Reader = (column, text, {today}, complain) => {
  if (!isDay(text)) complain(column, 'date', 'is not a date in the form YYYY-MM-DD', text);
  else if (text < today)
    complain(column, 'date', `is in the past (in ${SCHEDULE.timeZone} it is ${today})`, text);
  return text;
};

const READERS: Readonly<Record<OptionalField['cell'], Reader>> = {
  rail: readRail,
  uuid: readId,
  day: readDay,
};

/** Accepts a real calendar day in the one unambiguous form; Date alone would turn 31 February into March. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Counted in UTF-16 units; each takes at most six bytes in JSON. */
const SURELY_SMALL = LIMITS.metadataBytes / 8;

function readMetadata(
  record: InputRecord,
  map: ColumnMap,
  reference: string,
  issues: Issue[],
): string | null {
  const entries: [string, string][] = [];
  const complain = (column: string, message: string) =>
    issues.push({row: record.row, line: record.line, column, code: 'metadata', message, value: ''});
  for (const {key, index, header} of map.metadata) {
    const value = must(record.cells[index], 'cell of a column').trim();
    if (value === '') continue;
    if (value.length > LIMITS.metadataValueLength && [...value].length > LIMITS.metadataValueLength)
      complain(header, `is longer than ${LIMITS.metadataValueLength} characters`);
    entries.push([key, value]);
  }
  if (entries.length === 0) return null;
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify(Object.fromEntries(entries));
  if (text.length + reference.length < SURELY_SMALL) return text;
  // The reference is sent with the user's own entries; both count towards the limit.
  const sent =
    Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify({[REFERENCE_METADATA_KEY]: reference}));
  if (sent > LIMITS.metadataBytes) complain('', `the metadata is larger than ${LIMITS.metadataBytes} bytes`);
  return text;
}
