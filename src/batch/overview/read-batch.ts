import {type CommandBuilder, RemitError} from '../../errors.ts';
import {counted} from '../../phrases.ts';
import {isBeingSent, type OpenBatch} from '../journal/open-batch.ts';
import {isLocked, openPublished, openToRead} from './private-copy.ts';
import {KINDS} from '../model/kinds.ts';
import {synchroniseBatch} from '../registry/synchronise.ts';
import {lastStatus, runningText, type WantedBatch} from './status.ts';

type Reading = Pick<WantedBatch, 'kind' | 'batchId' | 'stateDir' | 'clock'>;

/**
 * Opens a batch to read its rows: with what other batches have paid meanwhile, or, while another process has it, in a
 * copy that this process publishes.
 * @param purpose in words that fit "… is running"
 * @param options.brief whether the batch is closed again soon
 * @throws RemitError NO_BATCH, or LOCKED while another process has the batch and publishes no copy
 */
export async function readBatch(
  wanted: Reading,
  purpose: string,
  {brief = true}: {brief?: boolean} = {},
): Promise<OpenBatch> {
  const {kind, batchId, stateDir, clock} = wanted;
  const options = {kind, batchId, stateDir, clock, purpose, brief};
  let batch: OpenBatch;
  try {
    batch = await openToRead(options);
  } catch (error) {
    if (!isLocked(error)) throw error;
    const published = await openPublished(options, error.details?.['purpose']);
    if (published !== undefined) return published;
    // The other process may have ended while it was asked.
    batch = await openToRead(options).catch((again: unknown) => {
      throw isLocked(again) ? busy(again, wanted) : again;
    });
  }
  try {
    if (batch.copy === undefined) await synchroniseBatch(batch, {stateDir, clock});
    return batch;
  } catch (error) {
    await batch.close();
    throw error;
  }
}

/** When the copy that is read was published; empty if the batch itself is read. */
export const publishedAt = ({copy}: OpenBatch): {published_at?: string} =>
  copy?.holder === undefined ? {} : {published_at: new Date(copy.holder.publishedAt).toISOString()};

/** `Batch fol is shown as of 2026-11-28T03:01:02.000Z: another process is using it.` Undefined if it is current. */
export function publishedText(batch: OpenBatch): string | undefined {
  const {published_at: at} = publishedAt(batch);
  if (at === undefined) return undefined;
  const shown = `Batch ${batch.plan.batchId} is shown as of ${at}`;
  return isBeingSent(batch)
    ? `${shown}: another process is sending it. Rows whose turn it is are shown as in doubt: they may or may not have been sent.`
    : `${shown}: another process is using it.`;
}

/** The error of a batch whose rows cannot be read now shows its progress. */
function busy(error: RemitError, wanted: Reading): RemitError {
  const status = lastStatus(error, wanted);
  if (status === undefined) return error;
  const {batchId, kind} = wanted;
  const {accepted, planned} = status.summary;
  const {since} = error.details ?? {};
  const started = typeof since === 'string' ? ` since ${since}` : '';
  return new RemitError(
    'LOCKED',
    `batch ${batchId} has been running${started}: ${accepted} of ${counted(planned, 'row')} accepted. ${runningText(status, error)} It did not provide a copy of its rows`,
    {
      cause: error,
      hint: (commands: CommandBuilder) =>
        `try again, or see its progress: ${commands.read(KINDS[kind].topic, 'batch', 'status', batchId)}`,
      details: {...error.details, summary: status.summary},
    },
  );
}
