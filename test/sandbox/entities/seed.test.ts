import assert from 'node:assert/strict';
import {TestSandbox} from '../harness.ts';

describe('sandbox seed', () => {
  let at: TestSandbox;
  before(async () => {
    at = await TestSandbox.open();
  });
  after(() => at.close());

  it('makes payees and payers that can be paid and debited at once', async () => {
    const {payees, payers} = await at.sandbox.seed({payees: 3, payers: 2});
    assert.deepEqual([payees.length, payers.length], [3, 2]);
    const payout = await at.payout(payees[2]!.id, {auto_approve: true});
    assert.deepEqual([payout.status, payout.body.payout_metadata.payee.name], [201, payees[2]!.name]);
    assert.equal(payout.body.payout_metadata.payment_method.id, payees[2]!.payment_method_id);
    assert.equal((await at.payin(payers[1]!.id, {auto_approve: true})).status, 201);
  });

  it('shows them like any others', async () => {
    const {payees} = await at.sandbox.seed({payees: 1, payers: 0, seed: 'shown'});
    assert.equal((await at.get(`/api/payees/${payees[0]!.id}`)).body.name, payees[0]!.name);
    const {body} = await at.get(`/api/payees/${payees[0]!.id}/payment-methods`);
    assert.deepEqual([body.data[0].id, body.data[0].is_default], [payees[0]!.payment_method_id, true]);
  });

  it('gives the same ids for the same seed on any day, and changes nothing the second time', async () => {
    const first = await at.sandbox.seed({payees: 30, payers: 30, seed: 'same'});
    const listed = async () => (await at.get('/api/payees?limit=100')).body.data.length as number;
    const before = await listed();
    at.clock.pass(86_400_000);
    assert.deepEqual(await at.sandbox.seed({payees: 30, payers: 30, seed: 'same'}), first);
    assert.equal(await listed(), before);
    const other = await TestSandbox.open({seed: undefined});
    assert.deepEqual(await other.sandbox.seed({payees: 30, payers: 30, seed: 'same'}), first);
    await other.close();
    const ids = [...first.payees, ...first.payers].map(({id}) => id);
    assert.equal(new Set(ids).size, 60);
  });

  it('returns the same ones and more if more are requested', async () => {
    const few = await at.sandbox.seed({payees: 5, payers: 0, seed: 'more'});
    const many = await at.sandbox.seed({payees: 5000, payers: 0, seed: 'more'});
    assert.deepEqual(many.payees.slice(0, 5), few.payees);
    assert.equal(new Set(many.payees.map(({id}) => id)).size, 5000);
  });

  it('belongs to the requested entity', async () => {
    const {payees} = await at.sandbox.seed({payees: 1, payers: 0, mode: 'live'});
    assert.equal((await at.get(`/api/payees/${payees[0]!.id}`)).status, 404);
    assert.equal((await at.get(`/api/payees/${payees[0]!.id}`, {key: at.sandbox.liveKey})).status, 200);
  });
});
