/** One thing wrong with a file: where, what, and how to mend it. Lines and rows count from 1; the header is line 1. */
export interface Issue {
  /** Record number after the header, or 0 for the file as a whole. */
  row: number;
  /** Physical line on which the record begins, or 0. */
  line: number;
  /** Column as the file spells it, or empty. */
  column: string;
  code: string;
  message: string;
  /** What stands in the cell, cut short and with long runs of digits masked. */
  value: string;
}

/** A cell as it may be shown: an account number that strayed into the wrong column must not reach a log. */
export function maskCell(text: string): string {
  const short = text.length > 40 ? `${text.slice(0, 39)}…` : text;
  return short.replace(/\d{8,}/g, (digits) => `…${digits.slice(-4)}`);
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
