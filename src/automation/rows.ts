import {mustBeObject} from '../arguments.ts';
import {RemitError} from '../errors.ts';

/** One payment, with the columns of a batch file (docs/guides/batches.md): one amount and one party. */
export type BatchRow = BatchRowFields & RowAmount & RowParty;

/** Major units as text, such as `1500.75`, or minor units. */
export type RowAmount =
  | {amount: string; amount_in_minor_units?: undefined}
  | {amount_in_minor_units: number | bigint; amount?: undefined};

/** A payee for payouts, a payer for payins. */
export type RowParty = {payee_id: string; payer_id?: undefined} | {payer_id: string; payee_id?: undefined};

/** What every row can have. */
export interface BatchRowFields {
  /** Your own reference: a reference is paid once. */
  reference: string;
  currency_code: string;
  rail?: string | undefined;
  /** Payouts only. */
  override_default_payment_method_id?: string | undefined;
  /** Payins only. */
  payment_method_id?: string | undefined;
  subaccount_id?: string | undefined;
  /** `2026-03-02` */
  scheduled_date?: string | undefined;
  metadata?: Readonly<Record<string, string>> | undefined;
}

/**
 * The rows as a batch file. All checks are left to the plan, except that a number must be exact.
 * @throws {RemitError} CSV_INVALID for a value that is neither text nor a whole number; USAGE for a row that is no object
 */
export function rowsToCsv(rows: readonly BatchRow[]): string {
  const cells = rows.map((row, index) => cellsOf(row, index + 1));
  const columns = [...new Set(cells.flatMap((row) => [...row.keys()]))];
  const lines = cells.map((row) => columns.map((column) => quoted(row.get(column) ?? '')));
  return [columns.map(quoted), ...lines].map((line) => `${line.join(',')}\n`).join('');
}

function cellsOf(given: BatchRow, row: number): Map<string, string> {
  mustBeObject(given, `row ${row}`);
  const {metadata = {}, ...fields} = given;
  mustBeObject(metadata, `row ${row}: metadata`);
  const named = Object.entries(metadata).map(([name, value]) => [`metadata.${name}`, value] as const);
  const cells = new Map<string, string>();
  for (const [column, value] of [...Object.entries(fields), ...named])
    if (value !== undefined) cells.set(column, textOf(value, column, row));
  return cells;
}

function textOf(value: unknown, column: string, row: number): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return String(value);
  throw new RemitError(
    'CSV_INVALID',
    `row ${row}: ${column} must be text or a whole number, not ${typeof value === 'number' ? value : typeof value}`,
    {hint: 'write amounts in major units as text, such as "1500.75"'},
  );
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
