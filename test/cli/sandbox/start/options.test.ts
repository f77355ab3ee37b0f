import assert from 'node:assert/strict';
import {runCli} from '../../../cli/run-cli.ts';

const WARNING =
  /^Warning: other users of this machine can see the password after --store .* PGPASSWORD or ~\/\.pgpass/m;
/** Nothing listens there. */
const PLACE = '127.0.0.1:1/sandbox';

describe('sandbox start --store with a password', () => {
  for (const store of [
    `postgres://elm:hunter2hunter2@${PLACE}`,
    `postgres://elm@${PLACE}?password=hunter2hunter2`,
  ])
    it(`warns, names the variable, and never shows it: ${store.replace('hunter2hunter2', '…')}`, async () => {
      const ran = await runCli(['sandbox', 'start', '--port', '0', '--store', store]);
      assert.equal(ran.exitCode, 13, ran.stderr);
      assert.match(ran.stderr, WARNING);
      assert.match(
        ran.stderr,
        /Error: Could not open the database postgres:\/\/127\.0\.0\.1:1\/sandbox, schema/,
      );
      assert.doesNotMatch(ran.stdout + ran.stderr, /hunter2|a bug in remit/);
    });

  it('does not warn if the address comes on standard input, or has none', async () => {
    const stdin = `postgres://elm:hunter2hunter2@${PLACE}\n`;
    const piped = await runCli(['sandbox', 'start', '--port', '0', '--store', '-'], {stdin});
    const plain = await runCli(['sandbox', 'start', '--port', '0', '--store', `postgres://elm@${PLACE}`]);
    for (const {exitCode, stderr} of [piped, plain]) {
      assert.equal(exitCode, 13, stderr);
      assert.doesNotMatch(stderr, WARNING);
    }
  });

  it('is refused with an unknown sslmode, before anything is sent', async () => {
    const store = `postgres://elm@${PLACE}?sslmode=bogus`;
    const ran = await runCli(['sandbox', 'start', '--port', '0', '--store', store, '-o', 'json']);
    assert.deepEqual([ran.exitCode, ran.error().code], [2, 'USAGE'], ran.stderr);
    assert.match(ran.error().hint!, /^one of disable, allow, prefer, require, verify-ca, verify-full/);
  });
});
