import {railHours, type Flow, type RailTimes} from './rail-hours.ts';
import {dayAt, type Day} from './schedule.ts';

/** How long the simulated bank takes, in milliseconds of the sandbox's clock. */
export interface Timing {
  verifyMs: number;
  /** approved -> initiated, if that does not happen within the request. */
  initiateMs: number;
  /** initiated -> debited. */
  debitMs: number;
  /** debited -> settled. */
  settleMs: number;
  /** Additional delay for the scenario `settle_slow`. */
  slowSettleMs: number;
  /** approved -> initiated after a transient error, if the create is not repeated. */
  recoverMs: number;
  /** Rails follow their hours, cut-offs and banking days; `debitMs` and `settleMs` are unused then. */
  calendar?: true;
}

/** `fast` is for people and demos, `instant` for tests that do not depend on the steps, `real` imitates banks. */
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
  real: {
    verifyMs: 30_000,
    initiateMs: 60_000,
    debitMs: 0,
    settleMs: 0,
    slowSettleMs: 60_000,
    recoverMs: 30_000,
    calendar: true,
  },
} as const satisfies Record<string, Timing>;

export type TimingProfile = keyof typeof TIMINGS;
export const TIMING_PROFILES = ['fast', 'instant', 'real'] as const satisfies readonly TimingProfile[];

/** Whether the bank takes no time at all: what a request starts is finished before the next one. */
export const isInstant = ({initiateMs, debitMs, settleMs, calendar}: Timing): boolean =>
  calendar !== true && initiateMs + debitMs + settleMs === 0;

/**
 * When a payin, payout or account transfer takes its steps under a timing profile. Each function takes the time of
 * the previous step, so that a step made by hand also moves the later ones.
 */
export function bankTimes(timing: Timing, flow: Flow): RailTimes {
  if (timing.calendar) return railHours(flow);
  const {comeBack} = railHours(flow);
  return {
    submit: (ms) => ms,
    debit: (ms) => ms + timing.debitMs,
    settle: (ms) => ms + timing.settleMs,
    reject: (ms) => ms + timing.debitMs,
    ...(comeBack === undefined ? {} : {comeBack: (ms: number) => ms + timing.settleMs}),
  };
}

/** The day on which money handed to the bank at `submittedMs` is expected to arrive. */
export function arrivalDay(timing: Timing, flow: Flow, submittedMs: number): Day {
  const times = bankTimes(timing, flow);
  return dayAt(times.settle(times.debit(submittedMs)));
}
