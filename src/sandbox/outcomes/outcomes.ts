/** What an operator makes happen, now: it wins over scenarios, magic values and the calendar. */
export interface Simulation {
  kind: string;
  id: string;
  outcome: string;
  /** The bank's reason for a failure; the rail's usual one when absent. */
  code?: string | undefined;
  /** Of a credit, minor units. */
  amountMinor?: number | undefined;
}

/** What became of the record. */
export interface Became {
  /** Where it stands now. */
  status: string;
  /** The reason of a failure. */
  code?: string;
  /** Of a subaccount. */
  balance_in_minor_units?: number;
}

export interface Simulated extends Became {
  kind: string;
  id: string;
  outcome: string;
}

const TRANSFER = {
  initiate: 'hands an approved one to the bank, whatever the hour',
  debit: 'the money leaves its account',
  settle: 'goes all the way to settled',
  fail: 'the bank rejects it, with a reason code',
  return: 'the money comes back, by ACH or wire; after settlement the status stays settled',
} as const;

/**
 * What an operator can make happen to each kind of record: outcome -> what it does. Apart from what does it, so that
 * reading the names loads nothing else.
 */
export const OUTCOMES = {
  payout: TRANSFER,
  payin: TRANSFER,
  'account-transfer': {
    initiate: 'hands an approved one to the bank, whatever the hour',
    settle: 'goes all the way to settled',
    fail: 'the bank rejects it, with a reason code; the money is back in its source',
  },
  subaccount: {
    credit: 'money arrives from outside, of the given amount',
  },
  'payment-method': {
    verify: 'ends its verification well',
    'fail-verification': 'ends its verification badly',
  },
} as const satisfies Record<string, Readonly<Record<string, string>>>;

export type SimulatedKind = keyof typeof OUTCOMES;

export const SIMULATED_KINDS = Object.keys(OUTCOMES) as SimulatedKind[]; // own keys of the constant above

/** The outcomes of a kind; undefined for a kind that there is not. */
export const outcomesOf = (kind: string): Readonly<Record<string, string>> | undefined =>
  Object.hasOwn(OUTCOMES, kind) ? OUTCOMES[kind as SimulatedKind] : undefined;
