import {LIMITS} from '../contract/limits.ts';
import {REFERENCE_METADATA_KEY} from './identity.ts';
import type {Issue} from './issues.ts';
import type {KindFacts} from './kinds.ts';

const METADATA = 'metadata.';
/** One metadata key is ours: it carries the reference. */
export const METADATA_KEYS_FOR_USER = LIMITS.metadataKeys - 1;

/** Column names of a batch file, in the order in which the template prints them. */
export function knownColumns(kind: KindFacts): readonly string[] {
  return [
    'reference',
    kind.party,
    'amount',
    'amount_in_minor_units',
    'currency_code',
    'rail',
    kind.method,
    'subaccount_id',
    'scheduled_date',
  ];
}

/** Where in a record each known column lies. */
export interface ColumnMap {
  /** Header as the file spells it. */
  headers: readonly string[];
  at: Readonly<Record<string, number>>;
  metadata: readonly {key: string; index: number; header: string}[];
}

/**
 * Reads a header. Names are matched trimmed and without case; `mapping` (`--map reference=Invoice`) comes first.
 * A column that nobody knows is an error, for it may be a misspelt one whose values would silently not be sent;
 * `ignored` names those that are to be passed over.
 */
export function readHeader(
  cells: readonly string[],
  kind: KindFacts,
  options: {
    mapping: Readonly<Record<string, string>>;
    ignored: readonly string[];
    needsReference: boolean;
    defaultCurrency: boolean;
  },
): {map: ColumnMap; issues: Issue[]} {
  const issues: Issue[] = [];
  const complain = (column: string, code: string, message: string) =>
    issues.push({row: 0, line: 1, column, code, message, value: ''});
  const known = knownColumns(kind);
  const plain = (text: string) => text.trim().toLowerCase();
  const wanted = new Map(Object.entries(options.mapping).map(([name, header]) => [plain(header), name]));
  const ignored = new Set(options.ignored.map(plain));
  const at: Record<string, number> = {};
  const metadata: {key: string; index: number; header: string}[] = [];
  const found = new Set<string>();

  cells.forEach((header, index) => {
    const name = wanted.get(plain(header)) ?? plain(header);
    found.add(plain(header));
    if (ignored.has(plain(header))) return;
    const metadataKey = wanted.has(plain(header))
      ? name.slice(METADATA.length)
      : header.trim().slice(METADATA.length);
    if (name === '') complain('', 'unnamed-column', `column ${index + 1} has no name`);
    else if (name.startsWith(METADATA)) {
      if (metadata.some((entry) => entry.key === metadataKey))
        complain(header, 'duplicate-column', 'this column stands twice in the header');
      else metadata.push({key: metadataKey, index, header});
    } else if (!known.includes(name))
      complain(
        shortened(header),
        'unknown-column',
        header.length > LONGEST_SHOWN
          ? 'no such column; this looks like no CSV with a header'
          : `no such column${suggestion(name, known)}; --map NAME="${header}" or --ignore-column "${header}"`,
      );
    else if (at[name] !== undefined)
      complain(header, 'duplicate-column', 'this column stands twice in the header');
    else at[name] = index;
  });

  for (const [name, header] of Object.entries(options.mapping)) {
    if (!found.has(plain(header)))
      complain(header, 'missing-column', `--map ${name}=${header}: the file has no such column`);
    if (!known.includes(name) && !name.startsWith(METADATA))
      complain(header, 'unknown-column', `--map ${name}=…: there is no column ${name} to map to`);
  }
  for (const header of options.ignored)
    if (!found.has(plain(header)))
      complain(header, 'missing-column', `--ignore-column ${header}: the file has no such column`);

  const need = (name: string, how = '') => {
    if (at[name] === undefined) complain(name, 'missing-column', `the file has no column ${name}${how}`);
  };
  if (options.needsReference)
    need(
      'reference',
      '; map one with --map reference=COLUMN (without references a batch needs an explicit --namespace)',
    );
  need(kind.party);
  if (at['amount'] === undefined && at['amount_in_minor_units'] === undefined)
    complain('amount', 'missing-column', 'the file has neither amount nor amount_in_minor_units');
  if (at['amount'] !== undefined && at['amount_in_minor_units'] !== undefined)
    complain(
      'amount',
      'duplicate-column',
      'the file has both amount and amount_in_minor_units; keep one (or --ignore-column)',
    );
  if (!options.defaultCurrency) need('currency_code', '; add it, or say --currency USD for every row');
  checkMetadataColumns(metadata, complain);
  return {map: {headers: cells, at, metadata}, issues};
}

/** What is longer is no name of a column that anybody typed. */
const LONGEST_SHOWN = 100;

const shortened = (header: string): string =>
  header.length > LONGEST_SHOWN ? `${header.slice(0, LONGEST_SHOWN)}…` : header;

function checkMetadataColumns(
  metadata: readonly {key: string; header: string}[],
  complain: (column: string, code: string, message: string) => void,
): void {
  if (metadata.length > METADATA_KEYS_FOR_USER)
    complain(
      '',
      'metadata',
      `the file has ${metadata.length} metadata columns; at most ${METADATA_KEYS_FOR_USER}, one key is remit's own`,
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
        `${REFERENCE_METADATA_KEY} is the key under which remit sends the reference`,
      );
  }
}

function suggestion(name: string, known: readonly string[]): string {
  const flat = (text: string) => text.replace(/[^a-z]/g, '');
  const near = known.find((candidate) => {
    const [a, b] = [flat(name), flat(candidate)];
    return a === b || (a.length > 3 && (b.includes(a) || a.includes(b))) || distance(a, b) <= 2;
  });
  return near === undefined ? '' : `; did you mean ${near}?`;
}

/** Levenshtein distance of two short words. */
function distance(a: string, b: string): number {
  let previous = Array.from({length: b.length + 1}, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++)
      current[j] = Math.min(
        previous[j]! + 1,
        current[j - 1]! + 1,
        previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
    previous = current;
  }
  return previous[b.length]!;
}
