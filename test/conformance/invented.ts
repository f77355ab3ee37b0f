import assert from 'node:assert/strict';
import {marketOf} from '../../src/contract/markets.ts';
import {ACCOUNTS} from '../sandbox/market-accounts.ts';
import {bankAccount} from '../sandbox/payment-details.ts';
import {isText} from './forms.ts';
import {UNKNOWN_ID, card, expect, partyOf, refused, type Kind} from './service.ts';
import {verify} from './suite.ts';

const BOTH: readonly Kind[] = ['payin', 'payout'];
const HOOK = {url: 'https://receiver.example/hook', event_types: ['payout.settled'], is_active: false};

/** Assumptions about requests that the document does not mention at all. */
export function invented(): void {
  protocol();
  transfers();
  records();
}

function protocol(): void {
  verify('assumed.66', async (at) => {
    await refused(400, 'VALIDATION_ERROR', at.transfer('payout', {colour: 'red'}));
    for (const query of ['colour=red', 'limit=1&limit=2'])
      await refused(400, 'VALIDATION_ERROR', at.get(`/api/payouts?${query}`));
  });
  verify('assumed.67', async (at) => {
    await refused(404, 'NOT_FOUND', at.get('/api/nothing'));
    await refused(404, 'NOT_FOUND', at.call('PUT', '/api/payouts'));
    await refused(401, 'AUTHENTICATION_ERROR', at.get('/api/nothing', {key: null}));
  });
  verify('assumed.68', async (at) => {
    const {body} = await at.transfer('payout');
    const approve = `/api/payouts/${body.id}/approve`;
    for (const call of [
      {text: '{}', headers: {'content-type': 'text/plain'}},
      {text: '{'},
      {text: '{"a":"\\ud800"}'},
      {text: JSON.stringify({a: 'x'.repeat(1_048_576)})},
      {text: ''},
    ])
      await refused(400, 'VALIDATION_ERROR', at.call('POST', approve, call));
    await expect(200, at.post(approve));
  });
  verify('assumed.69', async (at) => {
    const {id} = await at.freshReady('payee');
    const call = {idempotencyKey: crypto.randomUUID()};
    const asked = {payee_id: id};
    const {body} = await expect(201, at.transfer('payout', asked, call));
    const later = {...asked, amount_in_minor_units: 2, rail: 'same_day_ach', subaccount_id: UNKNOWN_ID};
    assert.equal((await expect(200, at.transfer('payout', later, call))).body.id, body.id);
    await refused(400, 'VALIDATION_ERROR', at.transfer('payout', {...asked, amount_in_minor_units: 0}, call));
  });
  verify('assumed.70', async (at) => {
    const {body} = await at.transfer('payout');
    const shown = await expect(200, at.get(`/api/payouts/${(body.id as string).toUpperCase()}`));
    assert.equal(shown.body.id, body.id);
    const {id} = await at.ready('payee');
    const made = await expect(201, at.transfer('payout', {payee_id: id.toUpperCase()}));
    assert.equal(made.body.payee_id, id);
  });
  verify('assumed.84', async (at) => {
    for (const answer of [await at.get('/api/payouts'), await at.get('/api/nothing')])
      isText(answer.headers.get('x-request-id'));
  });
}

function transfers(): void {
  verify('assumed.71', async (at) => {
    for (const kind of BOTH) await refused(404, 'NOT_FOUND', at.transfer(kind, {subaccount_id: UNKNOWN_ID}));
    const body = {
      source_subaccount_id: await at.subaccount(),
      destination_subaccount_id: UNKNOWN_ID,
      amount_in_minor_units: 1,
    };
    await refused(404, 'NOT_FOUND', at.post('/api/subaccounts/move', body));
  });
  verify('assumed.72', 'sandbox', async (at) => {
    for (const kind of BOTH) {
      const party = partyOf(kind);
      const id = await at.party(party);
      const named = {[`${party}_id`]: id};
      await refused(422, 'INVALID_PAYMENT_DETAILS', at.transfer(kind, named));
      const methodId = await at.method(party, id, bankAccount({holder_name: 'Failed'}));
      const field = kind === 'payin' ? 'payment_method_id' : 'override_default_payment_method_id';
      await refused(422, 'INVALID_PAYMENT_DETAILS', at.transfer(kind, {...named, [field]: methodId}));
    }
  });
  verify('assumed.73', async (at) => {
    const {id} = await at.freshReady('payee');
    const other = await at.method('payee', id, bankAccount({account_number: '000555566667'}));
    const asked = {payee_id: id, override_default_payment_method_id: other};
    const {body} = await expect(201, at.transfer('payout', asked));
    await expect(204, at.call('DELETE', `/api/payees/${id}/payment-methods/${other}`));
    await refused(422, 'INVALID_PAYMENT_DETAILS', at.post(`/api/payouts/${body.id}/approve`));
  });
  verify('assumed.74', async (at) => {
    const most = Number.MAX_SAFE_INTEGER;
    for (const kind of BOTH) {
      await expect(201, at.transfer(kind, {amount_in_minor_units: most}));
      await refused(400, 'VALIDATION_ERROR', at.transfer(kind, {amount_in_minor_units: most + 1}));
    }
  });
  verify('assumed.75', async (at) => {
    const {id} = await at.ready('payee');
    for (const key of ['', '__proto__']) {
      const text = `{"payee_id":"${id}","amount_in_minor_units":1,"metadata":{"${key}":"x"}}`;
      await refused(400, 'VALIDATION_ERROR', at.call('POST', '/api/payouts', {text}));
    }
  });
  verify('assumed.79', async (at) => {
    const [source, destination] = [await at.subaccount(), await at.subaccount()];
    const move = (body: object) =>
      at.post('/api/subaccounts/move', {
        source_subaccount_id: source,
        destination_subaccount_id: destination,
        amount_in_minor_units: 1,
        ...body,
      });
    await refused(400, 'VALIDATION_ERROR', move({destination_subaccount_id: source}));
    await refused(400, 'VALIDATION_ERROR', move({currency_code: 'EUR'}));
    await expect(201, move({}));
  });
}

function records(): void {
  verify('assumed.76', async (at) => {
    const path = `/api/payees/${await at.party('payee')}/payment-methods`;
    for (const wrong of [
      bankAccount({account_number: '123'}),
      bankAccount({routing_number: '12345678'}),
      card({number: '4000'}),
    ])
      await refused(400, 'VALIDATION_ERROR', at.post(path, wrong));
    for (const impossible of [
      bankAccount({routing_number: '110000001'}),
      card({number: '4000056655665557'}),
      card({exp_year: 2020}),
    ])
      await refused(422, 'INVALID_PAYMENT_DETAILS', at.post(path, impossible));
  });
  verify('assumed.86', async (at) => {
    const path = `/api/payees/${await at.party('payee')}/payment-methods`;
    for (const [country, account] of Object.entries(ACCOUNTS)) {
      const currency_code = marketOf(country)!.currency;
      const method = {type: 'bank_account', country_code: country, currency_code, bank_account: account};
      const {body} = await expect(201, at.post(path, method));
      assert.deepEqual([body.country_code, body.currency_code], [country, currency_code]);
      await refused(400, 'VALIDATION_ERROR', at.post(path, {...method, currency_code: 'JPY'}));
      for (const name of Object.keys(account))
        await refused(
          400,
          'VALIDATION_ERROR',
          at.post(path, {...method, bank_account: {...account, [name]: undefined}}),
        );
    }
    const german = (iban: string) => ({
      ...{type: 'bank_account', country_code: 'DE', currency_code: 'EUR'},
      bank_account: {iban, holder_name: 'Elm Works'},
    });
    await refused(400, 'VALIDATION_ERROR', at.post(path, german('DE8937040044053201300')));
    await refused(422, 'INVALID_PAYMENT_DETAILS', at.post(path, german('DE89370400440532013001')));
    await refused(
      400,
      'VALIDATION_ERROR',
      at.post(path, {...german('DE89370400440532013000'), country_code: 'CH'}),
    );
  });
  verify('assumed.77', async (at) => {
    const asked = {name: '  Elm Works ', email: 'elm@example.com', metadata: {a: '1', b: '2'}};
    const {body} = await expect(201, at.post('/api/payees', asked));
    assert.deepEqual([body.type, body.name], ['business', 'Elm Works']);
    const change = (fields: object) => at.call('PATCH', `/api/payees/${body.id}`, {body: fields});
    assert.deepEqual((await expect(200, change({metadata: {c: '3'}}))).body.metadata, {c: '3'});
    await refused(400, 'VALIDATION_ERROR', change({email: null}));
    for (const name of ['', ' ', 'x'.repeat(256)])
      await refused(400, 'VALIDATION_ERROR', at.post('/api/payees', {name}));
  });
  verify('assumed.78', async (at) => {
    const owner = await at.party('payee');
    const id = await at.method('payee', owner);
    const path = `/api/payees/${owner}/payment-methods`;
    await expect(204, at.call('DELETE', `${path}/${id}`));
    assert.deepEqual((await at.get(path)).body.data, []);
    await refused(404, 'NOT_FOUND', at.call('DELETE', `${path}/${id}`));
    await refused(404, 'NOT_FOUND', at.post(`${path}/${id}/set-default`));
    await expect(201, at.post(path, bankAccount()));
  });
  verify('assumed.80', 'live', async (at) => {
    await refused(400, 'VALIDATION_ERROR', at.post('/api/subaccounts', {name: 'Till', currency_code: 'EUR'}));
    for (const call of [{}, {key: at.liveKey}]) {
      const {body} = await expect(201, at.post('/api/subaccounts', {name: 'Till'}, call));
      const {currency_code, status, balance_in_minor_units} = body as Record<string, unknown>;
      assert.deepEqual([currency_code, status, balance_in_minor_units], ['USD', 'active', 0]);
    }
  });
  verify('assumed.81', async (at) => {
    const register = (body: object) => at.post('/api/webhooks/endpoints', {...HOOK, ...body});
    for (const wrong of [
      {url: 'https://user:secret@receiver.example/'},
      {url: 'https://receiver.example/#part'},
      {event_types: ['payout.flew']},
      {event_types: []},
    ])
      await refused(400, 'VALIDATION_ERROR', register(wrong));
    const twice = await expect(201, register({event_types: ['payout.settled', 'payout.settled']}));
    assert.deepEqual(twice.body.event_types, ['payout.settled']);
  });
  verify('assumed.82', 'sandbox', async (at) => {
    const {body} = await expect(201, at.post('/api/webhooks/endpoints', HOOK));
    const payout = await at.transfer('payout', {auto_approve: true});
    await at.reaches('payout', payout.body.id as string, 'settled');
    const {data} = (await at.control('GET', `/deliveries?endpoint=${body.id}`)).body as {data: object[]};
    assert.deepEqual(data, []);
  });
}
