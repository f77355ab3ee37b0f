import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {RemitClient} from '../../src/client/client.ts';
import type {ClientOptions} from '../../src/client/options.ts';
import type {CreatedBefore} from '../../src/client/requests/resource.ts';
import {RemitError} from '../../src/errors.ts';
import {PAYEE_ID, PAYOUT_ID, METHOD_ID, payin, payout} from '../commands/fixtures.ts';
import {FakeTransport, answer, lost, type Reply} from './transport/fake-transport.ts';
import {RecordingClock} from './recording-clock.ts';

const BODY = {
  payee_id: PAYEE_ID,
  amount_in_minor_units: 12_500,
  currency_code: 'USD' as const,
  auto_approve: true,
};
const KEY = {idempotencyKey: 'invoice-77'};
const created = payout({status: 'created'});
const approved = payout({status: 'approved'});

function setUp(script: readonly Reply[], options: Partial<ClientOptions> = {}) {
  const transport = new FakeTransport(script);
  const clock = new RecordingClock();
  const client = new RemitClient({
    ...{baseUrl: 'https://api.example.com', key: 'test_abcdefghijklmnop', transport, clock, random: () => 0},
    ...options,
  });
  /** `create` and `release` for the two requests of a create. */
  const sent = () =>
    transport.requests.map(({method, path, body}) => {
      if (method === 'GET') return 'get';
      if (path.endsWith('/approve')) return 'approve';
      return body?.includes('"auto_approve":true') ? 'release' : 'create';
    });
  return {client, transport, clock, sent};
}

/** The error of a create with a key of the caller's. */
async function failure(script: readonly Reply[], options: Partial<ClientOptions> = {}) {
  const at = setUp(script, options);
  const error: unknown = await at.client.payouts.create(BODY, KEY).then(
    () => assert.fail('it did not fail'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof RemitError, String(error));
  return {...at, error};
}

describe('a create with auto_approve and a key of the caller', () => {
  it('is sent without approval, and released only after the answer was compared', async () => {
    const {client, transport, sent} = setUp([answer(201, created), answer(201, approved)]);
    const result = await client.payouts.create(BODY, KEY);
    assert.deepEqual(sent(), ['create', 'release']);
    assert.deepEqual(
      [result.data.status, result.replayed, result.attempts, result.warning],
      ['approved', false, 2, undefined],
    );
    const [create, release] = transport.requests;
    assert.equal(create?.headers['idempotency-key'], 'invoice-77');
    assert.deepEqual(create?.headers, release?.headers);
    assert.equal(create?.body?.replace('"auto_approve":false', '"auto_approve":true'), release?.body);
  });

  it('warns of an approval that an answer does not show', async () => {
    for (const [status, why] of [
      ['under_review', 'its status is under_review, which is not documented'],
      [undefined, 'it has no status'],
    ] as const) {
      const {client} = setUp([answer(201, created), answer(201, {...approved, status})]);
      const {warning} = await client.payouts.create(BODY, KEY);
      assert.equal(warning, `whether the payout was approved is unknown: ${why}`);
    }
  });

  for (const [title, options, body] of [
    ['for a key that this call generated', {}, BODY],
    ['for a key that was generated for it', {...KEY, isFreshKey: true}, BODY],
    ['for a key that the caller vouches for', {...KEY, mayApproveAtOnce: true}, BODY],
    ['without auto_approve', KEY, {...BODY, auto_approve: false}],
  ] as const)
    it(`is one request ${title}`, async () => {
      const {client, sent} = setUp([answer(201, approved)]);
      await client.payouts.create(body, options);
      assert.deepEqual(sent(), [body.auto_approve ? 'release' : 'create']);
    });

  for (const [title, record] of [
    ['party', {payee_id: METHOD_ID}],
    ['amount', {amount_in_minor_units: 999_900}],
    ['amount as text', {amount_in_minor_units: '999900'}],
    ['currency', {currency_code: 'CAD'}],
    ['subaccount', {subaccount_id: METHOD_ID}],
  ] as const)
    for (const status of ['created', 'settled'])
      it(`never approves a record with another ${title} (${status})`, async () => {
        const {error, sent} = await failure([answer(200, payout({status, ...record}))]);
        assert.deepEqual([error.code, sent()], ['KEY_REUSED', ['create']]);
        const [difference] = error.details?.['differences'] as {asked: unknown; answered: unknown}[];
        assert.ok(difference?.asked !== undefined || difference?.answered !== undefined);
        assert.equal(error.details?.['id'], PAYOUT_ID);
        assert.match(
          error.message,
          new RegExp(`belongs to another payout, ${PAYOUT_ID} \\(status: ${status}\\)`),
        );
      });

  it('never approves another currency because its body has a field of payins', async () => {
    for (const payer_id of [null, PAYEE_ID]) {
      const {client, sent} = setUp([answer(200, payout({currency_code: 'CAD'})), answer(200, approved)]);
      const body = {...BODY, payer_id};
      await assert.rejects(client.payouts.create(body, KEY), {code: 'KEY_REUSED', message: /CAD/});
      assert.deepEqual(sent(), ['create']);
    }
  });

  it('compares the metadata', async () => {
    const {client, sent} = setUp([answer(200, payout({client_metadata: {invoice: 'INV-1'}}))]);
    const body = {...BODY, metadata: {invoice: 'INV-77'}};
    await assert.rejects(client.payouts.create(body, KEY), {code: 'KEY_REUSED', message: /INV-1.*INV-77/});
    assert.deepEqual(sent(), ['create']);
    const both = setUp([answer(200, payout({client_metadata: {a: '1'}})), answer(200, approved)]);
    const twice = {...BODY, metadata: {a: '1'}, payout_metadata: {b: '2'}};
    await assert.rejects(both.client.payouts.create(twice, KEY), {code: 'KEY_REUSED'});
    assert.deepEqual(both.sent(), ['create']);
  });

  it('compares nested metadata of a payin by its content', async () => {
    const nested: unknown = {a: {b: 1, c: [true, null]}, n: 9007199254740992, u: undefined};
    const metadata = nested as Record<string, string>; // the types allow only texts
    const record = payin({client_metadata: 0});
    const text = (status: string, b: number, n = '9007199254740992') =>
      JSON.stringify({...record, status}).replace(
        '"client_metadata":0',
        `"client_metadata":{"n":${n},"a":{"c":[true,null],"b":${b}},"own":{}}`,
      );
    const body = {payer_id: record.payer_id, amount_in_minor_units: 12_500, metadata, auto_approve: true};
    const same = setUp([answer(201, text('created', 1)), answer(201, text('approved', 1))]);
    await same.client.payins.create(body, KEY);
    assert.deepEqual(same.sent(), ['create', 'release']);
    const other = setUp([answer(201, text('created', 2))]);
    await assert.rejects(other.client.payins.create(body, KEY), {code: 'KEY_REUSED'});
    const near = setUp([answer(201, text('created', 1, '9007199254740993'))]);
    await assert.rejects(near.client.payins.create(body, KEY), {code: 'KEY_REUSED'});
    const inOtherForm = setUp([
      answer(201, text('created', 1, '9007199254740992.0')),
      answer(201, text('approved', 1)),
    ]);
    await inOtherForm.client.payins.create(body, KEY);
  });

  it('sends nothing more after a 409 to a request without approval', async () => {
    const {client, sent} = setUp([answer(409)]);
    await assert.rejects(client.payouts.create({...BODY, auto_approve: false}, KEY), {code: 'IN_DOUBT'});
    assert.deepEqual(sent(), ['create']);
  });

  it('compares a request without approval too, and one with a fresh key', async () => {
    for (const [body, options] of [
      [{...BODY, auto_approve: false}, KEY],
      [BODY, {}],
    ] as const) {
      const {client} = setUp([answer(200, payout({payee_id: METHOD_ID, status: 'settled'}))]);
      await assert.rejects(client.payouts.create(body, options), {code: 'KEY_REUSED'});
    }
  });

  it('does not compare the rail, nor the currency of a payin', async () => {
    const {client} = setUp([answer(201, payout({rail: 'WIRE_OUT'})), answer(201, approved)]);
    await client.payouts.create({...BODY, rail: 'wire'}, KEY);
    const record = payin({currency_code: 'CAD', status: 'created'});
    const other = setUp([answer(201, record), answer(201, {...record, status: 'approved'})]);
    const body = {...BODY, payee_id: undefined, payer_id: record.payer_id};
    await other.client.payins.create(body, KEY);
    assert.deepEqual(other.sent(), ['create', 'release']);
  });

  for (const field of ['payee_id', 'amount_in_minor_units'])
    it(`does not release a record whose ${field} cannot be read`, async () => {
      const record = {...created, amount_in_cents: undefined, [field]: null};
      const {client, sent} = setUp([answer(200, record)]);
      const {warning, data} = await client.payouts.create(BODY, KEY);
      assert.deepEqual(sent(), ['create']);
      assert.match(warning ?? '', new RegExp(`was not approved: the answer has no ${field}`));
      assert.equal(data.status, 'created');
    });

  for (const [title, amount, why] of [
    ['two amounts that differ', {amount_in_cents: 999_900}, /the answer has two amounts/],
    [
      'an amount with blanks',
      {amount_in_minor_units: '  12500', amount_in_cents: undefined},
      /the answer has an amount that cannot be read: amount_in_minor_units is/,
    ],
  ] as const)
    it(`does not release a record with ${title}`, async () => {
      const {client, sent} = setUp([answer(201, {...created, ...amount})]);
      const {warning} = await client.payouts.create(BODY, KEY);
      assert.deepEqual(sent(), ['create']);
      assert.match(warning ?? '', why);
    });

  it('marks a record that cannot be compared as unchecked after a 207 too', async () => {
    const {client, sent} = setUp([answer(207, {...created, payee_id: null, warning: 'limit reached'})]);
    const {warning, isUnchecked} = await client.payouts.create(BODY, KEY);
    assert.deepEqual([sent(), warning, isUnchecked], [['create'], 'limit reached', true]);
  });

  for (const field of ['payee_id', 'amount_in_minor_units'])
    it(`does not release a known record if the request has no ${field}`, async () => {
      const {client, sent} = setUp([answer(200, created)]);
      const {warning, isUnchecked} = await client.payouts.create({...BODY, [field]: undefined}, KEY);
      assert.deepEqual([sent(), isUnchecked], [['create'], true]);
      assert.match(warning ?? '', new RegExp(`was not approved: the request has no ${field} to compare`));
    });

  it('reads a record in {data: …}', async () => {
    const {client, sent} = setUp([answer(201, {data: created}), answer(201, {data: approved})]);
    assert.equal((await client.payouts.create(BODY, KEY)).data.status, 'approved');
    assert.deepEqual(sent(), ['create', 'release']);
  });

  it('sends nothing more for a record that is approved already, and says that it was replayed', async () => {
    const {client, sent} = setUp([answer(200, payout({status: 'settled'}))]);
    const {replayed, data} = await client.payouts.create(BODY, KEY);
    assert.deepEqual([replayed, data.status, sent()], [true, 'settled', ['create']]);
  });

  it('warns of an approved record whose party or amount cannot be read', async () => {
    for (const field of ['payee_id', 'amount_in_minor_units']) {
      const record = {...payout({status: 'settled'}), amount_in_cents: undefined, [field]: null};
      const {client, sent} = setUp([answer(200, record)]);
      const {warning} = await client.payouts.create(BODY, KEY);
      assert.deepEqual(sent(), ['create']);
      assert.equal(warning, `the answer has no ${field} to compare: check whether it is this payout`);
    }
  });

  it('reports as replayed what the first answer says', async () => {
    const {client} = setUp([answer(200, created), answer(201, approved)]);
    assert.equal((await client.payouts.create(BODY, KEY)).replayed, true);
  });

  for (const [status, words] of [
    ['canceled', 'is canceled'],
    ['failed', 'has failed'],
  ] as const)
    it(`never releases a record that is ${status}`, async () => {
      const {error, sent} = await failure([answer(200, payout({status}))]);
      assert.deepEqual([error.code, sent()], ['IDEMPOTENCY_KEY_CONFLICT', ['create']]);
      assert.match(error.message, new RegExp(`${PAYOUT_ID}, which ${words}. Nothing was approved`));
    });

  it('does not release after a 207, a replay without a status, or any answer with an unknown one', async () => {
    for (const reply of [
      answer(207, {...created, warning: 'limited'}),
      answer(200, payout({status: 'in_review'})),
      answer(201, payout({status: 'cancelled'})),
      answer(201, payout({status: 7})),
      answer(200, {...created, status: undefined}),
    ]) {
      const {client, sent} = setUp([reply]);
      assert.notEqual((await client.payouts.create(BODY, KEY)).warning, undefined);
      assert.deepEqual(sent(), ['create']);
    }
  });

  it('leaves a 409 to the first request in doubt, and sends nothing more', async () => {
    const {error, sent} = await failure([answer(409, {error_code: 'LOCKED', message: 'busy'})]);
    assert.deepEqual([error.code, error.exitCode, sent()], ['IN_DOUBT', 12, ['create']]);
    assert.match(error.message, /The idempotency key is in use/);
  });

  it('passes on that the key is dead', async () => {
    const {error, sent} = await failure([answer(409, {error_code: 'IDEMPOTENCY_KEY_CONFLICT'})]);
    assert.deepEqual([error.code, sent()], ['IDEMPOTENCY_KEY_CONFLICT', ['create']]);
  });

  it('tells the caller about the record between the two requests', async () => {
    const {client, sent} = setUp([answer(200, created), answer(201, approved)]);
    const seen: [CreatedBefore, number][] = [];
    await client.payouts.create(BODY, {...KEY, onCreated: (record) => seen.push([record, sent().length])});
    const compared = ['payee_id', 'amount_in_minor_units', 'currency_code'];
    assert.deepEqual(seen, [[{id: PAYOUT_ID, status: 'created', attempts: 1, replayed: true, compared}, 1]]);
  });
});

describe('the release of a created record', () => {
  const first = answer(201, created);
  const conflict = answer(409, {error_code: 'IDEMPOTENCY_KEY_CONFLICT', message: 'other body'});

  it('after a lost answer reads the record before it is repeated', async () => {
    const again = setUp([first, lost(), answer(200, created), answer(201, approved)]);
    assert.equal((await again.client.payouts.create(BODY, KEY)).data.status, 'approved');
    assert.deepEqual(again.sent(), ['create', 'release', 'get', 'release']);
    const done = setUp([first, answer(500), answer(200, approved)]);
    assert.equal((await done.client.payouts.create(BODY, KEY)).data.status, 'approved');
    assert.deepEqual(done.sent(), ['create', 'release', 'get']);
  });

  it('is repeated after a 503 although the record is approved, because its initiation has to be continued', async () => {
    const initiated = payout({status: 'initiated'});
    const done = setUp([first, answer(503), answer(200, approved), answer(201, initiated)]);
    assert.equal((await done.client.payouts.create(BODY, KEY)).data.status, 'initiated');
    assert.deepEqual(done.sent(), ['create', 'release', 'get', 'release']);
    const later = setUp([answer(200, approved), answer(201, initiated)]);
    assert.equal((await later.client.payouts.create(BODY, KEY)).data.status, 'initiated');
    assert.deepEqual(later.sent(), ['create', 'release']);
    const {error} = await failure([first, answer(503), answer(200, approved)], {retries: 0});
    assert.deepEqual([error.code, error.details?.['status']], ['IN_DOUBT', 'approved']);
    assert.match(error.message, /it is approved, but the service could not start it/);
  });

  it('is not repeated past the horizon', async () => {
    const slow = answer(503, undefined, {'retry-after': '2'});
    const service = {keys: {horizon: '1s'}};
    const {error, sent} = await failure([first, slow, answer(200, created)], {service});
    assert.deepEqual([error.code, sent()], ['IN_DOUBT', ['create', 'release', 'get']]);
  });

  for (const [title, read] of [
    ['cannot be read', answer(503)],
    ['has an unknown status', answer(200, payout({status: 'in_review'}))],
  ] as const)
    it(`is in doubt if its answer was lost and the record ${title}, and names it`, async () => {
      const {error, sent} = await failure([first, lost(), read]);
      assert.deepEqual([error.code, error.details?.['id']], ['IN_DOUBT', PAYOUT_ID]);
      assert.match(error.message, new RegExp(PAYOUT_ID));
      assert.equal(sent().filter((kind) => kind === 'release').length, 1);
    });

  it('is in doubt if no answer comes, and the record is still created', async () => {
    const script = [first, lost(), answer(200, created), lost(), answer(200, created), lost()];
    const {error, sent} = await failure([...script, answer(200, created)]);
    assert.deepEqual([error.code, error.exitCode, error.details?.['id']], ['IN_DOUBT', 12, PAYOUT_ID]);
    assert.match(error.message, /exists; whether it was approved is not known/);
    assert.equal(sent().filter((kind) => kind === 'release').length, 3);
    assert.equal(sent().at(-1), 'get');
  });

  for (const [title, script, status, isOpen] of [
    ['that was lost, with a record that is still created', [first, lost(), answer(200, created)], null, true],
    ['that was lost, with a record that cannot be read', [first, lost(), answer(503)], null, true],
    [
      'that was lost, with another record',
      [first, lost(), answer(200, payout({payee_id: METHOD_ID}))],
      null,
      true,
    ],
    ['answered 503, of an approved record', [first, answer(503), answer(200, approved)], 'approved', true],
    ['that was refused', [first, answer(422)], 'created', undefined],
    ['that was not sent', [first, lost('refused', {sent: false})], 'created', false],
  ] as const)
    it(`names record, key and command in its error: a release ${title}`, async () => {
      const {client} = setUp(script, {retries: 0});
      const error: unknown = await client.payouts
        .create(BODY, {...KEY, hint: 'run this'})
        .catch((thrown: unknown) => thrown);
      assert.ok(error instanceof RemitError);
      const {id, idempotency_key, next, may_have_taken_effect, ...others} = error.details ?? {};
      assert.deepEqual(
        [id, others['status'], idempotency_key, next, may_have_taken_effect, error.hint],
        [PAYOUT_ID, status, 'invoice-77', 'run this', isOpen, 'run this'],
      );
    });

  it('after a 409 approves by id, if that is allowed', async () => {
    const {client, sent} = setUp([first, conflict, answer(200, created), answer(200, approved)], {
      approveById: true,
    });
    const {data, warning, replayed} = await client.payouts.create(BODY, KEY);
    assert.deepEqual(sent(), ['create', 'release', 'get', 'approve']);
    assert.deepEqual([data.status, warning, replayed], ['approved', undefined, false]);
  });

  it('after a 409 says what exists, if approval by id is not allowed', async () => {
    for (const reply of [conflict, answer(409)]) {
      const {client, sent} = setUp([first, reply, answer(200, created)]);
      const {data, warning} = await client.payouts.create(BODY, KEY);
      assert.deepEqual(sent(), ['create', 'release', 'get']);
      assert.deepEqual([data.id, data.status], [PAYOUT_ID, 'created']);
      assert.match(warning ?? '', /was not approved: the service answered 409/);
    }
  });

  it('after a 409 believes the record: approved, or dead', async () => {
    const done = setUp([first, conflict, answer(200, approved)], {approveById: true});
    assert.equal((await done.client.payouts.create(BODY, KEY)).data.status, 'approved');
    assert.deepEqual(done.sent(), ['create', 'release', 'get']);
    const {error} = await failure([first, conflict, answer(200, payout({status: 'canceled'}))]);
    assert.deepEqual([error.code, error.details?.['status']], ['IDEMPOTENCY_KEY_CONFLICT', 'canceled']);
  });

  it('never says that nothing was approved once it was sent', async () => {
    const failed = answer(200, payout({status: 'failed'}));
    for (const script of [
      [first, lost(), failed],
      [first, conflict, failed],
      [first, answer(201, payout({payee_id: METHOD_ID})), failed],
    ]) {
      const {error} = await failure(script);
      assert.equal(error.code, 'IDEMPOTENCY_KEY_CONFLICT');
      assert.match(
        error.message,
        /Its approval was sent before, so it may have been approved and then failed/,
      );
      assert.doesNotMatch(error.message, /Nothing was approved/);
    }
  });

  it('keeps the request of a 404, which may be a missing route', async () => {
    const {error} = await failure([first, conflict, answer(200, created), answer(404)], {approveById: true});
    assert.match(error.request ?? '', new RegExp(`^POST .*/${PAYOUT_ID}/approve$`));
  });

  it('is in doubt after a 409 that may be the answer to an earlier, lost attempt', async () => {
    const script = [first, lost(), answer(200, created), answer(409), answer(200, created)];
    const {error, sent} = await failure(script, {approveById: true});
    assert.deepEqual([error.code, sent().includes('approve')], ['IN_DOUBT', false]);
  });

  it('that is refused names the record, which was not approved', async () => {
    const refused = answer(422, {error_code: 'INVALID_PAYMENT_DETAILS', message: 'no funds'});
    const {error} = await failure([first, refused]);
    assert.deepEqual([error.code, error.details?.['id']], ['INVALID_PAYMENT_DETAILS', PAYOUT_ID]);
    assert.match(
      error.message,
      new RegExp(`no funds \\(POST \\S+\\)\\. Payout ${PAYOUT_ID} exists; it was not approved`),
    );
  });

  it('that leaves the record created is a warning', async () => {
    for (const reply of [answer(207, {...created, warning: 'no funds'}), answer(201, created)]) {
      const {client} = setUp([first, reply]);
      const {warning, data} = await client.payouts.create(BODY, KEY);
      assert.match(warning ?? '', /no funds|still created/);
      assert.equal(data.status, 'created');
    }
  });

  it('that is interrupted names the record', async () => {
    const stop = new AbortController();
    const {client} = setUp([first, answer(201, approved)]);
    const options = {...KEY, signal: stop.signal, onCreated: () => stop.abort()};
    await assert.rejects(client.payouts.create(BODY, options), {
      code: 'INTERRUPTED',
      message: new RegExp(`Payout ${PAYOUT_ID} exists`),
    });
  });
});

describe('a record that an earlier request has made', () => {
  const OTHER_METHOD = '0192a000-0000-7000-8000-0000000000ff';
  const bare = {...created, payout_metadata: {}};
  const withMethod = (id: string) => ({...created, payout_metadata: {payment_method: {id}}});
  for (const [title, asked, record] of [
    ['another date', {scheduled_date: '2026-12-01'}, created],
    ['another payment method', {override_default_payment_method_id: METHOD_ID}, withMethod(OTHER_METHOD)],
    ['a payment method that is not shown', {override_default_payment_method_id: METHOD_ID}, bare],
    ['metadata as text', {metadata: {invoice: '78'}}, {...created, client_metadata: '{"invoice":"77"}'}],
  ] as const)
    it(`is not released for a request with ${title}`, async () => {
      const {client, sent} = setUp([answer(200, record)]);
      const result = await client.payouts.create({...BODY, ...asked}, KEY);
      assert.deepEqual([sent(), result.isUnchecked], [['create'], true]);
      assert.match(
        String(result.warning),
        /the record existed already, and (does not show|has a client_metadata)/,
      );
    });

  it('is released if it shows the same', async () => {
    const {client, sent} = setUp([
      answer(200, {...withMethod(METHOD_ID.toUpperCase()), scheduled_date: '2026-12-01'}),
      answer(201, approved),
    ]);
    const same = {override_default_payment_method_id: METHOD_ID, scheduled_date: '2026-12-01'};
    await client.payouts.create({...BODY, ...same}, KEY);
    assert.deepEqual(sent(), ['create', 'release']);
  });

  it('is another payment if it has an empty list in place of the requested metadata', async () => {
    const {client, sent} = setUp([answer(200, {...created, client_metadata: []})]);
    await assert.rejects(
      client.payouts.create({...BODY, metadata: {invoice: '78'}}, KEY),
      (error: RemitError) => error.code === 'KEY_REUSED',
    );
    assert.deepEqual(sent(), ['create']);
  });

  it('that is new is released, although it shows none of that', async () => {
    const {client, sent} = setUp([answer(201, created), answer(201, approved)]);
    await client.payouts.create({...BODY, scheduled_date: '2026-12-01'}, KEY);
    assert.deepEqual(sent(), ['create', 'release']);
  });
});
