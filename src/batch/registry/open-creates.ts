import {isSamePayment, type PaymentFacts} from '../../doubts/open-payment.ts';
import {readOpenPayments, type StoredPayment} from '../../doubts/open-payments.ts';
import {withLoopback} from '../../network/local.ts';
import type {Mode} from '../../contract/mode.ts';
import type {Kind} from '../model/kinds.ts';
import type {EarlierPayment, Paying} from './earlier-payments.ts';

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
