import assert from 'node:assert/strict';
import {mkdtempSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {beforeEach, describe, it} from 'mocha';
import {normaliseBaseUrl} from '../../src/client/transport/base-url.ts';
import type {ErrorCode, RemitError} from '../../src/errors.ts';
import type {ConfigFile, StoredProfile} from '../../src/profiles/profile.ts';
import type {ProjectFile} from '../../src/profiles/project-file.ts';
import {resolveProfile, storedProfile} from '../../src/profiles/resolve.ts';

const KEYS = {a: 'test_aaaaaaaaaaaaaaaa', b: 'live_bbbbbbbbbbbbbbbb', env: 'test_eeeeeeeeeeeeeeee'};
const stored = (letter: 'a' | 'b', changes: Partial<StoredProfile> = {}): StoredProfile => ({
  base_url: `https://${letter}.example.com`,
  key: {stored: KEYS[letter]},
  mode: letter === 'a' ? 'test' : 'live',
  ...changes,
});
const CONFIG: ConfigFile = {version: 1, default: 'a', profiles: {a: stored('a'), b: stored('b')}};

describe('the active profile', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'remit-profiles-'));
  });

  const resolve = (
    facts: {
      flag?: string;
      env?: Record<string, string>;
      project?: Omit<ProjectFile, 'path'>;
      config?: ConfigFile;
    } = {},
  ) => {
    writeFileSync(join(dir, 'config.json'), JSON.stringify(facts.config ?? CONFIG));
    return resolveProfile({
      flag: facts.flag,
      env: facts.env ?? {},
      project: facts.project && {path: '/p/.remit.json', ...facts.project},
      configDir: dir,
      normaliseBaseUrl,
    });
  };
  const refused = async (facts: Parameters<typeof resolve>[0], code: ErrorCode, says: RegExp) => {
    await assert.rejects(resolve(facts), (error: RemitError) => {
      assert.equal(error.code, code);
      assert.match(error.message, says);
      assert.doesNotMatch(`${error.message} ${error.hint}`, /(test|live)_[a-z]{8}/, 'a key is shown');
      return true;
    });
  };

  it('is the stored default unless a flag or variable names another', async () => {
    const profile = await resolve();
    assert.equal(profile.name, 'a');
    assert.equal(profile.key, KEYS.a);
    assert.equal(profile.mode, 'test');
    assert.equal(profile.baseUrl, 'https://a.example.com');
    assert.equal(profile.masked, 'test_…aaaa');
    assert.match(profile.keyFingerprint, /^[0-9a-f]{16}$/);
    assert.deepEqual(profile.sources, {
      profile: 'stored default',
      base_url: 'profile a',
      key: 'stored in the profile',
      mode: 'prefix of the key',
    });
  });

  it('is named by flag, then environment, then project file, then the default', async () => {
    const config = {
      ...CONFIG,
      profiles: {...CONFIG.profiles, c: stored('a'), d: stored('a')},
    };
    const all = {flag: 'b', env: {REMIT_PROFILE: 'c'}, project: {profile: 'd'}, config};
    assert.equal((await resolve(all)).name, 'b');
    assert.equal((await resolve({env: all.env, project: all.project, config})).name, 'c');
    assert.equal((await resolve({project: all.project, config})).name, 'd');
    assert.equal((await resolve({config})).name, 'a');
  });

  it('takes an empty variable for unset', async () => {
    const env = {REMIT_PROFILE: '', REMIT_API_KEY: '', REMIT_BASE_URL: ''};
    assert.equal((await resolve({env})).name, 'a');
  });

  it('does not exist if the environment gives key and base URL', async () => {
    const env = {REMIT_API_KEY: KEYS.env, REMIT_BASE_URL: 'https://env.example.com/'};
    const profile = await resolve({env});
    assert.equal(profile.name, null);
    assert.equal(profile.baseUrl, 'https://env.example.com');
    assert.equal(profile.key, KEYS.env);
    assert.equal(profile.sources['key'], 'REMIT_API_KEY');
  });

  it('gives its base URL, caps and read-only to a key of the environment', async () => {
    const config = {...CONFIG, profiles: {a: stored('a', {read_only: true, caps: {max_batch_rows: 3}})}};
    const profile = await resolve({env: {REMIT_API_KEY: KEYS.env}, config});
    assert.equal(profile.name, 'a');
    assert.equal(profile.key, KEYS.env);
    assert.equal(profile.baseUrl, 'https://a.example.com');
    assert.equal(profile.readOnly, true);
    assert.deepEqual(profile.caps, {max_batch_rows: 3});
  });

  it('allows approving by id only if it is set, also with a key of the environment', async () => {
    const config = {...CONFIG, profiles: {...CONFIG.profiles, a: stored('a', {approve_by_id: true})}};
    const keys: Record<string, string>[] = [{}, {REMIT_API_KEY: KEYS.env}];
    for (const env of keys) assert.equal((await resolve({env, config})).approveById, true);
    assert.equal((await resolve({flag: 'b', config})).approveById, false);
    const none = {REMIT_API_KEY: KEYS.env, REMIT_BASE_URL: 'https://env.example.com'};
    assert.equal((await resolve({env: none, config})).approveById, false);
  });

  describe('with REMIT_API_KEY', () => {
    const env = {REMIT_API_KEY: KEYS.env};

    it('is never the one that a project file names', async () => {
      const guarded = {...CONFIG, profiles: {...CONFIG.profiles, a: stored('a', {read_only: true})}};
      await refused(
        {env, project: {profile: 'b'}, config: guarded},
        'GUARD_TARGET',
        /profile b .*\/p\/\.remit\.json/,
      );
      await refused({env, project: {profile: 'a'}}, 'GUARD_TARGET', /REMIT_API_KEY .*profile a/);
    });

    it('may be named in the environment anyway', async () => {
      const named = {env: {...env, REMIT_PROFILE: 'a'}, project: {profile: 'b'}};
      assert.equal((await resolve(named)).name, 'a');
      const own = await resolve({flag: 'b', env, project: {profile: 'a'}});
      assert.equal(own.key, KEYS.b);
    });

    it('needs the mode of that key', async () => {
      const live = {REMIT_API_KEY: 'live_eeeeeeeeeeeeeeee'};
      await refused(
        {env: live},
        'GUARD_TARGET',
        /REMIT_API_KEY is a live key, but profile a \(stored default\) is for test/,
      );
      await refused(
        {env: {...env, REMIT_PROFILE: 'b'}},
        'GUARD_TARGET',
        /test key, but profile b \(REMIT_PROFILE\) is for live/,
      );
      const elsewhere = {...live, REMIT_PROFILE: 'a', REMIT_BASE_URL: 'https://env.example.com'};
      await refused({env: elsewhere}, 'GUARD_TARGET', /live key, but profile a/);
    });

    it('keeps its guards when the environment names another base URL', async () => {
      const config = {...CONFIG, profiles: {a: stored('a', {read_only: true, caps: {max_batch_rows: 3}})}};
      const there = {...env, REMIT_PROFILE: 'a', REMIT_BASE_URL: 'https://env.example.com'};
      const profile = await resolve({env: there, config});
      assert.deepEqual(
        [profile.readOnly, profile.caps, profile.baseUrl],
        [true, {max_batch_rows: 3}, 'https://env.example.com'],
      );
    });
  });

  it('is used completely if the flag names it, whatever the environment contains', async () => {
    const env = {REMIT_API_KEY: KEYS.env, REMIT_BASE_URL: 'https://env.example.com'};
    const profile = await resolve({flag: 'b', env});
    assert.equal(profile.key, KEYS.b);
    assert.equal(profile.baseUrl, 'https://b.example.com');
  });

  it('never sends a stored key to a base URL of the environment', () =>
    refused(
      {env: {REMIT_BASE_URL: 'https://evil.example.com'}},
      'USAGE',
      /REMIT_BASE_URL needs REMIT_API_KEY/,
    ));

  it('has a key with a mode, or is refused', () =>
    refused(
      {env: {REMIT_API_KEY: 'sk_0123456789abcdef', REMIT_BASE_URL: 'https://env.example.com'}},
      'BAD_KEY',
      /neither test_ nor live_/,
    ));

  it('refuses a key that cannot be sent in a header', () =>
    refused(
      {env: {REMIT_API_KEY: 'test_aaaa\r\nx-evil: 1', REMIT_BASE_URL: 'https://env.example.com'}},
      'BAD_KEY',
      /not allowed in a header/,
    ));

  it('keeps the mode it was made with', () => {
    const config = {...CONFIG, profiles: {a: stored('a', {key: {stored: KEYS.b}})}};
    return refused({config}, 'BAD_KEY', /profile a is for test keys, but its key is a live one/);
  });

  it('is refused by name when it does not exist', () =>
    refused({flag: 'nope'}, 'NO_PROFILE', /no profile "nope" \(named by --profile\)/));

  it('is refused by its name if a command names it, with what to do instead', () => {
    const path = join(dir, 'config.json');
    assert.throws(() => storedProfile(CONFIG, 'nope', dir), {
      message: `there is no profile "nope" in ${path}`,
      hint: 'one of: a, b',
    });
    assert.throws(() => storedProfile({version: 1, profiles: {}}, 'nope', dir), {
      hint: 'remit profiles add nope --base-url URL',
    });
    assert.throws(() => storedProfile({...CONFIG, default: 'gone'}, undefined, dir), {
      message: `there is no profile "gone" (named by stored default) in ${path}`,
    });
    assert.throws(() => storedProfile({version: 1, profiles: {}}, undefined, dir), {
      code: 'NO_PROFILE',
      message: 'no profile is named, and none is the default',
    });
    assert.deepEqual(storedProfile(CONFIG, undefined, dir), {name: 'a', profile: CONFIG.profiles['a']});
  });

  it('is not an inherited name', () =>
    refused({flag: 'constructor'}, 'NO_PROFILE', /no profile "constructor"/));

  it('is needed', () => refused({config: {version: 1, profiles: {}}}, 'NO_KEY', /no profile is chosen/));

  it('is needed: where some are stored and none is the default, they are named', async () => {
    const {profiles} = CONFIG;
    await assert.rejects(resolve({config: {version: 1, profiles}}), {
      code: 'NO_KEY',
      hint: 'name one with -p NAME, or make it the default with remit profiles use NAME: a, b',
    });
  });

  it('is needed for its base URL when only a key is given', () =>
    refused({env: {REMIT_API_KEY: KEYS.env}, config: {version: 1, profiles: {}}}, 'USAGE', /no base URL/));

  it('is not sent anywhere over plain http', () =>
    refused(
      {env: {REMIT_API_KEY: KEYS.env, REMIT_BASE_URL: 'http://example.com'}},
      'GUARD_TARGET',
      /plain http/,
    ));
});
