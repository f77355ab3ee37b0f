import type {Issue} from '../model/issue.ts';
import {RowSet} from './row-set.ts';

/** Issues with one cause: the same code in the same column, and for currencies that differ, the same two. */
export interface IssueGroup {
  code: string;
  column: string;
  count: number;
  /** The first ten by line. */
  examples: [first: Issue, ...others: Issue[]];
}

export interface IssueCounts {
  issues: number;
  /** Number of rows that have at least one. */
  rows: number;
  groups: IssueGroup[];
}

/** The code of an amount that shows another currency than its row; its message names both. */
export const OTHER_CURRENCY = 'currency-sign';

const EXAMPLES = 10;

/** Counts issues by cause. Groups are in the order of their first lines. */
class IssueGroups {
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
    const {code, column, message} = issue;
    const key = JSON.stringify([code, column, code === OTHER_CURRENCY ? message : '']); // a group shows one message
    const group = this.#groups.get(key);
    if (group === undefined) {
      this.#groups.set(key, {code, column, count: 1, examples: [issue]});
      return;
    }
    group.count++;
    const {examples} = group;
    const last = examples.at(-1) ?? examples[0];
    if (examples.length === EXAMPLES && issue.line >= last.line) return;
    examples.push(issue);
    examples.sort((a, b) => a.line - b.line); // rows with ambiguous amounts are read last
    examples.length = Math.min(examples.length, EXAMPLES);
  }

  counts(): IssueCounts {
    const groups = [...this.#groups.values()].sort((a, b) => a.examples[0].line - b.examples[0].line);
    return {issues: this.#issues, rows: this.#rows, groups};
  }
}

/** @param located adds where an issue is */
export function groupsOf(
  issues: Iterable<Issue>,
  located: (issue: Issue) => Issue = (issue) => issue,
): IssueCounts {
  const groups = new IssueGroups();
  for (const issue of issues) groups.add(located(issue));
  return groups.counts();
}
