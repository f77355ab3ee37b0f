import type {Clock} from '../../clock.ts';
import {type CommandBuilder, RemitError} from '../../errors.ts';
import type {ResultFiles} from '../journal/facts.ts';
import type {BatchFolder} from '../journal/folder.ts';
import type {Journal} from '../journal/journal.ts';
import type {BatchState} from '../model/batch-state.ts';
import type {Mode} from '../../contract/mode.ts';
import type {Plan} from '../model/plan-facts.ts';
import {USUAL_HORIZON_MS} from '../../service/service-file.ts';
import type {RunPath} from '../model/run-path.ts';
import {writeResults} from '../report/results.ts';
import type {ReturnsAtEnd} from '../report/returned.ts';
import type {Activity} from '../standing/activity.ts';
import {nextCommand} from '../standing/next-command.ts';
import {readRemaining} from '../standing/remaining.ts';
import {writeStatus} from '../standing/status-file.ts';
import {endState, summarise, type Summary} from '../standing/summary.ts';
import type {RunParts} from '../send/run-parts.ts';

export interface ReportOptions {
  plan: Plan;
  journal: Journal;
  place: BatchFolder;
  mode: Mode;
  clock: Clock;
  path: RunPath;
  /** The folder of the results. */
  out: string;
  /** Builds the next command. */
  commands: CommandBuilder;
  /** See `ReturnsAtEnd`. */
  returnsAtEnd?: ReturnsAtEnd;
  onProgress: (phase: string, summary: Summary, activity: Activity) => void;
}

type Reported = Pick<RunParts, 'activity' | 'halt' | 'outcomes' | 'rules' | 'send'>;

const STATUS_EVERY_MS = 1000;
/**
 * A commit waits for the disk, and nothing is sent during that time; outcomes lost in a kill are recovered by replay.
 * If windows have committed outcomes since the last time, later outcomes wait once more.
 */
const FLUSH_EVERY_MS = 250;
const PROGRESS_EVERY_MS = 200;

/** Shows the progress of a run on the terminal and in its status file, and writes its results at the end. */
export class RunReporter {
  /** Name of the phase that is running. */
  phase = 'starting';
  readonly #options: ReportOptions;
  readonly #run: Reported;
  readonly #started: number;

  constructor(options: ReportOptions, run: Reported, started: number) {
    this.#options = options;
    this.#run = run;
    this.#started = started;
  }

  /** Results first, then the last status: a status that names results must find them. */
  finish(state: BatchState, pastHorizon: boolean): Summary {
    const {journal, plan, place, clock} = this.#options;
    const {halt, rules, outcomes} = this.#run;
    journal.setFact('state', state);
    if (outcomes.standing.tally.unapproved.count > 0) journal.setFact('hasUnpaid', true); // they may be approved by their ids
    if (rules.patience.successes > 0) journal.setFact('asOf', clock.now());
    journal.setFact('stop', halt.stop ?? null);
    journal.setFact('pastHorizon', pastHorizon);
    // A run that does not get to the probe, such as a resume of a held batch, does not show that it would pass now.
    const wasRefused = !halt.hasProbed && journal.fact('probeRefused') === true;
    journal.setFact(
      'probeRefused',
      halt.isProbeRefused || halt.stop?.reason === 'key-forgotten' || wasRefused,
    );
    const {horizonMs} = this.#options.journal.fact('runFacts') ?? {horizonMs: USUAL_HORIZON_MS};
    const {unreadable} = journal.left.counts({now: clock.now(), horizonMs});
    const runs = journal.fact('unreadableRuns') ?? 0;
    if (unreadable + runs > 0) journal.setFact('unreadableRuns', unreadable > 0 ? runs + 1 : 0);
    if (halt.stop?.reason === 'key-forgotten') journal.setFact('releaseById', 'keys-forgotten');
    if (halt.stop?.reason === 'bodies-compared') journal.setFact('releaseById', 'bodies-compared');
    const before = this.#summary(state);
    const {files, failure: unwritten} = this.#writeResults(before);
    let failure = unwritten;
    const summary: Summary = {
      ...before,
      results: files?.results ?? null,
      failed_file: files?.failed ?? null,
      summary_file: files?.summary ?? null,
    };
    try {
      writeStatus(place.status, plan.journalId, state, summary, clock.now());
    } catch (error) {
      failure ??= error;
    }
    if (failure !== undefined) throw withSummary(failure, summary);
    return summary;
  }

  #writeResults(summary: Summary): {files?: ResultFiles; failure?: unknown} {
    const {journal, plan, out, returnsAtEnd} = this.#options;
    try {
      const files = writeResults({journal, plan, folder: out, ...(returnsAtEnd?.(summary) ?? {summary})});
      journal.setFact('results', files);
      return {files};
    } catch (failure) {
      return {failure}; // money has moved: the summary must still be returned
    }
  }

  #summary(state: BatchState): Summary {
    const {plan, mode, journal, clock, commands} = this.#options;
    const {send, outcomes, halt} = this.#run;
    const {standing} = outcomes;
    const {stop} = halt;
    const end = endState(state, plan, standing);
    const left =
      end === 'running' ? undefined : readRemaining(journal, standing, {state: end, stop, now: clock.now()});
    return summarise(plan, standing, {
      ...{state, mode, stop, posts: send.posts, elapsedMs: clock.monotonic() - this.#started},
      next: left === undefined ? null : nextCommand(left, {commands, kind: plan.kind, batchId: plan.batchId}),
    });
  }

  writeStatus(): void {
    const {place, plan, clock, path} = this.#options;
    const summary = this.#summary('running');
    writeStatus(
      ...([place.status, plan.journalId, this.phase, summary, clock.now()] as const),
      this.#run.activity(path),
    );
  }

  #showProgress(): void {
    const {onProgress, path} = this.#options;
    onProgress(this.phase, this.#summary('running'), this.#run.activity(path));
  }

  /**
   * Writes the status every second and outcomes within half a second. A failure of either ends the run like any
   * other.
   */
  startTimers(): {stop: () => void; rethrow: () => void} {
    const {clock, journal} = this.#options;
    const {halt, outcomes} = this.#run;
    const ended = new AbortController();
    let failure: unknown;
    const every = async (ms: number, work: () => void) => {
      for (;;) {
        await clock.sleep(ms, ended.signal);
        work();
      }
    };
    const fail = (error: unknown) => {
      if (ended.signal.aborted) return;
      failure ??= error;
      halt.stopFor('not-whole', 'the local state cannot be written');
    };
    every(STATUS_EVERY_MS, () => this.writeStatus()).catch(fail);
    every(PROGRESS_EVERY_MS, () => this.#showProgress()).catch(fail);
    let commits = journal.commits;
    every(FLUSH_EVERY_MS, () => {
      if (journal.commits === commits) outcomes.flush();
      commits = journal.commits;
    }).catch(fail);
    const rethrow = () => {
      if (failure instanceof Error) throw failure;
    };
    return {stop: () => ended.abort(), rethrow};
  }
}

/** An error of the results or the status file, with the summary that could not be returned. */
export function withSummary(failure: unknown, summary: Summary): unknown {
  if (!(failure instanceof RemitError)) return failure;
  return new RemitError(failure.code, failure.message, {
    cause: failure,
    hint: failure.openHint,
    details: {summary},
  });
}
