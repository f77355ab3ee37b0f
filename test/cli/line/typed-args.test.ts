import assert from 'node:assert/strict';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {answer} from '../../client/transport/fake-transport.ts';
import {runCli} from '../run-cli.ts';

/** Where oclif keeps what it has read from stdin; it is the same for all commands of a process. */
const shared = globalThis as {oclif?: {stdinCache?: string} | undefined};

describe('a missing argument', () => {
  let before: typeof shared.oclif;
  beforeEach(() => {
    before = shared.oclif;
    shared.oclif = {...before, stdinCache: 'from-stdin'};
  });
  afterEach(() => {
    shared.oclif = before;
  });

  for (const line of ['payouts get', 'profiles remove', 'explain'])
    it(`is not read from stdin: ${line}`, async () => {
      const ran = await runCli(line.split(' '));
      assert.equal(ran.exitCode, 2);
      assert.match(ran.stderr, /^Error: missing argument:/);
    });

  it('is not read from stdin if it is optional: the active profile is tested', async () => {
    const ran = await runCli(['profiles', 'test', '--json'], {service: () => answer(404, {})});
    assert.doesNotMatch(ran.stderr, /from-stdin/);
  });
});
