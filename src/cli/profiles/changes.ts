import {resolve} from 'node:path';
import {RemitError} from '../../errors.ts';
import {must, type JsonObject} from '../../narrow.ts';
import {profileDetails} from '../../output/views/profiles.ts';
import type {ConfigFile, StoredProfile, TlsFiles} from '../../profiles/profile.ts';
import {storedProfile} from '../../profiles/resolve.ts';
import type {ProfileSettings} from '../../profiles/settings.ts';
import {summariseProfile, type ProfileSummary} from '../../profiles/summary.ts';
import {readTlsFiles} from '../../profiles/tls-files.ts';
import type {ServiceFile} from '../../service/service-file.ts';
import type {LocalContext} from '../core/context.ts';
import type {FlagValues} from '../input/flags.ts';
import type {guardFlags, serviceFlags, tlsFlags} from './flags.ts';
import {readApprovalSettings} from './approval.ts';
import {readCaps, readService} from './options.ts';
import {changeConfig} from './store.ts';

/** The settings given by the flags of `profiles add` and `profiles set`. */
export function readSettings(
  flags: FlagValues<typeof guardFlags & typeof serviceFlags & typeof tlsFlags>,
  cwd: string,
  before: ServiceFile = {},
): ProfileSettings {
  const caps = readCaps(flags);
  const service = readService(flags, before);
  const tls = namedFiles(flags, cwd);
  return {
    ...(flags['read-only'] ? {read_only: true} : {}),
    ...(flags['approve-by-id'] ? {approve_by_id: true} : {}),
    ...readApprovalSettings(flags, cwd),
    ...(caps === undefined ? {} : {caps}),
    ...(service === undefined ? {} : {service}),
    ...(tls === undefined ? {} : {tls}),
  };
}

/** Absolute, since they are read from other folders later. They are checked here: a profile that cannot work is not stored. */
function namedFiles(flags: FlagValues<typeof tlsFlags>, cwd: string): TlsFiles | undefined {
  const {'ca-file': ca, 'client-cert': cert, 'client-key': key} = flags;
  if (ca === undefined && cert === undefined && key === undefined) return undefined;
  const files: TlsFiles = {
    ...(ca === undefined ? {} : {ca_file: resolve(cwd, ca)}),
    ...(cert === undefined ? {} : {client_cert: resolve(cwd, cert)}),
    ...(key === undefined ? {} : {client_key: resolve(cwd, key)}),
  };
  readTlsFiles(files);
  return files;
}

/** Changes one stored profile and shows it. `change` gets the current contents. */
export async function changeProfile(
  {out, configDir}: LocalContext,
  name: string,
  change: (profile: StoredProfile) => StoredProfile,
): Promise<ProfileSummary> {
  const config = await changeConfig(configDir, (stored) => {
    const {profile} = storedProfile(stored, name, configDir);
    return {...stored, profiles: {...stored.profiles, [name]: change(profile)}};
  });
  const shown = profileFacts(config, name);
  out.record(shown, profileDetails);
  return shown;
}

/** A stored profile as it is shown: with its caps and service file, without its key. */
export function profileFacts(config: ConfigFile, name: string) {
  const profile = must(config.profiles[name], 'profile that was looked up');
  const {caps = {}, service = {}, tls = {}, approval_policy, approval_key} = profile;
  return {
    ...summariseProfile(config, name, profile),
    ...(approval_policy === undefined ? {} : {approval_policy}),
    ...(approval_key === undefined ? {} : {approval_key}),
    ...{caps, service, tls},
  };
}

/** @throws RemitError USAGE if a command that changes a profile has nothing to change */
export function requireChange(flags: JsonObject, names: readonly string[], id: string): void {
  if (names.some((name) => flags[name] !== undefined && flags[name] !== false)) return;
  throw new RemitError('USAGE', 'nothing to change: name at least one setting', {hint: `remit ${id} --help`});
}
