import type {EarlierRequest} from '../../client/requests/resource.ts';
import type {PaymentFacts} from '../../doubts/open-payment.ts';
import type {Typed} from '../line/command-line.ts';
import type {JsonFields} from '../../narrow.ts';

/** A create that could pay twice. */
export interface Payment extends Omit<PaymentFacts, 'mode' | 'baseUrl'> {
  /** As sent, in its canonical form. */
  body: JsonFields;
  /** For messages: `payee 5f0c…`, `from 5f0c… to 9a1b…`. */
  parties: string;
  /** `--accept new-payment=ID`: the entries of earlier payments despite which this one is sent. */
  accepts: readonly string[];
  typed: Typed;
}

/** What a command tells the memory about a payment that it sends. */
export interface EntryMemory {
  /** Its record exists, and its approval is about to be sent. */
  known: (id: string) => void;
  /** The answer to its approval does not show whether it was approved: it stays in doubt. */
  unclear: (id: string) => void;
  /** Nothing is in doubt any more. */
  ended: () => void;
}

/** The idempotency key of a create. */
export interface ChosenKey {
  /** Undefined if the operation takes none. */
  idempotencyKey: string | undefined;
  /** An earlier request with this key may have reached the service. */
  isRepeat: boolean;
  /** The key was made by remit for this very payment, so it cannot belong to another record. */
  isOwn: boolean;
  /** What is known about the requests that were sent with it before. */
  earlier: EarlierRequest | undefined;
  memory: EntryMemory;
}

export const NO_MEMORY: EntryMemory = {known: () => {}, unclear: () => {}, ended: () => {}};

/** The key of a request that is not remembered. */
export const unremembered = (idempotencyKey: string | undefined, isOwn: boolean): ChosenKey => ({
  ...{idempotencyKey, isRepeat: false, isOwn, earlier: undefined},
  memory: NO_MEMORY,
});
