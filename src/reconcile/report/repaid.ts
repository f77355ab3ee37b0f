import type {Book} from '../book/book.ts';
import type {ExpectedPayment} from '../model/payment.ts';

/** Records that have paid nothing. */
const NOT_PAID: ReadonlySet<string | undefined> = new Set(['created', 'failed', 'canceled']);

/** The reference under which a returned row is paid again. */
export type RepayReference = (reference: string) => string;

/**
 * The batches that have paid returned rows again, by the reference of the row that came back. A second payment that came
 * back too does not count.
 */
export function paidAgain(
  book: Book,
  returned: readonly ExpectedPayment[],
  repayReference: RepayReference,
): Map<string, string> {
  const wanted = new Map(
    returned.flatMap(({row}) => (row === undefined ? [] : [[repayReference(row.reference), row.reference]])),
  );
  const found = new Map<string, string>();
  if (wanted.size === 0) return found;
  for (const {payment, state} of book.payments()) {
    const first = payment.row === undefined ? undefined : wanted.get(payment.row.reference);
    if (first === undefined || payment.row === undefined) continue;
    if (!NOT_PAID.has(payment.status) && state !== 'returned') found.set(first, payment.row.batch);
  }
  return found;
}
