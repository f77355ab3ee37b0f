import {isSamePayment, type PaymentFacts} from '../../doubts/open-payment.ts';
import {readOpenPayments, type StoredPayment} from '../../doubts/open-payments.ts';
import {withLoopback} from '../../network/local.ts';
import type {Mode} from '../../contract/mode.ts';
import type {Kind} from '../model/kinds.ts';
import type {Claim} from './claim.ts';

/**
 * A payment that a row may repeat: same party, amount and currency at the same service. Without a batch it is a payment
 * of a single command whose outcome is unknown.
 */
export interface EarlierPayment {
  batch: string | null;
  namespace: string | null;
  /** Of a single command its idempotency key. */
  reference: string;
  /** Id of its record; null until it is accepted. */
  id: string | null;
  /** When it was claimed or first sent, in ISO 8601. */
  at: string;
}

/** The part of a row that is compared with earlier payments. */
export type Paying = Pick<Claim, 'reference' | 'party' | 'amount' | 'currency'>;

/** How long a payment counts as a look-alike of a later one. */
export const ALIKE_MS = 30 * 24 * 3_600_000;

/** Where earlier payments are remembered. */
export interface EarlierPayments {
  entries: Source;
  openCreates: Source;
}

interface Source {
  alike(row: Paying, since: number): EarlierPayment | undefined;
}

/**
 * An earlier payment that the row would repeat. This is the only place that looks for one: `plan`, `run` and `retry`
 * count what it returns, so another memory of payments is one more source here.
 */
export const earlierPayment = (
  {entries, openCreates}: EarlierPayments,
  row: Paying,
  since: number,
): EarlierPayment | undefined => openCreates.alike(row, since) ?? entries.alike(row, since);

/** `INV-1 of batch november (namespace default, record 018f…, 2026-11-24)` */
export const earlierText = ({batch, namespace, reference, id, at}: EarlierPayment): string =>
  batch === null
    ? `a payment in doubt of a single command (idempotency key ${reference}, ${at.slice(0, 10)})`
    : `${reference} of batch ${batch} (namespace ${namespace}, ${id === null ? 'not recorded as paid yet' : `record ${id}`}, ${at.slice(0, 10)})`;

/** Where the payments of a batch are made. */
interface Service {
  mode: Mode;
  baseUrl: string;
  kind: Kind;
}

/** Payments of single commands at one service whose outcome is unknown. A row may be one of them. */
export class OpenCreates {
  readonly #service: Service;
  readonly #payments: readonly StoredPayment[];

  /** @param all those of the state folders */
  constructor(all: readonly StoredPayment[], service: Service) {
    this.#service = service;
    this.#payments = all.filter(
      ({kind, mode, baseUrl}) =>
        kind === service.kind &&
        mode === service.mode &&
        withLoopback(baseUrl) === withLoopback(service.baseUrl),
    );
  }

  /** @throws RemitError STATE or STATE_DAMAGED if one cannot be read: it may be the payment of a row */
  static read(folders: ReadonlySet<string>, service: Service): OpenCreates {
    return new OpenCreates(
      [...folders].flatMap((folder) => readOpenPayments(folder)),
      service,
    );
  }

  get isEmpty(): boolean {
    return this.#payments.length === 0;
  }

  alike({party, amount, currency}: Paying, since: number): EarlierPayment | undefined {
    if (this.isEmpty) return undefined;
    const row: PaymentFacts = {
      ...this.#service,
      ...{party, source: null, amountMinor: BigInt(amount), currency: currency === '' ? null : currency},
    };
    const found = this.#payments.find(
      (payment) => payment.firstSentMs >= since && isSamePayment(payment, row),
    );
    if (found === undefined) return undefined;
    const at = new Date(found.firstSentMs).toISOString();
    return {batch: null, namespace: null, reference: found.idempotencyKey ?? '', id: null, at};
  }
}
