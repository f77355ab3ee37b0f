import assert from 'node:assert/strict';
import fc from 'fast-check';
import {LIFECYCLES, canReach, type TransferStatus} from '../../../src/contract/lifecycle.ts';
import {OUTCOMES, SIMULATED_KINDS} from '../../../src/sandbox/outcomes/outcomes.ts';
import {TestSandbox, UNKNOWN_ID, assertRefused, type Answer} from '../harness.ts';
import {bankAccount} from '../payment-details.ts';

const START = Date.parse('2026-05-05T12:00:00Z');

describe('sandbox simulate', () => {
  let at: TestSandbox;
  let party: {payout: string; payin: string};
  before(async () => {
    at = await TestSandbox.open({frozenAtMs: START});
  });
  beforeEach(async () => {
    const seeded = await at.sandbox.seed({payees: 1, payers: 1, seed: String((serial += 1))});
    party = {payout: seeded.payees[0]!.id, payin: seeded.payers[0]!.id};
  });
  let serial = 0;
  afterEach(async () => assert.deepEqual((await at.sandbox.audit()).problems, []));
  after(() => at.close());

  const make = async (kind: 'payin' | 'payout', body: object = {}): Promise<string> => {
    const made = kind === 'payin' ? await at.payin(party.payin, body) : await at.payout(party.payout, body);
    return made.body.id as string;
  };
  const released = (kind: 'payin' | 'payout', body: object = {}) => make(kind, {auto_approve: true, ...body});
  const ask = (kind: string, id: string, outcome: string, code?: string): Promise<Answer> =>
    at.control('POST', '/sandbox/simulate', {kind, id, outcome, ...(code === undefined ? {} : {code})});
  const scenario = (name: string) => ({metadata: {'sandbox.scenario': name}});

  for (const kind of ['payout', 'payin'] as const) {
    it(`settles a ${kind} now, from any status, against its scenario`, async () => {
      for (const body of [
        {},
        scenario('stuck_initiated'),
        scenario('fails_after_initiated'),
        {scheduled_date: '2026-12-24'},
      ]) {
        const id = await released(kind, body);
        const {status, body: said} = await ask(kind, id, 'settle');
        assert.deepEqual([status, said], [200, {kind, id, outcome: 'settle', status: 'settled'}]);
        assert.equal(await at.statusOf(kind, id), 'settled');
        await at.sandbox.advance({until: 'idle'});
        assert.equal(await at.statusOf(kind, id), 'settled');
      }
    });

    it(`takes a ${kind} one step, and the rest comes in its time`, async () => {
      const id = await released(kind, scenario('stuck_initiated'));
      assert.equal((await ask(kind, id, 'debit')).body.status, 'debited');
      await at.sandbox.advance({until: 'idle'});
      assert.equal(await at.statusOf(kind, id), 'settled');
      const held = await released(kind, {scheduled_date: '2028-12-24'});
      assert.equal((await ask(kind, held, 'initiate')).body.status, 'initiated');
      await at.sandbox.advance({ms: 3000});
      assert.equal(await at.statusOf(kind, held), 'settled');
    });

    it(`forgets what a scenario had planned for a ${kind} that is taken past it`, async () => {
      const doomed = scenario('fails_after_initiated');
      for (const body of [doomed, {...doomed, scheduled_date: '2028-12-24'}]) {
        const id = await released(kind, body);
        assert.equal((await ask(kind, id, 'debit')).body.status, 'debited');
        await at.sandbox.advance({until: 'idle'});
        assert.equal(await at.statusOf(kind, id), 'settled');
      }
    });

    it(`leaves nothing ahead of a ${kind} that was failed while it was held`, async () => {
      const held = await released(kind, {scheduled_date: '2029-01-02'});
      assert.equal((await ask(kind, held, 'fail')).body.status, 'failed');
      const {now, fired} = await at.sandbox.advance({until: 'idle'});
      assert.ok(now < '2029', now);
      assert.equal(fired, 0);
    });

    it(`fails a ${kind} with a code of its rail, and fails the method only if that code was requested`, async () => {
      const owner = kind === 'payin' ? `/api/payers/${party.payin}` : `/api/payees/${party.payout}`;
      const method = async () =>
        (await at.get(`${owner}/payment-methods`)).body.data[0] as {
          verification_status: string;
          is_default: boolean;
        };
      const usual = await ask(kind, await released(kind), 'fail');
      assert.deepEqual([usual.body.status, usual.body.code], ['failed', 'R03']);
      assert.equal((await method()).verification_status, 'verified');
      const asked = await ask(kind, await released(kind), 'fail', 'r02');
      assert.deepEqual([asked.body.status, asked.body.code], ['failed', 'R02']);
      assert.deepEqual(
        [(await method()).verification_status, (await method()).is_default],
        ['failed', false],
      );
    });

    it(`brings a ${kind} back, also after settlement, once`, async () => {
      const main = async () => BigInt((await at.sandbox.audit()).entities[0]!.balances.main);
      const start = await main();
      const early = await ask(kind, await released(kind), 'return', 'R10');
      assert.deepEqual([early.body.status, early.body.code], ['failed', 'R10']);
      assert.equal(await main(), start);
      const id = await released(kind);
      await at.sandbox.advance({until: 'idle'});
      assert.notEqual(await main(), start);
      const late = await ask(kind, id, 'return');
      assert.deepEqual([late.body.status, late.body.code], ['settled', 'R01']);
      assert.equal(await main(), start);
      assertRefused(await ask(kind, id, 'return'), 400, 'VALIDATION_ERROR', 'outcome');
    });

    it(`refuses what cannot happen to a ${kind}`, async () => {
      const created = await make(kind);
      for (const outcome of ['initiate', 'debit', 'settle', 'fail', 'return'])
        assertRefused(await ask(kind, created, outcome), 400, 'VALIDATION_ERROR', 'outcome');
      assert.match((await ask(kind, created, 'settle')).body.message as string, /approve it first/);
      const running = await released(kind);
      assertRefused(await ask(kind, running, 'initiate'), 400, 'VALIDATION_ERROR', 'outcome');
      assertRefused(await ask(kind, running, 'fly'), 400, 'VALIDATION_ERROR', 'outcome');
      assertRefused(await ask(kind, running, 'settle', 'R01'), 400, 'VALIDATION_ERROR', 'code');
      assertRefused(await ask(kind, running, 'fail', 'R99'), 400, 'VALIDATION_ERROR', 'code');
      assertRefused(await ask(kind, running, 'fail', 'AC03'), 400, 'VALIDATION_ERROR', 'code');
      assertRefused(await ask(kind, UNKNOWN_ID, 'settle'), 404, 'NOT_FOUND');
      assert.equal(await at.statusOf(kind, running), 'initiated');
      await ask(kind, running, 'settle');
      for (const outcome of ['settle', 'debit', 'fail'])
        assertRefused(await ask(kind, running, outcome), 400, 'VALIDATION_ERROR', 'outcome');
    });
  }

  it('knows that instant payments are never returned', async () => {
    const id = await released('payout', {rail: 'instant_bank'});
    assertRefused(await ask('payout', id, 'return'), 400, 'VALIDATION_ERROR', 'outcome');
    const failed = await ask('payout', id, 'fail', 'ds24');
    assert.equal(failed.body.code, 'DS24');
    const {transfer_details} = (await at.get(`/api/payouts/${id}`)).body;
    assert.equal(transfer_details.failure.code, 'DS24');
  });

  it('ends a verification either way, once', async () => {
    const add = async (holder_name: string) => {
      const {body} = await at.post(`/api/payees/${party.payout}/payment-methods`, bankAccount({holder_name}));
      return body.id as string;
    };
    const good = await add('Pending');
    assert.equal((await ask('payment-method', good, 'verify')).body.status, 'verified');
    const bad = await add('Elm Works');
    assert.equal((await ask('payment-method', bad, 'fail-verification')).body.status, 'failed');
    await at.sandbox.advance({until: 'idle'});
    const {data} = (await at.get(`/api/payees/${party.payout}/payment-methods`)).body;
    const status = (id: string) =>
      (data as {id: string; verification_status: string}[]).find((method) => method.id === id)!
        .verification_status;
    assert.deepEqual([status(good), status(bad)], ['verified', 'failed']);
    assertRefused(await ask('payment-method', good, 'verify'), 400, 'VALIDATION_ERROR', 'outcome');
    assertRefused(await ask('payment-method', bad, 'verify', 'R01'), 400, 'VALIDATION_ERROR', 'code');
    assertRefused(await ask('payment-method', UNKNOWN_ID, 'verify'), 404, 'NOT_FOUND');
  });

  describe('of account transfers', () => {
    const move = async (body: object = {}) => {
      const {data} = (await at.get('/api/treasury/accounts?order=asc')).body as {data: {id: string}[]};
      const made = await at.post('/api/treasury/account-transfers', {
        source_account_id: data[0]!.id,
        destination_account_id: data[1]!.id,
        amount_in_minor_units: 100,
        currency_code: 'USD',
        rail: 'wire',
        auto_approve: true,
        ...body,
      });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      return made.body.id as string;
    };
    const shown = async (id: string) => {
      const {data} = (await at.get('/api/treasury/account-transfers')).body as {
        data: {id: string; status: string; failure_reason?: string}[];
      };
      return data.find((transfer) => transfer.id === id)!;
    };

    it('settles one, against its scenario', async () => {
      const id = await move({description: 'fails_after_initiated'});
      assert.equal((await ask('account-transfer', id, 'settle')).body.status, 'settled');
      await at.sandbox.advance({until: 'idle'});
      assert.equal((await shown(id)).status, 'settled');
    });

    it('fails one with a code of its rail', async () => {
      const id = await move();
      const {body} = await ask('account-transfer', id, 'fail', 'ag01');
      assert.deepEqual([body.status, body.code], ['failed', 'AG01']);
      assert.match((await shown(id)).failure_reason!, /^AG01: /);
      for (const outcome of ['initiate', 'settle', 'fail'])
        assertRefused(await ask('account-transfer', id, outcome), 400, 'VALIDATION_ERROR', 'outcome');
      assertRefused(
        await ask('account-transfer', await move(), 'fail', 'R01'),
        400,
        'VALIDATION_ERROR',
        'code',
      );
    });

    it('initiates one that was approved, and the rest comes in its time', async () => {
      const created = await move({auto_approve: false, description: 'settle_slow'});
      assert.match(
        (await ask('account-transfer', created, 'settle')).body.message as string,
        /approve it first/,
      );
      await at.post(`/api/treasury/account-transfers/${created}/approve`);
      assert.equal((await ask('account-transfer', created, 'initiate')).body.status, 'initiated');
      await at.sandbox.advance({until: 'idle'});
      assert.equal((await shown(created)).status, 'settled');
      assertRefused(await ask('account-transfer', UNKNOWN_ID, 'settle'), 404, 'NOT_FOUND');
    });
  });

  it('credits a subaccount', async () => {
    const {body: made} = await at.post('/api/subaccounts', {name: 'Till'});
    const credit = (body: object) =>
      at.control('POST', '/sandbox/simulate', {kind: 'subaccount', id: made.id, outcome: 'credit', ...body});
    const {status, body} = await credit({amount_in_minor_units: 5000});
    assert.deepEqual([status, body.balance_in_minor_units], [200, 5000]);
    assert.equal((await at.get(`/api/subaccounts/${made.id}`)).body.balance_in_minor_units, 5000);
    assertRefused(await credit({}), 400, 'VALIDATION_ERROR', 'amount_in_minor_units');
    assertRefused(await credit({amount_in_minor_units: 0}), 400, 'VALIDATION_ERROR');
    assertRefused(await credit({amount_in_minor_units: 1, code: 'R01'}), 400, 'VALIDATION_ERROR', 'code');
    assertRefused(await credit({amount_in_minor_units: 1, id: UNKNOWN_ID}), 404, 'NOT_FOUND');
    const payout = {
      kind: 'payout',
      id: await released('payout'),
      outcome: 'settle',
      amount_in_minor_units: 1,
    };
    const useless = await at.control('POST', '/sandbox/simulate', payout);
    assertRefused(useless, 400, 'VALIDATION_ERROR', 'amount_in_minor_units');
  });

  it('names the known kinds', async () => {
    const refused = await ask('invoice', UNKNOWN_ID, 'settle');
    assertRefused(refused, 400, 'VALIDATION_ERROR', 'kind');
    for (const kind of SIMULATED_KINDS) assert.match(refused.body.message as string, new RegExp(kind));
  });

  it('shows the table of magic values as the rules have it', async () => {
    const {body} = await at.control('GET', '/sandbox/magic-values');
    assert.deepEqual(body.data, at.sandbox.magicValues());
    assert.ok((body.data as {where: string}[]).some(({where}) => where === 'amount'));
  });
});

describe('sandbox: calls, operators and time in any order', function () {
  const RUNS = Number(process.env['REMIT_TEST_RUNS'] ?? 15);
  this.timeout(RUNS * 4000);

  const kind = fc.constantFrom('payout' as const, 'payin' as const);
  const rail = fc.constantFrom('standard_ach', 'same_day_ach', 'wire', 'instant_bank');
  const action = fc.oneof(
    fc.record({
      do: fc.constant('create' as const),
      kind,
      rail,
      amount: fc.oneof(fc.integer({min: 1, max: 40_000}), fc.constantFrom(5501, 5503, 5516)),
      auto: fc.boolean(),
    }),
    fc.record({
      do: fc.constant('act' as const),
      verb: fc.constantFrom('approve', 'cancel'),
      pick: fc.nat(),
    }),
    fc.record({
      do: fc.constant('simulate' as const),
      outcome: fc.constantFrom(...Object.keys(OUTCOMES.payout)),
      pick: fc.nat(),
    }),
    fc.record({do: fc.constant('advance' as const), ms: fc.integer({min: 1, max: 4 * 86_400_000})}),
    fc.constantFrom({do: 'next' as const}, {do: 'idle' as const}),
  );

  for (const timing of ['fast', 'real'] as const)
    it(`keep the ledger in balance and the lifecycle's order (${timing})`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(action, {maxLength: 25}), async (actions) => {
          const at = await TestSandbox.open({frozenAtMs: START, timing, mainBalanceMinor: 100_000});
          try {
            const {payees, payers} = await at.sandbox.seed({payees: 1, payers: 1});
            const made: {kind: 'payin' | 'payout'; id: string; seen: TransferStatus}[] = [];
            for (const next of actions) {
              const {length} = made;
              if (next.do === 'create') {
                const body = {amount_in_minor_units: next.amount, auto_approve: next.auto};
                const answer =
                  next.kind === 'payin'
                    ? await at.payin(payers[0]!.id, body)
                    : await at.payout(payees[0]!.id, {...body, rail: next.rail});
                assert.ok([201, 202, 207, 422].includes(answer.status), JSON.stringify(answer.body));
                if (answer.status !== 422)
                  made.push({kind: next.kind, id: answer.body.id, seen: answer.body.status});
              } else if (next.do === 'act' && length > 0) {
                const {kind: of, id} = made[next.pick % length]!;
                assert.notEqual((await at.post(`/api/${of}s/${id}/${next.verb}`)).status, 500);
              } else if (next.do === 'simulate' && length > 0) {
                const {kind: of, id} = made[next.pick % length]!;
                const body = {kind: of, id, outcome: next.outcome};
                const answer = await at.control('POST', '/sandbox/simulate', body);
                assert.ok([200, 400].includes(answer.status), JSON.stringify(answer.body));
              } else if (next.do === 'advance') await at.sandbox.advance({ms: next.ms});
              else if (next.do === 'next' || next.do === 'idle') await at.sandbox.advance({until: next.do});
              for (const record of made) {
                const now = (await at.statusOf(record.kind, record.id)) as TransferStatus;
                assert.ok(canReach(LIFECYCLES[record.kind], record.seen, now), `${record.seen} -> ${now}`);
                record.seen = now;
              }
              assert.deepEqual((await at.sandbox.audit()).problems, []);
            }
            await at.sandbox.advance({until: 'idle'});
            for (const {kind: of, id} of made)
              assert.ok(['created', 'canceled', 'settled', 'failed'].includes(await at.statusOf(of, id)));
          } finally {
            await at.close();
          }
        }),
        {numRuns: RUNS},
      );
    });
});
