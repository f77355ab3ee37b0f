import assert from 'node:assert/strict';
import {Accounts} from '../accounts.ts';
import {TestSandbox, UNKNOWN_ID, assertRefused, type Answer} from '../harness.ts';

/** Interface document, "Move" (fields, states and transitions), "Approve move"; assumptions 7 to 9. */
describe('sandbox: moves', () => {
  let at: TestSandbox;
  let accounts: Accounts;
  let source: string;
  let destination: string;
  before(async () => {
    at = await TestSandbox.open();
    accounts = new Accounts(at);
    [source, destination] = [await accounts.subaccount(100_000), await accounts.subaccount()];
  });
  afterEach(async () => assert.deepEqual((await at.sandbox.audit()).problems, []));
  after(() => at.close());

  const move = (body: object = {}): Promise<Answer> =>
    at.post('/api/subaccounts/move', {
      source_subaccount_id: source,
      destination_subaccount_id: destination,
      amount_in_minor_units: 1000,
      ...body,
    });
  const approve = (id: string, key?: string): Promise<Answer> =>
    at.post(`/api/subaccounts/move/${id}/approve`, {}, key === undefined ? {} : {key});

  it('are created in an envelope, with the documented fields and status CREATED; no money moves', async () => {
    const {status, body} = await move({currency_code: 'USD', description: 'Rent for May'});
    assert.equal(status, 201);
    assert.deepEqual(body, {
      data: {
        id: body.data.id,
        source_subaccount_id: source,
        destination_subaccount_id: destination,
        amount_in_minor_units: 1000,
        currency_code: 'USD',
        status: 'CREATED',
        created_at: new Date(at.clock.now()).toISOString(),
        settled_at: null,
        description: 'Rent for May',
      },
    });
    assert.deepEqual((await at.get(`/api/subaccounts/move/${body.data.id}`)).body, body);
    assert.deepEqual([await accounts.held(source), await accounts.held(destination)], [100_000, 0]);
  });

  it('settle at once and synchronously on approval: 201, SETTLED, without a warning', async () => {
    const {id} = (await move()).body.data as {id: string};
    at.clock.pass(5);
    const before = [await accounts.held(source), await accounts.held(destination)];
    const {status, body} = await approve(id);
    assert.equal(status, 201);
    assert.deepEqual(Object.keys(body as object), ['data']);
    assert.deepEqual(
      [body.data.status, body.data.settled_at],
      ['SETTLED', new Date(at.clock.now()).toISOString()],
    );
    const after = [await accounts.held(source), await accounts.held(destination)];
    assert.deepEqual(after, [before[0]! - 1000, before[1]! + 1000]);
  });

  it('take no approval once they are SETTLED: 400', async () => {
    const {id} = (await move()).body.data as {id: string};
    await approve(id);
    const held = await accounts.held(source);
    assertRefused(await approve(id), 400, 'VALIDATION_ERROR');
    assert.equal(await accounts.held(source), held);
  });

  it('settle once, however many approve at the same time', async () => {
    const {id} = (await move()).body.data as {id: string};
    const held = await accounts.held(source);
    const answers = await Promise.all(Array.from({length: 12}, () => approve(id)));
    assert.deepEqual(answers.map(({status}) => status).sort(), [201, ...Array<number>(11).fill(400)]);
    assert.equal(await accounts.held(source), held - 1000);
  });

  it('answer 207 with a warning to move_207 and stay CREATED; the next approval settles them', async () => {
    const {id} = (await move({description: 'move_207, please'})).body.data as {id: string};
    const held = await accounts.held(source);
    const {status, body} = await approve(id);
    assert.deepEqual([status, body.data.status, typeof body.warning], [207, 'CREATED', 'string']);
    assert.equal(await accounts.held(source), held);
    const shown = (await at.get(`/api/subaccounts/move/${id}`)).body;
    assert.deepEqual(shown, {data: body.data});
    const second = await approve(id);
    assert.deepEqual([second.status, second.body.data.status], [201, 'SETTLED']);
  });

  it('answer 207 also if there is no money yet', async () => {
    const empty = await accounts.subaccount();
    const {id} = (await move({source_subaccount_id: empty, description: 'move_207'})).body.data as {
      id: string;
    };
    assert.equal((await approve(id)).status, 207);
    assertRefused(await approve(id), 400, 'VALIDATION_ERROR');
  });

  it('are refused on approval while the source has too little, and can be approved later', async () => {
    const poor = await accounts.subaccount(999);
    const {status, body} = await move({source_subaccount_id: poor});
    assert.equal(status, 201);
    const {id} = body.data as {id: string};
    const refused = await approve(id);
    assertRefused(refused, 400, 'VALIDATION_ERROR');
    assert.match(refused.body.message as string, /insufficient funds/);
    assert.equal((await at.get(`/api/subaccounts/move/${id}`)).body.data.status, 'CREATED');
    await accounts.fill(poor, 1);
    assert.equal((await approve(id)).status, 201);
    assert.equal(await accounts.held(poor), 0);
  });

  it('never take more than the balance of the source, however many run at once', async () => {
    const from = await accounts.subaccount(5500);
    const ids = await Promise.all(
      Array.from({length: 10}, async () => (await move({source_subaccount_id: from})).body.data.id as string),
    );
    const answers = await Promise.all(ids.map((id) => approve(id)));
    assert.equal(answers.filter(({status}) => status === 201).length, 5);
    assert.equal(await accounts.held(from), 500);
  });

  it('belong to one entity: 404 for its caller and for unknown ids', async () => {
    const {id} = (await move()).body.data as {id: string};
    assertRefused(await approve(id, at.sandbox.liveKey), 404, 'NOT_FOUND');
    assertRefused(await at.get(`/api/subaccounts/move/${id}`, {key: at.sandbox.liveKey}), 404, 'NOT_FOUND');
    assertRefused(await approve(UNKNOWN_ID), 404, 'NOT_FOUND');
    assertRefused(await approve('x'), 400, 'VALIDATION_ERROR', 'move_id');
    assert.deepEqual((await at.get('/api/subaccounts/move', {key: at.sandbox.liveKey})).body.data, []);
  });

  it('take an empty JSON object as the body of an approval, and nothing else', async () => {
    const {id} = (await move()).body.data as {id: string};
    assertRefused(await at.post(`/api/subaccounts/move/${id}/approve`, {x: 1}), 400, 'VALIDATION_ERROR');
    assert.equal((await approve(id)).status, 201);
  });

  it('need two different subaccounts of the entity, a positive amount and their currency', async () => {
    const {body: live} = await at.post('/api/subaccounts', {name: 'Live'}, {key: at.sandbox.liveKey});
    for (const field of ['source_subaccount_id', 'destination_subaccount_id']) {
      assertRefused(await move({[field]: UNKNOWN_ID}), 404, 'NOT_FOUND');
      assertRefused(await move({[field]: live.id}), 404, 'NOT_FOUND');
      assertRefused(await move({[field]: 'x'}), 400, 'VALIDATION_ERROR', field);
    }
    const same = {destination_subaccount_id: source.toUpperCase()};
    assertRefused(await move(same), 400, 'VALIDATION_ERROR', 'destination_subaccount_id');
    for (const amount_in_minor_units of [0, -1, 1.5, '1000', null])
      assertRefused(await move({amount_in_minor_units}), 400, 'VALIDATION_ERROR', 'amount_in_minor_units');
    assertRefused(await move({currency_code: 'EUR'}), 400, 'VALIDATION_ERROR', 'currency_code');
    assert.equal((await move({source_subaccount_id: source.toUpperCase()})).status, 201);
  });

  it('are listed by cursor, each once, in both orders', async () => {
    const ascending = await accounts.walk('/api/subaccounts/move?order=asc&limit=3');
    assert.ok(ascending.length > 3);
    assert.equal(new Set(ascending).size, ascending.length);
    assert.deepEqual(await accounts.walk('/api/subaccounts/move?limit=100'), ascending.toReversed());
  });

  it('send no events (assumption 35)', async () => {
    const {events} = await at.sandbox.deliveries.counts();
    const {id} = (await move()).body.data as {id: string};
    await approve(id);
    assert.equal((await at.sandbox.deliveries.counts()).events, events);
  });
});

describe('sandbox: moves under the rule settleMove207', () => {
  it('settle with their warning, when there is money (assumption 8)', async () => {
    const at = await TestSandbox.open({settleMove207: true});
    const accounts = new Accounts(at);
    const body = {
      source_subaccount_id: await accounts.subaccount(1000),
      destination_subaccount_id: await accounts.subaccount(),
      amount_in_minor_units: 1000,
      description: 'move_207',
    };
    const [first, second] = [
      await at.post('/api/subaccounts/move', body),
      await at.post('/api/subaccounts/move', body),
    ];
    const settled = await at.post(`/api/subaccounts/move/${first.body.data.id}/approve`);
    assert.deepEqual(
      [settled.status, settled.body.data.status, typeof settled.body.warning],
      [207, 'SETTLED', 'string'],
    );
    assertRefused(
      await at.post(`/api/subaccounts/move/${second.body.data.id}/approve`),
      400,
      'VALIDATION_ERROR',
    );
    await at.close();
  });
});
