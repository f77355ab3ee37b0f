import type {Stats} from 'node:fs';
import {dirname, join} from 'node:path';
import {RemitError} from '../errors.ts';
import {codeOf, isObject, type JsonValue, messageOf, parseJson} from '../narrow.ts';
import {isOfAnother, readSmallFile} from './trusted-file.ts';

const PROJECT_FILE = '.remit.json';

/**
 * What a folder's `.remit.json` may set: the profile and the output format. Nothing that decides where money goes.
 */
export interface ProjectFile {
  path: string;
  /** It belongs to another user and was not read: a command that needs a profile is refused, see `profileName`. */
  isForeign?: true;
  profile?: string;
  output?: string;
  fields?: string;
  color?: boolean;
}

const ALLOWED: Readonly<Record<string, 'string' | 'boolean'>> = {
  profile: 'string',
  output: 'string',
  fields: 'string',
  color: 'boolean',
};

/**
 * The nearest `.remit.json`, in this folder or a parent; undefined if there is none. One of another user is not read, since
 * it must not choose the profile; root reads every one.
 * @param profile from `--profile`
 * @param env if it or `profile` chooses the profile or needs none, a file of another user is ignored
 */
export function findProjectFile(
  cwd: string,
  profile: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): ProjectFile | undefined {
  const isChosen = profile !== undefined || isProfileOf(env);
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, PROJECT_FILE);
    const file = readOptional(path);
    if (file !== undefined && isTrusted(file.stats)) return parseProjectFile(file.text, path);
    if (file !== undefined) return isChosen ? undefined : {path, isForeign: true};
    if (dirname(folder) === folder) return undefined;
  }
}

/**
 * The file of a repository must not be able to redirect a key, choose a key or enable live writes. Anything but the
 * allowed names is refused, not ignored.
 */
export function parseProjectFile(text: string, path: string): ProjectFile {
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new RemitError('STATE_DAMAGED', `${path} is not JSON`, {cause: error});
  }
  if (!isObject(value)) throw new RemitError('STATE_DAMAGED', `${path} does not contain an object`);
  for (const [name, setting] of Object.entries(value)) {
    if (!Object.hasOwn(ALLOWED, name))
      throw new RemitError('USAGE', `${path} may not set "${name}"`, {
        hint: `a project file may set only: ${Object.keys(ALLOWED).join(', ')}`,
      });
    if (typeof setting !== ALLOWED[name])
      throw new RemitError('STATE_DAMAGED', `${path}: "${name}" is not a ${ALLOWED[name]}`);
  }
  return {...(value as Omit<ProjectFile, 'path'>), path}; // names and types were checked above
}

/** Whether the environment leaves no profile to choose. An empty variable counts as unset. */
const isProfileOf = (env: Readonly<Record<string, string | undefined>>): boolean =>
  Boolean(env['REMIT_PROFILE']) || (Boolean(env['REMIT_API_KEY']) && Boolean(env['REMIT_BASE_URL']));

const isTrusted = (stats: Stats): boolean => process.geteuid?.() === 0 || !isOfAnother(stats);

function readOptional(path: string): ReturnType<typeof readSmallFile> | undefined {
  try {
    return readSmallFile(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return undefined;
    throw new RemitError('STATE', `${path} cannot be read: ${messageOf(error)}`, {cause: error});
  }
}
