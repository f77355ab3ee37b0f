import type {Kind} from '../../../batch/model/kinds.ts';
import type {RunPath} from '../../../batch/model/run-path.ts';
import type {BatchClaims} from '../../../batch/registry/batch-claims.ts';
import type {OpenBatch} from '../../../batch/journal/open-batch.ts';
import {batchCommand} from '../../../batch/standing/placed.ts';
import type {Transport} from '../../../client/transport/transport.ts';
import {shellWord} from '../../../shell-word.ts';
import type {Context} from '../../core/context.ts';
import type {FlagValues} from '../../input/flags.ts';
import type {Typed} from '../../line/command-line.ts';
import type {Accepted} from '../accept.ts';
import type {confirmFlags, followFlags, runFlags} from '../flags.ts';
import {placeFlags} from '../place.ts';

export type RunFlags = FlagValues<typeof confirmFlags & typeof followFlags & typeof runFlags>;

export interface RunRequest {
  context: Context;
  kind: Kind;
  stateDir: string;
  batchId: string;
  flags: RunFlags;
  accepted: Accepted;
  /** The command itself, for hints that repeat it. */
  typed: Typed;
  /** `as-before`: in the way in which the batch was started. */
  path: RunPath | 'as-before';
  /** What is confirmed: `pay`, `stage`, `release`, `resume`. */
  doing: string;
  /** The command names the batch by its id, and has not just planned its file. */
  isById: boolean;
  /** First raise the generation of failed rows; with names, only of those. */
  retry?: {named: readonly string[]};
}

/** A confirmed run. */
export interface ConfirmedRun {
  request: RunRequest;
  batch: OpenBatch;
  claims: BatchClaims;
  transport: Transport;
  folder: string;
}

/** The command that continues a batch whose run failed. */
export function goOn(request: RunRequest, {batchId}: OpenBatch['plan']): string {
  return continued(request, `${request.path === 'cancel' ? 'cancel' : 'resume'} ${shellWord(batchId)}`);
}

/** A command that sends for the batch, with the active profile. */
export function continued({context, kind, stateDir}: RunRequest, words: string): string {
  const live = context.profile.mode === 'live' ? ' --live' : '';
  return `${batchCommand(kind)} ${words}${live}${placeFlags(context, stateDir, context.commands.profile)}`;
}

/** The command that shows the status of a batch. */
export function statusCommand({context, stateDir}: RunRequest, {batchId, kind}: OpenBatch['plan']): string {
  const placed = placeFlags(context, stateDir, context.commands.profile);
  return `${batchCommand(kind)} status ${shellWord(batchId)}${placed}`;
}

/** The command that writes the results of a batch. */
export function writeAgain(
  {context, stateDir, flags}: RunRequest,
  {batchId, kind}: OpenBatch['plan'],
): string {
  const out = flags.out === undefined ? '' : ` --out ${shellWord(flags.out)}`;
  const placed = placeFlags(context, stateDir, context.commands.profile);
  return `${batchCommand(kind)} report ${shellWord(batchId)}${out}${placed}`;
}
