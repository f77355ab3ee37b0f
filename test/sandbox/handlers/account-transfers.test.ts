import assert from 'node:assert/strict';
import {ACCOUNT_TRANSFER_RAILS} from '../../../src/contract/rails.ts';
import {RESERVE_BALANCE_MINOR} from '../../../src/sandbox/ledger/treasury-account.ts';
import {MAIN_BALANCE_MINOR} from '../../../src/sandbox/entities/entities.ts';
import {Accounts} from '../accounts.ts';
import {TestSandbox, UNKNOWN_ID, assertRefused, type Answer} from '../harness.ts';

const LIST = '/api/treasury/account-transfers';

/** A sandbox, the two treasury accounts of its test entity, and transfers between them. */
class Scene {
  readonly at: TestSandbox;
  readonly accounts: Accounts;
  readonly main: string;
  readonly other: string;

  private constructor(at: TestSandbox, accounts: Accounts, ids: [string, string]) {
    this.at = at;
    this.accounts = accounts;
    [this.main, this.other] = ids;
  }

  static async open(options: Parameters<typeof TestSandbox.open>[0] = {}): Promise<Scene> {
    const at = await TestSandbox.open(options);
    const accounts = new Accounts(at);
    return new Scene(at, accounts, await accounts.treasury());
  }

  create(body: object = {}, options = {}): Promise<Answer> {
    return this.at.post(
      LIST,
      {
        source_account_id: this.main,
        destination_account_id: this.other,
        amount_in_minor_units: 5000,
        currency_code: 'USD',
        rail: 'book',
        ...body,
      },
      options,
    );
  }

  approve(id: string, options = {}): Promise<Answer> {
    return this.at.post(`${LIST}/${id}/approve`, {}, options);
  }

  /** As the list shows it, since no read of one is documented. */
  async find(id: string): Promise<{status: string; failure_reason?: string; updated_at: string}> {
    const {body} = await this.at.get(`${LIST}?limit=100`);
    return (body.data as {id: string; status: string; updated_at: string}[]).find((one) => one.id === id)!;
  }

  async statusOf(id: string): Promise<string> {
    return (await this.find(id)).status;
  }

  /** Reported current balances, main and other, since they were funded. */
  async changes(): Promise<[number, number]> {
    const [main, other] = [await this.accounts.reported(this.main), await this.accounts.reported(this.other)];
    return [main.current - MAIN_BALANCE_MINOR, other.current - RESERVE_BALANCE_MINOR];
  }

  async close(): Promise<void> {
    assert.deepEqual((await this.at.sandbox.audit()).problems, []);
    await this.at.close();
  }
}

/** Interface document, "Account transfer" (states), "Treasury", "Errors"; assumptions 23 to 28. */
describe('sandbox: account transfers', () => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await Scene.open();
  });
  afterEach(() => scene.close());

  it('are created with 201 and wait for approval without auto_approve; no money moves', async () => {
    const {at, main, other} = scene;
    const {status, body} = await scene.create({description: 'Sweep'});
    assert.equal(status, 201);
    const now = new Date(at.clock.now()).toISOString();
    assert.deepEqual(body, {
      id: body.id,
      source_account_id: main,
      destination_account_id: other,
      amount_in_minor_units: 5000,
      currency_code: 'USD',
      rail: 'book',
      status: 'created',
      auto_approve: false,
      description: 'Sweep',
      created_at: now,
      updated_at: now,
    });
    at.clock.pass(86_400_000);
    assert.equal(await scene.statusOf(body.id as string), 'created');
    assert.deepEqual(await scene.changes(), [0, 0]);
  });

  it('go from created to approved by approval, queued for initiation, then initiated, then settled', async () => {
    const {at} = scene;
    const {id} = (await scene.create()).body as {id: string};
    const {status, body} = await scene.approve(id);
    assert.deepEqual([status, body.status], [200, 'approved']);
    const main = await scene.accounts.reported(scene.main);
    assert.equal(main.current, MAIN_BALANCE_MINOR);
    at.clock.pass(1000);
    assert.equal(await scene.statusOf(id), 'initiated');
    assert.deepEqual(await scene.changes(), [-5000, 0]);
    at.clock.pass(3000);
    assert.equal(await scene.statusOf(id), 'settled');
    assert.deepEqual(await scene.changes(), [-5000, 5000]);
    at.clock.pass(86_400_000);
    assert.equal(await scene.statusOf(id), 'settled');
  });

  it('are approved and initiated automatically with auto_approve: 201', async () => {
    const {status, body} = await scene.create({auto_approve: true});
    assert.deepEqual([status, body.status, body.auto_approve], [201, 'initiated', true]);
    scene.at.clock.pass(3000);
    assert.equal(await scene.statusOf(body.id as string), 'settled');
  });

  it('have a bank transaction on each side: a debit when initiated, a credit when settled', async () => {
    const {main, other, accounts} = scene;
    await scene.create({auto_approve: true, rail: 'wire'});
    const [debit] = await accounts.lines(main);
    assert.deepEqual([debit?.direction, debit?.amount], ['debit', 5000]);
    assert.equal(debit?.description, `Account transfer to ${other} by wire`);
    assert.deepEqual(await accounts.lines(other), []);
    scene.at.clock.pass(3000);
    const [credit] = await accounts.lines(other);
    assert.deepEqual([credit?.direction, credit?.amount], ['credit', 5000]);
    assert.equal(credit?.description, `Account transfer from ${main} by wire`);
  });

  it('cannot be approved twice: 400 unless created', async () => {
    const {id} = (await scene.create()).body as {id: string};
    const answers = await Promise.all(Array.from({length: 8}, () => scene.approve(id)));
    assert.deepEqual(answers.map(({status}) => status).sort(), [200, ...Array<number>(7).fill(400)]);
    for (const ms of [0, 1000, 3000]) {
      scene.at.clock.pass(ms);
      assertRefused(await scene.approve(id), 400, 'VALIDATION_ERROR');
    }
    assert.deepEqual(await scene.changes(), [-5000, 5000]);
  });

  it('are not approved when the source holds too little: 400, and nothing is left behind by auto_approve', async () => {
    const amount = {amount_in_minor_units: MAIN_BALANCE_MINOR + 1};
    const {id} = (await scene.create(amount)).body as {id: string};
    const refused = await scene.approve(id);
    assertRefused(refused, 400, 'VALIDATION_ERROR', 'amount_in_minor_units');
    assert.match(refused.body.message as string, /insufficient funds/);
    assert.equal(await scene.statusOf(id), 'created');
    assertRefused(await scene.create({...amount, auto_approve: true}), 400, 'VALIDATION_ERROR');
    assert.deepEqual(await scene.accounts.walk(`${LIST}?limit=5`), [id]);
    const credit = `/api/treasury/accounts/${scene.main}/simulate-inbound-credit`;
    await scene.at.post(credit, {amount_in_minor_units: 1});
    assert.equal((await scene.approve(id)).status, 200);
  });

  it('use the same balance as payouts, since the first treasury account is the main account', async () => {
    const {at} = scene;
    await scene.create({amount_in_minor_units: MAIN_BALANCE_MINOR - 100, auto_approve: true});
    const {id} = await at.ready('payee');
    assert.equal((await at.payout(id, {auto_approve: true})).status, 207);
    await scene.create({
      source_account_id: scene.other,
      destination_account_id: scene.main,
      amount_in_minor_units: 12_400,
      auto_approve: true,
    });
    at.clock.pass(3000);
    assert.equal((await at.payout(id, {auto_approve: true})).status, 201);
  });

  it('never take more than the balance of the source, however many run at once', async () => {
    const amount = {amount_in_minor_units: RESERVE_BALANCE_MINOR / 4, auto_approve: true};
    const back = {source_account_id: scene.other, destination_account_id: scene.main};
    const answers = await Promise.all(Array.from({length: 9}, () => scene.create({...amount, ...back})));
    assert.equal(answers.filter(({status}) => status === 201).length, 4);
    assert.equal((await scene.accounts.reported(scene.other)).available, 0);
  });

  it('are refused for an invalid pair, currency, rail or amount: 400 (Errors)', async () => {
    const {main, other} = scene;
    const same = {destination_account_id: main.toUpperCase()};
    assertRefused(await scene.create(same), 400, 'VALIDATION_ERROR', 'destination_account_id');
    assertRefused(await scene.create({currency_code: 'EUR'}), 400, 'VALIDATION_ERROR', 'currency_code');
    assertRefused(await scene.create({currency_code: undefined}), 400, 'VALIDATION_ERROR', 'currency_code');
    for (const rail of ['fednow', 'instant_card', 'BOOK', '', null])
      assertRefused(await scene.create({rail}), 400, 'VALIDATION_ERROR', 'rail');
    for (const amount_in_minor_units of [0, -1, 1.5, '5000'])
      assertRefused(
        await scene.create({amount_in_minor_units}),
        400,
        'VALIDATION_ERROR',
        'amount_in_minor_units',
      );
    for (const rail of ACCOUNT_TRANSFER_RAILS) assert.equal((await scene.create({rail})).status, 201);
    const upper = {source_account_id: main.toUpperCase(), destination_account_id: other.toUpperCase()};
    assert.equal((await scene.create(upper)).body.source_account_id, main);
  });

  it('are limited to the maximum of their rail (assumption 64)', async () => {
    const most = {amount_in_minor_units: 100_000_000, rail: 'same_day_ach'};
    assert.equal((await scene.create(most)).status, 201);
    const more = {...most, amount_in_minor_units: 100_000_001};
    assertRefused(await scene.create(more), 400, 'VALIDATION_ERROR', 'amount_in_minor_units');
  });

  it('need two accounts of the entity, and belong to it: 404 otherwise', async () => {
    const live = {key: scene.at.sandbox.liveKey};
    const [foreign] = await new Accounts(scene.at, live.key).treasury();
    for (const field of ['source_account_id', 'destination_account_id'])
      for (const id of [foreign, UNKNOWN_ID])
        assertRefused(await scene.create({[field]: id}), 404, 'NOT_FOUND');
    const {id} = (await scene.create()).body as {id: string};
    assertRefused(await scene.approve(id, live), 404, 'NOT_FOUND');
    assertRefused(await scene.approve(UNKNOWN_ID), 404, 'NOT_FOUND');
    assertRefused(await scene.approve('x'), 400, 'VALIDATION_ERROR', 'account_transfer_id');
    assert.deepEqual((await scene.at.get(LIST, live)).body, {data: [], next_cursor: null});
  });

  it('are listed by cursor, each once, in both orders, filtered by status and by either account', async () => {
    const {accounts, main, other} = scene;
    const ids: string[] = [];
    for (let n = 0; n < 7; n += 1)
      ids.push((await scene.create({auto_approve: n % 2 === 0})).body.id as string);
    assert.deepEqual(await accounts.walk(`${LIST}?order=asc&limit=2`), ids);
    assert.deepEqual(await accounts.walk(`${LIST}?limit=3`), ids.toReversed());
    for (const account of [main, other, main.toUpperCase()])
      assert.deepEqual(await accounts.walk(`${LIST}?order=asc&account_id=${account}`), ids);
    assert.deepEqual(await accounts.walk(`${LIST}?account_id=${UNKNOWN_ID}`), []);
    const initiated = ids.filter((_, n) => n % 2 === 0);
    assert.deepEqual(await accounts.walk(`${LIST}?order=asc&limit=1&status=initiated`), initiated);
    assertRefused(await scene.at.get(`${LIST}?status=debited`), 400, 'VALIDATION_ERROR', 'status');
  });

  it('send no events (assumption 35)', async () => {
    await scene.create({auto_approve: true});
    scene.at.clock.pass(3000);
    await scene.at.get(LIST);
    assert.equal((await scene.at.sandbox.deliveries.counts()).events, 0);
  });

  it('fail after they were initiated if their description asks for it, and the money returns to its source', async () => {
    const {status, body} = await scene.create({
      auto_approve: true,
      rail: 'wire',
      description: 'fails_after_initiated',
    });
    assert.deepEqual([status, body.status], [201, 'initiated']);
    assert.deepEqual(await scene.changes(), [-5000, 0]);
    scene.at.clock.pass(1500);
    const failed = await scene.find(body.id as string);
    assert.equal(failed.status, 'failed');
    assert.match(failed.failure_reason!, /^AC03: /);
    assert.deepEqual(await scene.changes(), [0, 0]);
    const lines = await scene.accounts.lines(scene.main);
    assert.deepEqual(
      lines.map(({direction}) => direction),
      ['debit', 'credit'],
    );
    assertRefused(await scene.approve(body.id as string), 400, 'VALIDATION_ERROR');
  });

  it('stay initiated, or settle late, if their description asks for it', async () => {
    const stuck = (await scene.create({auto_approve: true, description: 'stuck_initiated'})).body
      .id as string;
    const slow = (await scene.create({auto_approve: true, description: 'settle_slow'})).body.id as string;
    scene.at.clock.pass(60_000);
    assert.equal(await scene.statusOf(slow), 'initiated');
    scene.at.clock.pass(3000);
    assert.equal(await scene.statusOf(slow), 'settled');
    scene.at.clock.pass(30 * 86_400_000);
    assert.equal(await scene.statusOf(stuck), 'initiated');
  });
});

describe('sandbox: account transfers with asynchronous initiation', () => {
  it('answer 202 with auto_approve while the bank continues, for entities with asynchronous initiation', async () => {
    const scene = await Scene.open({asyncInitiation: ['test']});
    const {status, body} = await scene.create({auto_approve: true});
    assert.deepEqual([status, body.status], [202, 'approved']);
    assert.equal((await scene.create()).status, 201);
    scene.at.clock.pass(1000);
    assert.equal(await scene.statusOf(body.id as string), 'initiated');
    scene.at.clock.pass(3000);
    assert.equal(await scene.statusOf(body.id as string), 'settled');
    const created = (await scene.create()).body.id as string;
    assert.deepEqual((await scene.approve(created)).status, 202);
    const live = {key: scene.at.sandbox.liveKey};
    const [source, destination] = await new Accounts(scene.at, live.key).treasury();
    const other = {source_account_id: source, destination_account_id: destination, auto_approve: true};
    assert.equal((await scene.create(other, live)).status, 201);
    await scene.close();
  });

  it('answer 202 if their description asks for async_202', async () => {
    const scene = await Scene.open();
    const {status, body} = await scene.create({auto_approve: true, description: 'Sweep async_202'});
    assert.deepEqual([status, body.status], [202, 'approved']);
    scene.at.clock.pass(4000);
    assert.equal(await scene.statusOf(body.id as string), 'settled');
    await scene.close();
  });
});

describe('sandbox: account transfers at banks with hours (assumption 28)', () => {
  const FRIDAY_EVENING = '2026-03-07T00:31:00Z'; // 19:31 in New York
  const friday = () => Scene.open({timing: 'real', frozenAtMs: Date.parse(FRIDAY_EVENING)});

  it('settle within a second on the rail book, at any hour', async () => {
    const scene = await friday();
    const {status, body} = await scene.create({auto_approve: true});
    assert.deepEqual([status, body.status], [201, 'initiated']);
    await scene.at.sandbox.advance({ms: 1000});
    assert.equal(await scene.statusOf(body.id as string), 'settled');
    await scene.close();
  });

  for (const [rail, initiated, settled] of [
    ['wire', '2026-03-09T01:00:00.000Z', '2026-03-09T01:05:00.000Z'], // 21:00 on Sunday
    ['same_day_ach', '2026-03-09T14:30:00.000Z', '2026-03-09T17:00:00.000Z'],
    ['standard_ach', '2026-03-07T01:00:00.000Z', '2026-03-09T12:30:00.000Z'],
  ] as const)
    it(`wait for the hours of ${rail}: 202 on a Friday evening`, async () => {
      const scene = await friday();
      const {status, body} = await scene.create({auto_approve: true, rail});
      assert.deepEqual([status, body.status], [202, 'approved']);
      const id = body.id as string;
      for (const [when, stands] of [
        [initiated, 'initiated'],
        [settled, 'settled'],
      ] as const) {
        await scene.at.sandbox.advance({toMs: Date.parse(when) - 1});
        assert.notEqual(await scene.statusOf(id), stands);
        await scene.at.sandbox.advance({ms: 1});
        const found = await scene.find(id);
        assert.deepEqual([found.status, found.updated_at], [stands, when]);
      }
      await scene.close();
    });
});
