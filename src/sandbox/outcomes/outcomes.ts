import {keysOf} from '../../narrow.ts';

/** Outcomes that an operator applies immediately. They override scenarios, magic values and the calendar. */
export interface Simulation {
  kind: string;
  id: string;
  outcome: string;
  /** The bank's reason for a failure; default: the rail's usual one. */
  code?: string | undefined;
  /** How long after now a settled record is returned. */
  afterMs?: number | undefined;
  /** The amount of a credit, in minor units. */
  amountMinor?: number | undefined;
}

/** The resulting state of the record. */
export interface Became {
  /** The current status. */
  status: string;
  /** The reason of a failure. */
  code?: string;
  /** When the money will be returned; absent if it happened. */
  due_at?: string;
  /** Applies to a subaccount only. */
  balance_in_minor_units?: number;
  currency_code?: string;
}

export interface Simulated extends Became {
  kind: string;
  id: string;
  outcome: string;
}

const TRANSFER = {
  initiate: 'sends an approved record to the bank, whatever the time of day',
  debit: 'the money leaves its account',
  settle: 'goes all the way to settled',
  fail: 'the bank rejects it, with a reason code',
  return: 'the money is returned by ACH or wire; after settlement the status stays settled',
} as const;

/**
 * The outcomes that an operator can apply to each kind of record: outcome -> what it does. Separate from the code
 * that does it, so that reading the names loads nothing else.
 */
export const OUTCOMES = {
  payout: TRANSFER,
  payin: TRANSFER,
  'account-transfer': {
    initiate: 'sends an approved record to the bank, whatever the time of day',
    settle: 'goes all the way to settled',
    fail: 'the bank rejects it, with a reason code; the money is back in its source',
  },
  subaccount: {
    credit: 'money arrives from outside, of the given amount',
  },
  'payment-method': {
    verify: 'completes its verification',
    'fail-verification': 'fails its verification',
  },
} as const satisfies Record<string, Readonly<Record<string, string>>>;

export type SimulatedKind = keyof typeof OUTCOMES;

export const SIMULATED_KINDS = keysOf(OUTCOMES);

/** The outcomes of a kind; undefined for an unknown kind. */
export const outcomesOf = (kind: string): Readonly<Record<string, string>> | undefined =>
  isSimulated(kind) ? OUTCOMES[kind] : undefined;

export const isSimulated = (kind: string): kind is SimulatedKind => Object.hasOwn(OUTCOMES, kind);
