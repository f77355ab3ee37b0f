import assert from 'node:assert/strict';
import {PassThrough} from 'node:stream';
import {describe, it} from 'mocha';
import {readStdin} from '../../../src/cli/runtime/stdin.ts';
import {Stop} from '../../../src/cli/runtime/stop.ts';
import {createPayout} from '../../commands/fixtures.ts';
import {runCli} from '../run-cli.ts';

const DATA = JSON.stringify({currency_code: 'USD'});

describe('reading stdin', () => {
  it('says on a terminal what is read and how it ends, and nothing in a pipe', async () => {
    for (const [line, what] of [
      [[...createPayout('k'), '--dry-run', '--data', '-'], 'JSON'],
      [['api', 'POST', '/x', '--dry-run', '--data', '-'], 'JSON'],
      [['webhooks', 'verify', '-', '--secret-file', '/nonexistent'], undefined],
      [['payouts', 'batch', 'plan', '-'], 'CSV'],
    ] as const) {
      const note = `Reading ${what} from the terminal; end with Ctrl-D\n`;
      const shown = await runCli(line, {columns: 80, stdin: DATA});
      assert.equal(shown.stderr.includes(note), what !== undefined, shown.stderr);
      const piped = await runCli(line, {stdin: DATA});
      assert.ok(!piped.stderr.includes('from the terminal'), piped.stderr);
    }
  });

  it('ends at the first Ctrl-C', async () => {
    const stop = new Stop(() => assert.fail('ended by a second signal'));
    const stdin = new PassThrough();
    const read = readStdin({stdin, stderr: process.stderr, stop}, 'JSON', 100);
    stop.receive('SIGINT');
    await assert.rejects(read, {code: 'INTERRUPTED', exitCode: 130});
    stop.release();
    assert.ok(stdin.destroyed);
  });
});
