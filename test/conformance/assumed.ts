import assert from 'node:assert/strict';
import {hasForms, isList, isObject, isText, isTime, isUuid, isWhole, oneOf, orNull} from './forms.ts';
import {bankAccount} from '../sandbox/payment-details.ts';
import {UNKNOWN_ID, card, expect, partyOf, refused, type Kind, type Service} from './service.ts';
import {verify} from './suite.ts';

const BOTH: readonly Kind[] = ['payin', 'payout'];

/** Assumptions about payins, payouts, parties and the protocol; the others stand with their resources. */
export function assumed(): void {
  transfers();
  records();
  protocol();
  bodies();
}

function transfers(): void {
  verify('assumed.1', async (at) => {
    for (const kind of BOTH) await expect(201, at.transfer(kind));
  });
  verify('assumed.2', async (at) => {
    for (const kind of BOTH) {
      const {body} = await at.transfer(kind);
      const path = `/api/${kind}s/${body.id}/approve`;
      await refused(400, 'VALIDATION_ERROR', at.post(path, {now: true}));
      assert.equal((await expect(200, at.post(path))).body.id, body.id);
    }
  });
  verify('assumed.3', async (at) => {
    const subaccount_id = await at.subaccount();
    const {body} = await expect(201, at.transfer('payout', {subaccount_id}));
    await refused(422, 'INVALID_PAYMENT_DETAILS', at.post(`/api/payouts/${body.id}/approve`));
    for (const kind of BOTH) {
      const {id} = (await at.transfer(kind)).body as {id: string};
      await expect(200, at.post(`/api/${kind}s/${id}/approve`));
      await refused(400, 'VALIDATION_ERROR', at.post(`/api/${kind}s/${id}/approve`));
    }
  });
  verify('assumed.4', async (at) => {
    for (const kind of BOTH) {
      const cancel = (id: unknown) => at.post(`/api/${kind}s/${String(id)}/cancel`);
      const created = (await at.transfer(kind)).body;
      assert.equal((await expect(200, cancel(created.id))).body.status, 'canceled');
      const held = {scheduled_date: await at.day(3), auto_approve: true};
      await expect(200, cancel((await at.transfer(kind, held)).body.id));
      const gone = (await at.transfer(kind, {auto_approve: true})).body;
      await at.reaches(kind, gone.id as string, 'initiated', 'debited', 'settled');
      await refused(400, 'VALIDATION_ERROR', cancel(gone.id));
    }
  });
  verify('assumed.5', async (at) => {
    for (const kind of BOTH) {
      const party = partyOf(kind);
      const {id} = await at.freshReady(party);
      const {body} = await at.transfer(kind, {[`${party}_id`]: id});
      const ids = async (query: string) =>
        (
          (await expect(200, at.get(`/api/${kind}s?${party}_id=${id}&${query}`))).body.data as {id: string}[]
        ).map((one) => one.id);
      const time = encodeURIComponent(body.created_at as string);
      assert.deepEqual(await ids('status=created'), [body.id]);
      assert.deepEqual(await ids('status=settled'), []);
      assert.deepEqual(await ids(`created_from=${time}&created_to=${time}`), [body.id]);
      assert.deepEqual(await ids('created_from=2200-01-01T00:00:00Z'), []);
      await refused(400, 'VALIDATION_ERROR', at.get(`/api/${kind}s?status=paid`));
    }
  });
  verify('assumed.6', async (at) => {
    for (const kind of BOTH) {
      const {body} = await at.transfer(kind);
      assert.deepEqual((await at.get(`/api/${kind}s/${body.id}`)).body, body);
    }
  });
  verify('assumed.47', async (at) => {
    const call = {idempotencyKey: crypto.randomUUID()};
    const {body} = await expect(201, at.transfer('payout', {amount_in_minor_units: 1}, call));
    assert.deepEqual((await expect(200, at.transfer('payout', {amount_in_minor_units: 2}, call))).body, body);
  });
  verify('assumed.48', async (at) => {
    const call = {idempotencyKey: crypto.randomUUID()};
    await at.ready('payee');
    const answers = await Promise.all(Array.from({length: 10}, () => at.transfer('payout', {}, call)));
    assert.equal(answers.filter(({status}) => status === 201).length, 1);
    assert.equal(answers.filter(({status}) => status === 200).length, 9);
    assert.equal(new Set(answers.map(({body}) => body.id as string)).size, 1);
  });
  verify('assumed.49', async (at) => {
    const call = {idempotencyKey: crypto.randomUUID()};
    await expect(201, at.transfer('payout', {}, call));
    await expect(201, at.transfer('payin', {}, call));
  });
  verify('assumed.54', async (at) => {
    for (const kind of BOTH) assert.equal((await at.transfer(kind)).body.rail, 'standard_ach');
    const {id} = await at.freshReady('payee', card());
    assert.equal((await at.transfer('payout', {payee_id: id})).body.rail, 'instant_card');
  });
  verify('assumed.55', 'live', async (at) => {
    const call = {key: at.liveKey};
    const {id} = await at.freshReady('payee', bankAccount(), call);
    const body = {payee_id: id, subaccount_id: await at.subaccount(call)};
    await refused(403, 'AUTHORIZATION_ERROR', at.transfer('payout', body, call));
  });
  verify('assumed.56', async (at) => {
    const subaccount_id = await at.subaccount();
    const {body} = await expect(207, at.transfer('payout', {subaccount_id, auto_approve: true}));
    assert.equal(body.status, 'created');
    await refused(422, 'INVALID_PAYMENT_DETAILS', at.post(`/api/payouts/${body.id}/approve`));
  });
  verify('assumed.57', async (at) => {
    for (const kind of BOTH) {
      await refused(400, 'VALIDATION_ERROR', at.transfer(kind, {scheduled_date: '2020-01-02'}));
      await refused(400, 'VALIDATION_ERROR', at.transfer(kind, {scheduled_date: '2026-02-30'}));
      const {body} = await expect(201, at.transfer(kind, {scheduled_date: await at.day(5)}));
      assert.ok(!('scheduled_date' in body));
    }
  });
  verify('assumed.58', async (at) => {
    for (const kind of BOTH) {
      const {body} = await at.transfer(kind, {auto_approve: true});
      const metadata = body[`${kind}_metadata`] as Record<string, Record<string, unknown>>;
      hasForms(metadata['payment_method']!, {id: isUuid, type: isText, last4: isText, bank_name: isText});
      hasForms(metadata[partyOf(kind)]!, {id: isUuid, name: isText});
    }
    const {body} = await at.transfer('payout', {auto_approve: true});
    const settled = await at.reaches('payout', body.id as string, 'settled');
    hasForms(settled.transfer_details as Record<string, unknown>, {
      submitted_at: isTime,
      expected_settlement_date: isText,
    });
  });
  verify('assumed.64', async (at) => {
    await expect(201, at.transfer('payout', {rail: 'same_day_ach', amount_in_minor_units: 100_000_000}));
    for (const [rail, amount_in_minor_units] of [
      ['same_day_ach', 100_000_001],
      ['instant_bank', 1_000_000_001],
    ])
      await refused(400, 'VALIDATION_ERROR', at.transfer('payout', {rail, amount_in_minor_units}));
  });
}

function records(): void {
  verify('assumed.10', async (at) => {
    for (const kind of ['payee', 'payer']) {
      const asked = {name: 'Ann Ash', email: 'ann@example.com', type: 'individual', metadata: {k: 'v'}};
      const {body} = await expect(201, at.post(`/api/${kind}s`, asked));
      hasForms(body as Record<string, unknown>, {id: isUuid, created_at: isTime, updated_at: isTime});
      const path = `/api/${kind}s/${body.id}`;
      const {name, email, type, metadata} = (await expect(200, at.get(path))).body;
      assert.deepEqual({name, email, type, metadata}, asked);
      const changed = await expect(200, at.call('PATCH', path, {body: {name: 'Ann Oak'}}));
      assert.deepEqual([changed.body.name, changed.body.email], ['Ann Oak', 'ann@example.com']);
      assert.equal((await at.get(`/api/${kind}s?limit=1`)).body.data[0].id, body.id);
    }
    await refused(404, 'PAYER_NOT_FOUND', at.get(`/api/payers/${UNKNOWN_ID}`));
    await refused(404, 'NOT_FOUND', at.get(`/api/payees/${UNKNOWN_ID}`));
  });
  verify('assumed.11', async (at) => {
    const {body} = await expect(201, at.post('/api/subaccounts', {name: 'Till', currency_code: 'USD'}));
    hasForms(body as Record<string, unknown>, {
      id: isUuid,
      name: oneOf('Till'),
      currency_code: oneOf('USD'),
      balance_in_minor_units: isWhole,
      status: isText,
      created_at: isTime,
    });
    assert.deepEqual((await expect(200, at.get(`/api/subaccounts/${body.id}`))).body, body);
    assert.deepEqual((await expect(200, at.get('/api/subaccounts?limit=1'))).body.data, [body]);
  });
}

function protocol(): void {
  verify('assumed.39', async (at) => {
    for (const path of ['payins', 'payouts', 'payees', 'payers', 'subaccounts', 'treasury/accounts']) {
      const {body} = await expect(200, at.get(`/api/${path}?limit=100`));
      hasForms(body as Record<string, unknown>, {data: isList, next_cursor: orNull(isText)});
    }
    const {id} = await at.freshReady('payee');
    assert.equal((await at.get(`/api/payouts?payee_id=${id}`)).body.next_cursor, null);
  });
  verify('assumed.40', async (at) => {
    const [a, b] = [await at.party('payee'), await at.party('payee')];
    const {body} = await at.get('/api/payees?limit=2');
    assert.deepEqual(
      (body.data as {id: string}[]).map(({id}) => id),
      [b, a],
    );
    for (const order of ['ASC', 'up', ''])
      await refused(400, 'VALIDATION_ERROR', at.get(`/api/payees?order=${order}`));
  });
  verify('assumed.41', async (at) => {
    for (let n = 0; n < 21; n += 1) await at.party('payee');
    assert.equal((await at.get('/api/payees')).body.data.length, 20);
    await expect(200, at.get('/api/payees?limit=100'));
    for (const limit of ['0', '101', '-1', '1.5', 'x', ''])
      await refused(400, 'VALIDATION_ERROR', at.get(`/api/payees?limit=${limit}`));
  });
  verify('assumed.42', async (at) => {
    const body = {amount_in_minor_units: 0};
    const answer = await refused(400, 'VALIDATION_ERROR', at.transfer('payout', body));
    const fields = (answer.body.details as {field: string; issue: string}[]).map(({field}) => field);
    assert.deepEqual(fields, ['amount_in_minor_units']);
    isText(answer.body.details[0].issue);
  });
  verify('assumed.44', 'sandbox', async (at) => {
    const metadata = {'sandbox.scenario': 'transient_503'};
    await refused(503, 'SERVICE_UNAVAILABLE', at.transfer('payin', {metadata, auto_approve: true}));
  });
  verify('assumed.45', async (at) => {
    const unique = crypto.randomUUID();
    for (const idempotencyKey of [unique.padEnd(255, '!'), `~${unique}`])
      await expect(201, at.transfer('payout', {}, {idempotencyKey}));
    for (const idempotencyKey of ['', unique.padEnd(256, '!'), 'a b', 'é'])
      await refused(400, 'VALIDATION_ERROR', at.transfer('payout', {}, {idempotencyKey}));
  });
  verify('assumed.59', async (at) => {
    for (const path of ['payouts/42', 'payins/x', 'payees/%20', 'treasury/accounts/x/balance'])
      await refused(400, 'VALIDATION_ERROR', at.get(`/api/${path}`));
  });
  verify('assumed.61', 'sandbox', async (at) => {
    const {body} = await at.control('POST', '/keys', {mode: 'test', scope: 'read'});
    const call = {key: body.key as string};
    await refused(403, 'AUTHORIZATION_ERROR', at.post('/api/subaccounts', {name: 'Till'}, call));
    await refused(
      403,
      'AUTHORIZATION_ERROR',
      at.call('DELETE', `/api/webhooks/endpoints/${UNKNOWN_ID}`, call),
    );
    await expect(200, at.get('/api/subaccounts', call));
  });
  verify('assumed.62', async (at) => {
    const {headers} = await expect(200, at.get('/api/payees'));
    for (const name of headers.keys()) assert.doesNotMatch(name, /version|deprecation|sunset/);
  });
}

function bodies(): void {
  const taken = async (at: Service, ...sent: object[]) => {
    for (const body of sent) await expect(201, at.transfer('payout', body));
  };
  const refusedAll = async (at: Service, ...sent: object[]) => {
    for (const body of sent) await refused(400, 'VALIDATION_ERROR', at.transfer('payout', body));
  };
  verify('assumed.50', async (at) => {
    await taken(at, {amount_in_minor_units: 5, amount_in_cents: 5}, {amount_in_cents: null});
    await refusedAll(at, {amount_in_minor_units: 5, amount_in_cents: 6});
  });
  verify('assumed.51', async (at) => {
    await taken(at, {metadata: {a: '1'}, payout_metadata: {a: '1'}});
    await refusedAll(at, {metadata: {a: '1'}, payout_metadata: {a: '2'}});
    const {body} = await at.transfer('payout', {metadata: {a: '1'}});
    isObject(body.payout_metadata); // of the answer: method and payee, not this
    assert.equal(body.payout_metadata.a, undefined);
  });
  verify('assumed.52', async (at) => {
    const wide = '\u{1d4b3}'; // one code point, two UTF-16 units, four bytes
    await taken(at, {metadata: {[wide.repeat(40)]: wide.repeat(500)}});
    await refusedAll(at, {metadata: {[wide.repeat(41)]: 'v'}}, {metadata: {k: wide.repeat(501)}});
    const eight = Object.fromEntries(Array.from({length: 9}, (_, n) => [`k${n}`, wide.repeat(500)]));
    await refusedAll(at, {metadata: eight}); // 4500 characters, 18 kB
  });
  verify('assumed.53', async (at) => {
    await taken(at, {currency_code: 'USD'});
    await refusedAll(at, {currency_code: 'EUR'}, {currency_code: 'usd'}, {currency_code: ''});
    const path = `/api/payees/${await at.party('payee')}/payment-methods`;
    await refused(400, 'VALIDATION_ERROR', at.post(path, card({}, {country_code: 'DE'})));
    await refused(400, 'VALIDATION_ERROR', at.post(path, card({}, {currency_code: 'EUR'})));
  });
}
