import {existsSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {checkBinding} from '../../batch/journal/binding.ts';
import {batchExists} from '../../batch/journal/folder.ts';
import {type Kind, KINDS} from '../../batch/model/kinds.ts';
import type {OpenBatch} from '../../batch/journal/open-batch.ts';
import {batchCommand, type Placed} from '../../batch/standing/placed.ts';
import {RemitError} from '../../errors.ts';
import {shellWord} from '../../shell-word.ts';
import type {Typed} from '../runtime/command-line.ts';
import type {Context, LocalContext} from '../core/context.ts';
import type {Plan} from '../../batch/model/plan-facts.ts';

/** @param lastProfile the profile of the last run, for a command that only reads */
export function placedBy(context: LocalContext, stateDir: string, lastProfile?: string): Placed {
  const folder = stateDir === context.stateDir ? '' : ` --state-dir ${shellWord(stateDir)}`;
  const named = context.flags.profile ?? lastProfile;
  const profile = named === undefined ? '' : ` -p ${shellWord(named)}`;
  return {flags: folder + profile, profile};
}

export const placeFlags = (context: LocalContext, stateDir: string, lastProfile?: string): string =>
  placedBy(context, stateDir, lastProfile).flags;

/** The command that runs the file of a plan as another batch, with an unused id. */
export function runAsAnother(context: Context, stateDir: string, {kind, batchId, file, sheet}: Plan): string {
  let number = 2;
  const name = () => `${batchId.slice(0, 58)}-${number}`;
  while (batchExists(stateDir, kind, name())) number++;
  const live = context.profile.mode === 'live' ? ' --live' : '';
  const absolute = join(file.folder, file.name);
  const path = file.path === '-' ? '-' : resolve(file.path) === absolute ? file.path : absolute;
  const from = sheet === undefined ? '' : ` --sheet ${shellWord(sheet)}`;
  return `${batchCommand(kind)} run ${shellWord(path)}${from} --batch-id ${name()}${live}${placeFlags(context, stateDir, context.commands.profile)}`;
}

/**
 * Refuses a batch that belongs to another address, mode or key than the active ones.
 * @throws RemitError GUARD_BINDING with the command to type instead
 */
export function checkBound(context: Context, stateDir: string, typed: Typed, batch: OpenBatch): void {
  const {profile, commands} = context;
  checkBinding(batch.journal, batch.plan, {
    ...profile,
    codec: context.codec,
    runAgain: runAsAnother(context, stateDir, batch.plan),
    withProfile: (name) => commands.againWith(name, typed),
    profileInForce: commands.profile,
  });
}

/**
 * Whether the argument of `run` is a file to plan or the id of a planned batch.
 * @throws RemitError USAGE if it is both, NO_BATCH if neither
 */
export function fileOrBatch(
  argument: string,
  options: {kind: Kind; stateDir: string; batchId: string | undefined},
): 'file' | 'batch' {
  const {kind, stateDir, batchId} = options;
  const isPath = argument === '-' || batchId !== undefined || /[/\\]/.test(argument);
  if (isPath) return 'file';
  const isBatch = batchExists(stateDir, kind, argument);
  const isFile = existsSync(argument);
  if (isBatch && isFile)
    throw new RemitError('USAGE', `${argument} is both a file and a batch`, {
      hint: `write ./${argument} for the file`,
    });
  if (isBatch) return 'batch';
  if (isFile || /\.\w{1,5}$/.test(argument)) return 'file';
  throw new RemitError('NO_BATCH', `${argument} is neither a file nor a planned batch`, {
    hint: (commands) =>
      `name a CSV or .xlsx file: ${commands.write(KINDS[kind].topic, 'batch', 'run', 'FILE.csv')}; or another state folder with --state-dir`,
  });
}
