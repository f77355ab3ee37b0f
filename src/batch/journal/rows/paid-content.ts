import type {Kind} from '../../model/kinds.ts';
import {type FieldDifference, REPLACED_CODE} from '../../model/outcome.ts';
import {ROW_FIELDS, type RowContent} from '../../model/row-fields.ts';
import type {JournalRow} from './row.ts';

/** What makes two payments of a reference different. */
export const PAYMENT_FIELDS = ['party', 'amount', 'currency'] as const;

/** Who receives how much, in minor units. */
export type PaidContent = Pick<RowContent, (typeof PAYMENT_FIELDS)[number]>;

export const wireName = (name: (typeof PAYMENT_FIELDS)[number], kind: Kind): string =>
  ROW_FIELDS.flatMap((field) => (field.name === name ? [field.wire[kind]] : []))[0] ?? name;

/**
 * What was paid for a row: what it asks for, or what the payment has that replaces it.
 * @param differencesOf the stored differences of a row
 * @returns `isKnown: false` for a replaced row of which an earlier version did not store the difference
 */
export function paidContentOf(
  row: JournalRow,
  kind: Kind,
  differencesOf: (n: number) => readonly FieldDifference[],
): PaidContent & {isKnown: boolean} {
  const {party, amount, currency, outcome} = row;
  const asked = {party, amount, currency};
  if (outcome?.state !== 'already_paid' || outcome.code !== REPLACED_CODE) return {...asked, isKnown: true};
  const differences = differencesOf(row.n);
  const paid = (name: (typeof PAYMENT_FIELDS)[number]) =>
    differences.find(({field}) => field === wireName(name, kind))?.answered ?? undefined;
  const minor = Number(paid('amount') ?? amount);
  return {
    party: paid('party') ?? party,
    amount: Number.isSafeInteger(minor) ? minor : amount,
    currency: paid('currency') ?? currency,
    isKnown: differences.length > 0 && Number.isSafeInteger(minor),
  };
}
