/** One thing wrong with a file: where, what, and how to fix it. Lines and rows count from 1; the header is line 1. */
export interface Issue {
  /** Record number after the header, or 0 for the file as a whole. */
  row: number;
  /** Physical line on which the record begins, or 0. */
  line: number;
  /** Column as the file spells it, or empty. */
  column: string;
  code: string;
  message: string;
  /** The cell, cut short and with long runs of digits masked. */
  value: string;
}
