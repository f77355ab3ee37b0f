import type {Clock} from '../../clock.ts';
import type {OpenBatch} from './open-batch.ts';
import {USUAL_HORIZON_MS} from '../../service/service-file.ts';

/**
 * What the last run reported no longer holds once its rows in doubt are resolved: if nothing is left to send, the batch
 * has ended instead of being stopped; and if the rows in doubt were all that held the release, it is only staged.
 */
export function endIfResolved({journal, plan}: OpenBatch, clock: Clock): void {
  const {tally, held} = journal.standingOf(plan);
  const {in_doubt: doubts, not_sent: unsent, staged, unapproved, conflict} = tally;
  if (doubts.count + unsent.count > 0) return;
  const isCanceling = journal.fact('canceling') !== undefined;
  const open = isCanceling ? staged.count + unapproved.count : staged.count;
  if (open === 0) {
    journal.setFact('state', isCanceling ? 'canceled' : 'complete'); // or incomplete, which is read from the rows
    journal.setFact('stop', null);
    return;
  }
  if (journal.fact('state') !== 'held' || conflict.count > 0) return;
  const {horizonMs} = journal.fact('runFacts') ?? {horizonMs: USUAL_HORIZON_MS};
  const {lateStaged} = journal.left.counts({now: clock.now(), horizonMs});
  if (staged.count - held - lateStaged > 0) journal.setFact('state', 'staged');
}
