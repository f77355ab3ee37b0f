const TRANSFER = {
  initiate: 'hands an approved one to the bank, whatever the hour',
  debit: 'the money leaves its account',
  settle: 'goes all the way to settled',
  fail: 'the bank says no; a code says why',
  return: 'the money comes back, by ACH or wire; after settlement the status stays settled',
} as const;

/**
 * What an operator can make happen to each kind of record: outcome -> what it does. Apart from what does it, so that
 * reading the names loads nothing else.
 */
export const OUTCOMES = {
  payout: TRANSFER,
  payin: TRANSFER,
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
