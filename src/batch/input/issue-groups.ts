import type {SqliteDatabase} from '../../store/port.ts';
import type {Issue} from './issues.ts';
import {RowSet} from './row-set.ts';

/** Issues with one cause: the same code in the same column. */
export interface IssueGroup {
  code: string;
  column: string;
  count: number;
  /** The first of them by line, at most ten. */
  examples: Issue[];
}

export interface IssueCounts {
  issues: number;
  /** Rows that have one or more. */
  rows: number;
  groups: IssueGroup[];
}

const EXAMPLES = 10;
const PAGE = 1000;

/** Counts issues by their cause; groups come in the order of their first lines. */
export class IssueGroups {
  readonly #groups = new Map<string, IssueGroup>();
  readonly #seen = new RowSet();
  #issues = 0;
  #rows = 0;

  add(issue: Issue): void {
    this.#issues++;
    if (issue.row > 0 && !this.#seen.has(issue.row)) {
      this.#seen.add(issue.row);
      this.#rows++;
    }
    const {code, column} = issue;
    const key = JSON.stringify([code, column]);
    let group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, (group = {code, column, count: 0, examples: []}));
    group.count++;
    const {examples} = group;
    if (examples.length === EXAMPLES && issue.line >= examples.at(-1)!.line) return;
    examples.push(issue);
    examples.sort((a, b) => a.line - b.line); // rows whose amounts waited for others come last
    examples.length = Math.min(examples.length, EXAMPLES);
  }

  counts(): IssueCounts {
    const groups = [...this.#groups.values()].sort((a, b) => a.examples[0]!.line - b.examples[0]!.line);
    return {issues: this.#issues, rows: this.#rows, groups};
  }
}

/** All issues of a plan. Read by the page, so memory does not grow with the file. */
export function readIssueGroups(db: SqliteDatabase): IssueCounts {
  const groups = new IssueGroups();
  const page = db.prepare(
    'select seq, n, line, col, code, message, value from issues where seq > ? order by seq limit ?',
  );
  for (let rows = page.all(0, PAGE); rows.length > 0; rows = page.all(rows.at(-1)!['seq']!, PAGE))
    for (const {n, line, col, code, message, value} of rows)
      groups.add({
        ...{row: Number(n), line: Number(line), column: col as string, code: code as string},
        ...{message: message as string, value: value as string},
      });
  return groups.counts();
}

export function groupsOf(issues: readonly Issue[]): IssueCounts {
  const groups = new IssueGroups();
  for (const issue of issues) groups.add(issue);
  return groups.counts();
}
