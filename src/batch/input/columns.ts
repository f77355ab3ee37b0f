import {LIMITS} from '../../contract/limits.ts';
import {must} from '../../narrow.ts';
import {nearest} from '../../nearest.ts';
import {shellWord} from '../../shell-word.ts';
import {REFERENCE_METADATA_KEY} from '../model/identity.ts';
import type {Issue} from '../model/issue.ts';
import {type Complain, maskDigits} from './issues.ts';
import type {KindFacts} from '../model/kinds.ts';
import {columnsOf} from '../model/row-fields.ts';

export const METADATA = 'metadata.';
/** One metadata key is reserved for the reference. */
const METADATA_KEYS_FOR_USER = LIMITS.metadataKeys - 1;

/** The position of each column in a record of the file. */
export interface ColumnMap {
  /** The header as written in the file. */
  headers: readonly string[];
  at: Readonly<Record<string, number>>;
  metadata: readonly {key: string; index: number; header: string}[];
  /** The columns that are not ignored, in file order. Only their cells are stored. */
  kept: readonly number[];
}

export const headerAt = ({headers}: ColumnMap, index: number): string =>
  must(headers[index], 'header of a column');

export const cellsAt = (cells: readonly string[], columns: readonly number[]): string[] =>
  columns.map((index) => must(cells[index], 'cell of a column'));

/** Empty where the file has no such column. */
export function cellOf(cells: readonly string[], {at}: ColumnMap, name: string): string {
  const index = at[name];
  return index === undefined ? '' : must(cells[index], 'cell of a column');
}

/** Options for reading a header. */
export interface HeaderOptions {
  /** Column to header, as in `--map reference=Invoice`. */
  mapping: Readonly<Record<string, string>>;
  ignored: readonly string[];
  needsReference: boolean;
  defaultCurrency: boolean;
  /** The column of the party, `payee_reference`, has references whose ids are known. */
  hasPartyIds?: boolean;
}

/**
 * Reads a header. Names match regardless of case, spaces, underscores and hyphens; `mapping` takes precedence. An
 * unknown column is an error, because a misspelt one would silently not be sent. `ignored` lists the columns to leave
 * out.
 */
export function readHeader(
  cells: readonly string[],
  kind: KindFacts,
  options: HeaderOptions,
): {map: ColumnMap; issues: Issue[]} {
  const issues: Issue[] = [];
  const complain: Complain = (column, code, message) =>
    issues.push({row: 0, line: 1, column: shown(column), code, message, value: ''});
  const party = partyColumn(kind, options);
  const known = columnsOf(kind.kind).map((name) => (name === kind.party ? party : name));
  const wanted = mappedColumns(cells, options.mapping, known, complain);
  const ignored = ignoredColumns(cells, options.ignored, complain);
  const at: Record<string, number> = {};
  const metadata: {key: string; index: number; header: string}[] = [];
  const twice = (header: string, first: number) => {
    const other = must(cells[first], 'column of that name');
    const canBeNamed = header.trim() !== other.trim();
    const way = canBeNamed ? `, or leave one out with --ignore-column ${shellWord(header)}` : '';
    complain(
      header,
      'duplicate-column',
      `means the same as column ${first + 1} (${shown(other)}); rename one${way}`,
    );
  };

  cells.forEach((header, index) => {
    const mapped = wanted.get(index);
    if (mapped !== undefined && ignored.has(index))
      complain(
        header,
        'duplicate-column',
        `--map reads it as ${mapped}, and --ignore-column leaves it out; use one of them`,
      );
    if (ignored.has(index)) return;
    const found = mapped ?? knownName(header, known);
    const name = found === party ? kind.party : found;
    if (name === '')
      complain('', 'unnamed-column', `column ${index + 1} has no name; name it, or delete the column`);
    else if (name.startsWith(METADATA)) {
      const key = name.slice(METADATA.length);
      const same = metadata.find((entry) => entry.key === key);
      if (same === undefined) metadata.push({key, index, header});
      else twice(header, same.index);
    } else if (!known.includes(found))
      complain(
        header,
        'unknown-column',
        isReferenceColumn(header, kind)
          ? `is read with --${kind.kind === 'payout' ? 'payees' : 'payers'} FILE, which has the ids of an import`
          : unknownText(header, known),
      );
    else if (at[name] !== undefined) twice(header, at[name]);
    else at[name] = index;
  });

  checkNeeded(at, kind, options, {issues, complain});
  checkMetadataColumns(metadata, complain);
  const kept = cells.map((_, index) => index).filter((index) => !ignored.has(index));
  return {map: {headers: cells, at, metadata, kept}, issues};
}

const referenceColumn = ({party}: KindFacts): string => party.replace(/_id$/, '_reference');

/** The column that names the party: by its id, or by a reference whose id is known. */
const partyColumn = (kind: KindFacts, {hasPartyIds = false}: HeaderOptions): string =>
  hasPartyIds ? referenceColumn(kind) : kind.party;

const isReferenceColumn = (header: string, kind: KindFacts): boolean =>
  fold(header) === fold(referenceColumn(kind));

/** Folds the spelling: `Payee ID`, `payee-id` and `PAYEE_ID` are equal. */
const fold = (text: string): string => text.toLowerCase().replace(/[\s_-]+/gu, '');

/** The column that a header names: a known one, a metadata column, or the header in lower case. */
function knownName(header: string, known: readonly string[]): string {
  const text = header.trim();
  if (text.toLowerCase().startsWith(METADATA)) return METADATA + text.slice(METADATA.length);
  const folded = fold(text);
  return known.find((name) => fold(name) === folded) ?? text.toLowerCase();
}

/**
 * Finds the columns of the file that a typed header means: an exact match, otherwise those that differ only in case
 * and spaces.
 */
function columnsNamed(cells: readonly string[], typed: string): number[] {
  for (const same of [(text: string) => text.trim(), (text: string) => text.trim().toLowerCase(), fold]) {
    const found = cells.flatMap((header, index) => (same(header) === same(typed) ? [index] : []));
    if (found.length > 0) return found;
  }
  return [];
}

function mappedColumns(
  cells: readonly string[],
  mapping: HeaderOptions['mapping'],
  known: readonly string[],
  complain: Complain,
): Map<number, string> {
  const wanted = new Map<number, string>();
  for (const [name, header] of Object.entries(mapping)) {
    const found = columnsNamed(cells, header);
    if (found.length === 0)
      complain(header, 'missing-column', `--map ${name}=${shellWord(header)}: the file has no such column`);
    if (!known.includes(name) && !name.startsWith(METADATA))
      complain(
        header,
        'unknown-column',
        `--map ${name}=${shellWord(header)}: there is no column ${name} to map to`,
      );
    else
      for (const index of found) {
        const other = wanted.get(index);
        if (other !== undefined)
          complain(header, 'duplicate-column', `--map reads it as ${other} and as ${name}; leave one out`);
        wanted.set(index, name);
      }
  }
  return wanted;
}

function ignoredColumns(
  cells: readonly string[],
  headers: readonly string[],
  complain: Complain,
): Set<number> {
  const ignored = new Set<number>();
  for (const header of headers) {
    const found = columnsNamed(cells, header);
    if (found.length === 0)
      complain(header, 'missing-column', `--ignore-column ${shellWord(header)}: the file has no such column`);
    for (const index of found) ignored.add(index);
  }
  return ignored;
}

function checkNeeded(
  at: Readonly<Record<string, number>>,
  kind: KindFacts,
  options: HeaderOptions,
  {issues, complain}: {issues: readonly Issue[]; complain: Complain},
): void {
  const need = (name: string, how = '') => {
    if (at[name] === undefined) complain(name, 'missing-column', `the file has no column ${name}${how}`);
  };
  if (options.needsReference)
    need(
      'reference',
      '; map one with --map reference=COLUMN (without references a batch needs an explicit --namespace)',
    );
  const party = partyColumn(kind, options);
  if (at[kind.party] === undefined && !issues.some(({column}) => isReferenceColumn(column, kind)))
    complain(party, 'missing-column', `the file has no column ${party}`);
  if (at['amount'] === undefined && at['amount_in_minor_units'] === undefined)
    complain('amount', 'missing-column', 'the file has no column amount or amount_in_minor_units');
  if (at['amount'] !== undefined && at['amount_in_minor_units'] !== undefined)
    complain(
      'amount',
      'duplicate-column',
      'the file has both amount and amount_in_minor_units; leave one out with --ignore-column',
    );
  if (!options.defaultCurrency) need('currency_code', '; add it, or use --currency USD for every row');
}

/** No column has a longer name; longer headers are truncated in messages. */
const LONGEST_SHOWN = 100;

/** A header that is safe to show: if the header is missing, the first line of the file is data. */
const shown = (header: string): string =>
  maskDigits(header.length > LONGEST_SHOWN ? `${header.slice(0, LONGEST_SHOWN)}…` : header);

function unknownText(header: string, known: readonly string[]): string {
  if (shown(header) !== header)
    return 'unknown column; this looks like data: the first line of the file must be the header';
  const near = similarName(header, known);
  const question = near === undefined ? '' : ` (did you mean ${near}?)`;
  const target = near === undefined || near.startsWith('amount') ? 'NAME' : near; // the unit is the user's to choose
  return `unknown column${question}; --map ${target}=${shellWord(header)} reads it, --ignore-column ${shellWord(header)} leaves it out`;
}

function checkMetadataColumns(metadata: readonly {key: string; header: string}[], complain: Complain): void {
  if (metadata.length > METADATA_KEYS_FOR_USER)
    complain(
      '',
      'metadata',
      `the file has ${metadata.length} metadata columns; at most ${METADATA_KEYS_FOR_USER} are allowed, since one key is used for the reference`,
    );
  for (const {key, header} of metadata) {
    if (key === '') complain(header, 'metadata', 'the metadata key is empty');
    else if (key === '__proto__') complain(header, 'metadata', 'a metadata key cannot be __proto__');
    else if ([...key].length > LIMITS.metadataKeyLength)
      complain(header, 'metadata', `the metadata key is longer than ${LIMITS.metadataKeyLength} characters`);
    else if (key === REFERENCE_METADATA_KEY)
      complain(
        header,
        'metadata',
        `${REFERENCE_METADATA_KEY} is reserved: remit sends the reference under this key`,
      );
  }
}

function similarName(header: string, known: readonly string[]): string | undefined {
  if (/minor|cents/i.test(header)) return 'amount_in_minor_units';
  const flat = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');
  const asked = flat(header);
  const contains = (a: string, b: string) => a === b || (a.length > 3 && (b.includes(a) || a.includes(b)));
  const close = nearest(asked, known.map(flat));
  return known.find((name) => contains(asked, flat(name))) ?? known.find((name) => flat(name) === close);
}
