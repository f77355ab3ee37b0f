/**
 * One error in a file: where it is, what is wrong, and how to fix it. Lines and rows count from 1; the header is line
 * 1.
 */
export interface Issue {
  /** Record number after the header, or 0 for the whole file. */
  row: number;
  /** Physical line on which the record begins, or row of the sheet; or 0. */
  line: number;
  /** In a workbook, the cell or row: `Payouts!C14`. */
  cell?: string;
  /** Column as written in the file, or empty. */
  column: string;
  code: string;
  message: string;
  /** The cell, truncated and with long runs of digits masked. */
  value: string;
}
