import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {answer, lost, type Reply} from '../../client/transport/fake-transport.ts';
import {PAYOUT_ID, payin, payout} from '../../commands/fixtures.ts';
import {runCli} from '../run-cli.ts';

const refused = answer(400, {error_code: 'VALIDATION_ERROR', message: 'wrong state'});
const run = (line: string, ...service: Reply[]) =>
  runCli([...line.split(' '), PAYOUT_ID, '--json'], {service});

describe('an approval or cancel that was done before', () => {
  for (const status of ['approved', 'initiated', 'debited', 'settled'])
    it(`is refused with that: ${status}`, async () => {
      const ran = await run('payouts approve', refused, answer(200, payout({status})));
      assert.deepEqual([ran.exitCode, ran.error().code], [5, 'VALIDATION_ERROR'], ran.stderr);
      assert.match(
        ran.error().message,
        new RegExp(`wrong state.* payout ${PAYOUT_ID} is already approved \\(status: ${status}\\)`, 'i'),
      );
      assert.match(ran.error().message, /Nothing was changed now$/);
      assert.equal(ran.error().hint, `remit payouts get ${PAYOUT_ID}`);
    });

  it('is refused with that: canceled', async () => {
    const ran = await run('payins cancel', refused, answer(200, payin({status: 'canceled'})));
    assert.match(ran.error().message, new RegExp(`Payin ${PAYOUT_ID} is already canceled\\. Nothing`));
  });

  it('is not claimed of a record with another status, or that cannot be read', async () => {
    for (const [line, reply] of [
      ['payouts approve', answer(200, payout({status: 'canceled'}))],
      ['payouts approve', answer(200, payout({status: 'failed'}))],
      ['payouts approve', answer(200, payout({status: 'created'}))],
      ['payouts cancel', answer(200, payout({status: 'settled'}))],
      ['payouts approve', answer(503)],
      ['payouts approve', lost()],
    ] as const) {
      const ran = await run(line, refused, reply);
      assert.deepEqual([ran.exitCode, ran.requests.length], [5, 2], ran.stderr);
      assert.doesNotMatch(ran.error().message, /already/);
    }
  });

  it('is not looked for after another refusal', async () => {
    const ran = await run('payouts approve', answer(403, {error_code: 'AUTHORIZATION_ERROR'}));
    assert.deepEqual([ran.exitCode, ran.requests.length], [3, 1], ran.stderr);
  });
});
