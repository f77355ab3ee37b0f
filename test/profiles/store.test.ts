import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync, readdirSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import type {RemitError} from '../../src/errors.ts';
import type {ConfigFile, StoredProfile} from '../../src/profiles/profile.ts';
import {readConfig} from '../../src/profiles/config-file.ts';
import {editConfig} from '../../src/profiles/store.ts';
import {acquireLock} from '../../src/store/locks/lock.ts';

const profile: StoredProfile = {
  base_url: 'https://a.example.com',
  key: {stored: 'test_aaaaaaaaaaaa'},
  mode: 'test',
};
const takeLock = (path: string) => acquireLock(path, {purpose: 'a change of the profiles', brief: true});
const scratch = () => join(mkdtempSync(join(tmpdir(), 'remit-store-')), 'deep', 'config');
const modeBits = (path: string) => statSync(path).mode & 0o777;

describe('a change of the config file', () => {
  it('is written for the owner only', async () => {
    const dir = scratch();
    await editConfig(dir, takeLock, (config) => ({...config, profiles: {'my.dotted-name': profile}}));
    assert.equal(modeBits(dir), 0o700);
    assert.equal(modeBits(join(dir, 'config.json')), 0o600);
    assert.deepEqual(JSON.parse(readFileSync(join(dir, 'config.json'), 'utf8')), {
      version: 1,
      profiles: {'my.dotted-name': profile},
    });
  });

  it('tightens a file that others could read', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'remit-store-'));
    writeFileSync(join(dir, 'config.json'), '{"version":1,"profiles":{}}', {mode: 0o644});
    await editConfig(dir, takeLock, (config) => ({...config, profiles: {a: profile}}));
    assert.equal(modeBits(join(dir, 'config.json')), 0o600);
  });

  it('leaves nothing behind but the file', async () => {
    const dir = scratch();
    await editConfig(dir, takeLock, (config) => ({...config, profiles: {a: profile}}));
    assert.deepEqual(readdirSync(dir), ['config.json']);
  });

  it('puts the file back that a killed writer cut short', async () => {
    const dir = scratch();
    await editConfig(dir, takeLock, (config) => ({...config, profiles: {a: profile}}));
    const whole = readFileSync(join(dir, 'config.json'));
    writeFileSync(join(dir, 'config.json.former'), whole);
    writeFileSync(join(dir, 'config.json'), whole.subarray(0, 60));
    await editConfig(dir, takeLock, (config) => ({...config, default: 'a'}));
    assert.deepEqual(readConfig(dir), {version: 1, default: 'a', profiles: {a: profile}});
    assert.deepEqual(readdirSync(dir), ['config.json']);
  });

  it('replaces the file within a snap too', async () => {
    const dir = scratch();
    await editConfig(dir, takeLock, (config) => ({...config, profiles: {a: profile}}));
    const {ino} = statSync(join(dir, 'config.json'));
    process.env['SNAP'] = '/snap/code/1';
    try {
      await editConfig(dir, takeLock, (config) => ({...config, default: 'a'}));
      assert.equal(process.env['SNAP'], '/snap/code/1');
    } finally {
      delete process.env['SNAP'];
    }
    assert.notEqual(statSync(join(dir, 'config.json')).ino, ino);
    assert.equal(readConfig(dir).default, 'a');
  });

  it('tells of something else that changes the file, without its contents', async () => {
    const dir = scratch();
    await editConfig(dir, takeLock, (config) => ({...config, profiles: {a: profile}}));
    const editor = (config: ConfigFile): ConfigFile => {
      writeFileSync(join(dir, 'config.json'), '{"key": test_aaaaaaaaaaaa}');
      return config;
    };
    await assert.rejects(editConfig(dir, takeLock, editor), (error: RemitError) => {
      assert.equal(error.code, 'STATE_DAMAGED');
      assert.match(error.message, /config\.json is not JSON/);
      assert.doesNotMatch(error.message, /test_/);
      return true;
    });
    assert.equal(readFileSync(join(dir, 'config.json'), 'utf8'), '{"key": test_aaaaaaaaaaaa}');
  });

  it('removes what a killed writer left', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'remit-store-'));
    writeFileSync(join(dir, 'config.json.tmp-17643291230a1b2c'), 'half a key');
    writeFileSync(join(dir, '.config.json.4711.0123456789ab.tmp'), 'half a key'); // of an earlier version
    await editConfig(dir, takeLock, (config) => ({...config, profiles: {a: profile}}));
    assert.deepEqual(readdirSync(dir), ['config.json']);
  });

  it('sees what was stored last, so that many at once lose nothing', async () => {
    const dir = scratch();
    const names = Array.from({length: 8}, (_, index) => `p${index}`);
    const add = (name: string) =>
      editConfig(dir, takeLock, (config) => ({...config, profiles: {...config.profiles, [name]: profile}}));
    await Promise.all(names.map(add));
    assert.deepEqual(Object.keys(readConfig(dir).profiles).sort(), names);
  });

  it('writes nothing when it is refused', async () => {
    const dir = scratch();
    await editConfig(dir, takeLock, (config) => ({...config, profiles: {a: profile}}));
    const before = readFileSync(join(dir, 'config.json'), 'utf8');
    await assert.rejects(
      editConfig(dir, takeLock, () => {
        throw new TypeError('no');
      }),
      (error: RemitError) => error.code === 'STATE',
    );
    assert.equal(readFileSync(join(dir, 'config.json'), 'utf8'), before);
  });

  it('does not overwrite a damaged file', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'remit-store-'));
    writeFileSync(join(dir, 'config.json'), '{"version":1,');
    await assert.rejects(
      editConfig(dir, takeLock, (config) => config),
      (error: RemitError) => error.code === 'STATE_DAMAGED',
    );
    assert.equal(readFileSync(join(dir, 'config.json'), 'utf8'), '{"version":1,');
  });

  it('is refused if the file would become larger than one that is read', async () => {
    const dir = scratch();
    await editConfig(dir, takeLock, (config) => ({...config, profiles: {a: profile}}));
    const before = readConfig(dir);
    const names = Object.fromEntries(Array.from({length: 50_000}, (_, n) => [`x-header-${n}`, 'value']));
    await assert.rejects(
      editConfig(dir, takeLock, (config) => ({
        ...config,
        profiles: {...config.profiles, b: {...profile, service: {headers: {send: names}}}},
      })),
      (error) =>
        (error as RemitError).code === 'STATE' &&
        /would be larger than 1048576 bytes/.test((error as RemitError).message),
    );
    assert.deepEqual(readConfig(dir), before);
  });
});
