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

/**
 * Masks what may be an account or card number: eight digits in a row, or twelve with single spaces or dashes between
 * them.
 */
export const maskDigits = (text: string): string =>
  text.replace(/\d{8,}|\d(?:[ -]?\d){11,}/g, (digits) => `…${digits.replace(/\D/g, '').slice(-4)}`);

/** A cell as it may be shown, cut short: an account number in the wrong column must not reach a log. */
export function maskCell(text: string): string {
  const masked = maskDigits(text.slice(0, 200));
  return masked.length > 40 ? `${masked.slice(0, 39)}…` : masked;
}

/** `line 7, column amount: …` */
export function describeIssue(issue: Issue): string {
  const place = [
    ...(issue.line > 0 ? [`line ${issue.line}`] : []),
    ...(issue.row > 0 ? [`row ${issue.row}`] : []),
    ...(issue.column === '' ? [] : [`column ${issue.column}`]),
  ].join(', ');
  const value = issue.value === '' ? '' : ` (found: ${issue.value})`;
  return `${place === '' ? 'file' : place}: ${issue.message}${value}`;
}
