import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {StoredProfile} from '../../../src/profiles/profile.ts';
import {BASE_URL, LIVE_KEY, scratch, TEST_KEY} from '../run-cli.ts';

/** A home with one profile, the default, in its config file: what `env` of a run needs. */
export function profiled(changes: Partial<StoredProfile> = {}): {HOME: string} {
  const home = scratch();
  const folder = join(home, '.config', 'remit');
  mkdirSync(folder, {recursive: true, mode: 0o700});
  const mode = changes.mode ?? 'test';
  const profile: StoredProfile = {
    base_url: BASE_URL,
    key: {stored: mode === 'live' ? LIVE_KEY : TEST_KEY},
    mode,
    ...changes,
  };
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({version: 1, default: 'p', profiles: {p: profile}}),
    {mode: 0o600},
  );
  return {HOME: home};
}
