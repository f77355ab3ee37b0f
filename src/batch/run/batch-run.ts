import {CANONICAL, type Codec} from '../../client/requests/codec.ts';
import {must} from '../../narrow.ts';
import {outcomeOf} from '../answers/outcome-of.ts';
import {MAYBE_BY_SECOND, notCanceledText} from '../answers/stop-words.ts';
import type {RecordedRow} from '../journal/rows/row.ts';
import {FORGOTTEN_CODE} from '../model/outcome.ts';
import type {Transport, Timeouts} from '../../client/transport/transport.ts';
import {bindBatch} from '../journal/binding.ts';
import {CreatePhase} from './create-phase.ts';
import {CancelPhase} from './cancel-phase.ts';
import type {LeftRow} from './former-ends.ts';
import {FormerPhase} from './former-phase.ts';
import {refuseCanceled} from '../standing/remaining.ts';
import {probe} from './probe.ts';
import type {Claims} from '../registry/claim.ts';
import {type Releasable, releasable, releasesById} from './release-job.ts';
import {ReleasePhase} from './release-phase.ts';
import {RereadPhase} from './reread-phase.ts';
import type {RunFacts} from '../journal/facts.ts';
import {mustReadAgain, noteReading} from '../journal/service-form.ts';
import {assembleRun, type BeforeWindow, type RunParts} from '../send/run-parts.ts';
import type {RunSettings} from '../send/run-settings.ts';
import type {Speed} from '../speed/speed.ts';
import type {BatchState} from '../model/batch-state.ts';
import {isWhole, type Summary} from '../standing/summary.ts';
import {type BatchPermits, Wire} from '../answers/wire.ts';
import {signalReason, type RunStop} from '../model/stop.ts';
import {type ReportOptions, RunReporter} from './run-reporter.ts';

export interface BatchRunOptions extends ReportOptions {
  claims: Claims;
  transport: Transport;
  baseUrl: string;
  key: string;
  keyFingerprint: string;
  /** Of a service that differs from the contract. */
  codec?: Codec | undefined;
  timeouts: Timeouts;
  /** What the guard of the command recognizes its writes by. */
  permits?: BatchPermits | undefined;
  speed: Speed;
  random: () => number;
  settings: RunSettings;
  /** Called before each window is opened; throws if this process no longer holds the lock, or may not send its rows. */
  assertHeld: BeforeWindow;
  /** First Ctrl-C: starts no further request. */
  drain: AbortSignal;
  /** Why nothing is sent: a record read before the run stopped the batch. */
  stop?: RunStop | undefined;
  /** Second Ctrl-C: aborts requests in flight. The journal records that their rows may have been sent. */
  abort: AbortSignal;
}

/** No row is kept from a release. */
const NONE_LEFT: ReadonlyMap<number, LeftRow> = new Map();

/**
 * Runs a planned batch to its end, or until it must stop; the same call resumes it. Answers of the service never
 * cause an exception; they are in the summary. Throws RemitError STATE if the journal cannot be written, after
 * everything in flight has ended, and GUARD_BINDING if the batch belongs to another address, mode or key.
 */
export class BatchRun {
  readonly #options: BatchRunOptions;
  readonly #run: RunParts;
  readonly #reporter: RunReporter;
  readonly #formers: FormerPhase;
  #pastHorizon = false;
  /** Rows that an earlier run left held: their records may have been approved by id since then. */
  readonly #heldBefore: number;
  readonly #codec: Codec;
  /** The service file has changed since the records of this batch were compared with their rows. */
  readonly #mustReadAgain: boolean;

  constructor(options: BatchRunOptions) {
    this.#options = options;
    const {plan, journal, mode, key, timeouts, permits, clock, codec = CANONICAL} = options;
    refuseCanceled(journal, plan, options.path);
    bindBatch(journal, plan, options);
    const started = clock.monotonic();
    this.#run = assembleRun({
      journal,
      claims: options.claims,
      wire: new Wire({kind: plan.kind, mode, namespace: plan.namespace, key, timeouts, permits}),
      transport: options.transport,
      codec,
      baseUrl: options.baseUrl,
      speed: options.speed,
      clock,
      random: options.random,
      settings: options.settings,
      keyFingerprint: options.keyFingerprint,
      isDirect: options.path === 'direct',
      abort: options.abort,
      beforeWindow: options.assertHeld,
    });
    this.#reporter = new RunReporter(options, this.#run, started);
    this.#formers = new FormerPhase(this.#run);
    const {tally, held} = this.#run.outcomes.standing;
    const hasOpenRecords = tally.staged.count + tally.unapproved.count > 0;
    this.#heldBefore = held;
    this.#codec = codec;
    this.#mustReadAgain = hasOpenRecords && mustReadAgain(journal, plan.kind, codec.service);
    if (!this.#mustReadAgain) noteReading(journal, plan.kind, codec.service);
  }

  async run(): Promise<Summary> {
    const {horizonMs, approveById = false, mayAcceptDifferences = true} = this.#options.settings;
    const facts: RunFacts = {horizonMs, approveById, mayAcceptDifferences};
    this.#options.journal.setFact('runFacts', facts);
    this.#options.journal.setFact('state', 'running');
    const timers = this.#reporter.startTimers();
    const onDrain = () =>
      this.#run.halt.stopFor(
        signalReason(this.#options.drain),
        'stopped by a signal, after the requests in flight had ended',
      );
    this.#options.drain.addEventListener('abort', onDrain, {once: true});
    if (this.#options.drain.aborted) onDrain();
    const {stop} = this.#options;
    if (stop !== undefined) this.#run.halt.stopFor(stop.reason, stop.message);
    let state: BatchState;
    try {
      state = await this.#phases();
    } finally {
      timers.stop();
      this.#options.drain.removeEventListener('abort', onDrain);
    }
    timers.rethrow();
    if (this.#run.send.aborted > 0) this.#run.halt.abortedRequests();
    this.#run.beforeWindow();
    this.#formers.explainLeft();
    this.#run.outcomes.flush();
    return this.#reporter.finish(state, this.#pastHorizon);
  }

  async #phases(): Promise<BatchState> {
    const {path} = this.#options;
    if (path === 'cancel') return this.#cancel();
    if (path === 'direct') return this.#direct();
    const staging = new CreatePhase(this.#run, 'stage', {left: this.#formers.left});
    if (path !== 'release') await this.#createIn('staging', staging);
    this.#pastHorizon = this.#isLeftToPerson(staging.pastHorizon);
    if (this.#run.halt.stop !== undefined) return this.#stoppedOr('stopped');
    if (path === 'stage-only')
      return this.#waits() || this.#run.outcomes.standing.tally.not_sent.count > 0 ? 'staged' : 'complete';
    if (!(await this.#reread())) return this.#stoppedOr('stopped');
    await this.#readFormers(releasable(this.#run.settings));
    const open = this.#run.halt.stop === undefined ? await this.#readDoubts() : [];
    if (this.#run.halt.stop !== undefined) return this.#stoppedOr('stopped');
    if (!this.#mayRelease()) return this.#stoppedOr(this.#waits() ? 'held' : 'complete');
    if (!(await this.#probe(releasable(this.#run.settings)))) {
      this.#leaveForgotten(open);
      return this.#stoppedOr('stopped');
    }
    const release = new ReleasePhase(this.#run, this.#formers.left);
    await this.#runPhase('releasing', () => release.run());
    this.#pastHorizon ||= release.pastHorizon > 0;
    return this.#stoppedOr(release.pastHorizon + this.#formers.left.size > 0 ? 'held' : 'complete');
  }

  /**
   * Rows in doubt with a known record are read even if other rows hold the release, and before the probe: their records
   * may show that nothing is left to release.
   * @returns those whose records are still `created`
   */
  async #readDoubts(): Promise<readonly RecordedRow[]> {
    if (this.#run.journal.doubtsWithRecord() === 0) return [];
    const reading = new ReleasePhase(this.#run, NONE_LEFT, ['in_doubt'], {only: 'reads'});
    await this.#runPhase('reading', () => reading.run());
    return reading.open;
  }

  /**
   * If the probe has shown that keys are forgotten: the releases of these rows were not answered, and may have paid them
   * by second records, which a person has to look for.
   */
  #leaveForgotten(rows: readonly RecordedRow[]): void {
    const {journal, outcomes, halt} = this.#run;
    if (halt.stop?.reason !== 'key-forgotten') return;
    outcomes.flush();
    for (const {reference} of rows) {
      const row = must(journal.rows.of(reference), 'row that was read');
      if (row.outcome?.state !== 'in_doubt') continue; // the probe has shown what paid it
      const facts = {state: 'in_doubt', code: FORGOTTEN_CODE, message: MAYBE_BY_SECOND} as const;
      outcomes.record(row, 'in_doubt', outcomeOf(row, facts));
    }
  }

  /** Once the run was stopped, a phase sends nothing. */
  #createIn(name: string, creating: CreatePhase): Promise<void> {
    return this.#runPhase(name, async () => {
      await this.#formers.beforeCreates({sendsDoubts: this.#options.path === 'direct'});
      await creating.run();
    });
  }

  /** @param states of the rows that are released next */
  #readFormers(states: readonly Releasable[]): Promise<void> {
    return this.#runPhase('reading', () => this.#formers.beforeReleases(states));
  }

  /** Records that are approved by their ids need no key. */
  async #probe(states: readonly Releasable[]): Promise<boolean> {
    if (releasesById(this.#run.journal, this.#run.settings)) return true;
    this.#reporter.phase = 'probing';
    return probe(this.#run, states);
  }

  /** @returns whether the release may continue */
  async #reread(): Promise<boolean> {
    const {journal, halt, settings} = this.#run;
    const {plan} = this.#options;
    if (!this.#mustReadAgain && (this.#heldBefore === 0 || settings.acceptDifferences)) return true;
    const states = this.#mustReadAgain ? (['held', 'staged', 'unapproved'] as const) : (['held'] as const);
    const reread = new RereadPhase(this.#run, states, this.#mustReadAgain);
    await this.#runPhase('reading', () => reread.run());
    if (this.#mustReadAgain && reread.unread > 0)
      halt.stopFor(
        'unreadable',
        `${reread.unread} of the records staged under another service file could not be read again; nothing was released`,
      );
    if (halt.stop !== undefined) return false;
    if (this.#mustReadAgain) noteReading(journal, plan.kind, this.#codec.service);
    return true;
  }

  async #direct(): Promise<BatchState> {
    const {halt, outcomes} = this.#run;
    const paying = new CreatePhase(this.#run, 'direct', {left: this.#formers.left});
    await this.#createIn('paying', paying);
    if (this.#mustReadAgain && halt.stop === undefined && !(await this.#reread()))
      return this.#stoppedOr('stopped');
    // Rows that were staged before, or fetched since, have a record: they are released, not created again.
    const {settings} = this.#run;
    const held = settings.acceptDifferences ? 0 : outcomes.standing.held;
    const staged = outcomes.standing.tally.staged.count > held;
    const states = staged ? releasable(settings) : (['in_doubt'] as const);
    if (halt.stop === undefined) await this.#readFormers(states);
    if (staged && halt.stop === undefined && !(await this.#probe(states))) return this.#stoppedOr('stopped');
    const checking = new ReleasePhase(
      this.#run,
      this.#formers.left,
      states,
      staged ? {} : {only: 'unprobed'},
    );
    await this.#runPhase('checking', () => checking.run());
    this.#pastHorizon = this.#isLeftToPerson(paying.pastHorizon + checking.pastHorizon);
    return this.#stoppedOr(this.#formers.left.size > 0 && this.#waits() ? 'held' : 'complete');
  }

  /** Rows in doubt come first: they cannot be canceled without a record. */
  async #cancel(): Promise<BatchState> {
    const checking = new CreatePhase(this.#run, 'stage', {only: 'doubts'});
    await this.#runPhase('checking', () => checking.run());
    if (this.#run.halt.stop !== undefined) return this.#stoppedOr('stopped');
    const canceling = new CancelPhase(this.#run);
    await this.#runPhase('canceling', () => canceling.run());
    this.#pastHorizon = checking.pastHorizon > 0;
    const {staged, unapproved, in_doubt: doubts} = this.#run.outcomes.standing.tally;
    const isDone = canceling.left + staged.count + unapproved.count + doubts.count === 0;
    if (isDone && this.#run.halt.stop === undefined) canceling.freeUnsent();
    else if (staged.count + unapproved.count + doubts.count > 0)
      this.#run.halt.stopFor(
        'not-canceled',
        notCanceledText(staged.count + unapproved.count + doubts.count, canceling.refusal),
      );
    return this.#stoppedOr(isDone ? 'canceled' : 'stopped');
  }

  async #runPhase(name: string, work: () => Promise<void>): Promise<void> {
    this.#reporter.phase = name;
    this.#reporter.writeStatus();
    await work();
  }

  /**
   * The check between staging and releasing. Rows in conflict, rows that could not be sent, and rows that may have a
   * record hold the release of all others. A row in doubt with a known record was being released when the run
   * stopped; the release fetches it.
   */
  #mayRelease(): boolean {
    const {tally} = this.#run.outcomes.standing;
    this.#run.outcomes.flush();
    if (!isWhole(this.#options.plan, tally) || !isWhole(this.#options.plan, this.#run.journal.tally())) {
      this.#run.halt.stopFor('not-whole', 'the staged rows do not add up to the plan; nothing was released');
      return false;
    }
    if (this.#run.settings.releaseRest) return true;
    const unknown = tally.in_doubt.count - this.#run.journal.doubtsWithRecord();
    return unknown + tally.not_sent.count + tally.conflict.count + this.#formers.left.size === 0;
  }

  /** Whether only rows with possibly forgotten keys are left, so that no command can continue. */
  #isLeftToPerson(pastHorizon: number): boolean {
    if (pastHorizon === 0 || this.#run.halt.stop !== undefined) return false;
    const {journal, clock, settings, outcomes} = this.#run;
    outcomes.flush();
    const {staged, not_sent: unsent} = outcomes.standing.tally;
    const {lateStaged} = journal.left.counts({now: clock.now(), horizonMs: settings.horizonMs});
    return staged.count - lateStaged + unsent.count === 0;
  }

  /** Whether a release would have anything to do; rows in conflict alone are finished. */
  #waits(): boolean {
    const {staged, unapproved, in_doubt: doubt} = this.#run.outcomes.standing.tally;
    return staged.count + unapproved.count + doubt.count > 0;
  }

  #stoppedOr(state: BatchState): BatchState {
    const {stop} = this.#run.halt;
    if (stop === undefined) return state;
    return stop.reason === 'interrupted' || stop.reason === 'terminated' ? 'interrupted' : 'stopped';
  }
}
