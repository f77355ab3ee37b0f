import assert from 'node:assert/strict';
import {chownSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {runCli, scratch} from '../../cli/run-cli.ts';

/** A folder whose project file belongs to another user than this process, as far as remit asks. */
describe('in a folder with a .remit.json of another user', () => {
  const {geteuid} = process;
  let cwd: string;
  beforeEach(() => {
    cwd = join(scratch(), 'shared');
    mkdirSync(cwd);
    writeFileSync(join(cwd, '.remit.json'), '{"profile":"evil","output":"json"}');
    if (process.getuid?.() === 0) chownSync(join(cwd, '.remit.json'), 65_534, 65_534);
    process.geteuid = () => 4242;
  });
  afterEach(() => {
    process.geteuid = geteuid!;
  });
  const run = (line: string) => runCli(line.split(' '), {cwd, env: {REMIT_API_KEY: '', REMIT_BASE_URL: ''}});

  for (const line of [
    'help payouts',
    'help exit-codes',
    'completion bash',
    'explain KEY_REUSED',
    'profiles list',
  ])
    it(`\`${line}\`, which needs no profile, ignores it`, async () => {
      const ran = await run(line);
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.doesNotMatch(ran.stderr, /\.remit\.json/);
    });

  it('`sandbox status` ignores it', async () => {
    assert.doesNotMatch((await run('sandbox status')).stderr, /\.remit\.json/);
  });

  it('a command that would use its profile is refused', async () => {
    for (const line of ['payouts list', 'whoami']) {
      const ran = await run(line);
      assert.equal(ran.exitCode, 13, ran.stderr);
      assert.match(ran.stderr, /refused to use .*\.remit\.json: it belongs to another user/);
    }
  });
});
