import type {Journal} from '../../../batch/journal/journal.ts';
import {unrecordedSettings} from '../../../batch/journal/binding.ts';
import {keepAcknowledged, noteConfirmation, readAcknowledged} from '../../../batch/journal/confirmations.ts';
import {mustReadAgain} from '../../../batch/journal/service-form.ts';
import type {OpenBatch} from '../../../batch/journal/open-batch.ts';
import type {BatchClaims} from '../../../batch/registry/batch-claims.ts';
import {surveyRetried} from '../../../batch/registry/survey.ts';
import {type Reach, workOf} from '../../../batch/registry/work.ts';
import type {RetryRow} from '../../../batch/repair/retry.ts';
import {readSummary} from '../../../batch/standing/read-summary.ts';
import {ASKING, writeStatus} from '../../../batch/standing/status-file.ts';
import {RemitError} from '../../../errors.ts';
import {refuseForLive} from '../../guard/test-only.ts';
import {operatorName} from '../../runtime/operator.ts';
import {noteTyped} from '../place.ts';
import {returnsReader} from '../returns.ts';
import {confirmBatch, duplicatesOf} from './confirm.ts';
import {grantBatch} from './granted.ts';
import {commandsOfRun, type RunRequest, statusCommand, typing} from './request.ts';
import {partOf} from './retry-view.ts';

export function isConfirmed({doing, goesOn}: RunRequest, {plan, journal}: OpenBatch): boolean {
  const before = journal.fact('confirmed');
  return (
    before?.planHash === plan.planHash && (goesOn === true || doing === 'retry' || before.doing === doing)
  );
}

/**
 * A plan is confirmed once for each action; a resumed one was confirmed when it was started. It is confirmed again if
 * nothing shows that its rows would be sent again as they were then.
 * @returns false if there is nothing to send
 */
export async function confirmOnce(
  request: RunRequest,
  batch: OpenBatch,
  claims: BatchClaims,
  retried?: readonly RetryRow[],
): Promise<boolean> {
  const {context, flags, accepted, doing, typed} = request;
  const {plan, journal} = batch;
  refuseSubaccounts(request, batch);
  const {registry} = claims;
  const sentAgain = retried?.map(({row}) => row) ?? [];
  const now = context.clock.now();
  const survey = surveyRetried(claims.survey, sentAgain, {journal, plan, registry, now});
  const known = isConfirmed(request, batch) && unrecordedSettings(journal, plan, context.codec) === undefined;
  const acknowledged = readAcknowledged(journal, plan);
  let wasAsked = false;
  // While the prompt is open this process holds the lock, so `status` in another terminal reads what is written here.
  const onAsk = () => {
    wasAsked = true;
    tellStatus(batch, ASKING, context.clock.now());
  };
  const again = retried === undefined ? undefined : partOf(retried);
  const reach = reachOf(request, journal);
  const found = workOf({journal, plan, survey, reach, taken: sentAgain});
  const work = request.joins === true ? {...found, doubts: 0} : found;
  if (doing === 'release' && work.open.rows === 0 && !work.isOver && journal.tally().staged.count === 0)
    throw nothingToRelease(request, batch);
  const isAlike = survey.alike.examples.length > 0;
  const {found: back} = isAlike
    ? await returnsReader(context, request.stateDir, context.profile)(batch)
    : {found: new Map<string, never>()};
  const isAgreed = await confirmBatch({
    ...{context, typed, plan, survey, work, flags, accepted, doing},
    ...{known, acknowledged, again, back, onAsk},
  });
  batch.lock.assertHeld(); // a prompt may stay open for hours
  registry.assertHeld();
  if (isAgreed) grantBatch(context, plan.kind, reach.path);
  // A later run may have something to send, and prompts then: `release` before any row is staged confirms nothing.
  const isOfNothing = !known && again === undefined && work.open.rows === 0;
  if (!isAgreed || isOfNothing) return isAgreed;
  if (wasAsked) tellStatus(batch, 'starting', context.clock.now());
  const {repeats, similar} = duplicatesOf(plan, survey, acknowledged);
  if (!known || repeats + similar > 0)
    keepAcknowledged(journal, {
      planHash: plan.planHash,
      duplicates: (acknowledged?.duplicates ?? 0) + repeats,
      similar: (acknowledged?.similar ?? 0) + similar,
      firstAt: acknowledged?.firstAt ?? acknowledged?.at ?? now,
      at: context.clock.now(),
    });
  noteAgreement(request, batch, !known || again !== undefined || context.profile.mode === 'live');
  return true;
}

/** The interface document allows them for test entities only. */
function refuseSubaccounts({context}: RunRequest, {plan, journal}: OpenBatch): void {
  if (context.profile.mode !== 'live') return;
  const found = journal.rows.firstWithSubaccount();
  if (found === undefined) return;
  const place = `${plan.sheet === undefined ? 'line' : 'row'} ${found.line}`;
  refuseForLive(context, `the subaccount of ${found.reference} (${place} of ${plan.file.name})`);
}

/** Stores who confirmed what, and when. */
function noteAgreement(
  {context, doing, flags, goesOn}: RunRequest,
  {plan, journal}: OpenBatch,
  asked: boolean,
): void {
  const {clock, profile} = context;
  const {planHash, revision} = plan;
  const before = journal.fact('confirmed');
  const isSame = goesOn === true || doing === 'retry';
  const signed = {at: clock.now(), by: operatorName()};
  noteTyped(journal, context, flags.out);
  journal.setFact('confirmed', {planHash, doing: isSame ? (before?.doing ?? doing) : doing, ...signed});
  noteConfirmation(journal, {planHash, revision, doing, asked, ...signed, profile: profile.name});
}

export const tellStatus = (batch: OpenBatch, phase: string, nowMs: number): void =>
  writeStatus(batch.place.status, batch.plan.journalId, phase, readSummary(batch, nowMs), nowMs);

function nothingToRelease(request: RunRequest, batch: OpenBatch): RemitError {
  const {plan} = batch;
  const {next} = readSummary(batch, request.context.clock.now(), () => commandsOfRun(request, plan));
  return new RemitError('GUARD_CONFIRM', `batch ${plan.batchId} has no staged rows; nothing was sent`, {
    hint: next ?? statusCommand(request, plan),
  });
}

/**
 * A retry asks only about the rows that it sends again, so the plan must have been confirmed before. A plan without rows to
 * confirm is allowed too: another batch has paid them, and some of its payments may have failed.
 */
export function mayRetry(request: RunRequest, batch: OpenBatch, {survey}: BatchClaims): boolean {
  const {plan, journal} = batch;
  return (
    isConfirmed(request, batch) || workOf({journal, plan, survey, reach: reachOf(request, journal)}).isOver
  );
}

/** The prompt would cover two things at once: the plan, and the rows that failed under an earlier one. */
export const nothingToRetry = ({plan}: OpenBatch, request: RunRequest): RemitError =>
  new RemitError(
    'GUARD_CONFIRM',
    plan.revision > 1
      ? `revision ${plan.revision} of batch ${plan.batchId} was never confirmed; nothing was sent again`
      : `batch ${plan.batchId} was never run: there is nothing to send again`,
    {hint: typing(request, plan)('resume')},
  );

/** Which rows the run processes; used by both the prompt and the engine. */
export function reachOf({context, kind, path, accepted, doing}: RunRequest, journal: Journal): Reach {
  return {
    path: path === 'as-before' ? (journal.fact('path') ?? 'stage-and-release') : path,
    acceptDifferences: accepted.differences,
    comparesHeld: mustReadAgain(journal, kind, context.codec.service),
    retryUnapproved: doing === 'release',
  };
}
