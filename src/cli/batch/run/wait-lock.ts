import {stringOf} from '../../../narrow.ts';
import {counted} from '../../../phrases.ts';
import {batchExists, batchFolder} from '../../../batch/journal/folder.ts';
import {type Kind, KINDS} from '../../../batch/model/kinds.ts';
import {readStatus, type StatusFile} from '../../../batch/standing/status-file.ts';
import {RemitError} from '../../../errors.ts';
import {type LocalContext, localCommands} from '../../core/context.ts';

const LOOK_EVERY_MS = 2000;
/** `payouts batch november`, as in the registry's lock; the lock of one batch says `batch november (pay)`. */
const PURPOSE = /^(?:(payouts|payins) )?batch (\S+)/;

/**
 * Takes a lock. While another batch has it, the error names that batch, its progress and the command that shows it;
 * with `--wait-lock` the command waits, and reports what it waits for.
 * @throws RemitError LOCKED
 */
export async function withLock<T>(
  wanted: {context: LocalContext; kind: Kind; stateDir: string; waitMs: number | undefined},
  take: () => Promise<T>,
): Promise<T> {
  const {context, waitMs = 0} = wanted;
  const {clock, out, stop} = context;
  const began = clock.monotonic();
  let told: string | undefined;
  for (;;) {
    try {
      const taken = await take();
      out.endProgress();
      return taken;
    } catch (error) {
      if (!(error instanceof RemitError) || error.code !== 'LOCKED') throw error;
      const holder = holderOf(error, wanted);
      if (holder === undefined) throw error;
      const waited = clock.monotonic() - began;
      if (waited >= waitMs) throw refusal(error, holder, waitMs);
      if (told !== holder.batch)
        out.notice(
          `Waiting for ${holder.batch}, which runs ${holder.words}. To see its progress: ${holder.command}`,
        );
      told = holder.batch;
      await clock.sleep(Math.min(LOOK_EVERY_MS, waitMs - waited), stop.signal);
    }
  }
}

interface Holder {
  /** `payouts batch november` */
  batch: string;
  /** When it started, and its progress. */
  words: string;
  /** The command that shows it. */
  command: string;
  summary: {planned: number; accepted: number} | undefined;
}

function holderOf(
  error: RemitError,
  {context, kind, stateDir}: {context: LocalContext; kind: Kind; stateDir: string},
): Holder | undefined {
  const {purpose, since, pid, host} = error.details ?? {}; // from the lock
  const found = PURPOSE.exec(typeof purpose === 'string' ? purpose : '');
  if (found === null) return undefined;
  const [, topic, batchId = ''] = found;
  const its = topic === undefined ? kind : topic === 'payouts' ? 'payout' : 'payin';
  if (!batchExists(stateDir, its, batchId)) return undefined;
  const batch = `${KINDS[its].topic} batch ${batchId}`;
  const status = readStatus(batchFolder(stateDir, its, batchId).status);
  const isHolders = status !== undefined && status.pid === pid && status.host === host;
  return {
    batch,
    words: `since ${stringOf(since)} (process ${stringOf(pid)} on ${stringOf(host)})${isHolders ? progressText(status) : ''}`,
    command: localCommands(context.flags).read(KINDS[its].topic, 'batch', 'status', batchId),
    summary: isHolders ? status.summary : undefined,
  };
}

const progressText = ({phase, summary: {accepted, staged, planned}}: StatusFile): string =>
  `: ${phase}, ${accepted} of ${counted(planned, 'row')} accepted${staged === 0 ? '' : `, ${staged} staged`}`;

function refusal(error: RemitError, {batch, words, command, summary}: Holder, waitMs: number): RemitError {
  const waited = waitMs === 0 ? '' : `, also after a wait of ${Math.round(waitMs / 1000)} s,`;
  const rule = 'one batch at a time runs in a state folder';
  return new RemitError('LOCKED', `${batch} is running${waited} ${words}; ${rule}`, {
    cause: error,
    hint: `${command}, or the same command with --wait-lock 30m`,
    details: {...error.details, batch, ...(summary === undefined ? {} : {summary})},
  });
}
