import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {ServiceFile} from '../../src/service/service-file.ts';
import {profiled} from '../cli/guard/profiled.ts';
import {runCli} from '../cli/run-cli.ts';
import {Desk} from './payouts/batch/desk.ts';
import {answer} from '../client/transport/fake-transport.ts';
import {PAYEE_ID, PAYOUT_ID} from './fixtures.ts';

const CALLS = [
  `treasury simulate-credit ${PAYOUT_ID} --amount 10.00 --currency USD`,
  `payouts create --payee ${PAYEE_ID} --amount 10.00 --currency USD --subaccount ${PAYOUT_ID}`,
  `payins create --payer ${PAYEE_ID} --amount 10.00 --currency USD --subaccount ${PAYOUT_ID}`,
  `api POST /api/treasury/accounts/${PAYOUT_ID}/simulate-inbound-credit`,
  `api POST /api/payouts --raw --data {"subaccount_id":"${PAYOUT_ID}"}`,
  `api POST /api/payins --data {"subaccount_id":"${PAYOUT_ID}"}`,
];

describe('what the interface document allows for test entities only', () => {
  for (const call of CALLS)
    it(`is refused with a live key before anything is sent: ${call.split(' ', 3).join(' ')}`, async () => {
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

  it('is refused if it is typed as the service has it', async () => {
    const service: ServiceFile = {
      routes: {
        'payouts.create': 'POST /v1/disbursements',
        'treasury.simulateInboundCredit': 'POST /v1/accounts/{account_id}/credit',
      },
      fields: {payouts: {subaccount_id: 'wallet'}},
    };
    const env = profiled({mode: 'live', service});
    for (const words of [
      ['/v1/disbursements', '--data', `{"wallet":"${PAYOUT_ID}"}`],
      [`/v1/accounts/${PAYOUT_ID}/credit`, '--raw'],
    ]) {
      const ran = await runCli(['api', 'POST', ...words, '--live', '--yes'], {env, service: []});
      assert.equal(ran.exitCode, 5, ran.stderr);
      assert.match(ran.stderr, /is for test entities only/);
    }
  });

  it('is refused in a batch, with its line, before anything is sent', async () => {
    const desk = new Desk();
    try {
      const file = `reference,payee_id,amount,currency_code,subaccount_id\nA-1,${PAYEE_ID},10.00,USD,\nA-2,${PAYEE_ID},20.00,USD,${PAYOUT_ID}\n`;
      writeFileSync(join(desk.folder, 'p.csv'), file);
      const flags = '--batch-id b --live --yes --confirm-count 2 --confirm-total USD=30.00';
      for (const line of [`run ./p.csv ${flags}`, 'resume b --live --yes'])
        for (const more of ['', ' --json']) {
          const ran = await desk.batch(line + more, {live: true});
          assert.equal(ran.exitCode, 5, ran.stderr);
          assert.match(
            ran.stderr.replaceAll(/\s+/g, ' '),
            /the subaccount of A-2 \(line 3 of p\.csv\) is for test entities only/,
          );
        }
      assert.equal(desk.service.requests.length, 0);
      const ran = await desk.batch('run ./p.csv --batch-id t --yes');
      assert.equal(ran.exitCode, 0, ran.stderr);
    } finally {
      desk.close();
    }
  });
});
