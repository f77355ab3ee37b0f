import {existsSync} from 'node:fs';
import {registryPath} from '../../batch/registry/database.ts';
import type {LocalContext} from '../core/context.ts';

/**
 * `sandbox reset` deletes the records of a sandbox; the registry of this machine still lists the batches paid on it.
 */
export function noteRemembered({out, stateDir}: LocalContext): void {
  if (!existsSync(registryPath(stateDir))) return;
  out.note(
    'Batches that were run are still recorded as paid in the state folder. To pay such a file again, use new folders for --state-dir and --out.',
  );
}
