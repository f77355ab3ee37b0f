import {judgeAnswer, judgeFailure} from '../answers/answers.ts';
import type {ReleaseJob} from './release-job.ts';
import type {RunParts} from '../send/run-parts.ts';
import {wordsOf} from '../answers/words.ts';

/** How a job goes on: its record is read, whatever the answer says; it is for another run; or it has another record. */
type Approved = {is: 'read' | 'left'} | {is: 'other-record'; status: string | null};

/**
 * The standalone approve, for a key that may be forgotten: it names the record, so it can make no second one. The record
 * was read just now and had not moved; what became of it is read afterwards, whatever the answer says.
 */
export async function approveById(
  run: Pick<RunParts, 'clock' | 'halt' | 'rules' | 'send' | 'settings' | 'tries' | 'wire'>,
  job: ReleaseJob,
): Promise<Approved> {
  const {row, id} = job;
  run.tries.begin(job);
  const sentAt = run.clock.monotonic();
  const end = await run.send.exchange(run.wire.approve(id));
  const isAborted = 'failure' in end && end.failure.kind === 'aborted';
  const verdict =
    'answer' in end
      ? judgeAnswer({
          ...{answer: end.answer, row, kind: run.settings.kind},
          ...{phase: 'release', stagedId: id, isProven: true},
        })
      : judgeFailure(end.failure);
  if (verdict.is === 'not-sent') {
    if (isAborted || run.rules.notSent(verdict, sentAt, wordsOf(end)) === 'left') return {is: 'left'};
    if ('failure' in end) job.sends--;
    job.look = true;
    return {is: 'read'};
  }
  job.look = job.maybe = job.processing = true; // never a second one in this run
  if (verdict.is === 'settled' && verdict.stop !== undefined)
    return {is: 'other-record', status: verdict.status};
  if (verdict.is === 'settled' && verdict.state === 'unapproved' && 'answer' in end) job.refused = end.answer;
  return {is: isAborted ? 'left' : 'read'};
}
