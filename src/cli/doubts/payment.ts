import type {PaymentFacts} from '../../doubts/open-payment.ts';
import type {Typed} from '../line/command-line.ts';

/** A create that could pay twice. */
export interface Payment extends Omit<PaymentFacts, 'mode' | 'baseUrl'> {
  /** As sent, in its canonical form. */
  body: Readonly<Record<string, unknown>>;
  /** For messages: `payee 5f0c…`, `from 5f0c… to 9a1b…`. */
  parties: string;
  /** `--accept new-payment=ID`: the entries of earlier payments despite which this one is sent. */
  accepts: readonly string[];
  typed: Typed;
}
