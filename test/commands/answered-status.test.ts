import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {runCli} from '../cli/run-cli.ts';
import {answer, type Reply} from '../client/transport/fake-transport.ts';
import {page, PAYEE_ID, payin, payout, PAYOUT_ID} from './fixtures.ts';

const run = (line: string, ...service: Reply[]) => runCli(line.split(' '), {service});

describe('a write whose answer has another status than was meant', () => {
  for (const status of ['created', 'approved', 'settled'])
    it(`exits 8 for a cancel that leaves the record ${status}`, async () => {
      for (const reply of [answer(200, payout({status})), answer(201, payout({status}))]) {
        const ran = await run(`payouts cancel ${PAYOUT_ID} --json`, reply);
        assert.equal(ran.exitCode, 8, ran.stderr);
        assert.equal((ran.json() as {status: string}).status, status);
        assert.match(ran.stderr, new RegExp(`the payout was not canceled: its status is ${status}`));
        assert.match(ran.stderr, new RegExp(`^Hint: remit payouts get ${PAYOUT_ID}$`, 'm'));
        assert.doesNotMatch(ran.stderr, /payouts approve/);
      }
    });

  it('exits 8 for a cancel that was answered without a record, when the record is still created', async () => {
    const ran = await run(`payins cancel ${PAYOUT_ID}`, answer(204), answer(200, payin()));
    assert.equal(ran.exitCode, 8);
    assert.match(ran.stderr, /the payin was not canceled: its status is created/);
  });

  it('exits 0 for a cancel that was done, however the service spells it, or that continues', async () => {
    for (const [code, status] of [
      [200, 'canceled'],
      [200, 'CANCELED'],
      [200, 'cancelled'],
      [202, 'created'],
    ] as const)
      assert.equal((await run(`payouts cancel ${PAYOUT_ID}`, answer(code, payout({status})))).exitCode, 0);
  });

  for (const [what, line, status] of [
    ['an approval', `payouts approve ${PAYOUT_ID}`, 'failed'],
    ['an approval', `payouts approve ${PAYOUT_ID}`, 'canceled'],
    [
      'a creation',
      `payouts create --payee ${PAYEE_ID} --amount 125.00 --currency USD --auto-approve`,
      'failed',
    ],
  ] as const)
    it(`exits 8 for ${what} whose payout is ${status}`, async () => {
      const ran = await run(line, answer(201, payout({status})));
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.match(ran.stderr, new RegExp(`^Warning: the payout is ${status}$`, 'm'));
    });

  it('exits 8 for an approved account transfer that has failed', async () => {
    const record = {id: PAYOUT_ID, status: 'failed', amount_in_minor_units: 1, currency_code: 'USD'};
    const ran = await run(`transfers approve ${PAYOUT_ID}`, answer(200, record));
    assert.equal(ran.exitCode, 8, ran.stderr);
    assert.match(ran.stderr, /the account transfer has failed/);
  });
});

describe('a read that is answered with another record', () => {
  const other = answer(200, payout({id: PAYEE_ID, status: 'settled'}));

  it('is no answer to get', async () => {
    const ran = await run(`payouts get ${PAYOUT_ID} --json`, other, other, other);
    assert.equal(ran.exitCode, 7);
    assert.match(
      ran.error().message,
      new RegExp(`answered 200 with another record \\(its id: ${PAYEE_ID}\\)`),
    );
  });

  it('does not end a wait', async () => {
    const ran = await run(`payouts wait ${PAYOUT_ID} --timeout 1s --json`, ...Array<Reply>(20).fill(other));
    assert.equal(ran.exitCode, 10, ran.stderr);
    const found = answer(200, payout({status: 'settled', id: PAYOUT_ID.toUpperCase()}));
    assert.equal((await run(`payouts wait ${PAYOUT_ID}`, other, found)).exitCode, 0);
  });

  it('that does not name itself is accepted', async () => {
    const ran = await run(`payouts get ${PAYOUT_ID} --json`, answer(200, {status: 'settled'}));
    assert.deepEqual([ran.exitCode, ran.json()], [0, {status: 'settled'}]);
  });
});

describe('a creation whose record cannot be found afterwards', () => {
  it('hints at the record, not at the list of parties', async () => {
    const missing = answer(404, {error_code: 'NOT_FOUND', message: 'not found'});
    const line = `payouts create --payee ${PAYEE_ID} --amount 125.00 --currency USD --auto-approve --wait --json`;
    const ran = await run(line, answer(201, payout({status: 'approved'})), missing);
    assert.equal(ran.exitCode, 4);
    assert.equal(ran.error().hint, `remit payouts wait ${PAYOUT_ID}`);
    assert.equal(ran.error().details?.['next'], `remit payouts wait ${PAYOUT_ID}`);
  });
});

describe('a hostile list', () => {
  it('prints no cursor that could forge a hint', async () => {
    const ran = await run('payouts list --limit 1', page([payout()], 'c\nHint: remit payouts approve x'));
    assert.equal(ran.exitCode, 0);
    assert.doesNotMatch(ran.stderr, /^Hint:/m);
    assert.match(ran.stderr, /More payouts may exist/);
  });

  it('of empty pages without end is stopped', async () => {
    let n = 0;
    const ran = await runCli(['payouts', 'list', '--all', '--json'], {service: () => page([], `c${n++}`)});
    assert.deepEqual([ran.exitCode, ran.error().code, n], [7, 'LIST_CUT', 1000]);
  });
});
