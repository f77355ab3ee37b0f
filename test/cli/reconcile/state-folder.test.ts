import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {runCli} from '../run-cli.ts';

describe('reconcile', () => {
  for (const words of [
    ['reconcile', '--account', 'a0000000-0000-4000-8000-000000000001'],
    ['reconcile', 'statements'],
    ['reconcile', 'forget', 'S1', '--note', 'wrong'],
    ...['confirm', 'ignore', 'reject'].map((verb) => ['reconcile', verb, 'L1', '--note', 'checked']),
  ])
    it(`refuses a database of a team, which it would not read: ${words.slice(0, 2).join(' ')}`, async () => {
      const {exitCode, stderr, requests} = await runCli([
        ...words,
        '--state',
        'postgres://db.example/payments',
      ]);
      assert.equal(exitCode, 2);
      assert.match(stderr, /^Error: unknown flag --state$/m);
      assert.deepEqual(requests, []);
    });
});
