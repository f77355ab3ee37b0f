import {checkBaseUrl} from '../../client/transport/base-url.ts';
import type {StoredProfile} from '../../profiles/profile.ts';
import {withoutSettings} from '../../profiles/settings.ts';
import type {ServiceFile} from '../../service/service-file.ts';
import type {LocalContext} from '../core/context.ts';
import {changeConfig} from '../profiles/store.ts';

export const PROFILE = 'sandbox';

/**
 * Points the profile `sandbox` to the running one, and makes it the default if there is none.
 * @returns false if a profile with that name has another base URL: it is the user's own and stays unchanged
 */
export async function writeProfile(
  local: LocalContext,
  running: {baseUrl: string; testKey: string; service?: ServiceFile | undefined},
): Promise<boolean> {
  let written = true;
  await changeConfig(local.configDir, (config) => {
    const old = config.profiles[PROFILE];
    if (old && checkBaseUrl(old.base_url).protocol !== 'http:') {
      written = false; // a sandbox uses plain http, so a profile with https is not one
      return config;
    }
    const profile = {
      ...withoutService(old),
      base_url: running.baseUrl,
      key: {stored: running.testKey},
      mode: 'test',
      ...(running.service === undefined ? {} : {service: running.service}),
    } as const;
    return {
      ...config,
      ...(config.default === undefined ? {default: PROFILE} : {}),
      profiles: {...config.profiles, [PROFILE]: profile},
    };
  });
  return written;
}

/** Of a sandbox that may have spoken in another way. */
const withoutService = (profile: StoredProfile | undefined): Partial<StoredProfile> =>
  profile === undefined ? {} : withoutSettings(profile, {service: true});
