import type {Issue} from '../model/issue.ts';

/** Adds an issue to a row. */
export type Complain = (column: string, code: string, message: string, value?: string) => void;

/** Masks possible account and card numbers: eight digits in a row, or twelve separated by single spaces or dashes. */
export const maskDigits = (text: string): string =>
  text.replace(/\d{8,}|\d(?:[ -]?\d){11,}/g, (digits) => `…${digits.replace(/\D/g, '').slice(-4)}`);

/** A cell that is safe to show, truncated: an account number in the wrong column must not reach a log. */
export function maskCell(text: string): string {
  const masked = maskDigits(text.slice(0, 200));
  return masked.length > 40 ? `${masked.slice(0, 39)}…` : masked;
}

/** `line 7, column amount: …`, or `Payouts!C7, column amount: …` */
export function describeIssue(issue: Issue): string {
  const place = [
    ...(issue.cell !== undefined ? [issue.cell] : issue.line > 0 ? [`line ${issue.line}`] : []),
    ...(issue.row > 0 ? [`row ${issue.row}`] : []),
    ...(issue.column === '' ? [] : [`column ${issue.column.replaceAll(/\s+/g, ' ')}`]),
  ].join(', ');
  const isNamed = issue.value === '' || issue.message.startsWith(`"${issue.value}"`);
  const value = isNamed ? '' : ` (found: ${issue.value})`;
  return `${place === '' ? 'file' : place}: ${issue.message}${value}`;
}
