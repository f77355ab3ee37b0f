import {judgeRead, type Reading, type ReadVerdict} from '../answers/read-verdict.ts';
import {answeredText} from '../answers/stop-words.ts';
import type {ExchangeResult} from '../answers/wire.ts';
import {wordsOf} from '../answers/words.ts';
import type {WorkEnd} from '../send/dispatcher.ts';
import type {PhaseParts} from '../send/phase.ts';
import type {Tries} from '../send/row-tries.ts';

/** A record that is read before anything is sent for its row. */
export interface ReadJob extends Tries {
  /** Of the record. */
  id: string;
}

export const readJob = <Job>(job: Job & {id: string}): Job & ReadJob => ({
  ...job,
  ...{sends: 0, tries: 0, successes: undefined},
});

/** What reading a record has shown, unless it is read once more. */
export type ReadAgain =
  Extract<WorkEnd, {again: true}> | {again: false; end: ExchangeResult; read: ReadVerdict};

/**
 * Reads a record in a phase that sends only GETs. If the credentials were refused, the run stops.
 * @param reading what the answer is compared with
 * @param how.mustRead whether a failure is followed by further tries, as for any other request of the run
 */
export async function readAgain(
  {tries, clock, send, wire, rules, halt}: PhaseParts,
  job: ReadJob,
  reading: (end: ExchangeResult) => Reading,
  {mustRead}: {mustRead: boolean},
): Promise<ReadAgain> {
  tries.begin(job);
  const sentAt = clock.monotonic();
  const end = await send.exchange(wire.get(job.id));
  const read = judgeRead(end, reading(end));
  if (read.is === 'not-sent') {
    job.sends--;
    rules.notSent(read, sentAt, wordsOf(end));
    return {again: true, afterMs: 0};
  }
  if (read.is === 'throttled') return {again: true, afterMs: tries.backoff(job.sends - 1, true)};
  const isFailing = read.is === 'unanswered' || read.is === 'failing';
  if (isFailing && !mustRead) rules.failing(sentAt, wordsOf(end));
  if (isFailing && mustRead && (await tries.mayTryAgain(job, sentAt, wordsOf(end))))
    return {again: true, afterMs: tries.backoff(job.sends - 1, false)};
  if (read.is === 'credentials') halt.stopFor('credentials', answeredText(wordsOf(end)));
  return {again: false, end, read};
}
