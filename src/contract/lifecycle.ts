import type {Json} from '../narrow.ts';
import {assumed, given, type Origin} from './origin/origin.ts';

/**
 * Which status may follow which. The sandbox moves records by these tables, polling stops by them, and the docs draw
 * them. The set of statuses is given; most transitions are not documented and follow the order of the document's
 * list.
 */
export interface Lifecycle<S extends string = string> {
  readonly initial: S;
  readonly next: Readonly<Record<S, readonly S[]>>;
  /** Statuses that mean success; other final statuses mean failure. All are final, except `verified`. */
  readonly good: readonly S[];
  readonly origin: Origin;
}

export const TRANSFER_STATUSES = [
  'created',
  'canceled',
  'approved',
  'initiated',
  'debited',
  'settled',
  'failed',
] as const;
export type TransferStatus = (typeof TRANSFER_STATUSES)[number];

const transferSteps: Lifecycle<TransferStatus> = {
  initial: 'created',
  next: {
    created: ['approved', 'canceled'],
    approved: ['initiated', 'canceled', 'failed'],
    initiated: ['debited', 'failed'],
    debited: ['settled', 'failed'],
    settled: [],
    canceled: [],
    failed: [],
  },
  good: ['settled'],
  origin: assumed(4),
};

/** Interface document, "Move"; in upper case, unlike all others. */
export const MOVE_STATUSES = ['CREATED', 'SETTLED'] as const;
export type MoveStatus = (typeof MOVE_STATUSES)[number];

/** Interface document, "Treasury account and account transfer". */
export const ACCOUNT_TRANSFER_STATUSES = ['created', 'approved', 'initiated', 'settled', 'failed'] as const;
export type AccountTransferStatus = (typeof ACCOUNT_TRANSFER_STATUSES)[number];

export const VERIFICATION_STATUSES = ['pending', 'verified', 'failed'] as const;
export type VerificationStatus = (typeof VERIFICATION_STATUSES)[number];

export const LIFECYCLES = {
  payin: transferSteps,
  payout: transferSteps,
  /** After a 207 a move keeps its status (assumption 8). */
  move: {
    initial: 'CREATED',
    next: {CREATED: ['SETTLED'], SETTLED: []},
    good: ['SETTLED'],
    origin: given('Move'),
  } satisfies Lifecycle<MoveStatus>,
  accountTransfer: {
    initial: 'created',
    next: {
      created: ['approved'],
      approved: ['initiated', 'failed'],
      initiated: ['settled', 'failed'],
      settled: [],
      failed: [],
    },
    good: ['settled'],
    origin: assumed(28),
  } satisfies Lifecycle<AccountTransferStatus>,
  /** A verified method can still fail: the bank reports later that its account is bad (assumption 65). */
  paymentMethod: {
    initial: 'pending',
    next: {pending: ['verified', 'failed'], verified: ['failed'], failed: []},
    good: ['verified'],
    origin: assumed(16),
  } satisfies Lifecycle<VerificationStatus>,
} as const;

/** A status as a record has it, or does not. */
type SeenStatus = Json | undefined;

/** True if `status` means success. */
export const hasSucceeded = ({good}: Lifecycle, status: SeenStatus): boolean =>
  good.some((one) => one === status);

/** True if `status` is final and does not mean success: `failed`, or `canceled` where there is one. */
export const isBadEnd = (lifecycle: Lifecycle, status: SeenStatus): boolean =>
  typeof status === 'string' && isFinal(lifecycle, status) && !hasSucceeded(lifecycle, status);

export const hasFailed = (status: SeenStatus): boolean => status === 'failed';
export const wasCanceled = (status: SeenStatus): boolean => status === 'canceled';

/** A final status as the end of a sentence: `has failed`, `is canceled`. */
export const endedAs = (status: string | null | undefined): string =>
  hasFailed(status) ? 'has failed' : `is ${status ?? 'over'}`;

/**
 * Interface document, "Errors", 503: a payin or payout that was approved, but whose initiation has failed, is continued by
 * the same create. Its status does not show whether that is needed, and for any other record the repetition does nothing.
 */
export const mayNeedInitiation = (status: SeenStatus): boolean => status === 'approved';

/** True if nothing follows `status`; a status that the lifecycle does not know is not final. */
export function isFinal(lifecycle: Lifecycle, status: string): boolean {
  return Object.hasOwn(lifecycle.next, status) && lifecycle.next[status]?.length === 0;
}

/** The statuses that `to` may follow directly. */
export const statusesBefore = (lifecycle: Lifecycle, to: string): string[] =>
  Object.keys(lifecycle.next).filter((status) => lifecycle.next[status]?.includes(to));

/** True if `to` may be reached from `from` in one step or more, or is the current status. */
export function canReach(lifecycle: Lifecycle, from: string, to: string): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === to) return true;
    if (seen.has(at)) continue;
    seen.add(at);
    open.push(...(lifecycle.next[at] ?? []));
  }
  return false;
}
