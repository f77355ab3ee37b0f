import {type Kind, KINDS} from './kinds.ts';

/** How the cell of a field is read and checked. `input/rows.ts` has a reader for each format. */
export type CellFormat = 'party' | 'amount' | 'currency' | 'rail' | 'uuid' | 'day' | 'metadata';

interface RowField {
  /** Its name in the code, and its column in the table `rows` of a journal. */
  readonly name: string;
  readonly sql: 'text not null' | 'integer not null' | 'text';
  /** Its column in the file and its field in the request body. */
  readonly wire: Readonly<Record<Kind, string>>;
  readonly cell: CellFormat;
  /**
   * What a difference in this field means: the record is another payment, or the same payment, to be held. Omitted
   * for a field that answers do not contain.
   */
  readonly echo?: 'other' | 'differs';
}

const both = <Name extends string>(name: Name) => ({payout: name, payin: name});

/**
 * The content of a row: each field once, in the order of the fingerprint and of the request body. New fields go at
 * the end, with the type `text`. A row without a value for them must keep its fingerprint and its bytes, or
 * re-running an old file would cause conflicts.
 */
export const ROW_FIELDS = [
  {
    name: 'party',
    sql: 'text not null',
    wire: {payout: KINDS.payout.party, payin: KINDS.payin.party},
    cell: 'party',
    echo: 'other',
  },
  {
    name: 'amount', // in minor units; the file may have `amount` instead
    sql: 'integer not null',
    wire: both('amount_in_minor_units'),
    cell: 'amount',
    echo: 'other',
  },
  {name: 'currency', sql: 'text not null', wire: both('currency_code'), cell: 'currency', echo: 'differs'},
  {name: 'rail', sql: 'text', wire: both('rail'), cell: 'rail', echo: 'differs'},
  {
    name: 'method',
    sql: 'text',
    wire: {payout: KINDS.payout.method, payin: KINDS.payin.method},
    cell: 'uuid',
  },
  {name: 'subaccount', sql: 'text', wire: both('subaccount_id'), cell: 'uuid', echo: 'other'},
  {name: 'scheduled', sql: 'text', wire: both('scheduled_date'), cell: 'day'},
  // Canonical JSON of the user's entries, keys sorted. The body adds the reference; an answer adds `client_metadata`.
  {name: 'metadata', sql: 'text', wire: both('metadata'), cell: 'metadata', echo: 'differs'},
] as const satisfies readonly RowField[];

type Field = (typeof ROW_FIELDS)[number];
export type FieldName = Field['name'];
type Value = {'text not null': string; 'integer not null': number; text: string | null};

/** The content of a row. It is equal exactly if the same payment is requested. */
export type RowContent = {[F in Field as F['name']]: Value[F['sql']]};

/** Fields that are optional in a row and have their own column. */
export type OptionalField = Exclude<Extract<Field, {sql: 'text'}>, {cell: 'metadata'}>;

export const FIELD_NAMES = ROW_FIELDS.map(({name}) => name);
export const OPTIONAL_FIELDS = ROW_FIELDS.filter(
  (field): field is OptionalField => field.sql === 'text' && field.cell !== 'metadata',
);

/** `a, b or c` */
export const orList = (names: readonly string[]): string => names.join(', ').replace(/, (?!.*,)/, ' or ');

/** Fields whose difference causes a record to be held: `currency, rail or metadata`. */
export const DIFFERING_FIELDS = orList(
  ROW_FIELDS.filter((field) => 'echo' in field && field.echo === 'differs').map(({name}) => name),
);

/** Values of these formats contain only letters, digits and `_.:~-`, so they need no escaping in JSON. */
const PLAIN_FORMATS: ReadonlySet<CellFormat> = new Set([
  'party',
  'amount',
  'currency',
  'rail',
  'uuid',
  'day',
]);
export const isPlain = ({cell}: {cell: CellFormat}): boolean => PLAIN_FORMATS.has(cell);

/** Columns of a file, in the order in which the template prints them. Metadata columns have names of their own. */
export const columnsOf = (kind: Kind): readonly string[] => [
  'reference',
  ...ROW_FIELDS.flatMap(({name, wire, cell}) => {
    if (cell === 'metadata') return [];
    return name === 'amount' ? ['amount', wire[kind]] : [wire[kind]];
  }),
];
