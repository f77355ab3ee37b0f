import {type CommandBuilder, RemitError} from '../../errors.ts';
import {counted} from '../../phrases.ts';
import type {OpenBatch} from '../journal/open-batch.ts';
import {openPublished, openToRead} from './private-copy.ts';
import {KINDS} from '../model/kinds.ts';
import {readNews} from '../registry/news.ts';
import {lastStatus, runningText, type Wanted} from './status.ts';

type Reading = Pick<Wanted, 'kind' | 'batchId' | 'stateDir' | 'clock'>;

/**
 * Opens a batch to read its rows: with what other batches have paid meanwhile, or as it was last published while another
 * process follows it.
 * @param purpose in words that fit "… is running"
 * @param options.brief whether the batch is closed again soon
 * @throws RemitError NO_BATCH, or LOCKED while another process sends rows of the batch
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
    if (!(error instanceof RemitError) || error.code !== 'LOCKED') throw error;
    const published = await openPublished(options);
    if (published === undefined) throw busy(error, wanted);
    return published;
  }
  try {
    if (batch.copy === undefined) await readNews(batch, {stateDir, clock});
    return batch;
  } catch (error) {
    await batch.close();
    throw error;
  }
}

/** `Batch fol is shown as of 2026-11-28T03:01:02.000Z: another process follows it.` Undefined if it is current. */
export function publishedText({copy, plan}: OpenBatch): string | undefined {
  if (copy?.publishedAt === undefined) return undefined;
  return `Batch ${plan.batchId} is shown as of ${new Date(copy.publishedAt).toISOString()}: another process follows it.`;
}

/** A batch whose rows are being sent has no rows to show yet; the error shows its progress. */
function busy(error: RemitError, wanted: Reading): RemitError {
  const status = lastStatus(error, wanted);
  if (status === undefined) return error;
  const {batchId, kind} = wanted;
  const {accepted, planned} = status.summary;
  const {since} = error.details ?? {};
  const started = typeof since === 'string' ? ` since ${since}` : '';
  return new RemitError(
    'LOCKED',
    `batch ${batchId} has been running${started}: ${accepted} of ${counted(planned, 'row')} accepted. ${runningText(status, error)} Its rows can be read when it has ended or follows its records`,
    {
      cause: error,
      hint: (commands: CommandBuilder) =>
        `its progress: ${commands.read(KINDS[kind].topic, 'batch', 'status', batchId)}`,
      details: {...error.details, summary: status.summary},
    },
  );
}
