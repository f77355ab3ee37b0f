import assert from 'node:assert/strict';
import {TestSandbox, assertRefused, type CallOptions} from '../harness.ts';

let nextKey = 0;
const newKey = () => `key-${++nextKey}`;

for (const kind of ['payout', 'payin'] as const)
  describe(`sandbox: Idempotency on create ${kind}`, () => {
    let at: TestSandbox;
    let party: string;
    const create = (body: object, options: CallOptions) =>
      kind === 'payout' ? at.payout(party, body, options) : at.payin(party, body, options);
    before(async () => {
      at = await TestSandbox.open();
      party = (await at.ready(kind === 'payout' ? 'payee' : 'payer')).id;
    });
    after(() => at.close());

    it('makes a new record for each create without a key', async () => {
      const [one, other] = [await create({}, {}), await create({}, {})];
      assert.deepEqual([one.status, other.status], [201, 201]);
      assert.notEqual(one.body.id, other.body.id);
    });

    it('answers 201 for a new key, 200 with the same record afterwards (rules 2 and 3)', async () => {
      const idempotencyKey = newKey();
      const first = await create({}, {idempotencyKey});
      const again = await create({}, {idempotencyKey});
      assert.deepEqual([first.status, again.status], [201, 200]);
      assert.deepEqual(again.body, first.body);
    });

    it('continues with approval when a created match is replayed with auto_approve (rule 4)', async () => {
      const idempotencyKey = newKey();
      const staged = await create({}, {idempotencyKey});
      const released = await create({auto_approve: true}, {idempotencyKey});
      assert.deepEqual(
        [released.status, released.body.id, released.body.status],
        [201, staged.body.id, 'initiated'],
      );
      const again = await create({auto_approve: true}, {idempotencyKey});
      assert.deepEqual([again.status, again.body.id, again.body.status], [200, staged.body.id, 'initiated']);
    });

    it('answers 409 for a canceled and for a failed match, whatever auto_approve says (rule 4)', async () => {
      const canceled = newKey();
      const {body} = await create({}, {idempotencyKey: canceled});
      await at.post(`/api/${kind}s/${body.id}/cancel`);
      const failed = newKey();
      const metadata = {'sandbox.scenario': 'fails_after_initiated'};
      const second = await create({auto_approve: true, metadata}, {idempotencyKey: failed});
      at.clock.pass(1500);
      assert.equal(await at.statusOf(kind, second.body.id as string), 'failed');
      for (const idempotencyKey of [canceled, failed])
        for (const auto_approve of [true, false])
          assertRefused(await create({auto_approve}, {idempotencyKey}), 409, 'IDEMPOTENCY_KEY_CONFLICT');
    });

    it('answers with the first record to another body with the same key (assumption 47)', async () => {
      const idempotencyKey = newKey();
      const first = await create({}, {idempotencyKey});
      const other = await create({amount_in_minor_units: 99}, {idempotencyKey});
      assert.deepEqual([other.status, other.body], [200, first.body]);
    });

    it('answers with the first record to a create that would be refused with a new key', async () => {
      const idempotencyKey = newKey();
      const first = await create({}, {idempotencyKey});
      const refused = {currency_code: 'EUR'};
      assertRefused(await create(refused, {idempotencyKey: newKey()}), 400, 'VALIDATION_ERROR');
      const again = await create(refused, {idempotencyKey});
      assert.deepEqual([again.status, again.body], [200, first.body]);
    });

    it('keeps no key for a create that was refused', async () => {
      const idempotencyKey = newKey();
      assertRefused(await create({currency_code: 'EUR'}, {idempotencyKey}), 400, 'VALIDATION_ERROR');
      assert.equal((await create({}, {idempotencyKey})).status, 201);
    });

    it('creates one record for fifty simultaneous creates with one key (assumption 48)', async () => {
      const idempotencyKey = newKey();
      const answers = await Promise.all(
        Array.from({length: 50}, (_, n) => create({auto_approve: n % 2 === 0}, {idempotencyKey})),
      );
      assert.equal(new Set(answers.map(({body}) => body.id as string)).size, 1);
      const created = answers.filter(({status}) => status === 201);
      assert.ok(created.length >= 1 && created.length <= 2); // the create, and the first replay that approved it
    });

    it('takes 1 to 255 visible ASCII characters (assumption 45)', async () => {
      assert.equal((await create({}, {idempotencyKey: `!${'~'.repeat(254)}`})).status, 201);
      for (const key of ['', 'a b', 'x'.repeat(256), 'é', 'a, b'])
        assertRefused(
          await create({}, {headers: {'idempotency-key': key}}),
          400,
          'VALIDATION_ERROR',
          'Idempotency-Key',
        );
    });
  });

describe('sandbox: idempotency switches', () => {
  it('keeps keys of payins and payouts apart (assumption 49)', async () => {
    const at = await TestSandbox.open();
    const [payee, payer] = [await at.ready('payee'), await at.ready('payer')];
    const [payout, payin] = [
      await at.payout(payee.id, {}, {idempotencyKey: 'one'}),
      await at.payin(payer.id, {}, {idempotencyKey: 'one'}),
    ];
    assert.deepEqual([payout.status, payin.status], [201, 201]);
    await at.close();
  });

  it('answers 409 to another body under strictIdempotency, but lets auto_approve differ', async () => {
    const at = await TestSandbox.open({strictIdempotency: true});
    const {id} = await at.ready('payee');
    const key = {idempotencyKey: 'strict'};
    const metadata = {a: '1', b: '2'};
    assert.equal((await at.payout(id, {metadata}, key)).status, 201);
    assertRefused(await at.payout(id, {metadata, rail: 'wire'}, key), 409, 'IDEMPOTENCY_KEY_CONFLICT');
    assert.equal((await at.payout(id, {metadata: {b: '2', a: '1'}}, key)).status, 200);
    const released = await at.payout(id, {payout_metadata: metadata, auto_approve: true}, key);
    assert.deepEqual([released.status, released.body.status], [201, 'initiated']);
    await at.close();
  });

  it('answers 409 to another auto_approve under strictAutoApprove', async () => {
    const at = await TestSandbox.open({strictAutoApprove: true});
    const {id} = await at.ready('payee');
    const key = {idempotencyKey: 'stricter'};
    const {body: record} = await at.payout(id, {}, key);
    assert.equal((await at.payout(id, {}, key)).status, 200);
    assertRefused(await at.payout(id, {auto_approve: true}, key), 409, 'IDEMPOTENCY_KEY_CONFLICT');
    assertRefused(await at.payout(id, {rail: 'wire'}, key), 409, 'IDEMPOTENCY_KEY_CONFLICT');
    assert.equal((await at.payout(id, {}, key)).body.status, 'created');
    assert.equal((await at.call('POST', `/api/payouts/${record.id}/approve`, {body: {}})).status, 200);
    await at.close();
  });

  it('forgets a key after idempotencyTtlMs, and not before', async () => {
    const at = await TestSandbox.open({idempotencyTtlMs: 60_000});
    const {id} = await at.ready('payee');
    const key = {idempotencyKey: 'short-lived'};
    const first = await at.payout(id, {}, key);
    at.clock.pass(59_999);
    assert.equal((await at.payout(id, {}, key)).body.id, first.body.id);
    at.clock.pass(1);
    const second = await at.payout(id, {}, key);
    assert.equal(second.status, 201);
    assert.notEqual(second.body.id, first.body.id);
    await at.close();
  });

  it('remembers keys after a restart', async () => {
    const at = await TestSandbox.open();
    const {id} = await at.ready('payee');
    const first = await at.payout(id, {}, {idempotencyKey: 'kept'});
    await at.reopen();
    const again = await at.payout(id, {}, {idempotencyKey: 'kept'});
    assert.deepEqual([again.status, again.body], [200, first.body]);
    await at.close();
  });
});
