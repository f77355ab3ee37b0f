import type {Kind} from '../../batch/kinds.ts';
import {openBatch} from '../../batch/open-batch.ts';
import {type Resolution, resolveRow} from '../../batch/resolve.ts';
import type {Clock} from '../../clock.ts';
import {batchCommand} from './place.ts';

/** Settles a row in doubt by the operator's word; nothing is sent. `next` is what sends it, where that is left to do. */
export async function resolveInBatch(options: {
  kind: Kind;
  stateDir: string;
  batchId: string;
  reference: string;
  resolution: Resolution;
  clock: Clock;
}) {
  const {kind, stateDir, batchId, clock} = options;
  const batch = await openBatch({
    stateDir,
    kind,
    batchId,
    purpose: `resolve in batch ${batchId}`,
    brief: true,
    clock,
  });
  try {
    const resolved = await resolveRow({...options, batch});
    const next = resolved.state === 'accepted' ? null : `${batchCommand(kind)} resume ${batchId}`;
    return {batch_id: batchId, ...resolved, next};
  } finally {
    await batch.close();
  }
}
