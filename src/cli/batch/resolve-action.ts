import {checkBinding} from '../../batch/binding.ts';
import {checkDeclared} from '../../batch/declared-record.ts';
import type {Kind} from '../../batch/kinds.ts';
import {type OpenBatch, openBatch} from '../../batch/open-batch.ts';
import {type Resolution, resolveRow, rowToResolve} from '../../batch/resolve.ts';
import {isUuid} from '../../batch/rows.ts';
import {isObject} from '../../client/answer.ts';
import type {Clock} from '../../clock.ts';
import {RemitError} from '../../errors.ts';
import type {Context} from '../context.ts';
import {batchCommand} from './place.ts';

/**
 * Settles a row in doubt by the operator's word; nothing is sent. `next` is what sends it, where that is left to do. A
 * record that is named is looked at, and must be the row's.
 * @param context opens what the record is asked with; absent when it is not to be looked at
 */
export async function resolveInBatch(options: {
  kind: Kind;
  stateDir: string;
  batchId: string;
  reference: string;
  resolution: Resolution;
  context: Context | undefined;
  clock: Clock;
}) {
  const {kind, stateDir, batchId, reference, context, clock} = options;
  const batch = await openBatch({
    stateDir,
    kind,
    batchId,
    purpose: `resolve in batch ${batchId}`,
    brief: context === undefined,
    clock,
  });
  try {
    let {resolution} = options;
    if (resolution !== 'not-paid' && context !== undefined)
      resolution = {...resolution, status: await lookUp({batch, context, reference, id: resolution.paid})};
    const resolved = await resolveRow({stateDir, reference, resolution, clock, batch});
    const next = resolved.state === 'accepted' ? null : `${batchCommand(kind)} resume ${batchId}`;
    return {batch_id: batchId, ...resolved, next};
  } finally {
    await batch.close();
  }
}

/** @throws RemitError USAGE for what is no id */
export function paidId(text: string): string {
  if (isUuid(text)) return text.toLowerCase();
  throw new RemitError('USAGE', `--paid ${JSON.stringify(text)} is not the id of a record: a UUID`, {
    hint: 'the dashboard of the service shows it, and so does remit payouts list',
  });
}

async function lookUp(wanted: {
  batch: OpenBatch;
  context: Context;
  reference: string;
  id: string;
}): Promise<string> {
  const {batch, context, reference, id} = wanted;
  const {kind} = batch.plan;
  checkBinding(batch.journal, batch.plan, context.profile);
  const row = rowToResolve(batch, reference, {paid: id});
  const {client} = context;
  try {
    const {data} = kind === 'payout' ? await client.payouts.get({id}) : await client.payins.get({id});
    const record: unknown = data; // what the service sent, whatever the contract says
    return checkDeclared(isObject(record) ? record : {}, {row, id, kind});
  } catch (cause) {
    if (!(cause instanceof RemitError) || (cause.code !== 'NOT_FOUND' && cause.code !== 'UNAVAILABLE'))
      throw cause;
    throw new RemitError(cause.code, `${cause.message}; row ${reference} is left as it is`, {
      cause,
      details: cause.details,
      hint: `--unseen takes your word for it (resolve --not-paid takes it back)`,
    });
  }
}
