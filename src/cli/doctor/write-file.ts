import {accessSync, constants, existsSync, readFileSync, realpathSync, statSync} from 'node:fs';
import {dirname, extname, resolve} from 'node:path';
import {isDeepStrictEqual} from 'node:util';
import {RemitError} from '../../errors.ts';
import {isObject, type JsonValue, messageOf, parseJson} from '../../narrow.ts';
import {readServiceFile} from '../../profiles/service-source.ts';
import {writeFileAtomic} from '../../store/files/atomic-file.ts';
import {checkService} from '../../service/file/parse.ts';
import {isEmptyService, type ServiceFile} from '../../service/service-file.ts';
import {shellWord} from '../../shell-word.ts';
import type {Context} from '../core/context.ts';
import {joined} from './survey/draft.ts';

/** The file that `--write` names. */
export interface WrittenFile {
  /** Full path. */
  readonly path: string;
  /** `REMIT_SERVICE_FILE` names it, so it is in force as soon as it is written. */
  readonly isActive: boolean;
  /** Its text before the checks; undefined if it does not exist. */
  readonly text: string | undefined;
  /** What the checks start from: the active service file, and over it what the file contains already. */
  readonly base: ServiceFile;
  /** The file has settings that are not active. */
  readonly hasMore: boolean;
}

/**
 * Reads the file that `--write` names, before any request is sent. Its settings are kept.
 * @throws RemitError SERVICE_FILE if it has an error, STATE if it cannot be written
 */
export function placeFor(name: string, context: Context): WrittenFile {
  const {runtime, profile, commands} = context;
  const typed = resolve(runtime.cwd, name);
  const path = existsSync(typed) ? realpathSync(typed) : typed;
  const inForce = runtime.env['REMIT_SERVICE_FILE'];
  const isActive = inForce !== undefined && inForce !== '' && isSameFile(path, resolve(runtime.cwd, inForce));
  const other = () => ({hint: commands.read('doctor', '--write', freeName(path, runtime.cwd))});
  if (!existsSync(path)) {
    refuseUnwritable(path);
    return {path, isActive, text: undefined, base: profile.service, hasMore: false};
  }
  let own: ServiceFile;
  let text: string;
  try {
    own = readServiceFile(path);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (!(error instanceof RemitError) || error.openHint !== undefined) throw error;
    const {code, message, details} = error;
    throw new RemitError(code, `${message}; it was not changed`, {...other(), details, cause: error});
  }
  refuseUnwritable(path);
  const base = joined(profile.service, own);
  try {
    checkService(base, path);
  } catch (cause) {
    throw new RemitError('STATE', `${path} contradicts the active service file: ${messageOf(cause)}`, {
      ...other(),
      cause,
    });
  }
  return {path, isActive, text, base, hasMore: !isDeepStrictEqual(base, profile.service)};
}

function refuseUnwritable(path: string): void {
  try {
    accessSync(dirname(path), constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new RemitError('STATE', `${path} cannot be written: ${messageOf(cause)}`, {
      ...{hint: 'name a file in a folder that exists and that you can write to', cause},
    });
  }
}

const isSameFile = (one: string, other: string): boolean =>
  existsSync(one) && existsSync(other) ? realpathSync(one) === realpathSync(other) : one === other;

/** The name with a number, such that no such file exists: `service-2.json`. */
function freeName(path: string, cwd: string): string {
  const end = extname(path);
  const start = path.slice(0, path.length - end.length);
  let count = 2;
  while (existsSync(`${start}-${count}${end}`)) count += 1;
  const free = `${start}-${count}${end}`;
  return dirname(free) === cwd ? free.slice(cwd.length + 1) : free;
}

/**
 * A name for `--write` in a hint: the active file, or one that does not exist. A `service.json` with other settings may
 * belong to another service.
 */
export function proposedName({runtime, profile}: Context): string {
  const inForce = runtime.env['REMIT_SERVICE_FILE'];
  if (inForce && profile.sources['service']?.startsWith('REMIT_SERVICE_FILE') === true) return inForce;
  const path = resolve(runtime.cwd, 'service.json');
  if (!existsSync(path)) return 'service.json';
  try {
    const isOwn =
      !isEmptyService(profile.service) && isDeepStrictEqual(readServiceFile(path), profile.service);
    return isOwn ? 'service.json' : freeName(path, runtime.cwd);
  } catch {
    return freeName(path, runtime.cwd);
  }
}

/**
 * Writes the service file, writable only by its owner. Returns the command that activates it; undefined if it is active.
 * @throws RemitError STATE if the file has changed since `placeFor` read it
 */
export function writeService(
  {path, isActive, text}: WrittenFile,
  file: ServiceFile,
  {profile, runtime, commands}: Context,
): string | undefined {
  const now = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  if (now !== text)
    throw new RemitError('STATE', `${path} was changed during the checks, and is left as it is`, {
      hint: commands.read('doctor', '--write', path),
    });
  const whole = {...schemaIn(text), ...checkService(file, path)};
  const mode = text === undefined ? 0o600 : statSync(path).mode & 0o755;
  writeFileAtomic(path, `${JSON.stringify(whole, null, 2)}\n`, {mode});
  if (isActive) return undefined;
  if (
    profile.name !== null &&
    profile.sources['service']?.startsWith('REMIT_SERVICE_FILE') !== true &&
    !runtime.env['REMIT_API_KEY']
  )
    return `remit profiles set ${shellWord(profile.name)} --service ${shellWord(path)}`;
  return `export REMIT_SERVICE_FILE=${shellWord(path)}`;
}

/** The address of the schema, which editors need. */
function schemaIn(text: string | undefined): {$schema?: JsonValue} {
  if (text === undefined) return {};
  const value = parseJson(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  return isObject(value) && value['$schema'] !== undefined ? {$schema: value['$schema']} : {};
}
