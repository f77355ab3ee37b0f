import {accessSync, constants, statSync} from 'node:fs';
import {resolve} from 'node:path';
import {type BatchClaims, claimBatch} from '../../../batch/registry/batch-claims.ts';
import {BatchRun} from '../../../batch/run/batch-run.ts';
import {isCapped} from '../../guard/batch-caps.ts';
import {accepting} from '../../../batch/model/accept.ts';
import type {Kind} from '../../../batch/model/kinds.ts';
import {keepAcknowledged, noteConfirmation, readAcknowledged} from '../../../batch/journal/confirmations.ts';
import type {Followed} from '../../../batch/follow/follow-run.ts';
import type {Journal} from '../../../batch/journal/journal.ts';
import {type OpenBatch, openBatch} from '../../../batch/journal/open-batch.ts';
import {prepareRetry, type RetryFacts, type RetryRow} from '../../../batch/run/retry.ts';
import {beginCancel, refuseCanceled} from '../../../batch/standing/remaining.ts';
import {AdaptiveSpeed} from '../../../batch/speed/adaptive.ts';
import {MAX_IN_FLIGHT} from '../../../batch/speed/speed.ts';
import {surveyRetried} from '../../../batch/registry/survey.ts';
import type {Stop} from '../../../batch/model/stop.ts';
import {ASKING, readStatus, writeStatus} from '../../../batch/standing/status-file.ts';
import type {Accepted} from '../accept.ts';
import {checkResultPlace} from '../../../batch/report/results.ts';
import {cancelExitCodeOf, exitCodeOf, type Summary} from '../../../batch/standing/summary.ts';
import {HORIZON_MS} from '../../../batch/model/record-age.ts';
import {Wire} from '../../../batch/answers/wire.ts';
import {type Reach, workOf} from '../../../batch/registry/work.ts';
import {DEFAULT_TIMEOUTS, type Timeouts, type Transport} from '../../../client/transport.ts';
import {RemitError, type ExitCode} from '../../../errors.ts';
import {shellWord} from '../../../shell-word.ts';
import type {Typed} from '../../runtime/command-line.ts';
import type {Context} from '../../core/context.ts';
import {socketCeiling} from '../../runtime/open-files.ts';
import {changedFile} from '../plan/changed-file.ts';
import {keepHeapSmall} from '../../runtime/memory.ts';
import type {ConfirmFlags} from './agree.ts';
import {confirmBatch, duplicatesOf} from './confirm.ts';
import {followAfterRun, type FollowFlags} from '../follow-action.ts';
import {hasForgotten, RESET_SANDBOX} from './reset-sandbox.ts';
import {closeAfter, withResume} from './close-after.ts';
import {batchCommand} from '../../../batch/standing/placed.ts';
import {checkBound, placedBy, placeFlags, runAsAnother} from '../place.ts';
import {count} from '../plan/view.ts';
import {confirmCancel, releasedText} from './cancel-confirm.ts';
import {partOf, retryText} from './retry-view.ts';
import {progressLine} from '../../../batch/standing/progress.ts';
import {withLock} from './wait-lock.ts';
import {readSummary} from '../../../batch/standing/read-summary.ts';
import {doubtsText, leftOutText, summaryText} from '../summary-view.ts';
import type {RunPath} from '../../../batch/model/run-path.ts';

export interface RunFlags extends ConfirmFlags, FollowFlags {
  'key-horizon'?: number | undefined;
  'max-in-flight'?: number | undefined;
  'break-lock'?: boolean | undefined;
  'wait-lock'?: number | undefined;
  out?: string | undefined;
}

export interface RunRequest {
  context: Context;
  kind: Kind;
  stateDir: string;
  batchId: string;
  flags: RunFlags;
  accepted: Accepted;
  /** The command itself, for hints that repeat it. */
  typed: Typed;
  /** `as-before`: the way in which the batch was begun. */
  path: RunPath | 'as-before';
  /** What the confirmation is for: `pay`, `stage`, `release`, `resume`. */
  doing: string;
  /** The command names the batch by its id, and has not just planned its file. */
  isById: boolean;
  /** Raise failed rows first; with names, only those. */
  retry?: {named: readonly string[]};
}

const ATTENTION = 10;
/** Rows that one sentence names; the others are counted. */
const NAMED = 5;

/** How a run ended; with `followed` when it went on to follow the accepted rows. */
export interface BatchEnd {
  summary: Summary & {followed?: Followed};
  exit: ExitCode;
}

/** Opens a planned batch, has it confirmed, runs it, tells how it ended. The batch is this process's alone meanwhile. */
export async function runBatch(request: RunRequest): Promise<BatchEnd> {
  keepHeapSmall();
  const {context, kind, stateDir, batchId, flags, doing} = request;
  const {clock} = context;
  const breakLock = flags['break-lock'] ?? false;
  const waiting = {context, kind, stateDir, waitMs: flags['wait-lock']};
  const purpose = `batch ${batchId} (${doing})`;
  const batch = await withLock(waiting, () =>
    openBatch({stateDir, kind, batchId, purpose, breakLock, clock}),
  );
  const run = async () => {
    if (readStatus(batch.place.status) === undefined) tellStatus(batch, 'starting', clock.now());
    const folder = resultFolder(flags.out ?? batch.plan.file.folder);
    checkBound(context, stateDir, request.typed, batch);
    if (request.path !== 'cancel')
      refuseCanceled(batch.journal, batch.plan, request.path, runAsAnother(context, stateDir, batch.plan));
    const changed = request.isById ? changedFile(batch.plan) : undefined;
    if (changed !== undefined)
      context.out.warn(
        `${changed} has changed since batch ${batchId} was planned; the batch continues with the plan (to apply the changes, plan the file again)`,
      );
    const summary = await runClaimed(request, batch, folder);
    if (summary.left_out > 0) context.out.warn(leftOutText(summary));
    if (flags.until === undefined || summary.stopped_because !== null) {
      const attention = batch.journal.needingAttention(ATTENTION, summary.in_doubt);
      const placed = placedBy(context, stateDir, context.commands.profile);
      context.out.text(summaryText(summary, attention, placed));
      if (request.path === 'cancel' && summary.accepted > 0)
        context.out.notice(releasedText(batch.journal.rowsIn(['accepted'], 0, NAMED), summary.accepted));
      hintRefusals(request, summary, batch.journal);
      noteDoubts(request, summary, batch.journal.rowsIn(['in_doubt'], 0, ATTENTION));
      if (summary.posts === 0 && summary.next === null && (await hasForgotten(context, kind, batch.journal)))
        context.out.notice(RESET_SANDBOX);
      return {summary, exit: request.path === 'cancel' ? cancelExitCodeOf(summary) : exitCodeOf(summary)};
    }
    return await followAfterRun({context, stateDir, batch, flags, before: summary, out: folder});
  };
  const end = await closeAfter(run, async () => {
    context.out.endProgress();
    await batch.close();
  });
  noteEffect(request, end.summary);
  return end;
}

/** Answers that `--accept refusals` makes final. */
const REFUSALS: readonly (number | null)[] = [400, 404, 422];

/** Everything was refused, so the address may be wrong; where it is not, the batch goes on with this command. */
function hintRefusals(request: RunRequest, summary: Summary, journal: Journal): void {
  if (request.path === 'cancel' || summary.stopped_because?.reason !== 'refused-at-first') return;
  const refused = journal.rowsIn(['not_sent'], 0, NAMED);
  if (!refused.some(({outcome}) => REFUSALS.includes(outcome?.http ?? null))) return;
  const words = ['resume', shellWord(summary.batch_id), ...accepting('refusals')].join(' ');
  request.context.out.hint(
    `if the address is right and the service does refuse these rows: ${continued(request, words)}`,
  );
}

/** If the output cannot be written, the error says all the same what was done. */
function noteEffect({context, kind, stateDir}: RunRequest, summary: Summary): void {
  const {batch_id: id, state: status, posts} = summary;
  if (posts === 0) return;
  const placed = placeFlags(context, stateDir, context.commands.profile);
  const next = `${batchCommand(kind)} status ${id}${placed}`;
  context.effects.took({noun: 'batch', done: 'was run', id, status, next});
}

/** Runs a batch with the registry; following it afterwards keeps no other batch waiting. */
async function runClaimed(request: RunRequest, batch: OpenBatch, folder: string): Promise<Summary> {
  const {context, kind, stateDir, flags} = request;
  const {profile, clock} = context;
  const {mode, baseUrl, name} = profile;
  const breakLock = flags['break-lock'] ?? false;
  const claims = await withLock({context, kind, stateDir, waitMs: flags['wait-lock']}, () =>
    claimBatch({batch, stateDir, mode, baseUrl, profile: name, breakLock, clock}),
  );
  const run = async () => {
    const onAsk = () => tellStatus(batch, ASKING, clock.now());
    if (request.path === 'cancel')
      await confirmCancel({context, typed: request.typed, batch, claims, flags, onAsk});
    else if (request.retry === undefined) await confirmOnce(request, batch, claims);
    else if (!isConfirmed(request, batch)) throw nothingToRetry(batch, request);
    checkResultPlace(folder, batch.plan); // before the try: its error says nothing of rows that were sent
    const transport = await context.transportFor('pool');
    try {
      return await runConfirmed({request, batch, claims, transport, folder});
    } catch (error) {
      throw withResume(error, batch.plan.batchId, {
        next: goOn(request, batch.plan),
        report: writeAgain(request, batch.plan),
      });
    } finally {
      await transport.close();
    }
  };
  return await closeAfter(run, () => claims.registry.close());
}

/** The command that goes on with a batch whose run failed. */
function goOn(request: RunRequest, {batchId}: OpenBatch['plan']): string {
  return continued(request, `${request.path === 'cancel' ? 'cancel' : 'resume'} ${shellWord(batchId)}`);
}

/** A command that sends for the batch, with the profile in force. */
function continued({context, kind, stateDir}: RunRequest, words: string): string {
  const live = context.profile.mode === 'live' ? ' --live' : '';
  return `${batchCommand(kind)} ${words}${live}${placeFlags(context, stateDir, context.commands.profile)}`;
}

/** The command that writes the results of a batch. */
function writeAgain({context, stateDir, flags}: RunRequest, {batchId, kind}: OpenBatch['plan']): string {
  const out = flags.out === undefined ? '' : ` --out ${shellWord(flags.out)}`;
  const placed = placeFlags(context, stateDir, context.commands.profile);
  return `${batchCommand(kind)} report ${shellWord(batchId)}${out}${placed}`;
}

/** A run that was interrupted exits 130, not 12: the rows that it leaves in doubt are said all the same, to scripts too. */
function noteDoubts(
  {context, stateDir}: RunRequest,
  summary: Summary,
  doubtful: readonly {reference: string}[],
): void {
  const reason = summary.stopped_because?.reason;
  if (summary.in_doubt === 0 || (reason !== 'interrupted' && reason !== 'terminated')) return;
  const named = doubtful.map(({reference}) => reference);
  context.out.warn(doubtsText(summary, named, placeFlags(context, stateDir, context.commands.profile)));
}

function isConfirmed({doing}: RunRequest, {plan, journal}: OpenBatch): boolean {
  const before = journal.fact('confirmed');
  return (
    before?.planHash === plan.planHash && (doing === 'resume' || doing === 'retry' || before.doing === doing)
  );
}

/** A plan is confirmed once for each thing that is done with it; a resumed one was confirmed when it was begun. */
async function confirmOnce(
  request: RunRequest,
  batch: OpenBatch,
  claims: BatchClaims,
  retried?: readonly RetryRow[],
): Promise<void> {
  const {context, flags, accepted, doing} = request;
  const {plan, journal} = batch;
  const {registry} = claims;
  const sentAgain = retried?.map(({row}) => row) ?? [];
  const now = context.clock.now();
  const survey = surveyRetried(claims.survey, sentAgain, {journal, plan, registry, now});
  const before = journal.fact('confirmed');
  const known = isConfirmed(request, batch);
  const acknowledged = readAcknowledged(journal, plan);
  let wasAsked = false;
  // Whoever asks for the status meanwhile is answered by this: the batch is ours until the question is answered.
  const onAsk = () => {
    wasAsked = true;
    tellStatus(batch, ASKING, context.clock.now());
  };
  const again = retried === undefined ? undefined : partOf(retried);
  const reach = reachOf(request, journal);
  const work = workOf({journal, plan, survey, reach, taken: sentAgain});
  const {typed} = request;
  const asked = {
    context,
    typed,
    plan,
    survey,
    work,
    flags,
    accepted,
    doing,
    known,
    acknowledged,
    again,
    onAsk,
  };
  const isAgreed = await confirmBatch(asked);
  batch.lock.assertHeld(); // a question may stay open for hours
  registry.assertHeld();
  if (!isAgreed) return; // a later run may have something to send, and asks then
  if (wasAsked) tellStatus(batch, 'starting', context.clock.now());
  const {repeats, similar} = duplicatesOf(plan, survey, acknowledged);
  if (!known || repeats + similar > 0)
    keepAcknowledged(journal, {
      planHash: plan.planHash,
      duplicates: (acknowledged?.duplicates ?? 0) + repeats,
      similar: (acknowledged?.similar ?? 0) + similar,
      at: context.clock.now(),
    });
  journal.setFact('typedProfile', context.commands.profile ?? null);
  journal.setFact('confirmed', {
    planHash: plan.planHash,
    doing: doing === 'resume' || doing === 'retry' ? (before?.doing ?? doing) : doing,
    at: context.clock.now(),
    by: context.runtime.env['USER'] ?? null,
  });
  noteConfirmation(journal, {
    ...{
      planHash: plan.planHash,
      revision: plan.revision,
      doing,
      asked: !known || again !== undefined || context.profile.mode === 'live',
    },
    ...{at: context.clock.now(), by: context.runtime.env['USER'] ?? null, profile: context.profile.name},
  });
}

const tellStatus = (batch: OpenBatch, phase: string, nowMs: number): void =>
  writeStatus(batch.place.status, batch.plan.journalId, phase, readSummary(batch, nowMs), nowMs);

/** Its question would be of two things at once: the plan, and the rows that failed under an earlier one. */
const nothingToRetry = ({plan}: OpenBatch, {kind, context, stateDir}: RunRequest): RemitError =>
  new RemitError(
    'GUARD_CONFIRM',
    plan.revision > 1
      ? `revision ${plan.revision} of batch ${plan.batchId} was never confirmed; nothing was sent again`
      : `batch ${plan.batchId} was never run: there is nothing to send again`,
    {
      hint: `${batchCommand(kind)} run ${plan.batchId}${placeFlags(context, stateDir, context.commands.profile)}`,
    },
  );

/** Which rows the run takes up: the same for the question as for the engine. */
function reachOf({path, accepted, doing}: RunRequest, journal: Journal): Reach {
  return {
    path: path === 'as-before' ? (journal.fact('path') ?? 'stage-and-release') : path,
    acceptDifferences: accepted.differences,
    retryUnapproved: doing === 'release',
  };
}

interface ConfirmedRun {
  request: RunRequest;
  batch: OpenBatch;
  claims: BatchClaims;
  transport: Transport;
  folder: string;
}

async function runConfirmed(parts: ConfirmedRun): Promise<Summary> {
  const {request, batch, claims, transport, folder} = parts;
  const {context, kind, flags} = request;
  const {plan, journal, place, lock} = batch;
  const {out, clock, profile, runtime} = context;
  const {path, acceptDifferences, retryUnapproved} = reachOf(request, journal);
  if (path === 'cancel') beginCancel(journal, clock.now());
  // A release is no way of going on: a resume after it must still take up rows that have no record yet.
  else journal.setFact('path', path === 'release' ? 'stage-and-release' : path);
  claims.settle();
  const stop = request.retry === undefined ? undefined : await retryRows(parts, request.retry.named);
  const {first, second} = context.stop.drain();
  const lost = AbortSignal.any([lock.lost, claims.registry.lost]);
  const summary = await new BatchRun({
    ...{plan, journal, place, transport, clock, path, stop, claims: claims.registry},
    ...{
      baseUrl: profile.baseUrl,
      mode: profile.mode,
      key: profile.key,
      keyFingerprint: profile.keyFingerprint,
    },
    overrides: profile.overrides,
    timeouts: timeoutsOf(context),
    speed: new AdaptiveSpeed({
      maxInFlight: Math.min(flags['max-in-flight'] ?? MAX_IN_FLIGHT, socketCeiling()),
      maxRps: flags['max-rps'],
    }),
    random: runtime.random,
    settings: {
      kind,
      horizonMs: flags['key-horizon'] ?? HORIZON_MS,
      maxWaitMs: flags['max-wait'],
      acceptDifferences,
      releaseRest: request.accepted.rest,
      trustRefusals: request.accepted.refusals,
      retryUnapproved,
      approveById: profile.approveById,
      mayAcceptDifferences: !isCapped(profile.caps),
    },
    out: folder,
    command: batchCommand(kind),
    commandFlags: placeFlags(context, request.stateDir, context.commands.profile),
    profile: context.commands.profile ?? null,
    assertHeld: () => {
      lock.assertHeld();
      claims.registry.assertHeld();
    },
    drain: AbortSignal.any([first, lost]),
    abort: AbortSignal.any([second, lost]),
    onProgress: (phase, now, activity) => out.progress(progressLine(phase, now, activity)),
  }).run();
  out.endProgress();
  if (lost.aborted) throw lost.reason;
  return summary;
}

/**
 * Asks the service about the failed rows and gives those that did fail a new key.
 * @returns why nothing may be sent, where that is so
 */
async function retryRows(
  {request, batch, claims, transport}: ConfirmedRun,
  named: readonly string[],
): Promise<Stop | undefined> {
  const {context, kind, flags} = request;
  const {profile, clock, out} = context;
  const {plan, journal} = batch;
  const wire = new Wire({
    ...{kind, mode: profile.mode, namespace: plan.namespace, key: profile.key},
    ...{overrides: profile.overrides, timeouts: timeoutsOf(context)},
  });
  const facts = await prepareRetry({
    journal,
    plan,
    wire,
    transport,
    clock,
    named,
    registry: claims.registry,
    allowedElsewhere: request.accepted.paidElsewhere,
    maxWaitMs: flags['max-wait'],
    stop: context.stop.signal,
    confirm: async (rows) => {
      for (const line of retryText(rows)) out.notice(line);
      await confirmOnce(request, batch, claims, rows.length > 0 ? rows : undefined);
    },
  });
  if (facts.stop !== undefined) return facts.stop;
  const keys = facts.raised.length === 0 ? '' : `, ${facts.raised.length} of them with a new key`;
  out.note(`${count(facts.again.length, 'row')} prepared to be sent again${keys}`);
  for (const {reference, why} of facts.left.slice(0, NAMED))
    out.notice(`  ${reference} is unchanged: ${why}`);
  if (facts.left.length > NAMED) out.notice(`  … and ${facts.left.length - NAMED} more are left as they are`);
  hintLeft(request, journal, facts.left);
  return undefined;
}

/** What would send the rows that a retry left as they are. */
function hintLeft(request: RunRequest, journal: Journal, left: RetryFacts['left']): void {
  const {context, typed, batchId} = request;
  const {out, profile, commands} = context;
  const places = new Set(left.flatMap(({elsewhere}) => elsewhere ?? []));
  const accepted = [...places].flatMap((place) => accepting('paid-elsewhere', place));
  if (places.size > 0) out.hint(`if these are other payments: ${commands.again(typed, {add: accepted})}`);
  const isHeld = left.some(({reference}) => journal.rowOf(reference)?.outcome?.state === 'held');
  const words = ['release', shellWord(batchId), ...accepting('differences')].join(' ');
  if (isHeld && !isCapped(profile.caps))
    out.hint(`if the differences are acceptable: ${continued(request, words)}`);
}

function timeoutsOf(context: Context): Timeouts {
  const totalMs = context.flags['request-timeout'];
  return totalMs === undefined ? DEFAULT_TIMEOUTS : {...DEFAULT_TIMEOUTS, totalMs};
}

/** Looked at before anything is sent: a batch whose results cannot be written should not begin. */
function resultFolder(folder: string): string {
  const path = resolve(folder);
  try {
    if (!statSync(path).isDirectory()) throw new Error('it is not a folder');
    accessSync(path, constants.W_OK);
    return path;
  } catch (cause) {
    throw new RemitError('STATE', `the results cannot be written to ${path}: ${(cause as Error).message}`, {
      cause,
      hint: 'nothing was sent; name a writable folder with --out FOLDER',
    });
  }
}
