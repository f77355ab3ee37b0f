import assert from 'node:assert/strict';
import fc from 'fast-check';
import {LIFECYCLES, canReach, type TransferStatus} from '../../../src/contract/lifecycle.ts';
import {SCENARIOS} from '../../../src/sandbox/outcomes/scenarios.ts';
import {TestSandbox, type Answer} from '../harness.ts';

const BALANCE = 100_000;
const RUNS = Number(process.env['REMIT_TEST_RUNS'] ?? 20);

/** What a run does: every action works on whatever records exist by then. */
type Action =
  | {
      do: 'create';
      kind: 'payout' | 'payin';
      amount: number;
      auto: boolean;
      scenario: string | null;
      held: boolean;
    }
  | {do: 'approve' | 'cancel' | 'replay'; pick: number}
  | {do: 'pass'; ms: number}
  | {do: 'restart'};

// A late return moves money without a status that says so; bank.test.ts looks at it.
const scenario = fc.option(
  fc.constantFrom(...Object.keys(SCENARIOS).filter((name) => name !== 'late_return')),
  {
    freq: 2,
  },
);
/** Some come back, and with R03 the payment method is spoiled for what follows. */
const amount = fc.oneof(
  {weight: 9, arbitrary: fc.integer({min: 1, max: BALANCE / 2})},
  {weight: 1, arbitrary: fc.constantFrom(5501, 5503)},
);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      kind: fc.constantFrom('payout' as const, 'payin' as const),
      amount,
      auto: fc.boolean(),
      scenario,
      held: fc.nat({max: 5}).map((n) => n === 0),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('approve' as const, 'cancel' as const, 'replay' as const),
      pick: fc.nat(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({do: fc.constant('pass' as const), ms: fc.integer({min: 1, max: 90_000})}),
  },
  {weight: 1, arbitrary: fc.constant({do: 'restart' as const})},
);

/** Runs actions and keeps the last status seen of each record, so that steps backwards are found. */
class Run {
  readonly at: TestSandbox;
  readonly #made: {kind: 'payout' | 'payin'; key: string; body: object; id: string; seen: TransferStatus}[] =
    [];
  readonly #parties: {payout: string; payin: string};

  constructor(at: TestSandbox, parties: {payout: string; payin: string}) {
    this.at = at;
    this.#parties = parties;
  }

  async take(step: Action): Promise<void> {
    if (step.do === 'pass') this.at.clock.pass(step.ms);
    else if (step.do === 'restart') await this.at.reopen();
    else if (step.do === 'create') await this.#create(step);
    else await this.#act(step.do, step.pick);
    await this.#check();
  }

  async #create(step: Extract<Action, {do: 'create'}>): Promise<void> {
    const {kind} = step;
    const body = {
      [kind === 'payout' ? 'payee_id' : 'payer_id']: this.#parties[kind],
      amount_in_minor_units: step.amount,
      auto_approve: step.auto,
      ...(step.scenario === null ? {} : {metadata: {'sandbox.scenario': step.scenario}}),
      ...(step.held ? {scheduled_date: '2026-12-24'} : {}),
    };
    const key = `key-${this.#made.length}`;
    const answer = await this.at.post(`/api/${kind}s`, body, {idempotencyKey: key});
    assert.ok([201, 202, 207, 422, 503].includes(answer.status), JSON.stringify(answer.body));
    if (answer.status === 422) return;
    const {data} = (await this.at.get(`/api/${kind}s?limit=1`)).body as {
      data: {id: string; status: TransferStatus}[];
    };
    this.#made.push({kind, key, body, id: data[0]!.id, seen: data[0]!.status});
  }

  async #act(verb: 'approve' | 'cancel' | 'replay', pick: number): Promise<void> {
    const record = this.#made[pick % Math.max(1, this.#made.length)];
    if (!record) return;
    const {kind, key, body, id} = record;
    const answer: Answer =
      verb === 'replay'
        ? await this.at.post(`/api/${kind}s`, {...body, auto_approve: true}, {idempotencyKey: key})
        : await this.at.post(`/api/${kind}s/${id}/${verb}`);
    assert.notEqual(answer.status, 500);
    if (verb === 'replay' && answer.status < 300) assert.equal(answer.body.id, id);
  }

  async #check(): Promise<void> {
    for (const record of this.#made) {
      const now = (await this.at.statusOf(record.kind, record.id)) as TransferStatus;
      assert.ok(canReach(LIFECYCLES[record.kind], record.seen, now), `${record.seen} -> ${now}`);
      record.seen = now;
    }
    const {problems, entities} = await this.at.sandbox.audit();
    assert.deepEqual(problems, []);
    assert.deepEqual(entities[0]!.balances.main, String(this.#expectedMain()));
  }

  /** The model: what the main account holds follows from the statuses alone. */
  #expectedMain(): number {
    return this.#made.reduce((main, {kind, body, seen}) => {
      const amount = (body as {amount_in_minor_units: number}).amount_in_minor_units;
      if (kind === 'payin') return seen === 'settled' ? main + amount : main;
      return ['approved', 'initiated', 'debited', 'settled'].includes(seen) ? main - amount : main;
    }, BALANCE);
  }
}

describe('sandbox ledger', function () {
  this.timeout(RUNS * 3000);

  it('balances, and follows from the statuses, under any interleaving of calls, time and restarts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, {maxLength: 25}), async (steps) => {
        const at = await TestSandbox.open({mainBalanceMinor: BALANCE});
        try {
          const parties = {payout: (await at.ready('payee')).id, payin: (await at.ready('payer')).id};
          const run = new Run(at, parties);
          for (const step of steps) await run.take(step);
        } finally {
          await at.close();
        }
      }),
      {numRuns: RUNS},
    );
  });

  it('never pays out more than the balance of the main account, however many run at once', async () => {
    const at = await TestSandbox.open({mainBalanceMinor: BALANCE});
    const {id} = await at.ready('payee');
    const answers = await Promise.all(
      Array.from({length: 30}, () => at.payout(id, {amount_in_minor_units: 9000, auto_approve: true})),
    );
    assert.equal(answers.filter(({status}) => status === 201).length, 11);
    assert.equal(answers.filter(({status}) => status === 207).length, 19);
    assert.deepEqual((await at.sandbox.audit()).problems, []);
    await at.close();
  });

  it('fails a payin that would overflow the balance', async () => {
    const at = await TestSandbox.open();
    const {id} = await at.ready('payer');
    const most = {amount_in_minor_units: Number.MAX_SAFE_INTEGER, auto_approve: true};
    for (let n = 0; n < 600; n += 1) await at.payin(id, most);
    at.clock.pass(3000);
    const {payins, balances} = (await at.sandbox.audit()).entities[0]!;
    assert.equal((payins.settled?.count ?? 0) + (payins.failed?.count ?? 0), 600);
    assert.ok((payins.failed?.count ?? 0) > 0);
    assert.equal(BigInt(balances.main), 1_000_000_000n + BigInt(payins.settled!.amount));
    assert.deepEqual((await at.sandbox.audit()).problems, []);
    await at.close();
  });
});
