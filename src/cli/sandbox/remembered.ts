import {existsSync} from 'node:fs';
import {registryPath} from '../../batch/registry/seen-before.ts';
import type {LocalContext} from '../core/context.ts';

/** A sandbox forgets when it is told to; what batches were paid on it is remembered on this machine all the same. */
export function noteRemembered({out, stateDir}: LocalContext): void {
  if (!existsSync(registryPath(stateDir))) return;
  out.note(
    'Batches that were run stay paid in the state folder. To pay such a file again, give it a new folder for each of --state-dir and --out.',
  );
}
