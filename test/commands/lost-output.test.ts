import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {BASE_URL, runCli, TEST_KEY} from '../cli/run-cli.ts';
import {answer, type Reply} from '../client/transport/fake-transport.ts';
import {METHOD_ID, PAYEE_ID, payout, PAYOUT_ID} from './fixtures.ts';

const KEY = '11111111-2222-4333-8444-555555555555';
const broken = (code: string) => Object.assign(new Error(`write ${code}`), {code});
const FULL = broken('ENOSPC');
const CLOSED = broken('EPIPE');

const run = (line: string, stdoutError: Error, ...service: Reply[]) =>
  runCli(line.split(' '), {service, stdoutError});

describe('a stdout that fails', () => {
  const create = `payouts create --payee ${PAYEE_ID} --amount 125.00 --currency USD`;
  const created = answer(201, payout());

  for (const [what, error] of [
    ['a full disk', FULL],
    ['a closed pipe', CLOSED],
  ] as const) {
    it(`ends a write that took effect with 13 and its id, status and key: ${what}`, async () => {
      for (const format of ['--json', '-o id', '-o csv', '']) {
        const ran = await run(`${create} ${format}`.trim(), error, created);
        assert.equal(ran.exitCode, 13, format);
        assert.match(
          ran.stderr,
          new RegExp(`Before that, payout ${PAYOUT_ID} was created \\(status: created\\)`),
        );
        assert.ok(ran.stderr.includes(`remit payouts get ${PAYOUT_ID}`));
        if (format !== '--json') continue;
        const {id, status, idempotency_key, next} = ran.error().details!;
        assert.deepEqual(
          [id, status, idempotency_key, next],
          [PAYOUT_ID, 'created', KEY, `remit payouts get ${PAYOUT_ID}`],
        );
        assert.equal(ran.error().retryable, false);
      }
    });
  }

  for (const [line, reply, done, next] of [
    [
      `payouts approve ${PAYOUT_ID}`,
      answer(200, payout({status: 'approved'})),
      'was approved',
      `payouts get ${PAYOUT_ID}`,
    ],
    [
      `payouts cancel ${PAYOUT_ID}`,
      answer(200, payout({status: 'canceled'})),
      'was canceled',
      `payouts get ${PAYOUT_ID}`,
    ],
    [
      `moves approve ${PAYOUT_ID}`,
      answer(201, {data: {id: PAYOUT_ID, status: 'SETTLED'}}),
      'was approved \\(status: SETTLED\\)',
      `moves get ${PAYOUT_ID}`,
    ],
    [
      `webhooks endpoints delete ${PAYOUT_ID}`,
      answer(204),
      'was deleted$',
      `webhooks endpoints get ${PAYOUT_ID}`,
    ],
    [
      `payment-methods delete ${METHOD_ID} --payee ${PAYEE_ID}`,
      answer(204),
      'was deleted',
      `payment-methods list --payee ${PAYEE_ID}`,
    ],
    [
      `moves create --source ${PAYEE_ID} --destination ${METHOD_ID} --amount 1.00 --currency USD`,
      answer(201, {id: PAYOUT_ID, status: 'created'}),
      'was created \\(status: CREATED\\)',
      `moves get ${PAYOUT_ID}`,
    ],
    [
      'payees create --name Acme',
      answer(201, {id: PAYEE_ID, name: 'Acme'}),
      `payee ${PAYEE_ID} was created`,
      `payees get ${PAYEE_ID}`,
    ],
    [
      'api POST /api/payees -d {"name":"A"}',
      answer(201, {id: PAYEE_ID}),
      'was accepted',
      'api GET /api/payees',
    ],
    [
      'api POST /api/other -d {"name":"A"} --raw',
      answer(201, {id: PAYEE_ID}),
      'was accepted',
      'api GET /api/other --raw',
    ],
  ] as const)
    it(`says what ${line.split(' ').slice(0, 2).join(' ')} did, and which command shows it`, async () => {
      const ran = await run(`${line} --json`, CLOSED, reply);
      assert.equal(ran.exitCode, 13);
      assert.match(ran.error().message, new RegExp(`Before that, (?:.* )?${done}`));
      assert.ok([PAYOUT_ID, METHOD_ID, PAYEE_ID].includes(String(ran.error().details?.['id'])));
      assert.equal(ran.error().details?.['next'], `remit ${next}`);
    });

  it('states the status that was read after an answer without a record', async () => {
    const moved = answer(200, {data: {id: PAYOUT_ID, status: 'SETTLED'}});
    const ran = await run(`moves approve ${PAYOUT_ID} --json`, CLOSED, answer(204), moved);
    assert.equal(ran.exitCode, 13);
    assert.match(ran.error().message, /was approved \(status: SETTLED\)/);
  });

  it('is no failure of a read when its reader leaves', async () => {
    const ran = await run(`payouts get ${PAYOUT_ID}`, CLOSED, answer(200, payout()));
    assert.deepEqual([ran.exitCode, ran.stderr], [0, '']);
    const full = await run(`payouts get ${PAYOUT_ID} --json`, FULL, answer(200, payout()));
    assert.deepEqual([full.exitCode, full.error().details], [13, null]);
  });

  it('names the profile in the command to continue with', async () => {
    const env = {REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL};
    const ran = await runCli(create.split(' '), {service: [created], stdoutError: FULL, env});
    assert.match(ran.stderr, new RegExp(`Hint: remit payouts get ${PAYOUT_ID}\n$`));
  });
});
