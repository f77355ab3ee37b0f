import assert from 'node:assert/strict';
import {
  lstatSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import type {RemitError} from '../../src/errors.ts';
import type {StoredProfile} from '../../src/profiles/profile.ts';
import {readConfig} from '../../src/profiles/config-file.ts';
import {editConfig} from '../../src/profiles/store.ts';
import {syncFolder} from '../../src/store/files/folder.ts';
import {acquireLock} from '../../src/store/locks/lock.ts';

const profile: StoredProfile = {
  base_url: 'https://a.example.com',
  key: {stored: 'test_aaaaaaaaaaaa'},
  mode: 'test',
};
const files = {
  takeLock: (path: string) => acquireLock(path, {purpose: 'a change of the profiles', brief: true}),
  syncFolder,
};
const scratch = () => join(mkdtempSync(join(tmpdir(), 'remit-store-')), 'deep', 'config');
const modeBits = (path: string) => statSync(path).mode & 0o777;

describe('a change of the config file', () => {
  it('is written for the owner only', async () => {
    const dir = scratch();
    await editConfig(dir, files, (config) => ({...config, profiles: {'my.dotted-name': profile}}));
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
    await editConfig(dir, files, (config) => ({...config, profiles: {a: profile}}));
    assert.equal(modeBits(join(dir, 'config.json')), 0o600);
  });

  it('leaves nothing behind but the file', async () => {
    const dir = scratch();
    await editConfig(dir, files, (config) => ({...config, profiles: {a: profile}}));
    assert.deepEqual(readdirSync(dir), ['config.json']);
  });

  it('replaces a link, and leaves the file that it led to', async () => {
    const dir = scratch();
    await editConfig(dir, files, (config) => ({...config, profiles: {a: profile}}));
    const other = join(dir, '..', 'other.json');
    renameSync(join(dir, 'config.json'), other);
    symlinkSync(other, join(dir, 'config.json'));
    await editConfig(dir, files, (config) => ({...config, default: 'a'}));
    assert.ok(lstatSync(join(dir, 'config.json')).isFile());
    assert.deepEqual([readConfig(dir).default, readdirSync(dir)], ['a', ['config.json']]);
    assert.equal('default' in (JSON.parse(readFileSync(other, 'utf8')) as object), false);
  });

  it('removes what a killed writer left', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'remit-store-'));
    writeFileSync(join(dir, 'config.next.json.tmp-17643291230a1b2c'), 'half a key');
    writeFileSync(join(dir, 'config.next.json'), 'a key');
    writeFileSync(join(dir, '.config.json.4711.0123456789ab.tmp'), 'half a key'); // of an earlier version
    await editConfig(dir, files, (config) => ({...config, profiles: {a: profile}}));
    assert.deepEqual(readdirSync(dir), ['config.json']);
  });

  it('sees what was stored last, so that many at once lose nothing', async () => {
    const dir = scratch();
    const names = Array.from({length: 8}, (_, index) => `p${index}`);
    const add = (name: string) =>
      editConfig(dir, files, (config) => ({...config, profiles: {...config.profiles, [name]: profile}}));
    await Promise.all(names.map(add));
    assert.deepEqual(Object.keys(readConfig(dir).profiles).sort(), names);
  });

  it('writes nothing when it is refused', async () => {
    const dir = scratch();
    await editConfig(dir, files, (config) => ({...config, profiles: {a: profile}}));
    const before = readFileSync(join(dir, 'config.json'), 'utf8');
    await assert.rejects(
      editConfig(dir, files, () => {
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
      editConfig(dir, files, (config) => config),
      (error: RemitError) => error.code === 'STATE_DAMAGED',
    );
    assert.equal(readFileSync(join(dir, 'config.json'), 'utf8'), '{"version":1,');
  });

  it('is refused if the file would become larger than one that is read', async () => {
    const dir = scratch();
    await editConfig(dir, files, (config) => ({...config, profiles: {a: profile}}));
    const before = readConfig(dir);
    const names = Object.fromEntries(Array.from({length: 50_000}, (_, n) => [`x-header-${n}`, 'value']));
    await assert.rejects(
      editConfig(dir, files, (config) => ({
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
