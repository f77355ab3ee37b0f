import type {Approvals, MovingRow} from '../../../approval/approvals.ts';
import type {BatchTerms} from '../../../approval/document.ts';
import {type ApprovalRule, ruleText} from '../../../approval/policy.ts';
import {NO_SERVICE} from '../../../approval/statement.ts';
import type {Plan} from '../../../batch/model/plan-facts.ts';
import {formatMajor, groupMajor} from '../../../money/amount.ts';
import {counted} from '../../../phrases.ts';
import {repeatsText} from '../../batch/plan/view.ts';

/** What a person looks at before signing. */
export interface Reviewed {
  /** Read from the person's own file. */
  plan: Plan;
  terms: BatchTerms;
  rules: readonly ApprovalRule[];
  person: string;
  fingerprint: string;
  moving: readonly MovingRow[];
  /** Rows that are still to be paid. */
  open: readonly MovingRow[];
  approvals: Approvals;
}

const LISTED = 5;

/** Totals, the largest rows, what is new and what looks alike, and what the approval does not do. */
export function reviewText(reviewed: Reviewed): string {
  const {plan, terms, rules, person, fingerprint, open, approvals} = reviewed;
  const lines: [string, string][] = [
    ['Rows', `${plan.figures.rows}, ${open.length} of them to be paid`],
    ...Object.entries(terms.totals).map(([currency, total]): [string, string] => [
      'Total',
      `${groupMajor(total)} ${currency}`,
    ]),
    ...listed('Largest', largest(reviewed.moving)),
    ...newRows(reviewed),
    ...listed(
      'Again',
      reviewed.open.filter(({generation}) => generation > 0),
    ),
    ...repeatsText(plan.figures.softDuplicates).map((line): [string, string] => ['Repeats', line.trim()]),
    ...plan.figures.similarReferences.examples.map((references): [string, string] => [
      'Similar',
      references.join(', '),
    ]),
    ['Sent to', `${terms.base_url}, ${terms.mode} mode, namespace ${terms.namespace}`],
    ['Service file', terms.service === NO_SERVICE ? 'none' : terms.service],
    ['Made by', approvals.makers.join(', ')],
    ...approvals.approvers.map((name): [string, string] => [
      'Approved',
      `by ${name}, for what has not changed since`,
    ]),
    ...rules.map((rule): [string, string] => ['Rule', ruleText(rule)]),
    ['You sign', `as ${person}, with ${fingerprint}`],
  ];
  const width = Math.max(...lines.map(([label]) => label.length)) + 2;
  return [
    `Batch ${terms.batch_id}, revision ${terms.revision}, read from your own file ${plan.file.name}`,
    ...lines.map(
      ([label, text], at) => `  ${(lines[at - 1]?.[0] === label ? '' : label).padEnd(width)}${text}`,
    ),
    'Anyone with the live API key can pay without remit, and so without this approval. Keep the key only on the machine that releases.',
  ].join('\n');
}

const rowText = ({reference, party, amount, currency}: MovingRow): string =>
  `${groupMajor(formatMajor(BigInt(amount), currency))} ${currency} to ${party}: ${reference}`;

const listed = (label: string, rows: readonly MovingRow[]): [string, string][] =>
  rows.slice(0, LISTED).map((row) => [label, rowText(row)]);

/** The largest rows of each currency. */
function largest(rows: readonly MovingRow[]): MovingRow[] {
  const sorted = [...rows].sort((a, b) => b.amount - a.amount);
  const shown = new Map<string, number>();
  return sorted.filter(({currency}) => {
    const before = shown.get(currency) ?? 0;
    shown.set(currency, before + 1);
    return before < Math.ceil(LISTED / 2);
  });
}

/** After an earlier approval, only these rows have to be looked at again. */
function newRows({moving, approvals}: Reviewed): [string, string][] {
  if (approvals.approvers.length === 0) return [];
  const fresh = moving.filter((row) => !approvals.wasApproved(row));
  return [['New', `${counted(fresh.length, 'row')} since the last approval`], ...listed('New', fresh)];
}
