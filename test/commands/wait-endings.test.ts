import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {runCli} from '../cli/run-cli.ts';
import {answer, lost, type Reply} from '../client/transport/fake-transport.ts';
import {page, payin, PAYEE_ID, PAYER_ID, payout, PAYOUT_ID} from './fixtures.ts';

const CREATE = `payouts create --payee ${PAYEE_ID} --amount 125.00 --currency USD --auto-approve --wait`;
const failed = payout({
  status: 'failed',
  transfer_details: {failure: {code: 'R03', message: 'no account'}},
});

const run = (line: string, ...service: Reply[]) => runCli(line.split(' '), {service});

describe('a wait that ends badly', () => {
  const approved = answer(201, payout({status: 'approved'}));

  it('prints the id or the row on stdout anyway; the exit code shows how the wait ended', async () => {
    for (const [found, extra, exit] of [
      [failed, '', 9],
      [payout({status: 'canceled'}), '', 9],
      [payout({status: 'approved'}), ' --timeout 1s', 10],
    ] as const) {
      const id = await run(`${CREATE}${extra} -o id`, approved, answer(200, found));
      assert.deepEqual([id.exitCode, id.stdout], [exit, `${PAYOUT_ID}\n`]);
      const csv = await run(`${CREATE}${extra} -o csv --fields id,status`, approved, answer(200, found));
      assert.deepEqual([csv.exitCode, csv.stdout], [exit, `id,status\n${PAYOUT_ID},${found.status}\n`]);
      const json = await run(`${CREATE}${extra} --json`, approved, answer(200, found));
      assert.deepEqual([json.exitCode, json.stdout], [exit, '']);
    }
  });

  it('prints the id when a read ends the wait with an error', async () => {
    const refused = answer(401, {error_code: 'AUTHENTICATION_ERROR', message: 'revoked'});
    const id = await run(`${CREATE} -o id`, approved, refused);
    assert.deepEqual([id.exitCode, id.stdout], [3, `${PAYOUT_ID}\n`]);
    const json = await run(`${CREATE} --json`, approved, refused);
    assert.match(json.error().message, /401.*Before that, payout \S+ was created \(status: approved\)$/);
    assert.deepEqual(
      [json.error().details?.['id'], json.error().details?.['next'], json.error().retryable],
      [PAYOUT_ID, `remit payouts wait ${PAYOUT_ID}`, false],
    );
  });

  it('carries the idempotency key, and calls no repetition safe', async () => {
    const ran = await run(
      `${CREATE} --timeout 1s --json`,
      approved,
      answer(200, payout({status: 'approved'})),
    );
    assert.equal(ran.exitCode, 10);
    assert.equal(ran.error().details?.['idempotency_key'], '11111111-2222-4333-8444-555555555555');
    assert.equal(ran.error().retryable, false);
    assert.equal(ran.error().hint, `remit payouts wait ${PAYOUT_ID}`);
  });

  it('is preceded by a line on the terminal while the record cannot be read', async () => {
    const read = answer(200, payout({status: 'approved'}));
    const ran = await runCli(['payouts', 'wait', PAYOUT_ID, '--timeout', '5s', '--no-color'], {
      ...{service: (_, n) => (n === 2 ? answer(503, {message: 'no'}) : read), columns: 140},
    });
    const screens = ran.stderr.split('\r\u001b[K');
    const line = `payout ${PAYOUT_ID}: approved`;
    const unread = `${line}; cannot be read now, trying again: the service answered 503: no`;
    assert.deepEqual(screens.slice(screens.indexOf(unread) - 1, screens.indexOf(unread) + 2), [
      line,
      unread,
      line,
    ]);
  });

  it('calls the status the last known one if the last read failed', async () => {
    const ran = await runCli(['payouts', 'wait', PAYOUT_ID, '--timeout', '1s', '--json'], {
      service: (_, n) => (n < 2 ? answer(200, payout({status: 'approved'})) : lost('reset')),
    });
    assert.equal(ran.exitCode, 10);
    assert.match(ran.error().message, /: its last known status is approved; the last read failed: /);
    const seen = await run(`payouts wait ${PAYOUT_ID} --timeout 1s --json`, approved);
    assert.match(seen.error().message, /: its status is approved$/);
  });

  it('names the key of the service file for a status that it does not know, and doctor', async () => {
    const line = `payouts wait ${PAYOUT_ID} --timeout 1s --json`;
    const ran = await run(line, answer(200, payout({status: 'RETURNED'})));
    assert.equal(ran.exitCode, 10);
    assert.match(
      ran.error().message,
      /is RETURNED, which remit does not know; .* set statuses\.payouts\.RETURNED in the service file to one of created, .*failed$/,
    );
    assert.equal(
      ran.error().hint,
      `remit payouts wait ${PAYOUT_ID}; to find what differs at the service: remit doctor`,
    );
    const none = await run(line, answer(200, payout({status: undefined})));
    assert.match(
      none.error().message,
      /it has no status; .* set fields\.payouts\.status in the service file$/,
    );
  });

  it('warns of such a status when it is seen, and once', async () => {
    const [odd, settled] = [payout({status: 'QUEUED'}), payout({status: 'settled'})];
    const warned =
      /Warning: payout \S+ is QUEUED, which remit does not know; .* set statuses\.payouts\.QUEUED in the service file/g;
    const service = [odd, odd, payout({status: 'approved'}), odd, settled].map((one) => answer(200, one));
    const one = await run(`payouts wait ${PAYOUT_ID}`, ...service);
    assert.deepEqual([one.exitCode, one.stderr.match(warned)?.length], [0, 1], one.stderr);
    const other = `${PAYOUT_ID.slice(0, -1)}9`;
    const both = await runCli(['payouts', 'wait', PAYOUT_ID, other], {
      service: ({path}, n) => answer(200, {...(n < 3 ? odd : settled), id: path.split('/').at(-1)}),
    });
    assert.deepEqual([both.exitCode, both.stderr.match(warned)?.length], [0, 1], both.stderr);
    const meant = await run(`payouts wait ${PAYOUT_ID} --until QUEUED`, answer(200, odd));
    assert.doesNotMatch(meant.stderr, /does not know/);
    const created = await run(CREATE, answer(201, odd), answer(200, settled));
    assert.deepEqual([created.exitCode, created.stderr.match(warned)?.length], [0, 1], created.stderr);
  });

  it('hints at the payment methods of the party, not at the record that was just shown', async () => {
    const ran = await run(CREATE, approved, answer(200, failed));
    assert.match(ran.stderr, /is failed \(R03 no account\); it will not be settled/);
    assert.match(ran.stderr, new RegExp(`^Hint: remit payment-methods list --payee ${PAYEE_ID}$`, 'm'));
    assert.match(ran.stdout, /^Failure\tR03 no account$/m);
    const canceled = await run(CREATE, approved, answer(200, payout({status: 'canceled'})));
    assert.doesNotMatch(canceled.stderr, /^Hint:/m);
  });

  for (const [where, failure] of [
    ['its masked details', {payin_metadata: {failure: {code: 'R01', message: 'insufficient funds'}}}],
    ['its transfer details', {transfer_details: {failure: {code: 'R01', message: 'insufficient funds'}}}],
    ['plain fields', {failure_code: 'R01', failure_message: 'insufficient funds'}],
    ['one text', {failure_reason: 'R01 insufficient funds'}],
  ] as const)
    it(`shows code and text of a failed payin from ${where}`, async () => {
      const found = answer(200, payin({status: 'failed', ...failure}));
      const ran = await run(`payins wait ${PAYOUT_ID}`, found);
      assert.equal(ran.exitCode, 9);
      assert.match(ran.stderr, /is failed \(R01 insufficient funds\)/);
      assert.match(ran.stderr, new RegExp(`^Hint: remit payment-methods list --payer ${PAYER_ID}$`, 'm'));
      assert.match(ran.stdout, /R01.*insufficient funds|insufficient funds/s);
    });

  it('hints at the balance of the source after a failed account transfer', async () => {
    const record = {
      id: PAYOUT_ID,
      status: 'failed',
      source_account_id: PAYEE_ID,
      failure_reason: 'R01: no funds',
    };
    const ran = await run(`transfers wait ${PAYOUT_ID}`, page([record]));
    assert.equal(ran.exitCode, 9);
    assert.match(ran.stderr, /is failed \(R01: no funds\)/);
    assert.match(ran.stderr, new RegExp(`^Hint: remit treasury balance ${PAYEE_ID}$`, 'm'));
  });
});
