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
import {paymentsIn} from '../registry/entries.ts';
import type {Registry} from '../registry/registry.ts';
import type {Plan} from '../model/plan-facts.ts';
import {isSameId} from '../../contract/ids.ts';

/**
 * Whether the payment of another batch may replace a row: other content under its reference, as a corrected `failed.csv`
 * has, or any payment of its reference in another namespace, if the row was rejected.
 */
export const mayBeReplaced = ({outcome}: JournalRow): boolean =>
  outcome !== undefined && (outcome.state === 'rejected' || isInConflict(outcome));

const isInConflict = ({state, code}: Outcome): boolean =>
  state === 'conflict' && (code === PAID_ELSEWHERE_CODE || code === REGISTRY_CODE);

/** Whether the operator has stated that another payment is that of the row, which may be revoked. */
export const isReplaced = (outcome: Outcome | undefined): outcome is Outcome =>
  outcome?.state === 'already_paid' && outcome.code !== REGISTRY_CODE;

/**
 * The operator states that the payment of the other batch is that of the row, or replaces it. The outcome is not one of
 * the registry, which would call other content a conflict again and does not look into other namespaces.
 */
export function replacedOutcome(row: JournalRow, known: Outcome, entry: Entry, kind: Kind): Outcome {
  const differences = replacedFields(row, entry, kind);
  const isSame = paidContent(entry) !== undefined && differences.length === 0;
  const stated = isSame ? 'as stated by the operator' : 'it replaces this row, as stated by the operator';
  return {
    ...known,
    ...{n: row.n, state: 'already_paid', id: entry.id, status: null, stagedAt: entry.at, http: null},
    ...{code: isSame ? null : REPLACED_CODE, differences},
    message: `${paidByText(entry)}; ${stated}`,
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
  const own = foreignEntry(registry.entries.find(row.reference), plan);
  const others = paymentsIn(registry.entries.elsewhere(row.reference));
  const entry = [...(own === undefined ? [] : [own]), ...others].find(
    (found) => found.paid && found.id !== null && isSameId(found.id, id),
  );
  if (entry === undefined) throw refuse(own ?? others[0]);
  return entry;
}
