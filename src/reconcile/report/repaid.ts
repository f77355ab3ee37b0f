import type {Book} from '../book/book.ts';
import type {ExpectedPayment} from '../model/payment.ts';

/** Records that have paid nothing. */
export const NOT_PAID: ReadonlySet<string | undefined> = new Set(['created', 'failed', 'canceled']);

/** The reference under which a returned row is paid again. */
export type RepayReference = (reference: string) => string;

/** How a returned row is paid again: at the end of a chain, if second payments came back too. */
export interface Repayment {
  /** The reference of the payment that did not come back, or of the next one if all did. */
  reference: string;
  /** The batch that has paid it; undefined if none has. */
  by: string | undefined;
  /** The batch with the last row of the chain, in any state; undefined if there is none beside the first one. */
  heldBy: string | undefined;
}

/** How returned rows are paid again, by their references. `returned` are all payments that came back. */
export function paidAgain(
  book: Book,
  returned: readonly ExpectedPayment[],
  repayReference: RepayReference,
): Map<string, Repayment> {
  const back = new Set(returned.flatMap(({row}) => row?.reference ?? []));
  if (back.size === 0) return new Map();
  const wanted = new Set([...back].map(repayReference));
  const payers = new Map<string, string>();
  const holders = new Map<string, string>();
  for (const {payment, state} of book.payments()) {
    const {row, status} = payment;
    if (row === undefined || (!wanted.has(row.reference) && !back.has(row.reference))) continue;
    holders.set(row.reference, row.batch);
    if (!NOT_PAID.has(status) && state !== 'returned') payers.set(row.reference, row.batch);
  }
  const repayment = (first: string): Repayment => {
    const again = payers.get(first);
    if (again !== undefined) return {reference: first, by: again, heldBy: again}; // with a new key
    let reference = repayReference(first);
    let heldBy = holders.get(reference);
    while (back.has(reference) && !payers.has(reference)) {
      reference = repayReference(reference);
      heldBy = holders.get(reference) ?? heldBy;
    }
    return {reference, by: payers.get(reference), heldBy};
  };
  return new Map([...back].map((first) => [first, repayment(first)]));
}
