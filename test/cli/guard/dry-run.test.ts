import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {answer} from '../../client/transport/fake-transport.ts';
import {PAYEE_ID, payout, PAYOUT_ID} from '../../commands/fixtures.ts';
import {LIVE_KEY, runCli} from '../run-cli.ts';
import {profiled} from './profiled.ts';

const caps = {max_amount_minor: {USD: 20_000}};
const create = (amount: string) =>
  `payouts create --payee ${PAYEE_ID} --amount ${amount} --currency USD --dry-run --json`.split(' ');
const service = () => answer(200, payout({amount_in_minor_units: 90_000, amount_in_cents: 90_000}));

describe('--dry-run under a cap', () => {
  for (const mode of ['test', 'live'] as const)
    for (const [title, words, reads] of [
      ['a create', create('900.00'), 0],
      ['an approval, whose record is read', `payouts approve ${PAYOUT_ID} --dry-run --json`.split(' '), 1],
      [
        'a move',
        `moves create --source ${PAYEE_ID} --destination ${PAYOUT_ID} --amount 900.00 --currency USD --dry-run --json`.split(
          ' ',
        ),
        0,
      ],
      [
        'a typed request',
        [
          ...['api', 'POST', '/api/payouts', '--dry-run', '--json', '--data'],
          '{"amount_in_minor_units":90000,"currency_code":"USD"}',
        ],
        0,
      ],
    ] as const)
      it(`refuses ${title} with a ${mode} key, and shows no request`, async () => {
        const ran = await runCli(words, {env: profiled({mode, caps}), service});
        assert.equal(ran.exitCode, 11, ran.stderr);
        assert.equal(ran.error().code, 'GUARD_CAP');
        assert.match(ran.error().message, /\(dry run\): 900\.00 USD .* is above the cap of 200\.00 USD/);
        assert.equal(ran.stdout, '');
        assert.deepEqual(
          ran.requests.map(({method}) => method),
          Array.from({length: reads}, () => 'GET'),
        );
      });

  it('shows a request within it, and reads nothing without a cap or for a cancellation', async () => {
    const within = await runCli(create('100.00'), {env: profiled({caps}), service});
    assert.deepEqual([within.exitCode, within.requests.length], [0, 0], within.stderr);
    for (const words of [
      `payouts cancel ${PAYOUT_ID} --dry-run --json`,
      `payouts approve ${PAYOUT_ID} --dry-run --json`,
    ]) {
      const env = profiled(words.includes('cancel') ? {caps} : {mode: 'live'});
      const ran = await runCli(words.split(' '), {env, service});
      assert.deepEqual([ran.exitCode, ran.requests.length], [0, 0], ran.stderr);
    }
  });
});

describe('--dry-run of a read-only profile', () => {
  for (const mode of ['test', 'live'] as const)
    for (const [what, words] of [
      ['create a payout', create('100.00')],
      ['create a payout', [...create('100.00'), '--curl']],
      ['approve the payout', `payouts approve ${PAYOUT_ID} --dry-run --json`.split(' ')],
      ['cancel the payout', `payouts cancel ${PAYOUT_ID} --dry-run --json`.split(' ')],
      ['create a payee', 'payees create --name Acme --dry-run --json'.split(' ')],
      ['DELETE /api/payees', 'api DELETE /api/payees --dry-run --curl --json'.split(' ')],
    ] as const)
      it(`refuses to ${what} with a ${mode} key: ${words.join(' ')}`, async () => {
        const ran = await runCli(words, {env: profiled({mode, caps, read_only: true}), service});
        assert.deepEqual([ran.exitCode, ran.stdout, ran.requests], [11, '', []], ran.stderr);
        assert.equal(ran.error().code, 'GUARD_READ_ONLY');
        assert.match(
          ran.error().message,
          new RegExp(`^refused to ${what}.* \\(dry run\\): profile \\S+ is read-only$`),
        );
      });

  it('shows a request that reads', async () => {
    const words = 'api GET /api/payouts --dry-run --curl --json'.split(' ');
    const ran = await runCli(words, {env: profiled({read_only: true})});
    assert.deepEqual([ran.exitCode, ran.requests], [0, []], ran.stderr);
  });
});

describe('--curl with a live key', () => {
  it('says in a comment that the key is live, and does not contain it', async () => {
    const ran = await runCli([...create('100.00'), '--curl'], {env: profiled({mode: 'live'})});
    const {curl} = ran.json() as {curl: string};
    assert.match(curl, /^# LIVE: .* may move real money\ncurl -sS -X POST/);
    assert.match(curl, /-H 'x-api-key: '"\$REMIT_API_KEY"/);
    assert.ok(!ran.stdout.includes(LIVE_KEY) && !ran.stderr.includes(LIVE_KEY));
    const other = await runCli([...create('100.00'), '--curl'], {env: profiled()});
    assert.doesNotMatch((other.json() as {curl: string}).curl, /LIVE/);
  });

  it('does not say that a GET changes anything', async () => {
    const words = ['api', 'GET', '/api/payouts', '--dry-run', '--curl', '--json'];
    const ran = await runCli(words, {env: profiled({mode: 'live'})});
    assert.match(
      (ran.json() as {curl: string}).curl,
      /^# LIVE: with a live key, this reads real records\ncurl/,
    );
  });
});
