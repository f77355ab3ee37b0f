import {checkBaseUrl} from '../../client/base-url.ts';
import type {LocalContext} from '../core/context.ts';
import {changeConfig} from '../profiles/store.ts';

export const PROFILE = 'sandbox';

/**
 * Makes the profile `sandbox` point to the running one, and the default where there is none.
 * @returns false when a profile of that name leads elsewhere: it is somebody's own and was left alone
 */
export async function writeProfile(
  local: LocalContext,
  running: {baseUrl: string; testKey: string},
): Promise<boolean> {
  let written = true;
  await changeConfig(local.configDir, (config) => {
    const old = config.profiles[PROFILE];
    if (old && checkBaseUrl(old.base_url).protocol !== 'http:') {
      written = false; // plain http leads to this machine only, so https is no sandbox of ours
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
