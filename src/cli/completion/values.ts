import {mkdirSync} from 'node:fs';
import {batchIds} from '../../batch/journal/folder.ts';
import {EVENT_TYPES} from '../../contract/events.ts';
import {readConfig} from '../../profiles/config-file.ts';
import {configDir, stateDir} from '../../profiles/folders.ts';
import {profileName} from '../../profiles/profile-name.ts';
import {findProjectFile} from '../../profiles/project-file.ts';
import {cleanLine} from '../../sanitize/harmful.ts';
import {isOwnFolder, LOCAL_SERVICE, plainUrl, readSeen, seenFolder, seenPath, type SeenId} from './seen.ts';

/* The values that only this machine knows, for shell completion. */

/** Where the values are looked up. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  cwd: string;
  nowMs: number;
}

type Value = readonly [value: string, label: string];

/** Kinds of records on this machine, which belong to no profile. */
const LOCAL_KINDS = new Set(['deliveries', 'events', 'checkpoints', 'faults']);

/**
 * What a shell may insert without quotes, and the command does not read as a flag. Anything else came from elsewhere and
 * is not offered.
 */
const SAFE = /^[A-Za-z0-9_.:@%+][A-Za-z0-9_.:@%+-]{0,127}$/;

/**
 * One value a line, with a tab before its description.
 * @param words what was typed so far: `-p NAME` and `--state-dir FOLDER` among them are respected
 */
export function linesFor(kind: string, words: readonly string[], place: Surroundings): string {
  return valuesOf(kind, words, place)
    .filter(([value]) => SAFE.test(value))
    .map(([value, label]) => `${value}\t${cleanLine(label).replaceAll('\t', ' ')}\n`)
    .join('');
}

function valuesOf(kind: string, words: readonly string[], place: Surroundings): readonly Value[] {
  switch (kind) {
    case 'profiles':
      return profiles(place);
    case 'payout-batches':
    case 'payin-batches': {
      const folder = flagIn(words, '--state-dir') ?? stateDir(place.env, place.home);
      const ids = batchIds(folder, kind === 'payout-batches' ? 'payout' : 'payin');
      return ids.sort().map((id) => [id, 'batch']);
    }
    case 'event-types': {
      const own = Object.entries(EVENT_TYPES).map(([type, {description}]): Value => [type, description]);
      const listed = seenIds(kind, words, place).filter(([type]) => !Object.hasOwn(EVENT_TYPES, type));
      return [...own, ...listed];
    }
    default:
      return seenIds(kind, words, place);
  }
}

function profiles({env, home}: Surroundings): Value[] {
  const {profiles: stored} = readConfig(configDir(env, home));
  return Object.entries(stored).map(([name, {mode, base_url}]) => [name, `${mode}, ${base_url}`]);
}

/** Ids of records shown on a terminal during the last day. Asking for them is what turns the cache on. */
function seenIds(kind: string, words: readonly string[], place: Surroundings): Value[] {
  const {env, home, nowMs} = place;
  const folder = seenFolder(env, home);
  mkdirSync(folder, {recursive: true, mode: 0o700});
  if (!isOwnFolder(folder)) return [];
  const target = LOCAL_KINDS.has(kind) ? {name: LOCAL_SERVICE, baseUrl: ''} : targetOf(words, place);
  if (target === undefined) return [];
  const {ids} = readSeen(seenPath(folder, target.name), plainUrl(target.baseUrl), nowMs);
  const found: readonly SeenId[] = Object.hasOwn(ids, kind) ? (ids[kind] ?? []) : [];
  return found.map(({id, label}) => [id, label]);
}

/** The active profile, chosen as every command chooses it, with the address that the ids belong to. */
function targetOf(
  words: readonly string[],
  {env, home, cwd}: Surroundings,
): {name: string | null; baseUrl: string} | undefined {
  const flag = flagIn(words, '--profile', '-p');
  const url = flag === undefined && env['REMIT_API_KEY'] ? env['REMIT_BASE_URL'] || undefined : undefined;
  const project = findProjectFile(cwd, flag, env);
  if (project?.isForeign === true) return undefined; // the command that is being typed will be refused
  const config = readConfig(configDir(env, home));
  const named = profileName({flag, env, project}, config, url !== undefined);
  if (named === undefined) return url === undefined ? undefined : {name: null, baseUrl: url};
  const {name} = named;
  const stored = Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
  return stored === undefined ? undefined : {name, baseUrl: url ?? stored.base_url};
}

/** The last value of a flag among the typed words. */
function flagIn(words: readonly string[], name: string, letter?: string): string | undefined {
  let value: string | undefined;
  for (const [at, word] of words.entries()) {
    const next = words[at + 1] === '=' ? words[at + 2] : words[at + 1]; // bash splits --flag=value into three words
    if (word === name || word === letter) value = next ?? value;
    else if (word.startsWith(`${name}=`)) value = word.slice(name.length + 1);
    else if (letter !== undefined && word.startsWith(letter)) value = word.slice(letter.length);
  }
  return value;
}
