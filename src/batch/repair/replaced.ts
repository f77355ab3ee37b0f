import type {RemitError} from '../../errors.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import {type Outcome, PAID_ELSEWHERE_CODE, REGISTRY_CODE} from '../model/outcome.ts';
import {type Entry, paidByText} from '../registry/entry.ts';
import {foreignEntry} from '../registry/judge.ts';
import type {Registry} from '../registry/registry.ts';
import type {Plan} from '../model/plan-facts.ts';
import {isSameId} from '../../contract/ids.ts';

/** Whether another batch has paid other content under the reference of a row, as a corrected `failed.csv` does. */
export const mayBeReplaced = ({outcome}: JournalRow): boolean =>
  outcome?.state === 'conflict' && (outcome.code === PAID_ELSEWHERE_CODE || outcome.code === REGISTRY_CODE);

/**
 * The operator states that the payment of the other batch replaces the row. The outcome is not one of the registry: its
 * content differs, so the registry would call it a conflict again.
 */
export const replacedOutcome = (row: JournalRow, known: Outcome, entry: Entry): Outcome => ({
  ...known,
  ...{
    n: row.n,
    state: 'already_paid',
    id: entry.id,
    status: null,
    stagedAt: entry.at,
    http: null,
    code: null,
  },
  message: `${paidByText(entry)}; it replaces this row, as stated by the operator`,
});

/** The payment of another batch that the id names, or the error to throw. */
export function replacingEntry(
  registry: Registry,
  row: JournalRow,
  id: string,
  {plan, refuse}: {plan: Plan; refuse: (found: Entry | undefined) => RemitError},
): Entry {
  const entry = foreignEntry(registry.entries.find(row.reference), plan);
  if (entry?.paid !== true || entry.id === null || !isSameId(entry.id, id)) throw refuse(entry);
  return entry;
}
