import {judgeAnswer, judgeFailure} from './answers.ts';
import type {JournalRow} from '../journal/row.ts';
import {bucketOf, type RowState} from '../model/outcome.ts';
import {outcomeOf, type RunContext, wordsOf} from './run-context.ts';
import type {StopReason} from '../model/stop.ts';

/**
 * Asks whether the service still remembers our keys, before money moves by them: the row staged longest ago that is still
 * within the horizon is replayed without approval and must come back with the id under which it was staged. Anything else
 * stops the run. Nothing is learnt here about the row itself: the release takes it up like any other.
 * Returns true when the release may go on.
 *
 * @param states of the rows that will be released; without one of them there is nothing to ask about
 */
export async function probe(context: RunContext, states: readonly RowState[]): Promise<boolean> {
  context.flush();
  const since = context.clock.now() - context.settings.horizonMs;
  const row = context.journal.oldestRecorded(states, since);
  if (row === undefined) return true; // nothing is left that would be released by replay
  const found = await ask(context, row);
  if (found.is === 'unanswered')
    context.stopFor('probe', `the probe before the release failed: ${found.words}`);
  if (found.is === 'refused') {
    context.isProbeRefused = true;
    context.stopFor(
      'probe',
      `the service refused the probe before the release, the replay of row ${row.n} (${row.reference}): ${found.words}; no money was moved by it. Canceled, its rows can be run as another batch`,
    );
  }
  return found.is === 'remembered';
}

type Found = {is: 'remembered' | 'stopped'} | {is: 'unanswered' | 'refused'; words: string};

async function ask(context: RunContext, row: JournalRow): Promise<Found> {
  const id = row.outcome!.id; // rows that have a record
  for (let tries = 1; ; tries++) {
    if (!(await context.gateOpened())) return {is: 'stopped'};
    const sentAt = context.clock.monotonic();
    const end = await context.exchange(context.wire.create(row, false));
    const words = wordsOf(end);
    const verdict =
      'answer' in end
        ? judgeAnswer({
            ...{answer: end.answer, row, kind: context.settings.kind},
            ...{phase: 'stage', stagedId: id, isProven: true},
          })
        : judgeFailure(end.failure);
    if (context.stop !== undefined) return {is: 'stopped'};
    if (verdict.is === 'not-sent' && (verdict.then === 'gate' || verdict.then === 'crowded')) {
      context.notSent(verdict, sentAt, words);
    } else if (verdict.is === 'not-sent') {
      const reason = verdict.then === 'forbidden' ? 'credentials' : verdict.stop;
      if (reason === undefined) return {is: 'unanswered', words};
      context.stopFor(reason, `the probe before the release was refused: ${words}`);
      return {is: 'stopped'};
    }
    if (verdict.is === 'settled') {
      if (verdict.state === 'rejected') return {is: 'refused', words}; // it would not refuse a record that it remembers
      if (verdict.id !== null && verdict.id !== id) return forgotten(context, row, verdict.id);
      if (verdict.stop !== undefined) return changed(context, row, verdict.stop);
      return {is: 'remembered'}; // a key that is refused because its record failed or was canceled is remembered too
    }
    if (verdict.is === 'maybe') context.countFailing(sentAt, words);
    await context.pause(context.backoff(tries, verdict.is !== 'processing' && verdict.throttled));
  }
}

/** The record that was staged now has another party or amount than the row. */
function changed(context: RunContext, row: JournalRow, reason: StopReason): Found {
  context.isProbeRefused = true;
  context.stopFor(reason, `the record of row ${row.n} (${row.reference}) no longer matches the request`);
  return {is: 'stopped'};
}

/** The service made a second record for the key. It was asked for without approval, so no money moves by it. */
function forgotten(context: RunContext, row: JournalRow, orphan: string): Found {
  const {state} = row.outcome!;
  context.settle(row, bucketOf(state), outcomeOf(row, {...row.outcome!, orphan}));
  context.stopFor(
    'key-forgotten',
    `the service has forgotten the key of row ${row.n} (${row.reference}) and made a second record; no money was moved by it`,
  );
  return {is: 'stopped'};
}
