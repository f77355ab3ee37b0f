import type {Clock} from '../../clock.ts';
import {RemitError} from '../../errors.ts';
import {batchFolder} from '../journal/folder.ts';
import type {Attention} from '../journal/journal.ts';
import {type OpenBatch, openBatch} from '../journal/open-batch.ts';
import type {Kind} from '../model/kinds.ts';
import {readNews} from '../registry/news.ts';
import {NOWHERE, type Placed, type Placing} from '../standing/placed.ts';
import {progressLine} from '../standing/progress.ts';
import {readSummary} from '../standing/read-summary.ts';
import {ASKING, readStatus, type StatusFile} from '../standing/status-file.ts';
import type {Summary} from '../standing/summary.ts';

export interface Wanted {
  kind: Kind;
  batchId: string;
  stateDir: string;
  clock: Clock;
  /** Makes the flags by which the next command finds the batch, of the profile that it was last run with. */
  placing?: Placing;
}

/** Rows that are named as needing attention. */
export const ATTENTION = 10;

export const rowCount = (n: number): string => `${n} ${n === 1 ? 'row' : 'rows'}`;

/**
 * The summary of a batch: what its runner last wrote while one has it, otherwise what the journal says, also after the
 * runner was killed.
 */
export async function statusOfBatch(
  wanted: Wanted,
): Promise<{summary: Summary; attention: Attention[]; placed: Placed; running: string | undefined}> {
  try {
    const batch = await openBatch({...wanted, purpose: `status of batch ${wanted.batchId}`, brief: true});
    try {
      await readNews(batch, wanted);
      const summary = readSummary(batch, wanted.clock.now(), wanted.placing);
      const attention = batch.journal.needingAttention(ATTENTION, summary.in_doubt);
      return {summary, attention, placed: placedFor(batch, wanted), running: undefined};
    } finally {
      await batch.close();
    }
  } catch (error) {
    const status = lastStatus(error, wanted);
    if (status === undefined) throw withLastStanding(error, wanted);
    return {
      summary: {...status.summary, posts: 0, next: null},
      attention: [],
      placed: NOWHERE,
      running: runningText(status, error),
    };
  }
}

export const placedFor = ({journal}: OpenBatch, {placing}: Wanted): Placed =>
  placing?.(journal.fact('typedProfile') ?? undefined) ?? NOWHERE;

/** What the process that has the batch last wrote; undefined when it wrote nothing, or the error is another one. */
export function lastStatus(error: unknown, {stateDir, kind, batchId}: Wanted): StatusFile | undefined {
  if (!(error instanceof RemitError) || error.code !== 'LOCKED') return undefined;
  return readStatus(batchFolder(stateDir, kind, batchId).status);
}

/** Where the disk is full, or the like, the lock cannot be taken: the error says what was written last. */
function withLastStanding(error: unknown, {stateDir, kind, batchId}: Wanted): unknown {
  if (!(error instanceof RemitError) || error.code !== 'STATE') return error;
  const status = readStatus(batchFolder(stateDir, kind, batchId).status);
  if (status === undefined) return error;
  const {accepted, planned} = status.summary;
  return new RemitError(
    'STATE',
    `${error.message}. At ${status.updated_at}, ${accepted} of ${rowCount(planned)} of batch ${batchId} were accepted; more may have happened since`,
    {cause: error, hint: error.openHint, details: {...error.details, last_summary: status.summary}},
  );
}

export function runningText(status: StatusFile, error: unknown): string {
  const {host, pid, phase, updated_at: at, activity} = status;
  const holder = (error as RemitError).details as {host?: string; pid?: number} | undefined; // of the lock
  if (holder?.pid !== undefined && (holder.pid !== pid || holder.host !== host))
    return `Process ${holder.pid} on ${holder.host} has the batch now; this is how it stood at ${at}.`;
  return phase === ASKING
    ? `Process ${pid} on ${host} waits for its question to be answered, since ${at}; nothing more is sent until then.`
    : `Running on ${host} as process ${pid}: ${activity === undefined ? phase : progressLine(phase, status.summary, activity)}, as of ${at}.`;
}
