import assert from 'node:assert/strict';
import {TestSandbox, assertRefused} from '../harness.ts';
import {bankAccount, card} from '../payment-details.ts';

const HOUR = 3_600_000;

describe('sandbox: refusals of the bank', () => {
  let at: TestSandbox;
  before(async () => {
    at = await TestSandbox.open();
  });
  after(async () => {
    assert.deepEqual((await at.sandbox.audit()).problems, []);
    await at.close();
  });

  /** A party whose only method is this one, and the statuses that a transfer to it goes through. */
  const party = async (kind: 'payee' | 'payer', method: object) => {
    const id = await at.party(kind);
    const {body} = await at.post(`/api/${kind}s/${id}/payment-methods`, method);
    at.passVerification();
    await at.post(`/api/${kind}s/${id}/payment-methods/${body.id}/set-default`);
    return {id, methodId: body.id as string};
  };
  const walk = async (kind: 'payin' | 'payout', partyId: string, body: object = {}) => {
    const release = {auto_approve: true, ...body};
    const made = kind === 'payin' ? await at.payin(partyId, release) : await at.payout(partyId, release);
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const seen = [made.body.status as string];
    for (let step = 0; step < 50; step += 1) {
      at.clock.pass(100);
      const status = await at.statusOf(kind, made.body.id as string);
      if (status !== seen.at(-1)) seen.push(status);
    }
    const {body: last} = await at.get(`/api/${kind}s/${made.body.id}`);
    return {seen, failure: last.transfer_details?.failure as {code: string; message: string} | undefined};
  };
  const methodOf = async (kind: 'payee' | 'payer', id: string) =>
    (await at.get(`/api/${kind}s/${id}/payment-methods`)).body.data[0] as {
      verification_status: string;
      is_default: boolean;
    };

  it('an ACH payment to account 100NN is returned with RNN after it was debited', async () => {
    const {id} = await party('payee', bankAccount({account_number: '10001'}));
    const {seen, failure} = await walk('payout', id);
    assert.deepEqual(seen, ['initiated', 'debited', 'failed']);
    assert.deepEqual(failure, {code: 'R01', message: 'Insufficient funds'});
    assert.equal((await methodOf('payee', id)).verification_status, 'verified');
  });

  it('a payin from account 100NN is returned too, and the money goes back', async () => {
    const {id} = await party('payer', bankAccount({account_number: '10007'}));
    const before = (await at.sandbox.audit()).entities[0]!.balances;
    assert.deepEqual((await walk('payin', id)).seen, ['initiated', 'debited', 'failed']);
    assert.deepEqual((await at.sandbox.audit()).entities[0]!.balances, before);
  });

  it('another rail refuses the same account at once, with a code of ISO 20022', async () => {
    const {id} = await party('payee', bankAccount({account_number: '10016'}));
    for (const rail of ['instant_bank', 'wire']) {
      const {seen, failure} = await walk('payout', id, {rail});
      assert.deepEqual([seen, failure?.code], [['initiated', 'failed'], 'AC06'], rail);
    }
  });

  it('a payment that is returned for a bad account makes its method failed and no longer the default (assumption 65)', async () => {
    for (const [kind, flow, digits] of [
      ['payee', 'payout', '02'],
      ['payer', 'payin', '03'],
      ['payee', 'payout', '04'],
      ['payer', 'payin', '20'],
    ] as const) {
      const {id, methodId} = await party(kind, bankAccount({account_number: `100${digits}`}));
      await walk(flow, id);
      const {verification_status, is_default} = await methodOf(kind, id);
      assert.deepEqual([verification_status, is_default], ['failed', false]);
      const named = {
        [kind === 'payee' ? 'override_default_payment_method_id' : 'payment_method_id']: methodId,
      };
      for (const body of [{}, named]) {
        const refused = await (flow === 'payin' ? at.payin(id, body) : at.payout(id, body));
        assertRefused(refused, 422, 'INVALID_PAYMENT_DETAILS');
      }
    }
  });

  it('a card is declined for the reason that its number stands for, and a good card is paid', async () => {
    const decline = async (number: string) => walk('payout', (await party('payee', card({number}))).id);
    assert.deepEqual((await decline('4000056655665556')).seen, ['initiated', 'debited', 'settled']);
    const {seen, failure} = await decline('4000020000000000');
    assert.deepEqual([seen, failure?.code], [['initiated', 'failed'], 'do_not_honor']);
    assert.equal((await decline('4000020000000075')).failure?.code, 'suspected_fraud');
  });

  it('a card or account that is refused without a reason has the default code of the rail', async () => {
    const {id} = await party('payee', bankAccount({account_number: '11111111'}));
    const {seen, failure} = await walk('payout', id, {rail: 'wire'});
    assert.deepEqual([seen, failure?.code], [['initiated', 'failed'], 'AC03']);
    assert.equal((await methodOf('payee', id)).verification_status, 'failed');
  });

  it('an amount of 55.NN is returned only by ACH, and not from an account that always settles', async () => {
    const {id} = await party('payee', bankAccount());
    const amount = {amount_in_minor_units: 5501};
    assert.equal((await walk('payout', id, amount)).failure?.code, 'R01');
    assert.deepEqual((await walk('payout', id, {...amount, rail: 'instant_bank'})).seen.at(-1), 'settled');
    const good = await party('payee', bankAccount({account_number: '123456789'}));
    assert.equal((await walk('payout', good.id, amount)).seen.at(-1), 'settled');
    const calm = {...amount, metadata: {'sandbox.scenario': 'settle_slow'}};
    assert.equal((await walk('payout', id, calm)).seen.at(-1), 'debited');
  });

  it('an amount of 55.NN fails its transfer and leaves the payment method unchanged, whatever the code', async () => {
    const {id} = await party('payee', bankAccount());
    for (const [amount, code] of [
      [5502, 'R02'],
      [5503, 'R03'],
      [5504, 'R04'],
      [5520, 'R20'],
    ] as const) {
      assert.equal((await walk('payout', id, {amount_in_minor_units: amount})).failure?.code, code);
      const {verification_status, is_default} = await methodOf('payee', id);
      assert.deepEqual([verification_status, is_default], ['verified', true], code);
    }
  });

  it('a scenario fails the transfer and leaves the payment method unchanged', async () => {
    const {id} = await party('payee', bankAccount());
    const scenario = (name: string) => ({metadata: {'sandbox.scenario': name}});
    const early = await walk('payout', id, scenario('fails_after_initiated'));
    assert.deepEqual([early.seen, early.failure?.code], [['initiated', 'failed'], 'R03']);
    const late = await walk('payout', id, scenario('fails_after_debited'));
    assert.deepEqual([late.seen, late.failure?.code], [['initiated', 'debited', 'failed'], 'R01']);
    assert.equal((await methodOf('payee', id)).verification_status, 'verified');
  });

  it('takes money back once after settlement if a scenario asks for it; the record stays settled', async () => {
    const fresh = await TestSandbox.open({mainBalanceMinor: 0});
    const {id} = await fresh.ready('payer');
    const asked = {auto_approve: true, metadata: {'sandbox.scenario': 'late_return'}};
    const {body} = await fresh.payin(id, asked);
    const main = async () => (await fresh.sandbox.audit()).entities[0]!.balances.main;
    fresh.clock.pass(3000);
    assert.deepEqual([await fresh.statusOf('payin', body.id as string), await main()], ['settled', '12500']);
    fresh.clock.pass(HOUR);
    assert.deepEqual([await fresh.statusOf('payin', body.id as string), await main()], ['settled', '0']);
    assert.deepEqual((await fresh.sandbox.audit()).problems, []);
    await fresh.close();
  });

  it('magic amounts can be turned off', async () => {
    const fresh = await TestSandbox.open({magicAmounts: false});
    const {id} = await fresh.ready('payee');
    const {body} = await fresh.payout(id, {auto_approve: true, amount_in_minor_units: 5501});
    fresh.clock.pass(HOUR);
    assert.equal(await fresh.statusOf('payout', body.id as string), 'settled');
    await fresh.close();
  });

  it('refuses amounts above the limit of a rail: 400 (assumption 64)', async () => {
    const [payee, payer] = [await at.ready('payee'), await at.ready('payer')];
    const ask = (rail: string, amount_in_minor_units: number) =>
      at.payout(payee.id, {rail, amount_in_minor_units});
    const field = 'amount_in_minor_units';
    assert.equal((await ask('same_day_ach', 100_000_000)).status, 201);
    assertRefused(await ask('same_day_ach', 100_000_001), 400, 'VALIDATION_ERROR', field);
    assert.equal((await ask('instant_bank', 1_000_000_000)).status, 201);
    assertRefused(await ask('instant_bank', 1_000_000_001), 400, 'VALIDATION_ERROR', field);
    assert.equal((await ask('wire', 2_000_000_000)).status, 201);
    const debit = {rail: 'same_day_ach', amount_in_minor_units: 100_000_001};
    assertRefused(await at.payin(payer.id, debit), 400, 'VALIDATION_ERROR', field);
  });
});

describe('sandbox: the bank with real timing', () => {
  let at: TestSandbox;
  before(async () => {
    // Tuesday, 10:00 in New York, one day before Thanksgiving's eve.
    at = await TestSandbox.open({timing: 'real', frozenAtMs: Date.parse('2026-11-24T15:00:01Z')});
  });
  after(async () => {
    assert.deepEqual((await at.sandbox.audit()).problems, []);
    await at.close();
  });
  const to = (text: string) => at.sandbox.advance({toMs: Date.parse(text)});

  it('verifies within half a minute, follows the banking calendar, and answers 202 until the next file is sent', async () => {
    const payee = await at.party('payee');
    const added = await at.post(`/api/payees/${payee}/payment-methods`, bankAccount());
    await at.sandbox.advance({ms: 29_999});
    const methods = `/api/payees/${payee}/payment-methods`;
    assert.equal((await at.get(methods)).body.data[0].verification_status, 'pending');
    await at.sandbox.advance({ms: 1});
    await at.post(`${methods}/${added.body.id}/set-default`);
    const made = await at.payout(payee, {auto_approve: true});
    assert.deepEqual([made.status, made.body.status], [202, 'approved']);
    const status = () => at.statusOf('payout', made.body.id as string);
    await to('2026-11-24T15:30:00Z');
    assert.equal(await status(), 'debited');
    const {transfer_details} = (await at.get(`/api/payouts/${made.body.id}`)).body;
    assert.equal(transfer_details.expected_settlement_date, '2026-11-25');
    await to('2026-11-25T13:29:59Z');
    assert.equal(await status(), 'debited');
    await to('2026-11-25T13:30:00Z');
    assert.equal(await status(), 'settled');

    const wire = await at.payout(payee, {auto_approve: true, rail: 'wire'});
    assert.deepEqual([wire.status, wire.body.status], [201, 'initiated']);
    // Thanksgiving: released at nine, and the rail waits for Friday (assumption 57).
    const held = await at.payout(payee, {
      auto_approve: true,
      rail: 'same_day_ach',
      scheduled_date: '2026-11-26',
    });
    assert.deepEqual([held.status, held.body.status], [201, 'approved']);
    await to('2026-11-26T14:00:00Z');
    assert.equal(await at.statusOf('payout', held.body.id as string), 'approved');
    const late = await at.post(`/api/payouts/${held.body.id}/cancel`);
    assertRefused(late, 400, 'VALIDATION_ERROR');
    await to('2026-11-27T15:30:00Z');
    assert.equal(await at.statusOf('payout', held.body.id as string), 'debited');
    await to('2026-11-27T18:00:00Z');
    assert.equal(await at.statusOf('payout', held.body.id as string), 'settled');
  });

  it('debits a payin on the next banking day and settles it once it can no longer be returned', async () => {
    const {payers} = await at.sandbox.seed({payees: 0, payers: 1});
    const made = await at.payin(payers[0]!.id, {auto_approve: true});
    const status = () => at.statusOf('payin', made.body.id as string);
    await to('2026-11-27T18:30:00Z'); // Friday
    assert.equal(await status(), 'initiated');
    await to('2026-11-30T13:30:00Z');
    assert.equal(await status(), 'debited');
    await to('2026-12-02T13:59:59Z');
    assert.equal(await status(), 'debited');
    await to('2026-12-02T14:00:00Z');
    assert.equal(await status(), 'settled');
  });

  it('returns a payment within the days that banks have for it', async () => {
    const {payers} = await at.sandbox.seed({payees: 0, payers: 1});
    const made = await at.payin(payers[0]!.id, {auto_approve: true, amount_in_minor_units: 5501});
    await to('2026-12-03T13:30:00Z');
    assert.equal(await at.statusOf('payin', made.body.id as string), 'debited');
    await to('2026-12-07T13:30:00Z');
    assert.equal(await at.statusOf('payin', made.body.id as string), 'failed');
  });
});
