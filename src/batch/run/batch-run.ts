import type {Overrides} from '../../client/routes.ts';
import type {Transport, Timeouts} from '../../client/transport.ts';
import type {Clock} from '../../clock.ts';
import {RemitError} from '../../errors.ts';
import type {Activity} from '../standing/activity.ts';
import {bindBatch} from '../journal/binding.ts';
import {CreatePhase} from './create-phase.ts';
import {CancelPhase} from './cancel-phase.ts';
import type {BatchFolder} from '../journal/folder.ts';
import type {Journal} from '../journal/journal.ts';
import type {Mode} from '../model/kinds.ts';
import {nextCommand} from '../standing/next-command.ts';
import {readRemaining, refuseCanceled} from '../standing/remaining.ts';
import {HeldPhase} from './held-phase.ts';
import {probe} from './probe.ts';
import type {Claims} from '../registry/registry.ts';
import {releasable, ReleasePhase} from './release-phase.ts';
import type {ResultFiles, RunFacts} from '../journal/facts.ts';
import {writeResults} from '../report/results.ts';
import {RunContext, type RunSettings} from './run-context.ts';
import type {Speed} from '../speed/speed.ts';
import {writeStatus} from '../standing/status-file.ts';
import type {BatchState} from '../model/batch-state.ts';
import {endState, isWhole, summarise, type Summary} from '../standing/summary.ts';
import {TimelineWriter} from '../standing/timeline.ts';
import {Wire} from './wire.ts';
import type {Plan} from '../model/plan-facts.ts';
import {signalReason, type Stop} from '../model/stop.ts';
import type {RunPath} from '../model/run-path.ts';

export interface BatchRunOptions {
  plan: Plan;
  journal: Journal;
  claims: Claims;
  place: BatchFolder;
  transport: Transport;
  baseUrl: string;
  mode: Mode;
  key: string;
  keyFingerprint: string;
  overrides: Overrides;
  timeouts: Timeouts;
  speed: Speed;
  clock: Clock;
  random: () => number;
  path: RunPath;
  settings: RunSettings;
  /** The folder of the results. */
  out: string;
  /** How the command to type next begins, and the flags at its end without which it would miss the batch. */
  command: string;
  commandFlags?: string;
  /** Name of the profile in force; null or absent where the key came from the environment. */
  profile?: string | null;
  /** Called before each window is opened; throws when the lock is ours no more. */
  assertHeld: () => void;
  /** First Ctrl-C: no further request begins. */
  drain: AbortSignal;
  /** Why nothing is sent: what was read before the run stopped the batch. */
  stop?: Stop | undefined;
  /** Second Ctrl-C: what is in flight is given up; the journal knows it may have been taken. */
  abort: AbortSignal;
  onProgress: (phase: string, summary: Summary, activity: Activity) => void;
}

const FREED_AT_ONCE = 1000;
const STATUS_EVERY_MS = 1000;
/**
 * A commit waits for the disk, and nothing is sent meanwhile; what a kill leaves uncommitted is replayed. Where windows
 * have taken outcomes with them since the last time, those that came after wait once more.
 */
const FLUSH_EVERY_MS = 250;
const PROGRESS_EVERY_MS = 200;

/**
 * Runs a planned batch to its end, or to the point at which it must stop; the same call resumes it. Never throws for
 * what the service answers: that is in the summary. Throws RemitError STATE when the journal cannot be written, after
 * everything in flight has ended, and GUARD_BINDING when the batch belongs to another address, mode or key.
 */
export class BatchRun {
  readonly #options: BatchRunOptions;
  readonly #context: RunContext;
  readonly #timeline: TimelineWriter;
  readonly #started: number;
  #phase = 'starting';
  #pastHorizon = false;
  /** Rows that an earlier run had left held: their records may have been approved by id since. */
  readonly #heldBefore: number;

  constructor(options: BatchRunOptions) {
    this.#options = options;
    const {plan, journal, mode, key, overrides, timeouts, clock} = options;
    refuseCanceled(journal, plan, options.path);
    bindBatch(journal, plan, options);
    this.#started = clock.monotonic();
    this.#timeline = new TimelineWriter(journal);
    this.#context = new RunContext({
      journal,
      claims: options.claims,
      wire: new Wire({kind: plan.kind, mode, namespace: plan.namespace, key, overrides, timeouts}),
      transport: options.transport,
      speed: options.speed,
      clock,
      random: options.random,
      settings: options.settings,
      keyFingerprint: options.keyFingerprint,
      isDirect: options.path === 'direct',
      abort: options.abort,
      beforeWindow: options.assertHeld,
    });
    this.#heldBefore = this.#context.standing.held;
  }

  async run(): Promise<Summary> {
    const {horizonMs, approveById = false, mayAcceptDifferences = true} = this.#options.settings;
    const facts: RunFacts = {horizonMs, approveById, mayAcceptDifferences};
    this.#options.journal.setFact('runFacts', facts);
    this.#options.journal.setFact('state', 'running');
    const timers = this.#startTimers();
    const onDrain = () =>
      this.#context.stopFor(
        signalReason(this.#options.drain),
        'stopped by a signal; requests in flight were waited for',
      );
    this.#options.drain.addEventListener('abort', onDrain, {once: true});
    if (this.#options.drain.aborted) onDrain();
    const {stop} = this.#options;
    if (stop !== undefined) this.#context.stopFor(stop.reason, stop.message);
    let state: BatchState;
    try {
      state = await this.#phases();
    } finally {
      timers.stop();
      this.#options.drain.removeEventListener('abort', onDrain);
    }
    timers.rethrow();
    return this.#finish(state);
  }

  async #phases(): Promise<BatchState> {
    const {path} = this.#options;
    if (path === 'cancel') return this.#cancel();
    if (path === 'direct') {
      const paying = new CreatePhase(this.#context, 'direct');
      await this.#runPhase('paying', () => paying.run());
      // Rows that were staged before, or looked at since, have a record: they are released, not created once more.
      const staged = this.#context.standing.tally.staged.count > this.#context.standing.held;
      const states = staged ? (['in_doubt', 'staged'] as const) : (['in_doubt'] as const);
      if (staged && this.#context.stop === undefined && !(await probe(this.#context, states)))
        return this.#stoppedOr('stopped');
      const settling = new ReleasePhase(this.#context, states, !staged);
      await this.#runPhase('settling', () => settling.run());
      this.#pastHorizon = this.#isLeftToPerson(paying.pastHorizon + settling.pastHorizon);
      return this.#stoppedOr('complete');
    }
    const staging = new CreatePhase(this.#context, 'stage');
    if (path !== 'release') await this.#runPhase('staging', () => staging.run());
    this.#pastHorizon = this.#isLeftToPerson(staging.pastHorizon);
    if (this.#context.stop !== undefined) return this.#stoppedOr('stopped');
    if (path === 'stage-only')
      return this.#waits() || this.#context.standing.tally.not_sent.count > 0 ? 'staged' : 'complete';
    if (this.#heldBefore > 0 && !this.#context.settings.acceptDifferences) {
      const held = new HeldPhase(this.#context);
      await this.#runPhase('releasing', () => held.run());
      if (this.#context.stop !== undefined) return this.#stoppedOr('stopped');
    }
    if (!this.#mayRelease()) return this.#stoppedOr(this.#waits() ? 'held' : 'complete');
    this.#phase = 'probing';
    if (!(await probe(this.#context, releasable(this.#context.settings)))) return this.#stoppedOr('stopped');
    const release = new ReleasePhase(this.#context);
    await this.#runPhase('releasing', () => release.run());
    this.#pastHorizon ||= release.pastHorizon > 0;
    return this.#stoppedOr(release.pastHorizon > 0 ? 'held' : 'complete');
  }

  /** Rows in doubt first: without a record nothing of them can be canceled. */
  async #cancel(): Promise<BatchState> {
    const settling = new CreatePhase(this.#context, 'stage', 'doubts');
    await this.#runPhase('settling', () => settling.run());
    if (this.#context.stop !== undefined) return this.#stoppedOr('stopped');
    const canceling = new CancelPhase(this.#context);
    await this.#runPhase('canceling', () => canceling.run());
    this.#pastHorizon = settling.pastHorizon > 0;
    const {staged, unapproved, in_doubt: doubts} = this.#context.standing.tally;
    const isDone = canceling.left + staged.count + unapproved.count + doubts.count === 0;
    if (isDone && this.#context.stop === undefined) this.#freeUnsent();
    return this.#stoppedOr(isDone ? 'canceled' : 'stopped');
  }

  /**
   * Rows that were never sent, and rows that were declared not paid: other batches may have their references. They use the
   * same key, and a declared row is marked, so that a record which is there after all is not taken for one of other content.
   */
  #freeUnsent(): void {
    const {journal, claims} = this.#context;
    for (let after = 0; ;) {
      const page = journal.rowsIn(['not_sent'], after, FREED_AT_ONCE);
      for (const row of page) claims.free(row.reference, row.outcome!.stagedAt === null ? undefined : row);
      claims.flush();
      if (page.length < FREED_AT_ONCE) return;
      after = page.at(-1)!.n;
    }
  }

  async #runPhase(name: string, work: () => Promise<void>): Promise<void> {
    this.#phase = name;
    this.#writeStatus();
    await work();
  }

  /**
   * The check between staging and releasing. Rows in conflict, rows that could not be sent, and rows in doubt whether they
   * have a record, hold the release of all others. A row in doubt with a known record was being released when that stopped: the release looks.
   */
  #mayRelease(): boolean {
    const {tally} = this.#context.standing;
    this.#context.flush();
    if (!isWhole(this.#options.plan, tally) || !isWhole(this.#options.plan, this.#context.journal.tally())) {
      this.#context.stopFor('not-whole', 'the staged rows do not add up to the plan; nothing was released');
      return false;
    }
    if (this.#context.settings.releaseRest) return true;
    const unknown = tally.in_doubt.count - this.#context.journal.doubtsWithRecord();
    return unknown + tally.not_sent.count + tally.conflict.count === 0;
  }

  /** Rows whose keys may be forgotten are all that is left: no command goes on with them. */
  #isLeftToPerson(pastHorizon: number): boolean {
    const {staged, not_sent: unsent} = this.#context.standing.tally;
    return pastHorizon > 0 && this.#context.stop === undefined && staged.count + unsent.count === 0;
  }

  /** Whether a release would have anything to do: rows in conflict alone are at their end. */
  #waits(): boolean {
    const {staged, unapproved, in_doubt: doubt} = this.#context.standing.tally;
    return staged.count + unapproved.count + doubt.count > 0;
  }

  #stoppedOr(state: BatchState): BatchState {
    const {stop} = this.#context;
    if (stop === undefined) return state;
    return stop.reason === 'interrupted' || stop.reason === 'terminated' ? 'interrupted' : 'stopped';
  }

  /** Results first, then the last status: a status that names results must find them. */
  #finish(state: BatchState): Summary {
    this.#context.beforeWindow();
    this.#context.flush();
    const {journal, plan, place, out, clock} = this.#options;
    journal.setFact('state', state);
    if (this.#context.patience.successes > 0) journal.setFact('asOf', clock.now());
    journal.setFact('stop', this.#context.stop ?? null);
    journal.setFact('pastHorizon', this.#pastHorizon);
    journal.setFact('probeRefused', this.#context.isProbeRefused);
    let summary = this.#summary(state);
    this.#timeline.note(this.#phase, summary, clock.now(), {force: true});
    let files: ResultFiles | undefined;
    let failure: unknown;
    try {
      files = writeResults({journal, plan, summary, folder: out});
      journal.setFact('results', files);
    } catch (error) {
      failure = error; // money has moved: the summary still has to be told
    }
    summary = {
      ...summary,
      results: files?.results ?? null,
      failed_file: files?.failed ?? null,
      summary_file: files?.summary ?? null,
    };
    try {
      writeStatus(place.status, plan.journalId, state, summary, clock.now());
    } catch (error) {
      failure ??= error;
    }
    if (failure instanceof RemitError)
      throw new RemitError(failure.code, failure.message, {
        cause: failure,
        hint: failure.openHint,
        details: {summary},
      });
    if (failure instanceof Error) throw failure;
    return summary;
  }

  #summary(state: BatchState): Summary {
    const {plan, mode, journal, clock, command, commandFlags = '', profile = null} = this.#options;
    const {standing, posts, stop} = this.#context;
    const end = endState(state, plan, standing);
    const left =
      end === 'running' ? undefined : readRemaining(journal, standing, {state: end, stop, now: clock.now()});
    return summarise(plan, standing, {
      state,
      mode,
      posts,
      elapsedMs: clock.monotonic() - this.#started,
      stop,
      next:
        left === undefined
          ? null
          : nextCommand(left, {command, batchId: plan.batchId, mode, flags: commandFlags, profile}),
    });
  }

  #writeStatus(): void {
    const {place, plan, clock} = this.#options;
    const summary = this.#summary('running');
    this.#timeline.note(this.#phase, summary, clock.now());
    const activity = this.#context.activity(this.#options.path);
    writeStatus(place.status, plan.journalId, this.#phase, summary, clock.now(), activity);
  }

  #showProgress(): void {
    const {onProgress, path} = this.#options;
    onProgress(this.#phase, this.#summary('running'), this.#context.activity(path));
  }

  /** Status each second, outcomes to disk within half a second. A failure of either ends the run like any other. */
  #startTimers(): {stop: () => void; rethrow: () => void} {
    const ended = new AbortController();
    let failure: unknown;
    const every = async (ms: number, work: () => void) => {
      for (;;) {
        await this.#options.clock.sleep(ms, ended.signal);
        work();
      }
    };
    const fail = (error: unknown) => {
      if (ended.signal.aborted) return;
      failure ??= error;
      this.#context.stopFor('not-whole', 'the local state cannot be written');
    };
    every(STATUS_EVERY_MS, () => this.#writeStatus()).catch(fail);
    every(PROGRESS_EVERY_MS, () => this.#showProgress()).catch(fail);
    const {journal} = this.#options;
    let commits = journal.commits;
    every(FLUSH_EVERY_MS, () => {
      if (journal.commits === commits) this.#context.flush();
      commits = journal.commits;
    }).catch(fail);
    const rethrow = () => {
      if (failure instanceof Error) throw failure;
    };
    return {stop: () => ended.abort(), rethrow};
  }
}
