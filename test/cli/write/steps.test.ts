import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {answer} from '../../client/transport/fake-transport.ts';
import {PAYEE_ID, payout} from '../../commands/fixtures.ts';
import {runCli} from '../run-cli.ts';

describe('the notice between the two requests of a create', () => {
  it('says what was compared, and announces no approval of an approved payout', async () => {
    const create = `payouts create --payee ${PAYEE_ID} --amount 125.00 --currency USD --scheduled-date 2030-01-02 --rail wire --metadata a=1 --auto-approve --idempotency-key k-1`;
    const record = (status: string) => payout({status, rail: 'WIRE', client_metadata: {a: '1'}});
    const ran = await runCli(create.split(' '), {
      service: [answer(200, record('approved')), answer(200, record('initiated'))],
      columns: 400,
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(
      ran.stderr,
      /exists \(status: approved\) and has the same payee, amount, currency and metadata\. It is approved already/,
    );
    assert.doesNotMatch(ran.stderr, /as requested|Its approval is sent/);
    const open = await runCli(create.split(' '), {
      service: [
        answer(201, {...record('created'), client_metadata: undefined}),
        answer(201, record('approved')),
      ],
      columns: 400,
    });
    assert.match(open.stderr, /has the same payee, amount and currency\. Its approval is sent now/);
  });
});
