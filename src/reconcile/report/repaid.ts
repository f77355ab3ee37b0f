import type {Book} from '../book/book.ts';
import type {FoundPayment} from '../book/findings.ts';
import {type ExpectedPayment, isReturnOf, isSent} from '../model/payment.ts';

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
  /** Whether the book has a record with that reference. */
  isRead: boolean;
  /** The payment of that row if it has paid another amount, and nobody has confirmed its line yet. */
  other?: FoundPayment | undefined;
}

export interface Repayments {
  /** By the keys of the payments that came back. */
  returned: ReadonlyMap<string, Repayment>;
  /** Keys of the payments that pay them again, also of those that came back themselves or are not known to have paid. */
  again: ReadonlySet<string>;
}

/**
 * How returned rows are paid again: by a row with the reference for that, and otherwise the same kind, namespace, amount
 * and currency. One of another amount counts once a person has confirmed its line. `returned` are all payments that came
 * back.
 */
export function paidAgain(
  book: Book,
  returned: readonly ExpectedPayment[],
  repayReference: RepayReference,
): Repayments {
  const rows = returned.flatMap((payment) => (payment.row === undefined ? [] : {payment, row: payment.row}));
  const back = new Set(rows.map(({payment, row}) => nameOf(payment, row.reference)));
  const wanted = new Set(rows.map(({payment, row}) => nameOf(payment, repayReference(row.reference))));
  const payers = new Map<string, FoundPayment>();
  const holders = new Map<string, ExpectedPayment[]>();
  for (const found of wanted.size === 0 ? [] : book.payments()) {
    const {payment} = found;
    const name = payment.row && nameOf(payment, payment.row.reference);
    if (name === undefined || (!wanted.has(name) && !back.has(name))) continue;
    holders.set(name, [...(holders.get(name) ?? []), payment]);
    if (isPaid(book, found)) payers.set(name, found);
  }
  const repayment = (payment: ExpectedPayment, first: string): Repayment => {
    const named = (reference: string) => nameOf(payment, reference);
    // A smaller payment somewhere in the chain pays nothing of the debt unless a person says so.
    const counts = (found: FoundPayment) =>
      found.payment.amount === payment.amount || found.match?.rule === 'confirmed';
    const own = payers.get(named(first));
    if (own !== undefined && counts(own)) {
      const by = own.payment.row?.batch; // with a new key
      return {reference: first, by, heldBy: by, isRead: true};
    }
    let reference = repayReference(first);
    let heldBy: string | undefined;
    for (; ; reference = repayReference(reference)) {
      const name = named(reference);
      heldBy = holders.get(name)?.at(-1)?.row?.batch ?? heldBy;
      if (payers.has(name) || !back.has(name)) break;
    }
    const isRead = holders.get(named(reference))?.some(({recordId}) => recordId !== undefined) === true;
    const one = {reference, by: undefined, heldBy, isRead};
    const found = payers.get(named(reference));
    if (found === undefined) return one;
    return counts(found) ? {...one, by: found.payment.row?.batch} : {...one, other: found};
  };
  const seconds = rows.flatMap(({payment, row}) =>
    (holders.get(nameOf(payment, repayReference(row.reference))) ?? []).filter(
      ({amount}) => amount === payment.amount,
    ),
  );
  return {
    returned: new Map(rows.map(({payment, row}) => [payment.key, repayment(payment, row.reference)])),
    again: new Set(seconds.map(({key}) => key)),
  };
}

/** What a payment shares with the one that pays it again, and a reference of its namespace. */
const nameOf = ({kind, row, currency}: ExpectedPayment, reference: string): string =>
  JSON.stringify([kind, row?.namespace, currency, reference]);

/** Its record is known to have paid, and no line took the money back, of whatever amount. */
function isPaid(book: Book, {payment, state, candidates}: FoundPayment): boolean {
  const {recordId, status} = payment;
  if (recordId === undefined || status === undefined || !isSent(status)) return false;
  if (state === 'returned' || state === 'duplicate') return false;
  return !candidates.some((key) => [...book.lines({key})].some(({line}) => isReturnOf(line, payment)));
}
