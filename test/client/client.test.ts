import assert from 'node:assert/strict';
import {RemitClient} from '../../src/client/client.ts';
import type {ClientOptions} from '../../src/client/options.ts';
import {allOperations} from '../../src/contract/operations/operations.ts';
import type {ErrorCode} from '../../src/errors.ts';
import {FakeTransport, answer, lost, type Reply, type Script} from './transport/fake-transport.ts';
import {BANK_ACCOUNT} from './bank-account.ts';
import {RecordingClock} from './recording-clock.ts';

const KEY = 'test_sk_4eC39HqLyjWDarjtT1zdp7dc';
const BODY = {payee_id: '7f8c1f6e-3a56-4a1b-9c7d-2b6b4b0f8a02', amount_in_minor_units: 12_500};

function setUp(
  script: readonly Reply[] | Script = [answer(200, {id: 'x', status: 'created'})],
  options: Partial<ClientOptions> = {},
) {
  const transport = new FakeTransport(script);
  const clock = new RecordingClock();
  const client = new RemitClient({
    baseUrl: 'https://api.example.com/v1/',
    key: KEY,
    transport,
    clock,
    random: () => 0,
    ...options,
  });
  return {
    client,
    transport,
    clock,
    sent: () => transport.requests.map(({method, path, body}) => [method, path, body]),
  };
}
const code = (expected: ErrorCode) => ({code: expected});

describe('the client', () => {
  it('has every operation of the contract as a method', () => {
    const {client} = setUp();
    const found = client as unknown as Record<string, Record<string, unknown>>;
    for (const {id} of allOperations()) {
      const [resource = '', verb = ''] = id.split('.');
      assert.equal(
        typeof found[resource]?.[verb],
        'function',
        `${id}: give RemitClient a field for the resource`,
      );
    }
  });

  it('sends operations as the contract declares them', async () => {
    const {client, sent} = setUp([answer(200, {id: 'p/1'}), answer(200, {id: 'x', status: 'created'})]);
    await client.payouts.get({id: 'p/1'});
    await client.payouts.approve({id: 'p'});
    await client.payins.cancel({id: 'p'});
    await client.payees.update({id: 'e'}, {name: 'New'});
    await client.payers.create({name: 'P'});
    await client.payeePaymentMethods.setDefault({payee_id: 'o', payment_method_id: 'm'});
    await client.payerPaymentMethods.delete({payer_id: 'o', payment_method_id: 'm'});
    assert.deepEqual(sent(), [
      ['GET', '/api/payouts/p%2F1', undefined],
      ['POST', '/api/payouts/p/approve', '{}'],
      ['POST', '/api/payins/p/cancel', '{}'],
      ['PATCH', '/api/payees/e', '{"name":"New"}'],
      ['POST', '/api/payers', '{"name":"P"}'],
      ['POST', '/api/payees/o/payment-methods/m/set-default', '{}'],
      ['DELETE', '/api/payers/o/payment-methods/m', undefined],
    ]);
  });

  it('makes one idempotency key per create, and none for what takes none', async () => {
    const {client, transport} = setUp([lost('reset'), answer(201, {id: 'a'})]);
    const {idempotencyKey} = await client.payouts.create(BODY);
    await client.payees.create({name: 'A'});
    const keys = transport.requests.map(({headers}) => headers['idempotency-key']);
    assert.match(idempotencyKey ?? '', /^[0-9a-f-]{36}$/);
    assert.deepEqual(keys, [idempotencyKey, idempotencyKey, undefined]);
  });

  it('resolves to the record with what came along', async () => {
    const {client} = setUp([
      answer(207, {id: 'a', status: 'created', warning: 'no funds'}, {'x-request-id': 'r'}),
    ]);
    assert.deepEqual(
      await client.payins.create({payer_id: 'x', amount_in_minor_units: 1}, {idempotencyKey: 'k'}),
      {
        data: {id: 'a', status: 'created', warning: 'no funds'},
        status: 207,
        requestId: 'r',
        warning: 'no funds',
        attempts: 1,
        idempotencyKey: 'k',
        replayed: false,
      },
    );
  });

  it('writes with a live key only if it was created with live: true', async () => {
    const live = {key: 'live_sk_4eC39HqLyjWDarjtT1zdp7dc'};
    const {client, sent} = setUp(() => answer(200, {id: 'a', status: 'created'}), live);
    await assert.rejects(client.payouts.create(BODY), code('GUARD_LIVE'));
    await assert.rejects(client.payouts.approve({id: 'a'}), code('GUARD_LIVE'));
    await assert.rejects(
      client.payeePaymentMethods.delete({payee_id: 'o', payment_method_id: 'm'}),
      code('GUARD_LIVE'),
    );
    await assert.rejects(client.request('POST', '/api/anything'), code('GUARD_LIVE'));
    await client.payouts.get({id: 'a'});
    assert.deepEqual(sent(), [['GET', '/api/payouts/a', undefined]]);
    const allowed = setUp(undefined, {...live, live: true});
    await allowed.client.payouts.create(BODY);
    assert.equal(allowed.sent().length, 1);
  });

  it('refuses a service file that turns a read into a write', () => {
    const service = {routes: {'payouts.get': 'POST /v1/payouts/{id}'}};
    assert.throws(() => setUp(undefined, {service}), code('SERVICE_FILE'));
  });

  it('refuses to wait for a word that is not a status, and names the nearest one', async () => {
    const {client, sent} = setUp([answer(200, {id: 'a', status: 'settled'})]);
    await assert.rejects(client.wait('payouts', {id: 'a'}, {until: 'Settled' as never}), {
      code: 'USAGE',
      message: /until: "Settled" is not one of the statuses: created, canceled, approved/,
      hint: 'did you mean settled?',
    });
    for (const until of [null, 5])
      await assert.rejects(client.wait('payouts', {id: 'a'}, {until: until as never}), code('USAGE'));
    assert.deepEqual(sent(), []);
  });

  it('keeps unknown fields, unknown values and numbers as they came', async () => {
    const record = {
      id: 'a',
      status: 'under_review',
      rail: 'pigeon',
      new_thing: {deep: [1, null]},
      amount_in_minor_units: 9007199254740991,
    };
    const {client} = setUp([answer(200, record)]);
    assert.deepEqual((await client.payouts.get({id: 'a'})).data, record);
  });

  it('names the fields of a record that the contract does not have, and prints the record as it came', async () => {
    const record = {id: 'x', status: 'frozen', of_tomorrow: {a: 1}};
    const {client} = setUp(() => answer(200, {...record}));
    const {data} = await client.payouts.get({id: 'x'});
    assert.deepEqual(data.unknownFields, {of_tomorrow: {a: 1}});
    assert.deepEqual([JSON.parse(JSON.stringify(data)), {...data}], [record, record]);
    assert.deepEqual((await client.payouts.create(BODY)).data.unknownFields, {of_tomorrow: {a: 1}});
    const {record: waited} = await client.wait('payouts', {id: 'x'}, {timeoutMs: 0});
    assert.deepEqual(waited?.unknownFields, {of_tomorrow: {a: 1}});
  });

  it('names them also in a list, and in the record of an envelope', async () => {
    const item = {id: 'x', status: 'created', of_tomorrow: 1};
    const listed = setUp([answer(200, {data: [item, {id: 'y'}], next_cursor: null})]);
    const found = (await listed.client.payouts.list().toArray()).map(({unknownFields}) => unknownFields);
    assert.deepEqual(found, [{of_tomorrow: 1}, {}]);
    const {client} = setUp([answer(200, {data: item})]);
    const {data: move} = await client.moves.approve({move_id: 'x'});
    assert.deepEqual(move.data.unknownFields, {of_tomorrow: 1});
  });

  it('finds a created record in an envelope', async () => {
    const {client} = setUp([answer(201, {data: {id: 'a'}})]);
    assert.deepEqual((await client.payouts.create(BODY)).data, {id: 'a'});
  });

  it('returns null if there is no body', async () => {
    const {client} = setUp([answer(204)]);
    const {data, status} = await client.payeePaymentMethods.delete({payee_id: 'o', payment_method_id: 'm'});
    assert.deepEqual([data, status], [null, 204]);
  });

  it('sends fields and routes as the profile overrides them', async () => {
    const {client, sent} = setUp(undefined, {
      service: {
        routes: {'payouts.create': 'POST /pay'},
        fields: {'payouts.create': {metadata: 'payout_metadata'}, 'payouts.list': {status: 'state'}},
      },
    });
    await client.payouts.create({...BODY, metadata: {a: 'b'}});
    await client.payouts
      .list({status: 'created'})
      .toArray()
      .catch(() => {});
    assert.equal(sent()[0]?.[1], '/pay');
    assert.deepEqual(JSON.parse(sent()[0]?.[2] ?? ''), {...BODY, payout_metadata: {a: 'b'}});
    assert.equal(sent()[1]?.[1], '/api/payouts?state=created&limit=100');
  });

  it('refuses options that cannot work before anything is sent', () => {
    const refused: [Partial<ClientOptions>, ErrorCode][] = [
      [{baseUrl: 'http://api.example.com'}, 'GUARD_TARGET'],
      [{key: 'sk_test_x'}, 'BAD_KEY'],
      [{timeouts: {totalMs: 0}}, 'USAGE'],
      [{timeouts: {headersMs: Infinity}}, 'USAGE'],
      [{timeouts: {connectMs: Number.NaN}}, 'USAGE'],
      [{service: {routes: {'payouts.get': 'GET /x/{payout}'}}}, 'SERVICE_FILE'],
      [{service: {fields: {payouts: {amount_in_minor_units: 'amount'}}}}, 'SERVICE_FILE'],
    ];
    for (const [options, expected] of refused) assert.throws(() => setUp(undefined, options), code(expected));
  });

  it('refuses a bad id or key as a rejection, not a throw', async () => {
    const {client, transport} = setUp();
    await assert.rejects(client.payouts.get({id: '..'}), code('USAGE'));
    await assert.rejects(client.payouts.create(BODY, {idempotencyKey: 'with space'}), code('USAGE'));
    assert.equal(transport.requests.length, 0);
  });

  it('gives every request all three time-outs', async () => {
    const {client, transport} = setUp(undefined, {timeouts: {totalMs: 5_000, headersMs: undefined}});
    await client.payouts.get({id: 'x'});
    await client.payouts.get({id: 'x'}, {totalMs: 700});
    assert.deepEqual(transport.requests[0]?.timeouts, {connectMs: 10_000, headersMs: 60_000, totalMs: 5_000});
    assert.equal(transport.requests[1]?.timeouts.totalMs, 700);
  });

  it('closes its transport', async () => {
    const {client, transport} = setUp();
    await client.close();
    assert.equal(transport.closed, true);
  });
});

describe('a list of the client', () => {
  const twoPages: Script = ({path}) =>
    answer(
      200,
      path.includes('cursor')
        ? {data: [{id: '3'}], next_cursor: null}
        : {data: [{id: '1'}, {id: '2'}], next_cursor: 'c='},
    );

  it('follows the cursor with the same filters', async () => {
    const {client, sent} = setUp(twoPages);
    const ids = [];
    for await (const {id} of client.payouts.list({status: 'created', order: 'asc'}, {pageSize: 2}))
      ids.push(id);
    assert.deepEqual(ids, ['1', '2', '3']);
    assert.deepEqual(
      sent().map(([, path]) => path),
      [
        '/api/payouts?status=created&order=asc&limit=2',
        '/api/payouts?status=created&order=asc&limit=2&cursor=c%3D',
      ],
    );
  });

  it('takes path parameters among the filters', async () => {
    const {client, sent} = setUp(twoPages);
    const {length} = await client.payeePaymentMethods.list({payee_id: 'o 1'}, {limit: 2}).toArray();
    assert.equal(length, 2);
    assert.equal(sent()[0]?.[1], '/api/payees/o%201/payment-methods?limit=2');
  });

  it('refuses a missing path parameter, and a filter that cannot be part of a query', async () => {
    const {client, transport} = setUp(twoPages);
    assert.throws(() => client.payeePaymentMethods.list({} as never), {
      code: 'USAGE',
      message: 'payee_id is missing',
    });
    await assert.rejects(client.payouts.list({status: {is: 'failed'}} as never).toArray(), {
      code: 'USAGE',
      message: /status/,
    });
    assert.equal(transport.requests.length, 0);
  });

  it('repeats a page that failed, and only that one', async () => {
    let failed = false;
    const {client, sent} = setUp((request, nth) => {
      if (nth === 1 && !failed) {
        failed = true;
        return lost('reset');
      }
      return twoPages(request, nth);
    });
    assert.equal((await client.payouts.list().toArray()).length, 3);
    assert.equal(sent().length, 3);
  });

  it('does not take an odd answer for an empty page', async () => {
    for (const odd of [answer(200, {items: []}), answer(200, 'x'), answer(204)]) {
      await assert.rejects(setUp([odd]).client.payouts.list().toArray(), code('UNAVAILABLE'));
    }
  });
});

describe('any request', () => {
  it('goes out with key and retries, under the base URL', async () => {
    const {client, sent} = setUp([answer(500), answer(200, [1])]);
    assert.deepEqual((await client.request('get', '/api/new?x=1')).data, [1]);
    assert.deepEqual(
      sent().map(([method, path]) => [method, path]),
      [
        ['GET', '/api/new?x=1'],
        ['GET', '/api/new?x=1'],
      ],
    );
  });

  it('that writes is sent again only with an idempotency key', async () => {
    const bare = setUp([lost('reset')]);
    await assert.rejects(bare.client.request('POST', '/api/new', {body: {a: 1}}), code('IN_DOUBT'));
    assert.equal(bare.sent().length, 1);
    const keyed = setUp([lost('reset'), answer(200, {})]);
    await keyed.client.request('POST', '/api/new', {body: {a: 1}, idempotencyKey: 'k'});
    assert.equal(keyed.transport.requests[1]?.headers['idempotency-key'], 'k');
  });

  it('takes no address of another host', async () => {
    const {client, transport} = setUp();
    for (const path of ['//evil.example/x', 'https://evil.example/', '/../x']) {
      await assert.rejects(client.request('GET', path), code('GUARD_TARGET'));
    }
    assert.equal(transport.requests.length, 0);
  });
});

describe('a preview', () => {
  it('shows what would be sent, masked, and sends nothing', () => {
    const {client, transport} = setUp();
    const preview = client.preview('payouts.create', {body: BODY, options: {idempotencyKey: 'k'}});
    assert.deepEqual(
      [preview.method, preview.url, preview.idempotencyKey],
      ['POST', 'https://api.example.com/v1/api/payouts', 'k'],
    );
    assert.deepEqual(preview.body, BODY);
    assert.equal(preview.headers['x-api-key'], 'test_…p7dc');
    assert.equal(preview.headers['idempotency-key'], 'k');
    assert.equal(transport.requests.length, 0);
  });

  it('masks account numbers also under the name that the profile gives them', () => {
    const fields = {'payeePaymentMethods.add': {'bank_account.account_number': 'bank_account.acct'}};
    const {client} = setUp(undefined, {service: {fields}});
    const {body} = client.preview('payeePaymentMethods.add', {params: {payee_id: 'o'}, body: BANK_ACCOUNT});
    assert.deepEqual((body as {bank_account: object}).bank_account, {
      acct: '…6789',
      routing_number: '…0021',
      account_type: 'checking',
      holder_name: 'A',
    });
  });

  it('of any request is the same', () => {
    const {client} = setUp();
    const {method, url, body} = client.previewRequest('post', '/api/x', {body: {number: '4242424242424242'}});
    assert.deepEqual([method, url, body], ['POST', 'https://api.example.com/v1/api/x', {number: '…4242'}]);
  });
});

describe('debug lines', () => {
  it('show the exchange, and no key or account number in full', async () => {
    const lines: string[] = [];
    const {client} = setUp(
      [lost('reset'), answer(400, {message: 'account 000123456789 is bad', echo: KEY}, {'x-echo': KEY})],
      {onDebug: (line) => lines.push(line)},
    );
    const body = {
      type: 'card',
      country_code: 'US',
      currency_code: 'USD',
      card: {number: '4242424242424242', exp_month: 1, exp_year: 2030},
    } as const;
    await client.payeePaymentMethods.add({payee_id: 'o'}, body).catch(() => {});
    await client.payerPaymentMethods.add({payer_id: 'o'}, BANK_ACCOUNT).catch(() => {});
    const text = lines.join('\n');
    for (const secret of [KEY, '4242424242424242', '000123456789', '021000021'])
      assert.ok(!text.includes(secret), secret);
    assert.match(text, /^> POST https:\/\/api\.example\.com\/v1\/api\/payees\/o\/payment-methods$/m);
    assert.match(text, /^> x-api-key: test_…p7dc$/m);
    assert.match(text, /^\* failed: it was a reset \(bytes may have left\)$/m);
    assert.match(text, /^< 400 \(0 ms\)$/m);
  });

  it('say when and why a request is sent again', async () => {
    const lines: string[] = [];
    const {client} = setUp([answer(503, '', {'retry-after': '2'}), answer(200, {id: 'x'})], {
      onDebug: (line) => lines.push(line),
    });
    await client.payouts.get({id: 'x'});
    assert.ok(lines.includes('* attempt 1 is open; the next one in 2000 ms'));
  });
});

describe('a wait of the client', () => {
  it('reads until the end and does not retry within a read', async () => {
    const statuses = ['created', 'initiated', 'settled'];
    const {client, sent} = setUp((_, nth) =>
      nth === 1 ? answer(500) : answer(200, {id: 'x', status: statuses[nth - (nth > 1 ? 1 : 0)]}),
    );
    const seen: string[] = [];
    const {outcome, record, polls} = await client.wait(
      'payouts',
      {id: 'x'},
      {onChange: ({status}) => seen.push(status)},
    );
    assert.deepEqual([outcome, record?.status, polls, sent().length], ['reached', 'settled', 4, 4]);
    assert.deepEqual(seen, ['created', 'initiated', 'settled']);
  });

  it('gives a read no more time than is left, and a second at least', async () => {
    const {client, transport, clock} = setUp([answer(200, {id: 'x', status: 'created'})]);
    const {outcome} = await client.wait(
      'payins',
      {id: 'x'},
      {timeoutMs: 1_200, initial: {status: 'created'} as never},
    );
    assert.equal(outcome, 'timeout');
    assert.deepEqual(
      transport.requests.map(({path, timeouts}) => [path, timeouts.totalMs]),
      [
        ['/api/payins/x', 1_000],
        ['/api/payins/x', 1_000],
      ],
    );
    assert.deepEqual(clock.sleeps, [500, 700]);
  });
});
