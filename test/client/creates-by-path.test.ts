import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {RemitClient} from '../../src/client/client.ts';
import type {ClientOptions} from '../../src/client/options.ts';
import type {AnyOptions} from '../../src/client/requests/resource.ts';
import {METHOD_ID, PAYEE_ID, PAYER_ID, PAYOUT_ID, payin, payout} from '../commands/fixtures.ts';
import {RecordingClock} from './recording-clock.ts';
import {FakeTransport, answer, lost, type Reply} from './transport/fake-transport.ts';
import type {Printable} from '../../src/narrow.ts';

const BODY = {payee_id: PAYEE_ID, amount_in_minor_units: 12_500, currency_code: 'USD', auto_approve: true};
const KEY = {idempotencyKey: 'L1'};
const created = payout({status: 'created'});
const approved = payout({status: 'approved'});

function setUp(script: readonly Reply[], options: Partial<ClientOptions> = {}) {
  const transport = new FakeTransport(script);
  const clock = new RecordingClock();
  const client = new RemitClient({
    ...{baseUrl: 'https://api.example.com', key: 'test_abcdefghijklmnop', transport, clock, random: () => 0},
    ...options,
  });
  const post = (input: {body?: Printable} & AnyOptions, path = '/api/payouts') =>
    client.request('POST', path, input);
  const bodies = () => transport.requests.map(({body}) => JSON.parse(body ?? 'null') as unknown);
  const keys = () => transport.requests.map(({headers}) => headers['idempotency-key']);
  return {client, transport, post, bodies, keys};
}

describe('a create named by its path', () => {
  it('never approves the record of another payment under the key of the caller', async () => {
    const {post, bodies} = setUp([answer(200, payout({payee_id: METHOD_ID, status: 'created'}))]);
    await assert.rejects(post({body: BODY, ...KEY}), {code: 'KEY_REUSED'});
    assert.deepEqual(bodies(), [{...BODY, auto_approve: false}]);
  });

  it('is of the kind of its path, whatever fields its body has', async () => {
    const other = payout({currency_code: 'CAD', status: 'created'});
    const {post, bodies} = setUp([answer(200, other), answer(200, approved)]);
    await assert.rejects(post({body: {...BODY, payer_id: null}, ...KEY}), {code: 'KEY_REUSED'});
    assert.equal(bodies().length, 1);
  });

  it('is created, compared and released, payins as well', async () => {
    const {post, bodies} = setUp([answer(201, created), answer(201, approved)]);
    assert.deepEqual((await post({body: BODY, ...KEY})).data, approved);
    assert.deepEqual(bodies(), [{...BODY, auto_approve: false}, BODY]);
    const other = setUp([answer(200, payin({payer_id: METHOD_ID, status: 'created'}))]);
    const body = {payer_id: PAYER_ID, amount_in_minor_units: 12_500, auto_approve: 1};
    await assert.rejects(other.post({body, ...KEY}, '/api/payins'), {code: 'KEY_REUSED'});
    assert.equal(other.bodies().length, 1);
  });

  it('is refused if its fields are in a list or in the query, where a service may read them and nothing compares them', async () => {
    const {post, transport} = setUp([answer(201, approved)]);
    for (const [body, path] of [
      [[BODY], '/api/payouts'],
      ['text', '/api/payouts'],
      [{...BODY, auto_approve: false}, '/api/payouts?auto_approve=true'],
    ] as const)
      await assert.rejects(post({body, ...KEY}, path), {code: 'LOCAL_VALIDATION'});
    assert.deepEqual(transport.requests, []);
  });

  it('is recognized by the route and names of a service file, whether raw or not', async () => {
    const service = {
      routes: {'payouts.create': 'POST /v1/disbursements'},
      fields: {payouts: {payee_id: 'to', auto_approve: 'now'}},
    };
    const wire = {...BODY, payee_id: undefined, auto_approve: undefined, to: PAYEE_ID, now: true};
    const {to, now, ...rest} = wire;
    const body = JSON.parse(JSON.stringify({...rest, to, now})) as object;
    const foreign = {...payout({status: 'created'}), payee_id: undefined, to: METHOD_ID};
    for (const input of [{body}, {body, isRaw: true}]) {
      const {post, bodies} = setUp([answer(200, foreign)], {service});
      await assert.rejects(post({...input, ...KEY}, '/v1/disbursements'), {code: 'KEY_REUSED'});
      assert.deepEqual(bodies(), [{...body, now: false}]);
    }
  });

  it('is refused in the documented form if a field has the name that the service gives to another one', async () => {
    const service = {
      routes: {'payouts.create': 'POST /v1/payouts'},
      fields: {
        payouts: {payee_id: 'creditor', amount_in_minor_units: 'amount.value', auto_approve: 'approve_now'},
        payins: {auto_approve: 'options.approve'},
      },
      units: {'payouts.amount_in_minor_units': 'major'},
    } as const;
    const {payee_id: creditor, auto_approve: approve_now, ...rest} = BODY;
    const {client, post, transport} = setUp([answer(201, created)], {service});
    const refused = (message: RegExp) => ({code: 'LOCAL_VALIDATION', message});
    const approve = /approve_now is the service's name for auto_approve; write auto_approve/;
    for (const body of [
      {creditor, amount: {value: '125.00'}, currency_code: 'USD', approve_now},
      {...rest, payee_id: PAYEE_ID, approve_now},
      {...BODY, approve_now: null},
    ]) {
      await assert.rejects(post({body, ...KEY}), refused(/is (part of .*, )?the service's name for/));
      await assert.rejects(client.payouts.create(body as never, KEY), {code: 'LOCAL_VALIDATION'});
      assert.throws(() => client.previewRequest('POST', '/api/payouts', {body}), {code: 'LOCAL_VALIDATION'});
    }
    await assert.rejects(post({body: {...rest, payee_id: PAYEE_ID, approve_now}, ...KEY}), refused(approve));
    await assert.rejects(
      post({body: {...rest, amount: 5}, ...KEY}),
      refused(
        /amount is part of amount\.value, the service's name for amount_in_minor_units; write amount_in_/,
      ),
    );
    const payin = {payer_id: PAYER_ID, amount_in_minor_units: 1, options: {approve: true}};
    await assert.rejects(post({body: payin, ...KEY}, '/api/payins'), refused(/options is part of options\./));
    assert.deepEqual(transport.requests, []);
  });

  it('is decided and compared by what is sent, whatever object the caller passes', async () => {
    class Invoice {
      readonly #fields: object;
      constructor(fields: object) {
        this.#fields = fields;
      }
      toJSON(): object {
        return this.#fields;
      }
    }
    const foreign = answer(200, payout({payee_id: METHOD_ID, status: 'created'}));
    for (const send of ['request', 'create'] as const) {
      const {client, post, bodies} = setUp([foreign]);
      const body = new Invoice(BODY);
      const sent = send === 'request' ? post({body, ...KEY}) : client.payouts.create(body as never, KEY);
      await assert.rejects(sent, {code: 'KEY_REUSED'});
      assert.deepEqual(bodies(), [{...BODY, auto_approve: false}]);
    }
  });

  it('is refused if its body is not an object once it is JSON', async () => {
    const {client, post, transport} = setUp([answer(201, approved)]);
    const opaque = [new Map(Object.entries(BODY)), Buffer.from(JSON.stringify(BODY)), new Uint8Array(2)];
    const text = {toJSON: () => JSON.stringify(BODY)};
    for (const body of [text, [BODY], 'text', undefined, () => BODY, ...opaque]) {
      await assert.rejects(post({body, ...KEY}), {code: 'LOCAL_VALIDATION'});
      await assert.rejects(client.payouts.create(body as never, KEY), {code: 'LOCAL_VALIDATION'});
    }
    assert.deepEqual(transport.requests, []);
  });

  it('may have a field under a name that the service gives to another one, if the service file swaps them', async () => {
    const service = {fields: {payouts: {payee_id: 'subaccount_id', subaccount_id: 'payee_id'}}};
    const {post, bodies} = setUp([answer(201, {...created, payee_id: null, subaccount_id: PAYEE_ID})], {
      service,
    });
    await post({body: {...BODY, auto_approve: false}, ...KEY});
    assert.deepEqual(bodies(), [
      {
        ...{subaccount_id: PAYEE_ID},
        amount_in_minor_units: 12_500,
        currency_code: 'USD',
        auto_approve: false,
      },
    ]);
  });

  it('is sent by the route and names of a service file if it is in the documented form', async () => {
    const service = {
      routes: {'payouts.create': 'POST /v1/disbursements'},
      fields: {payouts: {payee_id: 'to', auto_approve: 'now'}},
    };
    const {payee_id: to, auto_approve: now, ...rest} = BODY;
    for (const send of ['request', 'create'] as const) {
      const {client, post, bodies, transport} = setUp(
        [answer(201, {...created, to}), answer(201, approved)],
        {
          service,
        },
      );
      if (send === 'request') await post({body: BODY, ...KEY});
      else await client.payouts.create({...BODY, currency_code: 'USD'}, KEY);
      assert.deepEqual(
        transport.requests.map(({path}) => path),
        ['/v1/disbursements', '/v1/disbursements'],
      );
      assert.deepEqual(bodies(), [
        {...rest, to, now: false},
        {...rest, to, now},
      ]);
    }
  });

  it('answers in the form of the service after a lost release too', async () => {
    const service = {fields: {payouts: {status: 'state'}}};
    const wire = (state: string) => ({...created, status: undefined, state});
    const script = [answer(201, wire('created')), lost(), answer(200, wire('approved'))];
    const {post, transport} = setUp(script, {service});
    const {data} = await post({body: BODY, ...KEY, isRaw: true});
    assert.deepEqual(data, JSON.parse(JSON.stringify(wire('approved'))));
    assert.equal(transport.requests.length, 3);
  });

  it('is refused raw under the documented path, if the service file has another one', async () => {
    const service = {routes: {'payouts.create': 'POST /v1/disbursements'}};
    const {post, bodies} = setUp([answer(201, created)], {service});
    await assert.rejects(post({body: BODY, ...KEY, isRaw: true}), {
      code: 'GUARD_TARGET',
      message: /as a raw request: the service file has payouts\.create at POST \/v1\/disbursements/,
    });
    assert.deepEqual(bodies(), []);
  });

  it('is refused under another spelling of its path', async () => {
    for (const path of ['/api/payouts/', '/api//payouts', '/API/payouts', '/api/%70ayouts']) {
      const {post, bodies} = setUp([answer(201, created)]);
      await assert.rejects(post({body: BODY, ...KEY}, path), {code: 'GUARD_TARGET'});
      assert.deepEqual(bodies(), []);
    }
  });

  it('with a key that it generates is one request, and is compared', async () => {
    for (const key of [{}, {idempotencyKey: null as never}]) {
      const same = setUp([answer(201, approved)]);
      assert.deepEqual((await same.post({body: BODY, ...key})).data, approved);
      assert.match(same.keys().join(), /^[0-9a-f-]{36}$/);
      const other = setUp([answer(201, payout({payee_id: METHOD_ID}))]);
      await assert.rejects(other.post({body: BODY, ...key}), {code: 'KEY_REUSED'});
      const open = setUp([answer(201, created)]);
      assert.match((await open.post({body: BODY, ...key})).warning ?? '', /its status is still created/);
    }
  });

  it('is in doubt after a success without a record, also in the form of the service', async () => {
    const service = {fields: {payouts: {id: 'reference'}}};
    for (const options of [{}, {service}])
      for (const isRaw of [false, true]) {
        const {post} = setUp([answer(201, {})], options);
        await assert.rejects(post({body: BODY, isRaw}), {code: 'IN_DOUBT'});
      }
    const {post} = setUp([answer(201, {...approved, id: undefined, reference: PAYOUT_ID})], {service});
    assert.equal((await post({body: BODY, isRaw: true})).status, 201);
  });
});

describe('an idempotency key of null', () => {
  it('is the same as none: one key, and one payout', async () => {
    const {client, keys} = setUp([answer(201, approved)]);
    await client.payouts.create({...BODY, currency_code: 'USD'}, {idempotencyKey: null as never});
    assert.equal(keys().length, 1);
  });
});

describe('the two requests of a create', () => {
  it('have the same key', async () => {
    const {client, keys} = setUp([lost(), answer(201, created), answer(201, approved)]);
    await client.payouts.create({...BODY, currency_code: 'USD'}, KEY);
    assert.deepEqual(keys(), ['L1', 'L1', 'L1']);
  });
});
