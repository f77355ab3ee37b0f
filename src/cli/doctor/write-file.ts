import {existsSync, realpathSync} from 'node:fs';
import {resolve} from 'node:path';
import {RemitError} from '../../errors.ts';
import {writeFileAtomic} from '../../store/files/atomic-file.ts';
import {checkService} from '../../service/parse.ts';
import type {ServiceFile} from '../../service/service-file.ts';
import {shellWord} from '../../shell-word.ts';
import type {Context} from '../core/context.ts';

/**
 * The full path for the service file. Only the active service file may be overwritten: another one may contain decisions.
 * @throws RemitError STATE before any request is sent
 */
export function placeFor(path: string, {runtime}: Context): string {
  const full = resolve(runtime.cwd, path);
  const inForce = runtime.env['REMIT_SERVICE_FILE'];
  const isInForce =
    inForce !== undefined && inForce !== '' && isSameFile(full, resolve(runtime.cwd, inForce));
  if (existsSync(full) && !isInForce)
    throw new RemitError('STATE', `${full} already exists and is not overwritten`, {
      hint: 'choose another file name, or move that file away',
    });
  return full;
}

const isSameFile = (one: string, other: string): boolean =>
  existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other);

/** Writes the service file, writable only by its owner, and returns the command that activates it. */
export function writeService(path: string, file: ServiceFile, {profile, runtime}: Context): string {
  writeFileAtomic(path, `${JSON.stringify(checkService(file, path), null, 2)}\n`);
  if (
    profile.name !== null &&
    profile.sources['service'] !== 'REMIT_SERVICE_FILE' &&
    !runtime.env['REMIT_API_KEY']
  )
    return `remit profiles set ${shellWord(profile.name)} --service ${shellWord(path)}`;
  return `export REMIT_SERVICE_FILE=${shellWord(path)}`;
}
