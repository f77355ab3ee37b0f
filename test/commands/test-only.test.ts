import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {runCli} from '../cli/run-cli.ts';
import {answer} from '../client/transport/fake-transport.ts';
import {PAYEE_ID, PAYOUT_ID} from './fixtures.ts';

const CALLS = [
  `treasury simulate-credit ${PAYOUT_ID} --amount 10.00 --currency USD`,
  `payouts create --payee ${PAYEE_ID} --amount 10.00 --currency USD --subaccount ${PAYOUT_ID}`,
  `payins create --payer ${PAYEE_ID} --amount 10.00 --currency USD --subaccount ${PAYOUT_ID}`,
];

describe('what the interface document allows for test entities only', () => {
  for (const call of CALLS)
    it(`is refused with a live key before anything is sent: ${call.split(' ', 2).join(' ')}`, async () => {
      const env = {REMIT_API_KEY: 'live_0123456789abcdef', REMIT_BASE_URL: 'http://127.0.0.1:4010'};
      for (const more of [['--live', '--yes'], ['--dry-run']]) {
        const ran = await runCli([...call.split(' '), ...more], {env, service: () => answer(500, {})});
        assert.equal(ran.exitCode, 5, ran.stderr);
        assert.match(
          ran.stderr,
          /is for test entities only, and the active key is a live key; nothing was sent/,
        );
        assert.deepEqual(ran.requests, []);
      }
    });
});
