import type {Issue} from '../model/issue.ts';
import type {SheetPlace} from './record.ts';

/** Adds the cell to an issue of a sheet: `Payouts!C14`, or `Payouts!14:14` for a whole row. */
export const locator =
  (sheet: SheetPlace | undefined) =>
  (issue: Issue): Issue => {
    if (sheet === undefined || issue.line === 0) return issue;
    const letters = issue.column === '' ? undefined : sheet.lettersOf(issue.column);
    const cell = letters === undefined ? `${issue.line}:${issue.line}` : `${letters}${issue.line}`;
    return {...issue, cell: `${sheet.quoted}!${cell}`};
  };
