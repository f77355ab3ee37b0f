import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {payeeId} from '../../../batch/harness.ts';
import {Desk} from './desk.ts';

describe('payouts batch with payees by reference', () => {
  let desk: Desk;
  const ids = (lines: readonly string[]) =>
    writeFileSync(
      join(desk.folder, 'ids.csv'),
      `reference,payee_id,payment_method_id,verification\n${lines.join('\n')}\n`,
    );
  const bills = (lines: readonly string[], header = 'payee_reference') =>
    writeFileSync(
      join(desk.folder, 'b.csv'),
      `reference,${header},amount,currency_code\n${lines.join('\n')}\n`,
    );

  beforeEach(() => {
    desk = new Desk();
    ids([`ACME,${payeeId(1)},,verified`, `BYRON,${payeeId(2)},,verified`]);
    bills(['B-1,ACME,10.00,USD', 'B-2,BYRON,20.00,USD']);
  });
  afterEach(() => desk.close());

  it('plans the ids, and pays them', async () => {
    const plan = await desk.batch('plan ./b.csv --payees ./ids.csv --batch-id b');
    assert.match(plan.stdout, new RegExp(`20\\.00 USD to payee ${payeeId(2)}`));
    const ran = await desk.batch('run ./b.csv --payees ./ids.csv --batch-id b --yes');
    assert.equal(ran.exitCode, 0, ran.stderr);
    const paid = [...desk.service.byId.values()].map(({body}) => (body as {payee_id: string}).payee_id);
    assert.deepEqual(paid, [payeeId(1), payeeId(2)]);
  });

  it('does not pay again under another mapping: the row is refused or in conflict', async () => {
    await desk.batch('run ./b.csv --payees ./ids.csv --batch-id b --yes');
    ids([`ACME,${payeeId(3)},,verified`, `BYRON,${payeeId(2)},,verified`]);
    const same = await desk.batch('run ./b.csv --payees ./ids.csv --batch-id b --yes');
    assert.notEqual(same.exitCode, 0);
    assert.match(same.stderr, /B-1/);
    const other = await desk.batch('run ./b.csv --payees ./ids.csv --batch-id c --yes --json');
    const {conflict, already_paid: before} = other.json() as Summary;
    assert.deepEqual([conflict, before], [1, 1], other.stderr);
    assert.equal(desk.service.byId.size, 2);
  });

  for (const [count, words] of [
    [1, '1 payee in FILE was not verified when it was written: P-1. The service may refuse their payouts'],
    [8, '8 payees in FILE were not verified when it was written: P-1, P-2, P-3, P-4, P-5 and 3 more. The'],
  ] as const)
    it(`warns of ${count} whose accounts are not verified yet`, async () => {
      const pending = Array.from({length: count}, (_, n) => `P-${n + 1},${payeeId(n + 10)},,pending`);
      ids([`ACME,${payeeId(1)},,verified`, `BYRON,${payeeId(2)},,verified`, ...pending]);
      for (const command of ['plan ./b.csv', 'run ./b.csv --yes']) {
        const ran = await desk.batch(`${command} --payees ./ids.csv --batch-id b`);
        assert.equal(ran.exitCode, 0, ran.stderr);
        assert.ok(ran.stderr.includes(words.replace('FILE', join(desk.folder, 'ids.csv'))), ran.stderr);
        assert.match(ran.stderr, /verified: remit payees import FILE --wait/);
      }
    });

  it('names references without an id by line and column', async () => {
    bills(['B-1,ACME,10.00,USD', 'B-2,Byron,20.00,USD', 'B-3,,30.00,USD']);
    const ran = await desk.batch('plan ./b.csv --payees ./ids.csv');
    assert.equal(ran.exitCode, 5);
    assert.match(
      ran.stderr,
      /line 3.*column payee_reference: is not a reference in the file of ids.*found: Byron/,
    );
    assert.match(ran.stderr, /line 4.*column payee_reference: is empty; it must contain a reference/);
  });

  it('refuses rows of a payee whose account could not be verified, unless they name another one', async () => {
    ids([`ACME,${payeeId(1)},${payeeId(8)},failed`, `BYRON,${payeeId(2)},,pending`]);
    for (const command of ['plan ./b.csv', 'run ./b.csv --yes']) {
      const ran = await desk.batch(`${command} --payees ./ids.csv`);
      assert.equal(ran.exitCode, 5);
      assert.match(
        ran.stderr,
        /line 2.*column payee_reference: has an account that could not be verified, so the service would refuse the payout; import another account, or name a verified one in the column override_default_payment_method_id.*found: ACME/,
      );
      assert.doesNotMatch(ran.stderr, /line 3/);
    }
    const rest = await desk.batch('run ./b.csv --payees ./ids.csv --valid-only --yes');
    assert.equal(desk.service.byId.size, 1, rest.stderr);
    writeFileSync(
      join(desk.folder, 'c.csv'),
      `reference,payee_reference,amount,currency_code,override_default_payment_method_id\nB-3,ACME,10.00,USD,${payeeId(9)}\n`,
    );
    const named = await desk.batch('run ./c.csv --payees ./ids.csv --yes');
    assert.equal(named.exitCode, 0, named.stderr);
    assert.equal(desk.service.byId.size, 2);
  });

  it('says which flag reads the column, and which column the flag needs', async () => {
    const without = await desk.batch('plan ./b.csv');
    assert.match(without.stderr, /column payee_reference: is read with --payees FILE/);
    assert.match(without.stderr, /to pay by it, name the file that payees import wrote:\n.* --payees FILE/);
    assert.doesNotMatch(without.stderr, /has no column payee_id/);
    bills([`B-1,${payeeId(1)},10.00,USD`], 'payee_id');
    const other = await desk.batch('plan ./b.csv --payees ./ids.csv');
    assert.match(other.stderr, /has no column payee_reference/);
  });

  for (const [why, lines] of [
    ['line 3: reference ACME is repeated', [`ACME,${payeeId(1)},,`, `ACME,${payeeId(2)},,`]],
    ['line 2: the payee_id of ACME is not an id', ['ACME,7,,']],
    ['line 2 has no reference', [`,${payeeId(1)},,`]],
  ] as const)
    it(`refuses a file of ids in which ${why}`, async () => {
      ids(lines);
      const ran = await desk.batch('plan ./b.csv --payees ./ids.csv');
      assert.equal(ran.exitCode, 5);
      assert.match(ran.stderr, new RegExp(why));
    });

  it('writes failed rows with ids, so that they run without the file', async () => {
    desk.service.refuse = () => ({status: 422, error_code: 'INVALID_PAYMENT_DETAILS'});
    await desk.batch('run ./b.csv --payees ./ids.csv --batch-id b --yes');
    desk.service.refuse = () => undefined;
    const ran = await desk.batch('run ./b.failed.csv --yes');
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.equal(desk.service.byId.size, 2);
  });

  it('is --payers for payins', async () => {
    writeFileSync(join(desk.folder, 'ids.csv'), `reference,payer_id\nACME,${payeeId(5)}\n`);
    writeFileSync(
      join(desk.folder, 'in.csv'),
      'reference,payer_reference,amount,currency_code\nP-1,ACME,5.00,USD\n',
    );
    const ran = await desk.batch('run ./in.csv --payers ./ids.csv --yes', {topic: 'payins'});
    assert.equal(ran.exitCode, 0, ran.stderr);
  });
});
