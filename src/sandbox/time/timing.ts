import {railHours, type Flow, type RailTimes} from './rail-hours.ts';
import {dayAt, type Day} from './schedule.ts';

/** How long the simulated bank takes, in milliseconds of the sandbox's clock. */
export interface Timing {
  verifyMs: number;
  /** approved -> initiated, where that does not happen within the request. */
  initiateMs: number;
  /** initiated -> debited. */
  debitMs: number;
  /** debited -> settled. */
  settleMs: number;
  /** So much later than usual, for the scenario `settle_slow`. */
  slowSettleMs: number;
  /** approved -> initiated after a transient error, if the create is not repeated. */
  recoverMs: number;
  /** Rails keep their hours, cut-offs and banking days; `debitMs` and `settleMs` are of no use then. */
  calendar?: true;
}

/** `fast` is for people and demos, `instant` for tests that do not care about the way, `real` as banks are. */
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

/** Whether the bank takes no time at all: what a request starts is over before the next one. */
export const isInstant = ({initiateMs, debitMs, settleMs, calendar}: Timing): boolean =>
  calendar !== true && initiateMs + debitMs + settleMs === 0;

/**
 * When a flow of money takes its steps under a timing profile: for payins, payouts and account transfers alike.
 * Each function takes the moment of the step before, so that a step made by hand moves those after it.
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
