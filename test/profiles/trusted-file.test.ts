import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {chmodSync, chownSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {beforeEach, describe, it} from 'mocha';
import type {RemitError} from '../../src/errors.ts';
import {configExposure, readConfig} from '../../src/profiles/config-file.ts';
import {keyExposure, readKey} from '../../src/profiles/key-source.ts';
import {profileName} from '../../src/profiles/profile-name.ts';
import {findProjectFile} from '../../src/profiles/project-file.ts';
import {asUser} from './as-user.ts';

const CONFIG = JSON.stringify({version: 1, profiles: {}});
const KEY = 'test_aaaaaaaaaaaa';
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

let dir: string;
const makeFolder = () => {
  dir = mkdtempSync(join(tmpdir(), 'remit-trust-'));
};
const put = (name: string, text: string, mode = 0o600) => {
  const path = join(dir, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};

const OWNER = /refused to use .* belongs to another user/;
const WRITABLE = /refused to use .*: other users can change/;
/** Reading matters too: a file that others may still read would be warned about next. */
const PRIVATE = /^chmod 600 /;
const UNWRITABLE = /^chmod go-w /;

/** Only root can give files away. */
const foreign = (
  name: string,
  text: string,
): [title: string, says: RegExp, hint: RegExp, loosen: () => void][] => [
  ['of another user', OWNER, /change its owner/, () => chownSync(put(name, text), NOBODY, NOBODY)],
  [
    'in a folder of another user',
    OWNER,
    /change its owner/,
    () => (put(name, text), chownSync(dir, NOBODY, NOBODY)),
  ],
];

/** The same rules hold for both files. */
const FILES: [what: string, name: string, text: string, read: () => unknown][] = [
  ['the config file', 'config.json', CONFIG, () => readConfig(dir)],
  ['a key file', 'key', KEY, () => readKey({file: join(dir, 'key')})],
];

for (const [what, name, text, read] of FILES)
  describe(`${what} that another user could have written`, () => {
    beforeEach(makeFolder);
    for (const [title, says, hint, loosen] of [
      ['writable by others', WRITABLE, PRIVATE, () => put(name, text, 0o602)],
      ['writable by its group', WRITABLE, PRIVATE, () => put(name, text, 0o660)],
      [
        'in a folder that others can write to',
        WRITABLE,
        UNWRITABLE,
        () => (put(name, text), chmodSync(dir, 0o777)),
      ],
      ...(isRoot ? foreign(name, text) : []),
    ] as const)
      it(`is refused: ${title}`, async () => {
        loosen();
        await assert.rejects(
          async () => read(),
          (error: RemitError) => {
            assert.equal(error.code, 'STATE');
            assert.equal(error.exitCode, 13);
            assert.match(error.message, says);
            assert.match(error.hint ?? '', hint);
            assert.ok(error.message.includes(dir), error.message);
            return true;
          },
        );
      });

    it('is read where only others can read it, or where a folder is sticky', async () => {
      put(name, text, 0o644);
      await read();
      chmodSync(dir, 0o1777);
      await read();
    });

    it('is refused if it is a pipe or a device', async () => {
      execFileSync('mkfifo', [join(dir, name)]);
      await assert.rejects(async () => read(), /is not a regular file/);
      const device = join(dir, 'device');
      mkdirSync(device);
      symlinkSync('/dev/zero', join(device, name));
      await assert.rejects(
        async () => (name === 'key' ? readKey({file: join(device, name)}) : readConfig(device)),
        /is not a regular file/,
      );
    });
  });

describe('a file with a key that others can read', () => {
  beforeEach(makeFolder);
  it('is warned about, with the command that corrects it', () => {
    const key = put('key', KEY, 0o640);
    put('config.json', CONFIG, 0o604);
    assert.match(
      keyExposure({file: key}) ?? '',
      /^other users can read the key file .*: chmod 600 \S+\/key$/,
    );
    assert.match(configExposure(dir) ?? '', /chmod 600 \S+\/config\.json$/);
    chmodSync(key, 0o600);
    chmodSync(join(dir, 'config.json'), 0o600);
    assert.deepEqual([keyExposure({file: key}), configExposure(dir)], [undefined, undefined]);
  });
});

describe('a project file in a folder above', () => {
  beforeEach(makeFolder);
  for (const [title, make] of [
    ['a pipe', (path: string) => void execFileSync('mkfifo', [path])],
    ['without an end', (path: string) => symlinkSync('/dev/zero', path)],
    ['a folder', (path: string) => mkdirSync(path)],
    ['larger than any project file', (path: string) => writeFileSync(path, ' '.repeat(1_100_000))],
  ] as const)
    it(`is refused at once when it is ${title}`, () => {
      make(join(dir, '.remit.json'));
      const below = join(dir, 'a', 'b');
      mkdirSync(below, {recursive: true});
      assert.throws(
        () => findProjectFile(below, undefined, {}),
        (error: RemitError) => error.code === 'STATE' && error.message.includes(join(dir, '.remit.json')),
      );
    });
});

describe('a project file of another user', () => {
  beforeEach(makeFolder);
  const nameOf = (folder: string, env: Record<string, string | undefined>) =>
    profileName({env, project: findProjectFile(folder, undefined, env)}, {default: 'mine'}, false);

  it('is refused, and ignored if the profile is named', () => {
    const path = put('.remit.json', '{"profile":"evil"}', 0o644);
    if (isRoot) chownSync(path, NOBODY, NOBODY);
    const below = join(dir, 'a');
    mkdirSync(below);
    asUser(4242, () => {
      assert.deepEqual(findProjectFile(below, undefined, {}), {path, isForeign: true});
      assert.throws(
        () => nameOf(below, {}),
        (error: RemitError) => {
          assert.deepEqual([error.code, error.exitCode], ['STATE', 13]);
          assert.ok(error.message.startsWith(`refused to use ${path}: it belongs to another user`));
          assert.match(error.hint ?? '', /--profile NAME/);
          return true;
        },
      );
      assert.equal(findProjectFile(below, 'prod', {}), undefined);
    });
  });

  it('is ignored if the environment chooses the profile, or needs none', () => {
    const path = put('.remit.json', '{"profile":"evil","output":"json"}', 0o644);
    if (isRoot) chownSync(path, NOBODY, NOBODY);
    const [key, url] = [{REMIT_API_KEY: KEY}, {REMIT_BASE_URL: 'https://api.example.com'}];
    asUser(4242, () => {
      for (const env of [{REMIT_PROFILE: 'p1'}, {...key, ...url}])
        assert.equal(findProjectFile(dir, undefined, env), undefined);
      for (const env of [{}, key, url, {REMIT_PROFILE: ''}, {...key, REMIT_BASE_URL: ''}])
        assert.throws(() => nameOf(dir, env), /belongs to another user/);
    });
  });

  it('is read if we are root, or it belongs to root or to us', () => {
    put('.remit.json', '{"profile":"mine"}', 0o664);
    assert.equal(findProjectFile(dir, undefined, {})?.profile, 'mine');
    asUser(0, () => assert.equal(findProjectFile(dir, undefined, {})?.profile, 'mine'));
    if (!isRoot) return;
    chownSync(join(dir, '.remit.json'), NOBODY, NOBODY);
    assert.equal(findProjectFile(dir, undefined, {})?.profile, 'mine');
    asUser(NOBODY, () => assert.equal(findProjectFile(dir, undefined, {})?.profile, 'mine'));
  });
});
