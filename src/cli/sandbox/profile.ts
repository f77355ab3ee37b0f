import {checkBaseUrl} from '../../client/base-url.ts';
import type {LocalContext} from '../core/context.ts';
import {changeConfig} from '../profiles/store.ts';

export const PROFILE = 'sandbox';

/**
 * Points the profile `sandbox` to the running one, and makes it the default if there is none.
 * @returns false if a profile with that name has another base URL: it is the user's own and stays unchanged
 */
export async function writeProfile(
  local: LocalContext,
  running: {baseUrl: string; testKey: string},
): Promise<boolean> {
  let written = true;
  await changeConfig(local.configDir, (config) => {
    const old = config.profiles[PROFILE];
    if (old && checkBaseUrl(old.base_url).protocol !== 'http:') {
      written = false; // a sandbox uses plain http, so a profile with https is not one
      return config;
    }
    const profile = {
      ...old,
      base_url: running.baseUrl,
      key: {stored: running.testKey},
      mode: 'test',
    } as const;
    return {
      ...config,
      ...(config.default === undefined ? {default: PROFILE} : {}),
      profiles: {...config.profiles, [PROFILE]: profile},
    };
  });
  return written;
}
