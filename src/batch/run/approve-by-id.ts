import {judgeExchange} from '../answers/answers.ts';
import type {ReleaseJob} from './release-job.ts';
import type {RunParts} from '../send/run-parts.ts';
import {wordsOf} from '../answers/words.ts';

/**
 * How a job continues: its record is read, whatever the answer; it is left for another run; or it has another record.
 */
type Approved = {is: 'read' | 'left'} | {is: 'other-record'; status: string | null};

/**
 * The standalone approve, for a key that may be forgotten. It names the record, so it cannot create a second one. The
 * record was just read and had not changed; it is read again afterwards, whatever the answer.
 */
export async function approveById(
  run: Pick<RunParts, 'clock' | 'halt' | 'rules' | 'send' | 'settings' | 'tries' | 'wire'>,
  job: ReleaseJob,
): Promise<Approved> {
  const {row, id} = job;
  run.tries.begin(job);
  const sentAt = run.clock.monotonic();
  const end = await run.send.exchange(run.wire.approve(row));
  const isAborted = 'failure' in end && end.failure.kind === 'aborted';
  const {kind} = run.settings;
  const verdict = judgeExchange(end, {row, kind, phase: 'release', stagedId: id, isProven: true});
  if (verdict.is === 'not-sent') {
    if (isAborted || run.rules.notSent(verdict, sentAt, wordsOf(end)) === 'left') return {is: 'left'};
    if ('failure' in end) job.sends--;
    job.look = true;
    return {is: 'read'};
  }
  job.look = job.maybe = job.processing = true; // never a second one in this run
  if (verdict.is === 'maybe' && verdict.stop !== undefined) {
    run.rules.redirected(wordsOf(end));
    return {is: 'left'};
  }
  if (verdict.is === 'known' && verdict.stop !== undefined)
    return {is: 'other-record', status: verdict.status};
  if (verdict.is === 'known' && verdict.state === 'unapproved' && 'answer' in end) job.refused = end.answer;
  return {is: isAborted ? 'left' : 'read'};
}
