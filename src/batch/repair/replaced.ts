import type {RemitError} from '../../errors.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import {formatMajor} from '../../money/amount.ts';
import {type PaidContent, paidContentOf, PAYMENT_FIELDS, wireName} from '../journal/rows/paid-content.ts';
import type {Kind} from '../model/kinds.ts';
import {
  type FieldDifference,
  type Outcome,
  PAID_ELSEWHERE_CODE,
  REGISTRY_CODE,
  REPLACED_CODE,
} from '../model/outcome.ts';
import {type Entry, paidByText, paidContent} from '../registry/entry.ts';
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
export function replacedOutcome(row: JournalRow, known: Outcome, entry: Entry, kind: Kind): Outcome {
  const differences = replacedFields(row, entry, kind);
  return {
    ...known,
    ...{n: row.n, state: 'already_paid', id: entry.id, status: null, stagedAt: entry.at, http: null},
    ...{code: REPLACED_CODE, differences},
    message: `${paidByText(entry)}; it replaces this row, as stated by the operator`,
  };
}

/** In what the other payment differs; empty if an earlier version wrote the entry, without its content. */
function replacedFields(row: JournalRow, entry: Entry, kind: Kind): FieldDifference[] {
  const paid = paidContent(entry);
  if (paid === undefined) return [];
  return PAYMENT_FIELDS.flatMap((name) =>
    paid[name] === row[name]
      ? []
      : [{field: wireName(name, kind), asked: String(row[name]), answered: String(paid[name])}],
  );
}

/** What was paid instead of a row; empty if the payment does not replace it, or its content is not known. */
export function replacesOf(row: JournalRow, outcome: Outcome, kind: Kind): {replaces?: string} {
  const {differences = []} = outcome;
  if (outcome.code !== REPLACED_CODE || differences.length === 0) return {};
  const paid = paidContentOf({...row, outcome}, kind, () => differences);
  const moneyOf = ({amount, currency}: PaidContent) => `${formatMajor(BigInt(amount), currency)} ${currency}`;
  const isOtherParty = paid.party !== row.party;
  const textOf = (content: PaidContent) => moneyOf(content) + (isOtherParty ? ` to ${content.party}` : '');
  return {replaces: `${textOf(paid)} instead of ${textOf(row)}`};
}

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
