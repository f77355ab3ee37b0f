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
  const paid = new Map<string, FoundPayment[]>();
  for (const one of book.payments()) {
    const {row, recordId, kind, status, currency} = one.payment;
    if (row === undefined || recordId === undefined || one.state === 'returned' || !isSent(status)) continue;
    let {reference} = row;
    if (!back.has(reference) && !before.has(reference)) continue;
    for (let first = before.get(reference); first !== undefined; first = before.get(reference))
      reference = first;
    const debt = `${kind} ${currency} ${reference}`;
    paid.set(debt, [...(paid.get(debt) ?? []), one]);
  }
  return [...paid.values()].flatMap((all) => {
    const [payment, ...also] = all.toSorted((a, b) => b.payment.day.localeCompare(a.payment.day));
    return payment === undefined || also.length === 0
      ? []
      : [{payment, also: also.map((one) => one.payment)}];
  });
}
