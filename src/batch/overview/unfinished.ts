import type {Clock} from '../../clock.ts';
import {RemitError} from '../../errors.ts';
import {type BoundTo, isBoundTo} from '../journal/binding.ts';
import {batchFolder, batchIds} from '../journal/folder.ts';
import {openBatch} from '../journal/open-batch.ts';
import type {BatchState} from '../model/batch-state.ts';
import type {Plan} from '../model/plan-facts.ts';
import {type CommandsFor, readSummary} from '../standing/read-summary.ts';
import {readStatus} from '../standing/status-file.ts';

const UNFINISHED: ReadonlySet<BatchState> = new Set(['staged', 'held', 'stopped', 'interrupted']);

/**
 * Another batch with the same rows that was started at the same service and is not finished. If both ran, each row would
 * belong to the batch that sends it first, and each batch would wait for the other. Undefined if the batch of the plan was
 * itself started in this mode.
 */
export async function unfinishedWithRowsOf(
  plan: Plan,
  at: {stateDir: string; service: BoundTo; commandsFor: CommandsFor; clock: Clock},
): Promise<{batchId: string; next: string | null} | undefined> {
  const {stateDir, service, commandsFor, clock} = at;
  const {kind} = plan;
  const statusOf = (batchId: string) => readStatus(batchFolder(stateDir, kind, batchId).status);
  const own = statusOf(plan.batchId)?.summary;
  if (own !== undefined && own.mode === service.mode) return undefined;
  for (const batchId of batchIds(stateDir, kind)) {
    if (batchId === plan.batchId || statusOf(batchId)?.summary.plan_hash !== plan.planHash) continue;
    try {
      const batch = await openBatch({
        stateDir,
        kind,
        batchId,
        purpose: `status of batch ${batchId}`,
        brief: true,
        clock,
      });
      try {
        const {state, next} = readSummary(batch, clock.now(), commandsFor);
        if (UNFINISHED.has(state) && isBoundTo(batch.journal, service)) return {batchId, next};
      } finally {
        await batch.close();
      }
    } catch (error) {
      if (!(error instanceof RemitError) || error.code !== 'LOCKED') throw error; // the other batch runs now, so this run is refused as a second one
    }
  }
  return undefined;
}
