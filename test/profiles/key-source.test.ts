import assert from 'node:assert/strict';
import {mkdtempSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import type {RemitError} from '../../src/errors.ts';
import {describeSource, readKey} from '../../src/profiles/key-source.ts';
import {modeOf} from '../../src/profiles/key.ts';
import {maskKey} from '../../src/sanitize/secret-shapes.ts';

const refused = (source: Parameters<typeof readKey>[0], says: RegExp, timeoutMs?: number) =>
  assert.rejects(readKey(source, timeoutMs === undefined ? {} : {timeoutMs}), (error: RemitError) => {
    assert.equal(error.code, 'BAD_KEY');
    assert.equal(error.exitCode, 3);
    assert.match(error.message, says);
    return true;
  });

describe('a key', () => {
  it('comes trimmed out of a file', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'remit-key-')), 'key');
    writeFileSync(path, ' test_aaaaaaaaaaaa\n');
    assert.equal(await readKey({file: path}), 'test_aaaaaaaaaaaa');
    writeFileSync(path, '\n');
    await refused({file: path}, /is empty/);
    await refused({file: `${path}.gone`}, /cannot be read: ENOENT/);
  });

  it('comes out of a file below the home folder, written with ~', async () => {
    const home = mkdtempSync(join(tmpdir(), 'remit-key-'));
    writeFileSync(join(home, 'key'), 'test_aaaaaaaaaaaa');
    const {HOME: before} = process.env;
    process.env['HOME'] = home;
    try {
      assert.equal(await readKey({file: '~/key'}), 'test_aaaaaaaaaaaa');
    } finally {
      process.env['HOME'] = before;
    }
  });

  it('comes trimmed out of a command, with pipes and quotes as in a shell', async () => {
    assert.equal(await readKey({command: "printf ' test_%s\\n' 'aaaa' | cat"}), 'test_aaaa');
  });

  it('does not come out of a command that fails, prints nothing or does not end', async () => {
    await refused({command: 'echo test_aaaaaaaaaaaa; exit 3'}, /ended with exit code 3/);
    await refused({command: 'true'}, /printed nothing/);
    const began = performance.now();
    await refused({command: 'sleep 30; echo late'}, /did not end within 0.2 s/, 200);
    assert.ok(performance.now() - began < 5000);
  });

  it('is not shown when it was written into its command', async () => {
    const source = {command: 'echo live_abcdefghijklmnop; exit 1'};
    assert.equal(describeSource(source), 'command "echo live_…mnop; exit 1"');
    await refused(source, /"echo live_…mnop; exit 1" ended/);
  });

  it('is masked so that it cannot be used', () => {
    assert.equal(maskKey('test_0123456789abcdef'), 'test_…cdef');
    assert.equal(maskKey('live_short'), 'live_…');
    assert.equal(maskKey('whatever-this-is'), '…s-is');
  });

  it('says its mode by its prefix', () => {
    assert.equal(modeOf('test_x', 'here'), 'test');
    assert.equal(modeOf('live_x', 'here'), 'live');
    for (const key of ['', 'test_', 'TEST_x', 'prod_x', ' test_x', 'test_x\n', 'test_é'])
      assert.throws(
        () => modeOf(key, 'here'),
        (error: RemitError) => error.code === 'BAD_KEY',
      );
  });
});
