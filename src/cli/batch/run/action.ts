import {accessSync, constants, existsSync, statSync} from 'node:fs';
import {resolve} from 'node:path';
import type {Followed} from '../../../batch/follow/follow-run.ts';
import {type OpenBatch, openBatch, runPurpose} from '../../../batch/journal/open-batch.ts';
import {claimBatch} from '../../../batch/registry/batch-claims.ts';
import {checkResultPlace} from '../../../batch/report/results.ts';
import {BatchRun} from '../../../batch/run/batch-run.ts';
import {progressLine} from '../../../batch/standing/progress.ts';
import {beginCancel, refuseCanceled} from '../../../batch/standing/remaining.ts';
import {ASKING, readStatus} from '../../../batch/standing/status-file.ts';
import {cancelExitCodeOf, exitCodeOf, type Summary} from '../../../batch/standing/summary.ts';
import {type ExitCode, RemitError} from '../../../errors.ts';
import {messageOf} from '../../../narrow.ts';
import {isCapped} from '../../guard/batch-caps.ts';
import {keepHeapSmall} from '../../runtime/memory.ts';
import {followAfterRun} from '../follow-action.ts';
import {exitWithReturns, readReturnsAtEnd} from '../returns.ts';
import {checkBound, commandsFor, noteTyped, runAsAnother, warnUnrecorded} from '../place.ts';
import {changedFile} from '../plan/changed-file.ts';
import {leftOutText} from '../summary-view.ts';
import {timeoutsOf} from '../timeouts.ts';
import {refuseMoved} from '../../team/moved.ts';
import {retype} from './agree.ts';
import {confirmCancel} from './cancel-confirm.ts';
import {closeAfter, withEnd, withResume} from './close-after.ts';
import {confirmOnce, isConfirmed, mayRetry, nothingToRetry, reachOf, tellStatus} from './confirm-once.ts';
import {beforeConfirming, beforeSending, hintApproval, openGate, underPolicy} from './under-policy.ts';
import {noteEffect, showEnd} from './ending.ts';
import {PERMITS} from './granted.ts';
import {
  asStarted,
  commandsOfRun,
  type ConfirmedRun,
  horizonOf,
  noteWay,
  runOrRefuse,
  statusCommand,
  type RunRequest,
  writeAgain,
} from './request.ts';
import {joinRun} from './join.ts';
import {warnToCheck} from './paid-before.ts';
import {retryRows} from './retry-rows.ts';
import {refusePaidDebts} from './second-payments.ts';
import {mayShare, sendingOf, waitForGate} from './sending.ts';
import {withLock} from './wait-lock.ts';

/** How a run ended, with `followed` if it went on to follow the accepted rows. */
export interface BatchEnd {
  summary: Summary & {followed?: Followed};
  exit: ExitCode;
}

/**
 * Opens a planned batch, has it confirmed, runs it, and reports the result. No other process has the batch during
 * that time: while another one has a batch of a team, this one sends rows for it.
 */
export async function runBatch(typed: RunRequest): Promise<BatchEnd> {
  keepHeapSmall();
  const {context, kind, stateDir, batchId, flags, doing} = typed;
  const {clock, team} = context;
  refuseMoved(context, stateDir, kind, batchId);
  const wanted = {purpose: doing, waitMs: flags['wait-lock'], shares: mayShare(typed)};
  while ((await team?.take(kind, batchId, wanted)) === false) await joinRun(typed);
  const breakLock = flags['break-lock'] ?? false;
  const waiting = {context, kind, stateDir, waitMs: flags['wait-lock']};
  const purpose = runPurpose(batchId, doing);
  const batch = await withLock(waiting, () =>
    openBatch({stateDir, kind, batchId, purpose, breakLock, clock}),
  );
  context.ofBatch.commands = commandsOfRun(typed, batch.plan);
  let request = typed;
  const run = async () => {
    await team?.hold?.attach();
    noteWay(typed, batch);
    if (readStatus(batch.place.status) === undefined) tellStatus(batch, 'starting', clock.now());
    const planned = batch.plan.file.folder;
    const folder = resultFolder(flags.out ?? (team === undefined || existsSync(planned) ? planned : '.'));
    const gate = openGate(typed, batch);
    request = underPolicy(asStarted(typed, batch), batch, gate);
    checkBound(context, stateDir, request.typed, batch, {isFile: !request.isById, out: flags.out});
    warnUnrecorded(context, batch);
    if (request.path !== 'cancel')
      refuseCanceled(batch.journal, batch.plan, request.path, anotherOf(request, batch));
    // A run that is refused for lack of confirmation is typed again, with the same key and folder.
    if (batch.journal.fact('confirmed') === undefined) noteTyped(batch.journal, context, flags.out);
    const changed = request.isById ? changedFile(batch.plan) : undefined;
    if (changed !== undefined)
      context.out.warn(
        `${changed} has changed since batch ${batchId} was planned; the batch continues with the plan (to apply the changes, plan the file again)`,
      );
    const commands = commandsOfRun(request, batch.plan);
    const returnsAtEnd = await readReturnsAtEnd(context, {stateDir, batch, commands});
    const ended = await runClaimed(request, {batch, folder, gate, returnsAtEnd});
    const before = {...ended, next: gate?.nextOf(ended.next) ?? ended.next};
    const {summary, returned} = returnsAtEnd(before);
    if (summary.left_out > 0) context.out.warn(leftOutText(summary));
    if (flags.until === undefined || summary.stopped_because !== null) {
      await showEnd(request, batch, {summary, returned: [...returned.values()]});
      hintApproval(request, batch, summary, gate);
      const exit = request.path === 'cancel' ? cancelExitCodeOf(before) : exitCodeOf(before);
      return {summary, exit: exitWithReturns(summary, exit)};
    }
    return await followAfterRun({context, stateDir, batch, flags, before, out: folder, returnsAtEnd});
  };
  const close = async () => {
    context.out.endProgress();
    await batch.close();
  };
  const end = await closeAfter(run, close, (error, {summary}) =>
    withEnd(error, summary, statusCommand(request, batch.plan)),
  );
  noteEffect(request, batch.plan, end.summary);
  return end;
}

/** The command that runs the file as another batch, with the profile and the folder for results of the last run. */
const anotherOf = ({context, stateDir, flags}: RunRequest, batch: OpenBatch): string =>
  runAsAnother(commandsFor(context, batch, flags.out), stateDir, batch.plan);

/** Runs a batch with the registry; following it afterwards does not block other batches. */
async function runClaimed(
  request: RunRequest,
  parts: Pick<ConfirmedRun, 'batch' | 'folder' | 'gate' | 'returnsAtEnd'>,
): Promise<Summary> {
  const {batch, folder, gate} = parts;
  const {context, kind, stateDir, flags} = request;
  const {profile, clock} = context;
  const {mode, baseUrl, name} = profile;
  const breakLock = flags['break-lock'] ?? false;
  await context.team?.claim(batch.plan, {mode, baseUrl});
  const claims = await withLock({context, kind, stateDir, waitMs: flags['wait-lock']}, () =>
    claimBatch({
      ...{batch, stateDir, mode, baseUrl, profile: name, breakLock, clock},
      memoryDir: context.stateDir,
      lostJournals: request.path === 'cancel' ? 'all' : request.accepted.lostJournals, // a cancel pays nothing
      retype: (words, without) => retype(request, words, without),
      tell: (text) => (context.team === undefined ? context.out.warn(text) : undefined), // the others are elsewhere
    }),
  );
  const run = async () => {
    const onAsk = () => tellStatus(batch, ASKING, clock.now());
    await beforeConfirming(request, gate);
    if (request.path === 'cancel')
      await confirmCancel({context, typed: request.typed, batch, claims, flags, onAsk});
    else if (request.retry === undefined) await confirmOnce(request, batch, claims);
    else if (!mayRetry(request, batch, claims)) throw nothingToRetry(batch, request);
    await refusePaidDebts({request, batch, claims});
    await warnToCheck(request, claims.survey);
    await beforeSending(request, gate);
    checkResultPlace(folder, batch.plan); // before the try: its error is not about rows that were sent
    const sending = sendingOf(request, await context.transportFor('pool'), gate);
    const {transport} = sending;
    try {
      return await runConfirmed({...parts, ...sending, request, claims});
    } catch (error) {
      throw withResume(error, batch.plan.batchId, {
        next: runOrRefuse(request, batch.plan),
        report: writeAgain(request, batch.plan),
      });
    } finally {
      await transport.close();
    }
  };
  return await closeAfter(
    run,
    () => claims.registry.close(),
    (error, summary) => withEnd(error, summary, statusCommand(request, batch.plan)),
  );
}

async function runConfirmed(parts: ConfirmedRun): Promise<Summary> {
  const {request, batch, claims, transport, speed, codec, folder, gate, returnsAtEnd} = parts;
  const {context, kind, flags} = request;
  const {plan, journal, place, lock} = batch;
  const {out, clock, profile, runtime} = context;
  const {path, acceptDifferences, retryUnapproved} = reachOf(request, journal);
  if (path === 'cancel') beginCancel(journal, clock.now());
  // A resume after a release must still create rows that have no record yet, so `release` itself is never stored. A
  // release that found nothing to release was not confirmed, and changes nothing.
  else if (path !== 'release') journal.setFact('path', path);
  else if (isConfirmed(request, batch)) journal.setFact('path', 'stage-and-release');
  claims.recordDecisions();
  if (!plan.hasReferences) await context.team?.bindContentPlan(plan, profile);
  const stop =
    request.retry === undefined ? await waitForGate(request) : await retryRows(parts, request.retry.named);
  const {first, second} = context.stop.drain();
  const onSignal = () => out.note(STOPPING);
  first.addEventListener('abort', onSignal, {once: true});
  const hold = context.team?.hold;
  const lost = AbortSignal.any([lock.lost, claims.registry.lost, ...(hold === undefined ? [] : [hold.lost])]);
  const summary = await new BatchRun({
    ...{plan, journal, place, transport, speed, codec, clock, path, stop, claims: claims.registry},
    ...{
      baseUrl: profile.baseUrl,
      mode: profile.mode,
      key: profile.key,
      keyFingerprint: profile.keyFingerprint,
    },
    timeouts: timeoutsOf(context),
    permits: PERMITS,
    random: runtime.random,
    settings: {
      kind,
      horizonMs: horizonOf(request),
      maxWaitMs: flags['max-wait'],
      acceptDifferences,
      releaseRest: request.accepted.rest,
      trustRefusals: request.accepted.refusals,
      retryUnapproved,
      approveById: profile.approveById,
      comparesFetched: gate !== undefined,
      mayAcceptDifferences: !isCapped(profile.caps) && gate === undefined,
    },
    out: folder,
    commands: commandsOfRun(request, plan),
    returnsAtEnd,
    assertHeld: (window) => {
      lock.assertHeld();
      claims.registry.assertHeld();
      hold?.assertHeld();
      gate?.check(window);
    },
    drain: AbortSignal.any([first, lost]),
    abort: AbortSignal.any([second, lost]),
    onProgress: (phase, now, activity) => out.progress(progressLine(phase, now, activity)),
  }).run();
  first.removeEventListener('abort', onSignal);
  out.endProgress();
  if (lost.aborted) throw lost.reason;
  if (path === 'stage-only') gate?.note('staged', {staged: summary.staged, planned: summary.planned});
  return summary;
}

const STOPPING =
  'Stopping once the requests in flight are answered. Ctrl-C again aborts them, and leaves their rows in doubt.';

/** Checked before anything is sent: a batch whose results cannot be written should not begin. */
function resultFolder(folder: string): string {
  const path = resolve(folder);
  try {
    if (!statSync(path).isDirectory()) throw new Error('it is not a folder');
    accessSync(path, constants.W_OK);
    return path;
  } catch (cause) {
    throw new RemitError('STATE', `the results cannot be written to ${path}: ${messageOf(cause)}`, {
      cause,
      hint: 'nothing was sent; name a writable folder with --out FOLDER',
    });
  }
}
