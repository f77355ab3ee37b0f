import {batchExists} from '../../../batch/journal/folder.ts';
import {openBatch} from '../../../batch/journal/open-batch.ts';
import {KINDS} from '../../../batch/model/kinds.ts';
import type {Survey} from '../../../batch/registry/survey.ts';
import {checkText} from '../../../batch/standing/end-words.ts';
import {readSummary} from '../../../batch/standing/read-summary.ts';
import {RemitError} from '../../../errors.ts';
import type {RunRequest} from './request.ts';

/**
 * Rows that other batches have paid count as paid, also if their records differ from their rows or may be one of two.
 * Warns of it, with the command that shows those batches.
 */
export async function warnToCheck(request: RunRequest, {paidBy}: Survey): Promise<void> {
  const {context, kind} = request;
  for (const batchId of paidBy.keys()) {
    const text = await toCheckIn(batchId, request);
    if (text === '') continue;
    const command = context.commands.read(KINDS[kind].topic, 'batch', 'status', batchId);
    context.out.warn(`rows of this batch were paid by batch ${batchId}, which has to be checked: ${text}`);
    context.out.hint(`to see them: ${command}`);
  }
}

/** Empty if there is nothing to check, or if another process has the batch. */
async function toCheckIn(batchId: string, {context, kind, stateDir}: RunRequest): Promise<string> {
  if (!batchExists(stateDir, kind, batchId)) return '';
  const {clock, team} = context;
  await team?.fetch(kind, batchId);
  const purpose = `status of batch ${batchId}`;
  try {
    const batch = await openBatch({stateDir, kind, batchId, purpose, brief: true, clock});
    try {
      const isAny = batch.journal.left.differingReference() !== null;
      return isAny ? checkText(readSummary(batch, clock.now())) : '';
    } finally {
      await batch.close();
    }
  } catch (error) {
    if (error instanceof RemitError && error.code === 'LOCKED') return '';
    throw error;
  }
}
