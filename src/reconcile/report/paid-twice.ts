import type {Book} from '../book/book.ts';
import type {FoundPayment} from '../book/findings.ts';
import {type ExpectedPayment, isSent} from '../model/payment.ts';
import type {RepayReference} from './repaid.ts';

/** A returned debt that more than one payment pays again. */
export interface PaidTwice {
  /** The last of them. */
  payment: FoundPayment;
  also: readonly ExpectedPayment[];
}

/** Which of these debts are paid by several payments that did not come back. `returned` are all that came back. */
export function paidTwice(
  book: Book,
  returned: readonly ExpectedPayment[],
  repayReference: RepayReference,
): PaidTwice[] {
  const back = new Set(returned.flatMap(({row}) => row?.reference ?? []));
  if (back.size === 0) return [];
  const before = new Map([...back].map((reference) => [repayReference(reference), reference]));
  const first = (reference: string): string => {
    const earlier = before.get(reference);
    return earlier === undefined ? reference : first(earlier);
  };
  const debtOf = ({kind, currency}: ExpectedPayment, reference: string) =>
    JSON.stringify([kind, currency, first(reference)]);
  // Several namespaces may have the reference, and each of them its own debt.
  const debts = new Map<string, number>();
  for (const payment of returned) {
    const reference = payment.row?.reference;
    if (reference === undefined || before.has(reference)) continue;
    const debt = debtOf(payment, reference);
    debts.set(debt, (debts.get(debt) ?? 0) + 1);
  }
  const paid = new Map<string, FoundPayment[]>();
  for (const one of book.payments()) {
    const {row, recordId, status} = one.payment;
    if (row === undefined || recordId === undefined || one.state === 'returned' || !isSent(status)) continue;
    if (!back.has(row.reference) && !before.has(row.reference)) continue;
    const debt = debtOf(one.payment, row.reference);
    paid.set(debt, [...(paid.get(debt) ?? []), one]);
  }
  return [...paid].flatMap(([debt, all]) => {
    const [payment, ...also] = all.toSorted((a, b) => b.payment.day.localeCompare(a.payment.day));
    return payment === undefined || all.length <= (debts.get(debt) ?? 1)
      ? []
      : [{payment, also: also.map((one) => one.payment)}];
  });
}
