import {counted} from '../../phrases.ts';
import {MAX_WAIT_MS} from '../../batch/send/patience.ts';
import {writeStatus} from '../../batch/standing/status-file.ts';
import {FollowPace} from '../../batch/follow/pace.ts';
import type {FollowEnd} from '../../batch/follow/follow.ts';
import type {Goal} from '../../batch/follow/counts.ts';
import {type Followed, FollowRun} from '../../batch/follow/follow-run.ts';
import {synchroniseBatch} from '../../batch/registry/synchronise.ts';
import {type Kind, KINDS} from '../../batch/model/kinds.ts';
import {type OpenBatch, openBatch} from '../../batch/journal/open-batch.ts';
import {exitCodeOf, restingExitCodeOf, type Summary} from '../../batch/standing/summary.ts';
import {Wire} from '../../batch/answers/wire.ts';
import {LIFECYCLES} from '../../contract/lifecycle.ts';
import {EXIT, type ExitCode, RemitError} from '../../errors.ts';
import type {Commands, Typed} from '../line/command-line.ts';
import type {Context} from '../core/context.ts';
import {unknownStatus} from '../core/unknown-status.ts';
import {DEFAULT_WAIT_MS} from '../input/durations.ts';
import type {FlagValues} from '../input/flags.ts';
import type {followFlags, runFlags} from './flags.ts';
import type {RunFlags} from './run/request.ts';
import {checkBound, commandsFor, sendingCommands} from './place.ts';
import {attentionBeside, type ReturnedRows, type ReturnsAtEnd} from '../../batch/report/returned.ts';
import {readSummary} from '../../batch/standing/read-summary.ts';
import {statusOfBatch} from '../../batch/overview/status.ts';
import {exitWithReturns, readReturnsAtEnd} from './returns.ts';
import {summaryText} from './summary-view.ts';
import {timeoutsOf} from './timeouts.ts';

export type FollowFlags = FlagValues<typeof followFlags & Pick<typeof runFlags, 'max-rps' | 'max-wait'>>;

const ATTENTION = 10;

/** After a run: follows accepted rows until they have the status in `--until`, then reports the overall result. */
export async function followAfterRun(options: {
  context: Context;
  stateDir: string;
  batch: OpenBatch;
  flags: FollowFlags & Pick<RunFlags, 'out'>;
  before: Summary;
  /** Folder of the results, which are rewritten. */
  out: string;
  returnsAtEnd: ReturnsAtEnd;
}): Promise<{summary: Summary & {followed: Followed}; exit: ExitCode}> {
  const {flags} = options;
  const timeoutMs = flags.timeout ?? DEFAULT_WAIT_MS;
  const commands = sendingCommands(options.context, options.batch.plan, flags.out);
  const {summary: plain, followed} = await follow({...options, commands, until: flags.until, timeoutMs});
  const {summary, returned} = options.returnsAtEnd(plain);
  showFollowed({...options, commands, returned, isReport: true}, summary, followed);
  return {summary: {...summary, followed}, exit: exitWithReturns(summary, exitCodeOf(plain, followed))};
}

/**
 * `status --refresh`: fetches the records of rows that are accepted, unapproved, or in doubt with a known record. While another process
 * runs the batch, reports the last status of that process.
 * @throws RemitError GUARD_BINDING if the profile is not the one that the batch was run with
 */
export async function refreshBatch(options: {
  context: Context;
  kind: Kind;
  stateDir: string;
  batchId: string;
  flags: FollowFlags;
  /** The command itself, for hints that repeat it. */
  typed: Typed;
}): Promise<{summary: Summary & {followed?: Followed}; exit: ExitCode}> {
  const {context, batchId, flags} = options;
  const {clock, out} = context;
  let batch: OpenBatch;
  try {
    batch = await openBatch({...options, purpose: `status of batch ${batchId}`, clock});
  } catch (error) {
    if (!(error instanceof RemitError) || error.code !== 'LOCKED') throw error;
    const {summary, attention, commands, running} = await statusOfBatch({
      ...{...options, clock},
      commandsFor: (of) => commandsFor(context, of),
    });
    out.text(summaryText(summary, attention, commands));
    out.note(
      `${running ?? 'It was running a moment ago.'} Nothing was fetched: another process is running the batch.`,
    );
    return {summary, exit: EXIT.LOCAL_STATE}; // a script that asked for fresh statuses did not get them
  }
  try {
    checkBound(context, options.stateDir, options.typed, batch);
    const commands = commandsFor(context, batch);
    const before = readSummary(batch, clock.now(), () => commands);
    const returnsAtEnd = await readReturnsAtEnd(context, {stateDir: options.stateDir, batch, commands});
    const {summary: seen, followed} = await follow({
      ...{context, stateDir: options.stateDir, batch, flags, before, commands},
      ...{until: undefined, timeoutMs: undefined, out: undefined, returnsAtEnd},
    });
    const {stopped_because: stop} = seen;
    // A refresh that stops early does not affect the state of the batch, unless a record was lost.
    const isOfBatch = followed.outcome !== 'stopped' || stop?.reason === 'lost-record';
    const refreshed = isOfBatch
      ? seen
      : {...seen, state: before.state, stopped_because: before.stopped_because};
    const {returned, summary} = returnsAtEnd(refreshed);
    showFollowed({context, batch, commands, returned}, summary, followed);
    if (!isOfBatch)
      writeStatus(batch.place.status, batch.plan.journalId, summary.state, summary, clock.now());
    if (!isOfBatch) context.out.warn(`the service could not be asked about every row: ${stop?.message}`);
    const exit = refreshExitCodeOf(isOfBatch ? summary : {...seen, in_doubt: 0}, followed);
    return {summary: {...summary, followed}, exit: exitWithReturns(summary, exit)};
  } finally {
    out.endProgress();
    await batch.close();
  }
}

/** That of the batch, or 7 if a record could not be fetched and nothing worse is known. */
function refreshExitCodeOf(summary: Summary, {outcome, unread}: Followed): ExitCode {
  if (outcome === 'stopped') return exitCodeOf(summary);
  const exit = restingExitCodeOf(summary);
  return unread > 0 && (exit === EXIT.OK || exit === EXIT.PARTIAL) ? EXIT.UNAVAILABLE : exit;
}

async function follow(options: {
  context: Context;
  stateDir: string;
  batch: OpenBatch;
  flags: FollowFlags;
  before: Summary;
  commands: Commands;
  until: Goal | undefined;
  timeoutMs: number | undefined;
  out: string | undefined;
  returnsAtEnd: ReturnsAtEnd;
}): Promise<{summary: Summary; followed: Followed}> {
  const {context, batch, flags} = options;
  const {profile, clock, out, runtime} = context;
  const {plan, lock} = batch;
  const wire = new Wire({
    ...{kind: plan.kind, mode: profile.mode, namespace: plan.namespace, key: profile.key},
    timeouts: timeoutsOf(context),
  });
  const transport = await context.transportFor('pool');
  const tracked = {resource: KINDS[plan.kind].topic, lifecycle: LIFECYCLES[plan.kind]};
  try {
    const followed = await new FollowRun({
      ...options,
      ...{wire, transport, codec: context.codec, clock, random: runtime.random},
      pace: new FollowPace(flags['max-rps']),
      maxWaitMs: flags['max-wait'] ?? MAX_WAIT_MS,
      abort: AbortSignal.any([context.stop.signal, lock.lost]),
      beforeResults: () => synchroniseBatch(batch, {stateDir: options.stateDir, clock}),
      onProgress: (line) => out.progress(line),
      onUnknown: (status, reference) =>
        out.notice(
          `${reference} ${unknownStatus(tracked, {status}) ?? `is ${status}`}. It is kept and will be fetched again`,
        ),
    }).run();
    if (lock.lost.aborted) throw lock.lost.reason;
    return followed;
  } finally {
    out.endProgress();
    await transport.close();
  }
}

function showFollowed(
  {
    context,
    batch,
    commands,
    returned,
    isReport = false,
  }: {
    context: Context;
    batch: OpenBatch;
    commands: Commands;
    returned: ReturnedRows;
    isReport?: boolean;
  },
  summary: Summary,
  followed: Followed,
): void {
  const attention = attentionBeside(batch.journal, ATTENTION, {doubts: summary.in_doubt, returned});
  const shown = {returned: [...returned.values()], isReport};
  context.out.text(`${summaryText(summary, attention, commands, shown)}\n${followedText(followed)}`);
}

const ENDS: Readonly<Record<Exclude<FollowEnd, 'passed'>, string>> = {
  reached: 'all reached it',
  ended: 'none is in progress',
  timeout: 'the time limit was reached',
  stopped: 'stopped early',
};

/** `Followed 990 rows until settled: 812 settled, 3 failed, 175 initiated; the time limit was reached.` */
function followedText(followed: Followed): string {
  const {until, outcome, reached, ended, open, statuses, gets, unread} = followed;
  const rows = reached + ended + open;
  const parts = Object.entries(statuses).map(([status, n]) => `${n} ${status}`);
  // Failed and canceled records are not fetched again, and those of rows in doubt are.
  const sent = `${counted(gets, 'GET request')} sent`;
  const end = gets === 0 ? 'none was fetched' : outcome === 'passed' ? sent : ENDS[outcome];
  const missed = unread > 0 ? `; ${unread} could not be read` : '';
  if (rows === 0) return `Followed no rows: none was accepted${gets === 0 ? '' : `; ${sent}`}${missed}.`;
  return `Followed ${counted(rows, 'row')}${until === null ? '' : ` until ${until}`}: ${parts.join(', ')}${gets === 0 ? ' as last seen' : ''}; ${end}${missed}.`;
}
