/** How long the simulated bank takes, in milliseconds of the sandbox's clock. */
export interface Timing {
  verifyMs: number;
  /** approved -> initiated, where that does not happen within the request. */
  initiateMs: number;
  /** initiated -> debited. */
  debitMs: number;
  /** debited -> settled. */
  settleMs: number;
  /** The same, for the scenario `settle_slow`. */
  slowSettleMs: number;
  /** approved -> initiated after a transient error, when nobody repeats the create. */
  recoverMs: number;
}

/** `fast` is for people and demos, `instant` for tests that do not care about the way. */
export const TIMINGS = {
  fast: {
    verifyMs: 2000,
    initiateMs: 1000,
    debitMs: 1500,
    settleMs: 1500,
    slowSettleMs: 60_000,
    recoverMs: 30_000,
  },
  instant: {verifyMs: 0, initiateMs: 0, debitMs: 0, settleMs: 0, slowSettleMs: 60_000, recoverMs: 30_000},
} as const satisfies Record<string, Timing>;

export type TimingProfile = keyof typeof TIMINGS;
