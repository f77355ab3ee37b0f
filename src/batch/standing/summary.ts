import {EXIT, type ExitCode} from '../../errors.ts';
import {formatMajor} from '../../money/amount.ts';
import {Totals} from '../../money/totals.ts';
import {byName} from '../../narrow.ts';
import type {BatchState} from '../model/batch-state.ts';
import type {Standing, Tally} from '../model/tally.ts';
import type {Mode} from '../../contract/mode.ts';
import type {Kind} from '../model/kinds.ts';
import {BUCKETS, type Bucket} from '../model/outcome.ts';
import type {Plan} from '../model/plan-facts.ts';
import type {RunStop} from '../model/stop.ts';

/** The summary of a batch, as `-o json` of run, status and report prints it: a stable interface. */
export interface Summary extends Record<Bucket, number> {
  batch_id: string;
  revision: number;
  kind: Kind;
  mode: Mode | null;
  state: BatchState;
  planned: number;
  /** Rows of the file that have errors and were not planned (`--valid-only`). */
  left_out: number;
  /** Parts of `accepted`, as last seen. */
  settled: number;
  failed: number;
  /** Part of `conflict`: rows whose record was canceled. */
  canceled: number;
  /** Staged rows whose record differs in rail, currency or metadata. */
  held: number;
  /**
   * Part of accepted: approved with another rail, currency or metadata than requested, read back as another payment, or
   * with a status that went back.
   */
  differs: number;
  /** Part of differs: rows whose reference may have two paid records. */
  maybe_paid_twice: number;
  /** Part of already_paid: replaced by a payment with another party, amount or currency. `totals` has the row's amount. */
  replaced: number;
  /** POSTs sent by this invocation. */
  posts: number;
  elapsed_ms: number;
  /** Exact, in major units: `{"USD": {"planned": "1500.75", "accepted": "1200.00", …}}`. */
  totals: Record<string, Record<'planned' | Bucket, string>>;
  plan_hash: string;
  results: string | null;
  failed_file: string | null;
  summary_file: string | null;
  stopped_because: {reason: RunStop['reason']; message: string} | null;
  orphans: {reference: string; id: string}[];
  /** The next command to type, or null if there is nothing to send. */
  next: string | null;
}

export interface Invocation {
  state: BatchState;
  mode: Mode | null;
  posts: number;
  elapsedMs: number;
  stop?: RunStop | undefined;
  next: string | null;
  results?: {results: string; failed: string | null; summary: string} | undefined;
}

/**
 * Builds the summary from the states of the rows. `planned` is the sum of the eight buckets, in count and in every
 * currency.
 */
export function summarise(plan: Plan, standing: Standing, invocation: Invocation): Summary {
  const {tally, statuses, held, differs, maybePaidTwice, replaced, orphans, canceled} = standing;
  const counts = byName(BUCKETS, (bucket) => tally[bucket].count);
  return {
    batch_id: plan.batchId,
    revision: plan.revision,
    kind: plan.kind,
    mode: invocation.mode,
    state: endState(invocation.state, plan, standing),
    planned: plan.figures.rows,
    left_out: plan.invalidRows,
    ...counts,
    settled: statuses['settled'] ?? 0,
    failed: statuses['failed'] ?? 0,
    canceled,
    held,
    differs,
    maybe_paid_twice: maybePaidTwice,
    replaced,
    posts: invocation.posts,
    elapsed_ms: Math.round(invocation.elapsedMs),
    totals: totalsOf(plan, tally),
    plan_hash: plan.planHash,
    results: invocation.results?.results ?? null,
    failed_file: invocation.results?.failed ?? null,
    summary_file: invocation.results?.summary ?? null,
    stopped_because: invocation.stop ?? null,
    orphans,
    next: invocation.next,
  };
}

/**
 * Whether the batch is complete. This is read from the rows, which may have failed since the end was recorded. A run
 * that was interrupted or stopped after its last row left nothing to resume.
 */
export function endState(state: BatchState, plan: Plan, {tally, statuses, differs}: Standing): BatchState {
  const hasEnded = state === 'complete' || state === 'incomplete';
  if (!hasEnded && state !== 'interrupted' && state !== 'stopped') return state;
  const paid = tally.accepted.count + tally.already_paid.count;
  const ended = (statuses['failed'] ?? 0) + (statuses['canceled'] ?? 0);
  if (paid === plan.figures.rows && ended + differs === 0) return 'complete';
  return hasEnded ? 'incomplete' : state;
}

function totalsOf(plan: Plan, tally: Tally): Summary['totals'] {
  const result: Summary['totals'] = {};
  for (const [currency, planned] of Object.entries(plan.figures.totals)) {
    const per = byName(BUCKETS, (bucket) => formatMajor(tally[bucket].totals.of(currency), currency));
    result[currency] = {planned, ...per};
  }
  return result;
}

/**
 * Whether the buckets contain every planned row exactly once: counts and sums equal the plan. Called before money
 * moves and before anything is reported. A difference means that journal and plan do not belong together.
 */
export function isWhole(plan: Plan, tally: Tally): boolean {
  const count = BUCKETS.reduce((sum, bucket) => sum + tally[bucket].count, 0);
  if (count !== plan.figures.rows) return false;
  const sums = new Totals();
  for (const bucket of BUCKETS) sums.merge(tally[bucket].totals);
  const planned = plan.figures.totals;
  return (
    Object.keys(planned).length === Object.keys(sums.toMajor()).length &&
    Object.entries(sums.toMajor()).every(([currency, amount]) => planned[currency] === amount)
  );
}

const STOP_EXITS: Partial<Record<RunStop['reason'], ExitCode>> = {
  credentials: EXIT.CREDENTIALS,
  collision: EXIT.CONFLICT,
  'key-forgotten': EXIT.CONFLICT,
  interrupted: EXIT.INTERRUPTED,
  terminated: EXIT.TERMINATED,
  'not-whole': EXIT.LOCAL_STATE,
  'not-canceled': EXIT.PARTIAL,
};

/**
 * The exit code of a run. A run ended by the user's signal exits 130 or 143 whatever it leaves behind: its rows in
 * doubt are named on stderr and in the status, and resuming resolves them. Otherwise the most severe reason counts:
 * local state, in doubt, credentials, collision, stopped, in part, done. A run that was followed may also end with
 * rows that failed, or with rows that did not reach the status in time.
 */
export function exitCodeOf(summary: Summary, followed?: {ended: number; outcome: string}): ExitCode {
  const reason = summary.stopped_because?.reason;
  // Answers were mixed up, and the record of each row was read since and pays it: as `status` has it.
  const stop = reason === 'collision' && summary.state === 'complete' ? undefined : reason;
  const byStop = stop === undefined ? undefined : (STOP_EXITS[stop] ?? EXIT.UNAVAILABLE);
  if (byStop === EXIT.INTERRUPTED || byStop === EXIT.TERMINATED || byStop === EXIT.LOCAL_STATE) return byStop;
  if (summary.in_doubt > 0) return EXIT.IN_DOUBT;
  if (byStop !== undefined) return byStop;
  // A single refused release stops nothing, but its row is not paid.
  const leftStaged = summary.state === 'incomplete' ? summary.staged - summary.held : 0;
  if (summary.not_sent + leftStaged > 0) return EXIT.UNAVAILABLE;
  if (followed !== undefined && followed.ended > 0) return EXIT.ENDED_BADLY;
  if (followed?.outcome === 'timeout') return EXIT.TIMED_OUT;
  const needsLooking =
    summary.rejected +
    summary.unapproved +
    summary.conflict +
    summary.held +
    summary.differs +
    summary.failed;
  return needsLooking > 0 || summary.state === 'held' ? EXIT.PARTIAL : EXIT.OK;
}

/**
 * The exit code of `status` and `report`: that of the run, except that a batch which waits, or was stopped by a signal,
 * does not end this command with the code of that signal.
 */
export function restingExitCodeOf(summary: Summary): ExitCode {
  const {state} = summary;
  if (state === 'planned' || state === 'running') return EXIT.OK;
  if (state === 'canceled') return cancelExitCodeOf(summary);
  if (state === 'complete') return exitCodeOf({...summary, stopped_because: null});
  const exit = exitCodeOf(summary);
  if (exit === EXIT.INTERRUPTED || exit === EXIT.TERMINATED)
    return summary.in_doubt > 0 ? EXIT.IN_DOUBT : EXIT.UNAVAILABLE;
  return exit === EXIT.OK && state === 'interrupted' ? EXIT.UNAVAILABLE : exit;
}

/**
 * The exit code of a cancel: 0 if every record is canceled, 8 if some were released before, 12 while some are in
 * doubt.
 */
export function cancelExitCodeOf(summary: Summary): ExitCode {
  const {state, stopped_because: stop, in_doubt: doubts, accepted} = summary;
  if (stop !== null) return exitCodeOf(summary);
  if (doubts > 0) return EXIT.IN_DOUBT;
  return state === 'canceled' && accepted === 0 ? EXIT.OK : EXIT.PARTIAL;
}
