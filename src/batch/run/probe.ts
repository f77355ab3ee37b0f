import type {Answer} from '../../client/answers/answer.ts';
import {meaningOf} from '../../client/answers/verdict.ts';
import {isObject} from '../../narrow.ts';
import {referenceShown} from '../answers/echo.ts';
import {recordAges} from '../journal/record-ages.ts';
import {CLOCK_SLACK_MS} from '../model/record-age.ts';
import {isEnd, judgeExchange, judgeLook, type Known} from '../answers/answers.ts';
import {foldReference} from '../model/identity.ts';
import {judgeRead} from '../answers/read-verdict.ts';
import type {RecordedRow} from '../journal/rows/row.ts';
import {bucketOf, type RowState} from '../model/outcome.ts';
import {outcomeOf} from '../answers/outcome-of.ts';
import type {RunParts} from '../send/run-parts.ts';
import {
  paidTwiceText,
  probeComparedText,
  refusedKeyText,
  shownText,
  twoRecordsText,
} from '../answers/stop-words.ts';
import {wordsOf} from '../answers/words.ts';
import {KEY_REFUSALS} from './release-job.ts';
import type {StopReason} from '../model/stop.ts';

type ProbeParts = Pick<
  RunParts,
  | 'clock'
  | 'gate'
  | 'halt'
  | 'journal'
  | 'outcomes'
  | 'recordIds'
  | 'rules'
  | 'send'
  | 'settings'
  | 'tries'
  | 'wire'
>;

/**
 * Checks that the service still knows our keys, before they move money. The row staged longest ago that is still
 * within the horizon, or one whose key was forgotten before, is replayed without approval, and must return the id under
 * which it was staged. Anything else
 * stops the run. The probe records nothing about the row itself, unless a second record has paid it, or its record is shown
 * as another payment: the release processes it like any other.
 * Returns true if the release may continue.
 *
 * @param states of the rows that will be released; without any such row there is nothing to check
 */
export async function probe(run: ProbeParts, states: readonly RowState[]): Promise<boolean> {
  run.outcomes.flush();
  const since = run.clock.now() - run.settings.horizonMs;
  const row = run.journal.rows.probedFirst(states, since);
  if (row === undefined) {
    run.halt.hasProbed = true;
    return true; // nothing is left to release by replay
  }
  const found = await ask(run, row);
  if (found.is === 'unanswered')
    run.halt.stopFor('probe', `the probe before the release failed: ${found.words}`);
  if (found.is === 'refused') {
    run.halt.isProbeRefused = true;
    run.halt.stopFor(
      'probe',
      `the service refused the probe before the release, the replay of row ${row.n} (${row.reference}): ${found.words}; the probe moved no money. Once the batch is canceled, its rows can be run as another batch`,
    );
  }
  run.halt.hasProbed = found.is === 'remembered';
  return run.halt.hasProbed;
}

type Found = {is: 'remembered' | 'stopped'} | {is: 'unanswered' | 'refused'; words: string};

async function ask(run: ProbeParts, row: RecordedRow): Promise<Found> {
  const {id} = row.outcome;
  let keyRefusals = 0;
  for (let tries = 1; ; tries++) {
    if (!(await run.gate.opened())) return {is: 'stopped'};
    const sentAt = run.clock.monotonic();
    const end = await run.send.exchange(run.wire.create(row, false));
    const words = wordsOf(end);
    const {kind} = run.settings;
    const verdict = judgeExchange(end, {row, kind, phase: 'stage', stagedId: id, isProven: true});
    if (run.halt.stop !== undefined) return {is: 'stopped'};
    if (verdict.is === 'not-sent' && (verdict.then === 'gate' || verdict.then === 'crowded')) {
      run.rules.notSent(verdict, sentAt, words);
    } else if (verdict.is === 'not-sent') {
      const reason = verdict.then === 'forbidden' ? 'credentials' : verdict.stop;
      if (reason === undefined) return {is: 'unanswered', words};
      if (reason === 'redirect') run.rules.redirected(words);
      run.halt.stopFor(reason, `the probe before the release was refused: ${words}`);
      return {is: 'stopped'};
    }
    if (verdict.is === 'known') {
      if (verdict.state === 'rejected') return {is: 'refused', words}; // it would not refuse a record whose key it knows
      if (verdict.state === 'collision' && verdict.id !== id) return mixedUp(run, row);
      if (verdict.id !== null && run.recordIds.ownerOf(row, verdict.id) !== undefined)
        return mixedUp(run, row);
      if (verdict.id !== null && verdict.id !== id) {
        const known = {...verdict, id: verdict.id};
        return 'answer' in end && (await isOfOther(run, row, end.answer))
          ? otherThanStaged(run, row, known)
          : forgotten(run, row, known);
      }
      if (verdict.stop !== undefined) return changed(run, row, verdict.stop);
      const isDeadKey = verdict.state === 'dead_key' && verdict.status === null;
      if (hasSecondRecord(row, isDeadKey)) return belongsToOther(run, twoRecordsText(row));
      if (!isDeadKey) return {is: 'remembered'};
      const refused = await readRefused(run, row, words);
      if (refused !== undefined) return refused;
    }
    const isKeyRefused = 'answer' in end && meaningOf(end.answer) === 'key-in-use';
    keyRefusals = isKeyRefused ? keyRefusals + 1 : 0;
    if (keyRefusals === KEY_REFUSALS) {
      run.halt.stopFor('bodies-compared', probeComparedText(row, words));
      return {is: 'stopped'};
    }
    if (verdict.is === 'maybe') {
      if (verdict.stop === undefined) run.rules.failing(sentAt, words);
      else run.rules.redirected(words);
    }
    await run.gate.pause(run.tries.backoff(tries, 'throttled' in verdict && verdict.throttled));
  }
}

/**
 * The service has made two records with the key of this row before, so an answer to it proves nothing. A retry gives the row
 * a new key, and keeps the record that was left behind: then an answer with the record of the row does.
 */
const hasSecondRecord = ({outcome, generation}: RecordedRow, isDeadKey: boolean): boolean =>
  outcome.orphan !== null && (generation === 0 || isDeadKey);

/**
 * 409 `IDEMPOTENCY_KEY_CONFLICT` shows that the service knows the key, but not that it belongs to the record of the row. It
 * does if that record has failed or was canceled.
 * @returns undefined if the record could not be read
 */
async function readRefused(run: ProbeParts, row: RecordedRow, words: string): Promise<Found | undefined> {
  const {id} = row.outcome;
  const sentAt = run.clock.monotonic();
  const end = await run.send.exchange(run.wire.get(id));
  if (run.halt.stop !== undefined) return {is: 'stopped'};
  const read = judgeRead(end, {row, id, kind: run.settings.kind});
  if (read.is === 'moved' && isEnd(read.status)) return {is: 'remembered'};
  if (read.is === 'open' || read.is === 'moved')
    return belongsToOther(run, refusedKeyText(row, words, read.is === 'open' ? 'created' : read.status));
  if (read.is === 'not-sent') run.rules.notSent(read, sentAt, wordsOf(end));
  if (read.is === 'unanswered' || read.is === 'failing') run.rules.failing(sentAt, wordsOf(end));
  if (['not-sent', 'unanswered', 'failing', 'throttled'].includes(read.is)) return undefined;
  if (read.is === 'unknown' && read.other !== undefined) return doubtful(run, row, read.other, words);
  return {is: 'unanswered', words: `${words}, and its record could not be read: ${wordsOf(end)}`};
}

/** Its record is now shown as another payment that has ended. Only a read that shows the row again lets it be released. */
function doubtful(run: ProbeParts, row: RecordedRow, shown: string, words: string): Found {
  const message = shownText(row, shown, run.journal.sanitizer);
  const {state} = row.outcome;
  run.outcomes.record(row, bucketOf(state), outcomeOf(row, {state: 'in_doubt', message}));
  return {is: 'unanswered', words: `${words}, and ${shown}`};
}

/** A release with this key could approve another record than the staged one. */
function belongsToOther(run: ProbeParts, text: string): Found {
  run.halt.stopFor('key-forgotten', text);
  return {is: 'stopped'};
}

/** The staged record now has another party or amount than the row. */
function changed(run: ProbeParts, row: RecordedRow, reason: StopReason): Found {
  run.halt.isProbeRefused = true;
  run.halt.stopFor(reason, `the record of row ${row.n} (${row.reference}) no longer matches the request`);
  return {is: 'stopped'};
}

/** The answer to another request, as from a faulty proxy: it shows no second record that could be canceled. */
function mixedUp(run: ProbeParts, {n, reference}: RecordedRow): Found {
  run.halt.stopFor(
    'collision',
    `the probe before the release, the replay of row ${n} (${reference}), was answered with the record of another payment; the probe moved no money`,
  );
  return {is: 'stopped'};
}

/**
 * Whether the record that was recorded for the row belongs to another payment, so that the record under its key is not a
 * second one: their references differ, or it is older than the row. It is read for that. A 201 has made a second one, and
 * a record that is approved may have paid the row.
 */
async function isOfOther(run: ProbeParts, row: RecordedRow, found: Answer): Promise<boolean> {
  if (found.status === 201) return false;
  if (isObject(found.json) && found.json['id'] === row.outcome.orphan) return false; // a second one, seen before
  const end = await run.send.exchange(run.wire.get(row.outcome.id));
  if (!('answer' in end) || judgeLook(end.answer, row.outcome.id).state !== 'open') return false;
  const [own, other] = [end.answer, found].map(({json}) => referenceShown(json));
  if (own !== undefined && other !== undefined && foldReference(own) !== foldReference(other)) return true;
  const madeAt = recordAges(run.journal).madeAt(end.answer, run.clock.now());
  return madeAt !== undefined && madeAt < (row.outcome.stagedAt ?? 0) - CLOCK_SLACK_MS;
}

/** The key has another record than was recorded for the row. The same request once more shows whether that is its own. */
function otherThanStaged(run: ProbeParts, row: RecordedRow, {id}: Known & {id: string}): Found {
  const {outcome} = row;
  const message = `record ${outcome.id} was recorded for this row, and its key returns record ${id}: the first belongs to another payment`;
  run.outcomes.record(row, bucketOf(outcome.state), outcomeOf(row, {state: 'collision', message}));
  run.halt.stopFor(
    'collision',
    `row ${row.n} (${row.reference}): ${message}; the probe before the release moved no money`,
  );
  return {is: 'stopped'};
}

/**
 * The service has a second record for the key. One that is approved was made by a release whose answer was lost, and paid
 * the row; any other was just made, without approval, and moves no money.
 */
function forgotten(run: ProbeParts, row: RecordedRow, {id, state, status}: Known & {id: string}): Found {
  const {outcome} = row;
  const isPaid = state === 'accepted';
  const facts = isPaid
    ? {state, id, status, stagedAt: outcome.stagedAt, orphan: outcome.id}
    : {...outcome, orphan: id};
  run.outcomes.record(row, bucketOf(outcome.state), outcomeOf(row, facts));
  run.halt.stopFor(
    'key-forgotten',
    isPaid
      ? paidTwiceText(row, outcome.id, true)
      : `the service has forgotten the key of row ${row.n} (${row.reference}) and created a second record; that record moved no money`,
  );
  return {is: 'stopped'};
}
