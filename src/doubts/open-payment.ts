import {createHash} from 'node:crypto';
import {isSameId} from '../contract/ids.ts';
import {isObject} from '../narrow.ts';
import {type Holder, parseHolder} from '../store/locks/lock-holder.ts';

const PAYMENT_KINDS = ['payout', 'payin', 'move', 'account transfer', 'bank transaction'] as const;
export type PaymentKind = (typeof PAYMENT_KINDS)[number];

/** What makes two requests the same payment to a person. */
export interface PaymentFacts {
  kind: PaymentKind;
  mode: 'test' | 'live';
  /** Normalised. */
  baseUrl: string;
  /** The payee or payer; the destination of a move or transfer; the account of a credit. */
  party: string;
  /** Of a move or transfer. */
  source: string | null;
  amountMinor: bigint;
  /** Null if the service chooses it. */
  currency: string | null;
}

/** A payment whose request may have been sent, and whose outcome is not known. */
export interface OpenPayment extends PaymentFacts {
  /** Null for an operation without idempotency keys. */
  idempotencyKey: string | null;
  /** The key was made for this payment, so it cannot belong to another record. */
  isOwnKey: boolean;
  /** Identifies the content of the request. */
  content: string;
  /** A request with auto_approve was sent: a later refusal does not show that no money moved. */
  approves: boolean;
  /** When it was first sent, in milliseconds since the epoch. */
  firstSentMs: number;
  /** The process that is sending it; null once that process has given up. */
  sender: Holder | null;
}

/** Whether a person would call both the same payment. A currency that the service chooses may be any. */
export const isSamePayment = (a: PaymentFacts, b: PaymentFacts): boolean =>
  isAtSameService(a, b) &&
  isSameId(a.party, b.party) &&
  isSameId(a.source ?? '', b.source ?? '') &&
  a.amountMinor === b.amountMinor &&
  (a.currency === b.currency || a.currency === null || b.currency === null);

type Service = Pick<PaymentFacts, 'kind' | 'mode' | 'baseUrl'>;

const isAtSameService = (a: Service, b: Service): boolean =>
  a.kind === b.kind && a.mode === b.mode && a.baseUrl === b.baseUrl;

/** Hashes the body of a create. Whether it is approved at once is not part of its content: a release changes only that. */
export function contentOf(body: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(body)
    .filter(([name, value]) => name !== 'auto_approve' && value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}

export function writePayment({amountMinor, sender, ...payment}: OpenPayment): string {
  return `${JSON.stringify({...payment, amountMinor: String(amountMinor), sender})}\n`;
}

/** Undefined if remit did not write this text, or it is damaged. */
export function parsePayment(text: string): OpenPayment | undefined {
  const value = jsonOf(text);
  if (!isObject(value)) return undefined;
  const {kind, mode, baseUrl, party, source, amountMinor, currency} = value;
  const {idempotencyKey, isOwnKey, content, approves, firstSentMs, sender} = value;
  const known = PAYMENT_KINDS.find((one) => one === kind);
  if (known === undefined || (mode !== 'test' && mode !== 'live')) return undefined;
  if (typeof baseUrl !== 'string' || typeof party !== 'string' || typeof content !== 'string')
    return undefined;
  if (!isTextOrNull(source) || !isTextOrNull(currency) || !isTextOrNull(idempotencyKey)) return undefined;
  if (typeof amountMinor !== 'string' || !/^\d{1,20}$/.test(amountMinor)) return undefined;
  if (typeof firstSentMs !== 'number' || typeof isOwnKey !== 'boolean') return undefined;
  if (typeof approves !== 'boolean') return undefined;
  return {
    ...{kind: known, mode, baseUrl, party, source, amountMinor: BigInt(amountMinor), currency},
    ...{idempotencyKey, isOwnKey, content, approves, firstSentMs},
    sender: sender === null ? null : (parseHolder(JSON.stringify(sender)) ?? null),
  };
}

const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string';

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
