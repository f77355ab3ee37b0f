import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {BIN, cleanEnv, endOf} from './spawn-cli.ts';

/** Starts the built tool where no file may become larger than so many bytes; a write beyond is cut short there. */
function useWithin(blocks: number, dir: string) {
  const line = `trap '' XFSZ; ulimit -f ${blocks}; exec "$0" "$@"`;
  const argv = [process.execPath, BIN, 'profiles', 'use', 'b'];
  const env = cleanEnv({REMIT_CONFIG_DIR: dir, XDG_CACHE_HOME: join(dir, '..', 'no-cache')});
  return endOf(spawn('bash', ['-c', line, ...argv], {env, stdio: ['ignore', 'pipe', 'pipe']}));
}

describe('stored profiles on a disk that is full', () => {
  // conf writes a text that does not end where the limit is: it is indented, and so longer than its copy.
  for (const [what, blocks] of [
    ['before its copy is made', 2],
    ['while it is replaced', 5],
  ] as const)
    it(`stay as they were: ${what}`, async () => {
      const dir = join(mkdtempSync(join(tmpdir(), 'remit-full-')), 'config');
      mkdirSync(dir, {mode: 0o700});
      const stored = {base_url: 'http://localhost:4010', key: {stored: 'test_aaaaaaaaaaaa'}, mode: 'test'};
      const send = Object.fromEntries(Array.from({length: 125}, (_, n) => [`x-header-${n}`, 'a value']));
      const profiles = {a: stored, b: {...stored, service: {headers: {send}}}};
      const before = JSON.stringify({version: 1, default: 'a', profiles});
      writeFileSync(join(dir, 'config.json'), before, {mode: 0o600});
      const {code, stderr} = await useWithin(blocks, dir);
      assert.equal(code, 13, stderr);
      assert.match(stderr, /config\.json cannot be written/);
      assert.equal(readFileSync(join(dir, 'config.json'), 'utf8'), before);
      assert.deepEqual(readdirSync(dir), ['config.json']);
    });
});
