import {lstatSync} from 'node:fs';
import {join} from 'node:path';
import {RemitError} from '../errors.ts';
import {
  codeOf,
  isObject,
  type Json,
  type JsonFields,
  type JsonValue,
  messageOf,
  parseJson,
} from '../narrow.ts';
import {type FormerOverrides, formerServiceOf} from './former-overrides.ts';
import {EMPTY_CONFIG, PROFILE_NAME, type ConfigFile, type StoredProfile, type TlsFiles} from './profile.ts';
import {exposure, readSmallFile, refuseForeign} from './trusted-file.ts';

export const configPath = (dir: string): string => join(dir, 'config.json');

/**
 * Reads the stored profiles; a missing file counts as empty. Only reads: no folder is created and nothing is
 * repaired.
 * @throws RemitError STATE_DAMAGED naming the file, or STATE if it cannot be read or other users could have written
 *   it
 */
export function readConfig(dir: string): ConfigFile {
  const path = configPath(dir);
  let file: ReturnType<typeof readSmallFile>;
  try {
    file = readSmallFile(path);
  } catch (error) {
    const code = codeOf(error);
    const isLink = code === 'ENOENT' && lstatSync(path, {throwIfNoEntry: false}) !== undefined;
    if (isLink)
      throw new RemitError('STATE', `${path} is a link to a file that does not exist`, {cause: error});
    if (code === 'ENOENT' || code === 'ENOTDIR') return EMPTY_CONFIG;
    throw new RemitError('STATE', `${path} cannot be read: ${messageOf(error)}`, {cause: error});
  }
  refuseForeign(path, file.stats, 'the stored profiles', true);
  return parseConfig(file.text, path);
}

/** A warning if other users can read the stored keys. */
export const configExposure = (dir: string): string | undefined =>
  exposure(configPath(dir), 'the config file');

/** Checks the format by hand, because a single command must not load a schema library for this. */
export function parseConfig(text: string, path: string): ConfigFile {
  const damaged = (what: string, cause?: unknown) =>
    new RemitError('STATE_DAMAGED', `${path} ${what}`, {
      cause,
      hint: `correct the file, or move it away and add the profiles again: remit profiles add NAME --base-url URL`,
    });
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (error) {
    throw damaged('is not JSON', error); // the parser's own message may contain a key
  }
  if (!isObject(value)) throw damaged('does not contain an object');
  if (value['version'] !== 1) throw damaged('has a version that this remit does not know');
  const profiles = value['profiles'] ?? {};
  if (!isObject(profiles)) throw damaged('has "profiles" that is not an object');
  for (const [name, profile] of Object.entries(profiles)) {
    if (!PROFILE_NAME.test(name)) throw damaged(`has a profile with an invalid name`);
    const problem = profileProblem(profile);
    if (problem !== undefined) throw damaged(`has a profile "${name}" ${problem}`);
  }
  const chosen = value['default'];
  if (chosen !== undefined && typeof chosen !== 'string') throw damaged('has a "default" that is not a name');
  return {
    version: 1,
    ...(chosen === undefined ? {} : {default: chosen}),
    profiles: Object.fromEntries(
      Object.entries(profiles).map(([name, profile]) => [name, storedProfile(profile)]),
    ),
  };
}

/** A profile that was checked; what it holds of routes and fields is in a service file now. */
function storedProfile(checked: unknown): StoredProfile {
  const {overrides, ...profile} = checked as StoredProfile & {overrides?: FormerOverrides};
  return overrides === undefined ? profile : {...profile, service: formerServiceOf(overrides)};
}

const PROFILE_KEYS: ReadonlySet<string> = new Set<keyof StoredProfile | 'overrides'>([
  'base_url',
  'key',
  'mode',
  'read_only',
  'approve_by_id',
  'approval_policy',
  'approval_key',
  'caps',
  'service',
  'overrides',
  'tls',
]);

function profileProblem(profile: Json): string | undefined {
  if (!isObject(profile)) return 'that is not an object';
  const {base_url, key, mode, read_only, approve_by_id, caps, overrides, service, tls} = profile;
  // A guard with a misspelled name must not silently become a missing guard.
  const unknown = Object.keys(profile).find((name) => !PROFILE_KEYS.has(name));
  if (unknown !== undefined) return `with a setting ${JSON.stringify(unknown)} that this remit does not know`;
  if (typeof base_url !== 'string') return 'without a base_url';
  if (mode !== 'test' && mode !== 'live') return 'whose mode is neither test nor live';
  if (!isObject(key) || Object.keys(key).length !== 1) return 'whose key does not have exactly one source';
  if (
    ![key['stored'], key['file'], key['command']].some(
      (source) => typeof source === 'string' && source !== '',
    )
  )
    return 'whose key has no known source (stored, file or command)';
  if (read_only !== undefined && typeof read_only !== 'boolean')
    return 'whose read_only is not true or false';
  if (approve_by_id !== undefined && typeof approve_by_id !== 'boolean')
    return 'whose approve_by_id is not true or false';
  const {approval_policy: policy, approval_key: approvalKey} = profile;
  if (policy !== undefined && !isPinned(policy)) return 'whose approval_policy has the wrong format';
  if (approvalKey !== undefined && typeof approvalKey !== 'string') return 'whose approval_key is not a path';
  if (overrides !== undefined && !areOverrides(overrides)) return 'whose overrides have the wrong format';
  if (tls !== undefined && !areTlsFiles(tls)) return 'whose tls settings have the wrong format';
  if (service !== undefined && overrides !== undefined) return 'with both a service and overrides';
  if (service !== undefined && !isObject(service)) return 'whose service is not an object';
  return caps === undefined ? undefined : capsProblem(caps);
}

const isPinned = (policy: JsonValue): boolean =>
  isObject(policy) &&
  Object.keys(policy).sort().join() === 'path,sha256' &&
  typeof policy['path'] === 'string' &&
  typeof policy['sha256'] === 'string' &&
  /^[0-9a-f]{64}$/.test(policy['sha256']);

/** An unreadable cap must not become a missing cap. */
function capsProblem(caps: JsonValue): string | undefined {
  if (!isObject(caps)) return 'whose caps are not an object';
  for (const [name, value] of Object.entries(caps)) {
    const amounts = name === 'max_amount_minor' || name === 'max_batch_total_minor';
    if (amounts && isObject(value) && isByCurrency(value)) continue;
    if (name === 'max_batch_rows' && isCount(value)) continue;
    if (name === 'rails' && Array.isArray(value) && value.every((rail) => typeof rail === 'string')) continue;
    return `whose cap "${name}" is unknown or has the wrong format`;
  }
  return undefined;
}

const isByCurrency = (amounts: JsonFields): boolean =>
  Object.entries(amounts).every(([currency, minor]) => /^[A-Z]{3}$/.test(currency) && isCount(minor));

/** The form in which routes and fields were stored before there were service files. */
const areOverrides = (value: JsonValue): boolean =>
  isObject(value) &&
  Object.entries(value).every(
    ([name, part]) => (name === 'operations' || name === 'fields') && isObject(part),
  );

const TLS_KEYS: ReadonlySet<string> = new Set<keyof TlsFiles>(['ca_file', 'client_cert', 'client_key']);

/** A CA file under a misspelled name must not become a CA file that is not used. */
const areTlsFiles = (value: JsonValue): boolean =>
  isObject(value) &&
  Object.entries(value).every(
    ([name, path]) => TLS_KEYS.has(name) && typeof path === 'string' && path !== '',
  );

const isCount = (value: Json): boolean =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
