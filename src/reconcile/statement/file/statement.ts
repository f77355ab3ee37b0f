import type {NumberFormat} from '../../../money/amount.ts';
import type {StatedBalances} from '../../model/line.ts';

export const STATEMENT_FORMATS = ['camt053', 'bai2', 'ofx', 'mt940', 'csv'] as const;
export type StatementFormat = (typeof STATEMENT_FORMATS)[number];

/** How days may be written in a CSV statement. Other formats have one way. */
export const CSV_DAY_FORMATS = ['YYYY-MM-DD', 'YYYYMMDD', 'MM/DD/YYYY', 'DD/MM/YYYY', 'DD.MM.YYYY'] as const;
export type CsvDayFormat = (typeof CSV_DAY_FORMATS)[number];

export const STATEMENT_ENCODINGS = ['utf-8', 'windows-1252'] as const;
export type StatementEncoding = (typeof STATEMENT_ENCODINGS)[number];

export interface StatementOptions {
  /** Default: recognized from the content. */
  format?: StatementFormat | undefined;
  /** The id of the treasury account that the lines belong to. */
  account: string;
  /** The account number or IBAN, or its last four characters or more, for a file with several accounts. */
  number?: string | undefined;
  /**
   * Whether an account number is one of those that `account` had before; undefined if it had none. Lines of other
   * numbers are not taken.
   */
  isKnown?: ((number: string, format: StatementFormat) => boolean | undefined) | undefined;
  /** Currency of amounts for which the file states none. */
  currencyDefault?: string | undefined;
  /** Default: as the file states; otherwise UTF-8. */
  encoding?: StatementEncoding | undefined;
  /** Columns of a CSV: field to header, as in `--map amount=Value`. */
  map?: Readonly<Record<string, string>> | undefined;
  dayFormat?: CsvDayFormat | undefined;
  numberFormat?: NumberFormat | undefined;
}

/** What is known of a statement file that was read to its end. */
export interface StatementFacts {
  readonly format: StatementFormat;
  /** How many lines it has. Entries without effect on the balance, such as camt entries with status INFO, are none. */
  readonly lines: number;
  /** The days that it covers, both included, by its balances and lines; undefined for an empty statement. */
  readonly days: {readonly from: string; readonly to: string} | undefined;
  /** Balances that the file states. OFX and CSV state no opening balance, so they have none. */
  readonly balances: readonly StatedBalances[];
  /** The account number that its lines are of, whole; undefined if the file states none. */
  readonly number: string | undefined;
}
