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

export const NO_MEMORY: EntryMemory = {known: () => {}, unclear: () => {}, ended: () => {}};
