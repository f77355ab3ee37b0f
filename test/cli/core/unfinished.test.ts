import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {describe, it} from 'mocha';
import {EXIT} from '../../../src/errors.ts';

const ROOT = new URL('../../../', import.meta.url);
const PROGRAM = `
  import {start} from './src/cli/core/start.ts';
  const Waits = class { runToEnd() { return new Promise(() => {}); } };
  const ended = await start(['waits'], {root: '.', pjson: {name: 'remit', version: '0', oclif: {}}, commands: {waits: Waits}});
  process.exit(ended.exitCode);
`;

describe('a command that waits for something that can no longer happen', () => {
  it('ends as a bug, not with 0', () => {
    const args = ['--import', './bin/typescript.mjs', '--input-type=module', '--eval', PROGRAM];
    const {status, stdout, stderr} = spawnSync(process.execPath, args, {cwd: ROOT, encoding: 'utf8'});
    assert.match(stderr, /the command stopped before it was finished/);
    assert.deepEqual([status, stdout], [EXIT.BUG, '']);
  });
});
