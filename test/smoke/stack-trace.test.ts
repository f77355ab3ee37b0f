import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'mocha';
import {PAYOUT_ID} from '../commands/fixtures.ts';
import {ROOT} from '../repo/tree.ts';
import {cleanEnv} from './spawn-cli.ts';

describe('the stack trace of an internal error', () => {
  const folder = mkdtempSync(join(tmpdir(), 'remit-stack-'));
  before(() => {
    for (const name of ['bin', 'package.json', '.oclif.manifest.json'])
      cpSync(join(ROOT, name), join(folder, name), {recursive: true});
    for (const name of ['remit.cjs', 'more.cjs', 'rest.cjs', 'commands.txt', 'frames.json.br'])
      cpSync(join(ROOT, 'dist', name), join(folder, 'dist', name));
    const file = join(folder, 'dist', 'remit.cjs');
    const code = readFileSync(file, 'latin1');
    const broken = code.replace('static summary="Show one payout"', 'static summary=null.broken');
    assert.notEqual(broken, code);
    writeFileSync(file, broken, 'latin1');
  });
  after(() => rmSync(folder, {recursive: true, force: true}));

  const run = (...flags: string[]) =>
    spawnSync(process.execPath, [join(folder, 'bin', 'run.cjs'), 'payouts', 'get', PAYOUT_ID, ...flags], {
      env: cleanEnv({REMIT_API_KEY: 'test_0123456789abcdef', REMIT_BASE_URL: 'http://127.0.0.1:9'}),
      encoding: 'utf8',
      timeout: 60_000,
    });

  it('names functions and files of the source with --debug, and shows no code', () => {
    const {status, stderr} = run('--debug');
    assert.equal(status, 1, stderr);
    assert.match(
      stderr,
      /^TypeError: Cannot read properties of null \(reading 'broken'\)\n {4}at .*\(src\/commands\/payouts\/get\.ts, remit\.cjs:\d+:\d+\)$/m,
    );
    assert.match(stderr, /^ {4}at (?:async )?main \(src\/cli\/core\/main\.ts, remit\.cjs:\d+:\d+\)$/m);
    assert.ok(
      stderr.split('\n').every((line) => line.length <= 300),
      stderr,
    );
  });

  it('is not shown without it', () => {
    const {status, stderr} = run();
    assert.equal(status, 1, stderr);
    assert.doesNotMatch(stderr, /^ {4}at /m);
  });

  it('has the frames of the bundle if their names cannot be read', () => {
    rmSync(join(folder, 'dist', 'frames.json.br'));
    assert.match(run('--debug').stderr, /^ {4}at .*\(remit\.cjs:\d+:\d+\)$/m);
  });
});
