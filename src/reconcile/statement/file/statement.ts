import type {NumberFormat} from '../../../money/amount.ts';
import type {BankLine, StatedBalances} from '../../model/line.ts';

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
  /** The id of the treasury account that the lines belong to. Default: the account number, masked. */
  account?: string | undefined;
  /** The account number or IBAN, or its last four characters or more, for a file with several accounts. */
  number?: string | undefined;
  /** Whether an account number is known to be that of `account`: of a file with several accounts, it is chosen. */
  isKnown?: ((number: string, format: StatementFormat) => boolean) | undefined;
  /** Currency of amounts for which the file states none. */
  currencyDefault?: string | undefined;
  /** Default: as the file states; otherwise UTF-8. */
  encoding?: StatementEncoding | undefined;
  /** Columns of a CSV: field to header, as in `--map amount=Value`. */
  map?: Readonly<Record<string, string>> | undefined;
  dayFormat?: CsvDayFormat | undefined;
  numberFormat?: NumberFormat | undefined;
}

/** A statement file, read to its end. */
export interface BankStatement {
  readonly format: StatementFormat;
  readonly lines: readonly BankLine[];
  /** Balances that the file states. OFX and CSV state no opening balance, so they have none. */
  readonly balances: readonly StatedBalances[];
  /** The account numbers as the file states them, masked: `…1234`. Empty if it states none. */
  readonly accounts: readonly string[];
  /** The account number that its lines are of, whole; undefined if the file states none, or several are read. */
  readonly number: string | undefined;
  /** Entries without effect on the balance, such as camt entries with status INFO. They are not lines. */
  readonly informational: number;
}
