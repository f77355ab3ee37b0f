import {createHash} from 'node:crypto';
import {isSameId} from '../contract/ids.ts';
import {isObject, type JsonFields, type Json, parseJson} from '../narrow.ts';
import {withLoopback} from '../network/local.ts';
import {type Holder, parseHolder} from '../store/locks/lock-holder.ts';

const PAYMENT_KINDS = ['payout', 'payin', 'move', 'account transfer', 'bank transaction'] as const;
export type PaymentKind = (typeof PAYMENT_KINDS)[number];

/** What makes two requests the same payment to a person. */
export interface PaymentFacts {
  kind: PaymentKind;
  mode: 'test' | 'live';
  /** Normalised. */
  baseUrl: string;
  /**
   * The payee or payer; the destination of a move or transfer; the account of a credit. Null if it cannot be read: it may
   * be any.
   */
  party: string | null;
  /** The account of a move or transfer; null if it cannot be read, and for other kinds. */
  source: string | null;
  /** Null if it cannot be read. */
  amountMinor: bigint | null;
  /** Null if the service chooses it. */
  currency: string | null;
}

/** A payment whose request may have been sent, and whose outcome is not known. */
export interface OpenPayment extends PaymentFacts {
  /** Null for an operation without idempotency keys. */
  idempotencyKey: string | null;
  /** The key was made for this payment and was always sent with the same body, so it has no other record. */
  isOwnKey: boolean;
  /** Identifies the content of the first request. */
  content: string;
  /** The fields of the first request that distinguish it from others of the same payment. */
  shown: JsonFields;
  /** The record, if a request has shown it; then only its approval is in doubt. */
  recordId: string | null;
  /** A record that was created later under the same key, because the service had forgotten the key. */
  secondId: string | null;
  /** Its approval was requested: a later refusal does not show that no money moved. */
  approves: boolean;
  /** A request with auto_approve was sent, and not only the one that creates the record. */
  mayBeApproved: boolean;
  /** When another one was sent despite it, in milliseconds since the epoch; null if that never happened. */
  acceptedMs: number | null;
  /** When it was first sent, in milliseconds since the epoch. */
  firstSentMs: number;
  /** Distinguishes the API key of the first request: under another one, the idempotency key may be unknown. */
  keyFingerprint: string;
  /** The stored profile of the first request; null without one. */
  profile: string | null;
  /** The process that is sending it; null once that process has given up. */
  sender: Holder | null;
}

/** Whether a person would call both the same payment. What is not known of one of them may be as in the other. */
export const isSamePayment = (a: PaymentFacts, b: PaymentFacts): boolean =>
  isAtSameService(a, b) &&
  mayBeSame(a.party, b.party, isSameId) &&
  mayBeSame(a.source, b.source, isSameId) &&
  mayBeSame(a.amountMinor, b.amountMinor) &&
  mayBeSame(a.currency?.toUpperCase() ?? null, b.currency?.toUpperCase() ?? null);

const mayBeSame = <T>(
  a: T | null,
  b: T | null,
  isSame = (one: T, other: T): boolean => one === other,
): boolean => a === null || b === null || isSame(a, b);

type Service = Pick<PaymentFacts, 'kind' | 'mode' | 'baseUrl'>;

const isAtSameService = (a: Service, b: Service): boolean =>
  a.kind === b.kind && a.mode === b.mode && withLoopback(a.baseUrl) === withLoopback(b.baseUrl);

/** Hashes the body of a create. Whether it is approved at once is not part of its content: a release changes only that. */
export function contentOf(body: JsonFields): string {
  const fields = Object.entries(body)
    .filter(([name, value]) => name !== 'auto_approve' && value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}

/** Fields that tell two requests of the same payment apart, without account data. */
const SHOWN = [
  ...['rail', 'scheduled_date', 'metadata', 'payout_metadata', 'subaccount_id'],
  ...['payment_method_id', 'override_default_payment_method_id', 'description'],
];

export const shownIn = (body: JsonFields): JsonFields =>
  Object.fromEntries(SHOWN.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])));

export function writePayment({amountMinor, sender, ...payment}: OpenPayment): string {
  return `${JSON.stringify({...payment, amountMinor: amountMinor === null ? null : String(amountMinor), sender})}\n`;
}

/** Undefined if remit did not write this text, or it is damaged. */
export function parsePayment(text: string): OpenPayment | undefined {
  const value = jsonOf(text);
  if (!isObject(value)) return undefined;
  const {kind, mode, baseUrl, party, source, amountMinor, currency} = value;
  const {idempotencyKey, isOwnKey, content, shown, approves, firstSentMs, sender} = value;
  const {recordId, keyFingerprint, profile, secondId = null, mayBeApproved = approves} = value;
  const {acceptedMs = null} = value;
  const known = PAYMENT_KINDS.find((one) => one === kind);
  if (known === undefined || (mode !== 'test' && mode !== 'live')) return undefined;
  if (typeof baseUrl !== 'string' || typeof content !== 'string' || !isTextOrNull(party)) return undefined;
  if (!isTextOrNull(source) || !isTextOrNull(currency) || !isTextOrNull(idempotencyKey)) return undefined;
  if (!isTextOrNull(amountMinor) || (amountMinor !== null && !/^-?\d{1,40}$/.test(amountMinor)))
    return undefined;
  if (!isObject(shown) || !isTextOrNull(recordId) || !isTextOrNull(profile)) return undefined;
  if (typeof keyFingerprint !== 'string') return undefined;
  if (typeof firstSentMs !== 'number' || typeof isOwnKey !== 'boolean') return undefined;
  if (typeof approves !== 'boolean' || typeof mayBeApproved !== 'boolean') return undefined;
  if (!isTextOrNull(secondId) || (acceptedMs !== null && typeof acceptedMs !== 'number')) return undefined;
  return {
    ...{kind: known, mode, baseUrl, party, source, currency},
    amountMinor: amountMinor === null ? null : BigInt(amountMinor),
    ...{idempotencyKey, isOwnKey, content, shown, recordId, secondId, approves, mayBeApproved, acceptedMs},
    firstSentMs,
    ...{keyFingerprint, profile},
    sender: sender === null ? null : (parseHolder(JSON.stringify(sender)) ?? null),
  };
}

const isTextOrNull = (value: Json): value is string | null => value === null || typeof value === 'string';

function jsonOf(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
