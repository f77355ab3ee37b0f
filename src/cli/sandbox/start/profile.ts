import {checkBaseUrl} from '../../../client/transport/base-url.ts';
import {readConfig} from '../../../profiles/config-file.ts';
import type {ConfigFile, StoredProfile} from '../../../profiles/profile.ts';
import {withoutSettings} from '../../../profiles/settings.ts';
import type {ServiceFile} from '../../../service/service-file.ts';
import type {LocalContext} from '../../core/context.ts';
import {changeConfig} from '../../profiles/store.ts';
import {PROFILE} from '../recorded/place.ts';

interface Address {
  baseUrl: string;
  testKey: string;
  service?: ServiceFile | undefined;
}

/**
 * Points the profile `sandbox` to the running one, and makes it the default if there is none.
 * @returns false if a profile with that name has another base URL: it is the user's own and stays unchanged
 */
export async function writeProfile(
  {configDir}: Pick<LocalContext, 'configDir'>,
  running: Address,
): Promise<boolean> {
  const stored = readConfig(configDir);
  // A sandbox that starts again usually has the same address and key.
  if (JSON.stringify(pointedTo(stored, running)) === JSON.stringify(stored)) return !isForeign(stored);
  return !isForeign(await changeConfig(configDir, (config) => pointedTo(config, running)));
}

/** A sandbox uses plain http, so a profile with https is not one. */
function isForeign({profiles: {[PROFILE]: profile}}: ConfigFile): boolean {
  return profile !== undefined && checkBaseUrl(profile.base_url).protocol !== 'http:';
}

function pointedTo(config: ConfigFile, {baseUrl, testKey, service}: Address): ConfigFile {
  if (isForeign(config)) return config;
  const profile = {
    ...withoutService(config.profiles[PROFILE]),
    base_url: baseUrl,
    key: {stored: testKey},
    mode: 'test',
    ...(service === undefined ? {} : {service}),
  } as const;
  return {
    ...config,
    ...(config.default === undefined ? {default: PROFILE} : {}),
    profiles: {...config.profiles, [PROFILE]: profile},
  };
}

/** The profile without its service file: an earlier sandbox may have spoken in another way. */
const withoutService = (profile: StoredProfile | undefined): Partial<StoredProfile> =>
  profile === undefined ? {} : withoutSettings(profile, {service: true});
