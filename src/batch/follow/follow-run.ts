import {counted} from '../../phrases.ts';
import type {Clock} from '../../clock.ts';
import type {CommandBuilder} from '../../errors.ts';
import {Follow, type FollowEnd, type FollowOptions} from './follow.ts';
import type {Goal} from './counts.ts';
import {endIfResolved} from '../journal/after-resolve.ts';
import {nextCommand, typingFor} from '../standing/next-command.ts';
import type {OpenBatch} from '../journal/open-batch.ts';
import {withSummary} from '../run/run-reporter.ts';
import {readRemaining} from '../standing/remaining.ts';
import type {ResultFiles} from '../journal/facts.ts';
import {writeResults} from '../report/results.ts';
import type {ReturnsAtEnd} from '../report/returned.ts';
import {writeStatus} from '../standing/status-file.ts';
import {summarise, type Summary} from '../standing/summary.ts';
import type {RunStop} from '../model/stop.ts';

/** The result of following, added to the summary in `-o json`. */
export interface Followed {
  /** Null if records were fetched once. */
  until: Goal | null;
  outcome: FollowEnd;
  /** Accepted rows: `reached + ended + open`. `ended` rows have failed or were canceled. */
  reached: number;
  ended: number;
  open: number;
  /** Rows by the last seen status of their record. */
  statuses: Record<string, number>;
  /** Requests sent (all are GETs), and rows whose record could not be read in the last pass. */
  gets: number;
  unread: number;
}

export interface FollowRunOptions extends Omit<
  FollowOptions,
  'kind' | 'journal' | 'assertHeld' | 'onProgress'
> {
  batch: OpenBatch;
  /** The summary so far: of the run before, or from the journal. */
  before: Summary;
  /** Folder in which the results are rewritten at the end; undefined leaves them unchanged. */
  out: string | undefined;
  /** Builds the next command. */
  commands: CommandBuilder;
  /** See `ReturnsAtEnd`. */
  returnsAtEnd?: ReturnsAtEnd;
  /** Called when all records are read and journaled, before the results are written. It may change rows. */
  beforeResults?: () => Promise<void>;
  onProgress: (line: string) => void;
}

const REPORT_EVERY_MS = 1000;

/**
 * Follows the accepted rows of a batch, reports progress every second, and leaves journal, status file and results
 * consistent.
 */
export class FollowRun {
  readonly #options: FollowRunOptions;
  readonly #follow: Follow;
  readonly #started: number;
  readonly #phase: string;
  #before: Summary;
  #reported = Number.NEGATIVE_INFINITY;

  constructor(options: FollowRunOptions) {
    const {batch, clock, until} = options;
    const {journal, plan, lock} = batch;
    this.#options = options;
    this.#before = options.before;
    this.#phase = until === undefined ? 'refreshing' : PHASES[until];
    this.#started = clock.monotonic();
    this.#follow = new Follow({
      ...options,
      kind: plan.kind,
      journal,
      assertHeld: () => lock.assertHeld(),
      onProgress: () => this.#report(clock),
    });
  }

  async run(): Promise<{summary: Summary; followed: Followed}> {
    const {batch, clock, out, until} = this.#options;
    const {journal, place, plan} = batch;
    this.#report(clock);
    const outcome = await this.#follow.run();
    const {rows, gets, unread, stop, lastReadAt} = this.#follow;
    if (lastReadAt !== undefined) journal.setFact('asOf', lastReadAt);
    if (stop?.reason === 'lost-record') {
      journal.setFact('state', 'stopped');
      journal.setFact('stop', stop);
    }
    const {commits} = journal;
    if (stop === undefined) this.#endIfFound();
    await this.#options.beforeResults?.();
    if (journal.commits !== commits) rows.recount();
    const {reached, ended, open, statuses} = rows.counts;
    const summary = this.#summary();
    if (rows.hasMoved) summary.next = this.#nextAfter(summary) ?? this.#nextFollowing();
    else summary.next ??= this.#nextAfter(summary);
    const failure = out === undefined ? undefined : this.#writeResults(out, summary);
    writeStatus(place.status, plan.journalId, summary.state, summary, clock.now());
    if (failure !== undefined) throw withSummary(failure, summary);
    return {
      summary,
      followed: {
        until: until ?? null,
        ...{outcome, reached, ended, open, gets, unread},
        statuses: Object.fromEntries(
          Object.entries(statuses)
            .filter(([, n]) => n > 0)
            .map(([status, n]) => [status === '' ? 'unknown' : status, n]),
        ),
      },
    };
  }

  /** Rows were in doubt, or the batch was stopped by a record that was not found, and no row is in doubt any more. */
  #endIfFound(): void {
    const {batch, clock} = this.#options;
    const {rows} = this.#follow;
    const {in_doubt: doubts, stopped_because: stop} = this.#before;
    if (
      (doubts === 0 && stop?.reason !== 'lost-record') ||
      !rows.hasMoved ||
      rows.standing.tally.in_doubt.count > 0
    )
      return;
    endIfResolved(batch, clock);
    const {journal} = batch;
    const stopped = journal.fact('stop') ?? null;
    this.#before = {
      ...this.#before,
      state: journal.fact('state') ?? this.#before.state,
      stopped_because: stopped,
    };
  }

  /** Following ends nothing but itself: the batch is as complete as before, unless a record is lost. */
  #summary(): Summary {
    const {batch, clock} = this.#options;
    const before = this.#before;
    const {standing} = this.#follow.rows;
    const stop = this.#follow.stop ?? before.stopped_because ?? undefined;
    return {
      ...summarise(batch.plan, standing, {
        state: stateAfter(before.state, this.#follow.stop),
        mode: before.mode,
        posts: before.posts,
        elapsedMs: before.elapsed_ms + clock.monotonic() - this.#started,
        stop,
        next: before.next ?? this.#nextFollowing(),
      }),
      // Every row may be paid: only the following was interrupted.
      ...(this.#follow.stop === undefined ? {} : {state: stateAfter(before.state, this.#follow.stop)}),
      results: before.results,
      failed_file: before.failed_file,
      summary_file: before.summary_file,
    };
  }

  /** The command that continues to follow; null if no row is left to follow. */
  #nextFollowing(): string | null {
    const {batch, until, commands} = this.#options;
    if (until === undefined || this.#follow.rows.counts.open === 0) return null;
    return typingFor(commands, batch.plan)('resume', '--until', until);
  }

  /** The next command for the batch if records have failed, were canceled, differ or are lost; null if none are. */
  #nextAfter({state, kind, batch_id: batchId}: Summary): string | null {
    const {batch, clock, commands} = this.#options;
    const before = this.#before;
    const {rows} = this.#follow;
    const stop = this.#follow.stop ?? before.stopped_because ?? undefined;
    if (!rows.hasMoved && state !== 'incomplete' && stop?.reason !== 'lost-record') return null;
    const left = readRemaining(batch.journal, rows.standing, {state, stop, now: clock.now()});
    return nextCommand(left, {commands, kind, batchId});
  }

  #writeResults(folder: string, summary: Summary): unknown {
    const {batch, returnsAtEnd} = this.#options;
    const {journal, plan} = batch;
    try {
      const files: ResultFiles = writeResults({
        journal,
        plan,
        folder,
        ...(returnsAtEnd?.(summary) ?? {summary}),
      });
      journal.setFact('results', files);
      summary.results = files.results;
      summary.failed_file = files.failed;
      summary.summary_file = files.summary;
      return undefined;
    } catch (error) {
      return error; // what was read is in the journal, and the summary must still be returned
    }
  }

  #report(clock: Clock): void {
    this.#options.onProgress(progressLine(this.#follow, this.#options.until));
    const now = clock.monotonic();
    if (now - this.#reported < REPORT_EVERY_MS) return;
    this.#reported = now;
    const {place, plan} = this.#options.batch;
    const summary = {...this.#summary(), state: 'running'} as const;
    writeStatus(place.status, plan.journalId, this.#phase, summary, clock.now());
  }
}

const PHASES: Readonly<Record<Goal, string>> = {
  approved: 'approving',
  initiated: 'initiating',
  debited: 'debiting',
  settled: 'settling',
};

/** `settling 812/990 settled, 3 failed`, followed by the number of unreadable records, if any. */
export function progressLine(
  {rows, unread, gets}: Pick<Follow, 'rows' | 'unread' | 'gets'>,
  until: Goal | undefined,
): string {
  const {total, reached, statuses} = rows.counts;
  const goal = until ?? 'settled';
  const bad = (['failed', 'canceled'] as const)
    .filter((status) => (statuses[status] ?? 0) > 0)
    .map((status) => `${statuses[status]} ${status}`);
  const phase = until === undefined ? 'checking status:' : PHASES[until];
  const lines = [[`${phase} ${reached}/${total} ${goal}`, ...bad].join(', '), counted(gets, 'request')];
  return [...lines, ...(unread > 0 ? [`${unread} could not be read`] : [])].join(' · ');
}

const stateAfter = (before: Summary['state'], stop: RunStop | undefined): Summary['state'] => {
  if (stop === undefined) return before;
  return stop.reason === 'interrupted' || stop.reason === 'terminated' ? 'interrupted' : 'stopped';
};
