import assert from 'node:assert/strict';
import {runCli} from '../run-cli.ts';

/** A defect of remit's own, thrown in the midst of a command. */
const broken = () => {
  throw new TypeError('cannot read \u001b[2Jthis');
};

describe('a defect in remit', () => {
  it('ends with exit code 1, says that it is ours, and asks for a report', async () => {
    const {exitCode, stdout, stderr} = await runCli(['payouts', 'list'], {service: broken});
    assert.deepEqual([exitCode, stdout], [1, '']);
    assert.match(stderr, /a bug in remit/);
    assert.match(stderr, /--debug/);
    assert.ok(!stderr.includes('\u001b'), 'nothing of the message reaches the terminal unfiltered');
    assert.ok(!stderr.includes('bug.test.ts'), 'no stack unless it is asked for');
  });

  it('is one JSON line under -o json', async () => {
    const ended = await runCli(['payouts', 'list', '-o', 'json'], {service: broken});
    assert.deepEqual([ended.exitCode, ended.stdout], [1, '']);
    const {code, exit_code: exit, retryable} = ended.error();
    assert.deepEqual([code, exit, retryable], ['BUG', 1, false]);
  });

  it('shows where it happened with --debug', async () => {
    const {exitCode, stderr} = await runCli(['payouts', 'list', '--debug'], {service: broken});
    assert.equal(exitCode, 1);
    assert.match(stderr, /at .*bug\.test\.ts/);
  });
});
