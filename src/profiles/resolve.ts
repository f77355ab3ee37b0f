import {RemitError} from '../errors.ts';
import {must} from '../narrow.ts';
import {configExposure, configPath, readConfig} from './config-file.ts';
import {describeSource, keyExposure, nameOfKey, readKey} from './key-source.ts';
import {keyFingerprintOf, modeOf} from './key.ts';
import {inUse, readServiceFile, storedService} from './service-source.ts';
import {maskKey} from '../sanitize/secret-shapes.ts';
import {profileName} from './profile-name.ts';
import type {ActiveProfile, ConfigFile, StoredProfile} from './profile.ts';
import type {ServiceFile} from '../service/service-file.ts';
import type {ProjectFile} from './project-file.ts';
import {chooseTlsFiles} from './tls-choice.ts';

export interface ProfileQuestion {
  /** `--profile`. */
  flag?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  project?: ProjectFile | undefined;
  configDir: string;
  /** Checks and normalises; the client's rules for where a key may go. */
  normaliseBaseUrl: (text: string) => string;
}

/** The active profile and the origin of the choice; no key is read. */
export interface ProfileChoice {
  name: string | null;
  nameFrom: string;
  profile: StoredProfile | undefined;
  /** True if REMIT_API_KEY replaces the profile's key. */
  envKey: boolean;
  baseUrl: string;
  baseUrlFrom: string;
}

/**
 * Precedence: flag, environment, project file, stored default. REMIT_API_KEY is not sent where a project file points,
 * because the author of that file would decide where the key goes, and which caps apply. A profile named by flag is
 * used as a whole, with its own key and base URL. Otherwise REMIT_API_KEY replaces the key, and only together with it
 * may REMIT_BASE_URL replace the base URL, so that a stored key is only ever sent to the address it was stored for.
 * An empty variable counts as unset.
 */
export function chooseProfile(
  question: ProfileQuestion,
  config = readConfig(question.configDir),
): ProfileChoice {
  const {env, flag} = question;
  const envKey = flag === undefined && Boolean(env['REMIT_API_KEY']);
  const envUrl = flag === undefined ? env['REMIT_BASE_URL'] || undefined : undefined;
  if (envUrl !== undefined && !envKey)
    throw new RemitError(
      'USAGE',
      'REMIT_BASE_URL needs REMIT_API_KEY: a stored key is sent only to its own base URL',
      {
        hint: 'set both, or name a profile with --profile',
      },
    );
  if (flag === undefined && env['REMIT_SERVICE_FILE'] && !envKey)
    throw new RemitError(
      'USAGE',
      'REMIT_SERVICE_FILE needs REMIT_API_KEY: a stored key is used with the service file of its profile',
      {hint: 'set both, or store the file in the profile with: remit profiles set NAME --service FILE'},
    );
  const named = profileName(question, config, envKey && envUrl !== undefined);
  if (named === undefined) {
    if (envUrl === undefined) throw nothingChosen(envKey, Object.keys(config.profiles));
    return {
      name: null,
      nameFrom: 'none needed',
      profile: undefined,
      envKey,
      baseUrl: question.normaliseBaseUrl(envUrl),
      baseUrlFrom: 'REMIT_BASE_URL',
    };
  }
  if (envKey && named.from === question.project?.path) throw keyByProjectFile(named);
  const profile = findProfile(config, named.name, named.from, question.configDir);
  return {
    name: named.name,
    nameFrom: named.from,
    profile,
    envKey,
    baseUrl: question.normaliseBaseUrl(envUrl ?? profile.base_url),
    baseUrlFrom: envUrl === undefined ? `profile ${named.name}` : 'REMIT_BASE_URL',
  };
}

async function keyOf({envKey, profile}: ProfileChoice, {env}: ProfileQuestion) {
  if (envKey)
    return {
      key: (env['REMIT_API_KEY'] ?? '').trim(),
      keyFrom: 'REMIT_API_KEY',
      keyName: 'the key from REMIT_API_KEY',
    };
  const {key} = must(profile, 'profile where the environment has no key');
  return {key: await readKey(key), keyFrom: describeSource(key), keyName: nameOfKey(key)};
}

/** The profile with its key, ready for use. */
export async function resolveProfile(question: ProfileQuestion): Promise<ActiveProfile> {
  const choice = chooseProfile(question);
  const {profile, name} = choice;
  const {key, keyFrom, keyName} = await keyOf(choice, question);
  const mode = modeOf(key, keyName);
  if (profile !== undefined && choice.envKey && mode !== profile.mode)
    throw new RemitError(
      'GUARD_TARGET',
      `REMIT_API_KEY is a ${mode} key, but profile ${name} (${choice.nameFrom}) is for ${profile.mode} keys`,
      {hint: 'name a profile of the same mode in REMIT_PROFILE, or set REMIT_BASE_URL to use no profile'},
    );
  if (profile !== undefined && mode !== profile.mode)
    throw new RemitError(
      'BAD_KEY',
      `profile ${name} is for ${profile.mode} keys, but its key is a ${mode} one (${keyFrom})`,
      {
        hint: `remit profiles remove ${name}, then remit profiles add ${name} --base-url ${profile.base_url}`,
      },
    );
  const isOwnUrl = profile !== undefined && choice.baseUrlFrom !== 'REMIT_BASE_URL';
  const tls = chooseTlsFiles(
    question.flag === undefined ? question.env : {},
    isOwnUrl ? {files: profile.tls ?? {}, from: `profile ${name}`} : undefined,
  );
  const {service, from: serviceFrom} = serviceOf(question, choice);
  return {
    name,
    baseUrl: choice.baseUrl,
    mode,
    key,
    get keyFingerprint() {
      return keyFingerprintOf(key);
    },
    masked: maskKey(key),
    caps: profile?.caps ?? {},
    readOnly: profile?.read_only ?? false,
    approveById: profile?.approve_by_id ?? false,
    approvalPolicy: profile?.approval_policy,
    approvalKey: profile?.approval_key,
    service,
    tls: tls.files,
    sources: {
      profile: choice.nameFrom,
      base_url: choice.baseUrlFrom,
      key: keyFrom,
      mode: 'prefix of the key',
      ...tls.sources,
      ...(serviceFrom === undefined ? {} : {service: serviceFrom}),
    },
    warnings: profile === undefined || choice.envKey ? [] : exposuresOf(profile, question.configDir),
  };
}

/** The service file of a choice, and where it comes from. */
export function serviceOf(
  {env, configDir}: Pick<ProfileQuestion, 'env' | 'configDir'>,
  {envKey, name, profile}: ProfileChoice,
): {service: ServiceFile; from: string | undefined} {
  const path = envKey ? env['REMIT_SERVICE_FILE'] : undefined;
  if (path) {
    const service = inUse(
      () => readServiceFile(path),
      () => `correct ${path}, or unset REMIT_SERVICE_FILE`,
    );
    return {service, from: `REMIT_SERVICE_FILE (${path})`};
  }
  const stored = profile?.service;
  if (stored === undefined || name === null) return {service: {}, from: undefined};
  return {service: storedService(stored, name, configPath(configDir)), from: `profile ${name}`};
}

function exposuresOf({key}: StoredProfile, dir: string): string[] {
  const warning = 'stored' in key ? configExposure(dir) : keyExposure(key);
  return warning === undefined ? [] : [warning];
}

const keyByProjectFile = ({name, from}: {name: string; from: string}): RemitError =>
  new RemitError(
    'GUARD_TARGET',
    `REMIT_API_KEY is set, and profile ${name} is named by ${from}: a project file must not decide where that key is sent`,
    {hint: `REMIT_PROFILE=${name} uses this key with that profile, --profile ${name} the key of the profile`},
  );

/** A stored profile by its name, or the default one. */
export function storedProfile(
  config: ConfigFile,
  name: string | undefined,
  dir: string,
): {name: string; profile: StoredProfile} {
  const chosen = name ?? config.default;
  if (chosen === undefined)
    throw new RemitError('NO_PROFILE', 'no profile is named, and none is the default', {
      hint: 'name one: remit profiles list shows them',
    });
  return {
    name: chosen,
    profile: findProfile(config, chosen, name === undefined ? 'stored default' : undefined, dir),
  };
}

function findProfile(config: ConfigFile, name: string, from: string | undefined, dir: string): StoredProfile {
  const profile = Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
  if (profile !== undefined) return profile;
  const known = Object.keys(config.profiles);
  throw new RemitError(
    'NO_PROFILE',
    `there is no profile "${name}"${from === undefined ? '' : ` (named by ${from})`} in ${configPath(dir)}`,
    {
      hint: known.length > 0 ? `one of: ${known.join(', ')}` : `remit profiles add ${name} --base-url URL`,
    },
  );
}

function nothingChosen(envKey: boolean, known: readonly string[]): RemitError {
  return envKey
    ? new RemitError('USAGE', 'REMIT_API_KEY is set, but there is no base URL to use it with', {
        hint: 'set REMIT_BASE_URL as well, or name a profile with --profile',
      })
    : new RemitError('NO_KEY', 'no profile is chosen and REMIT_API_KEY is not set', {
        hint:
          known.length > 0
            ? `name one with -p NAME, or make it the default with remit profiles use NAME: ${known.join(', ')}`
            : 'remit profiles add NAME --base-url URL, or try everything locally: remit sandbox start',
      });
}
