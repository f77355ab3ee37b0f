import assert from 'node:assert/strict';
import {allOperations} from '../../src/contract/operations/operations.ts';
import {isText, isUuid} from './forms.ts';
import {makeMove, approveMove} from './moves.ts';
import {bankAccount} from '../sandbox/payment-details.ts';
import {UNKNOWN_ID, expect, partyOf, refused, type Answer, type Kind, type Service} from './service.ts';
import {verify} from './suite.ts';
import {scenario} from './transfers.ts';

const BOTH: readonly Kind[] = ['payin', 'payout'];

export function access(): void {
  whatItDoes();
  authentication();
  endpoints();
  pagination();
  errors();
  limits();
}

function whatItDoes(): void {
  verify('service.payins', async (at) => {
    const {body} = await expect(201, at.transfer('payin'));
    assert.match(body.rail as string, /_ach$/);
  });
  verify('service.payouts', async (at) => {
    await expect(201, at.transfer('payout'));
  });
  verify('service.moves', async (at) => {
    const {body} = await makeMove(at);
    assert.equal((await approveMove(at, body.data.id as string)).body.data.status, 'SETTLED');
  });
  verify('service.subaccountsTestOnly', 'live', async (at) => {
    const call = {key: at.liveKey};
    for (const kind of BOTH) {
      const party = partyOf(kind);
      const {id} = await at.freshReady(party, bankAccount(), call);
      const subaccount_id = await at.subaccount(call);
      const body = {[`${party}_id`]: id, subaccount_id};
      const {status} = await at.transfer(kind, body, call);
      assert.ok(status >= 400 && status < 500, String(status));
      await expect(201, at.transfer(kind, {[`${party}_id`]: id}, call));
    }
  });
}

function authentication(): void {
  verify('auth.header', async (at) => {
    await expect(200, at.get('/api/payouts'));
    const {key} = at.target;
    for (const headers of [{authorization: `Bearer ${key}`}, {'api-key': key}] as Record<string, string>[])
      await expect(401, at.get('/api/payouts', {key: null, headers}));
  });
  verify('auth.environments', 'live', async (at) => {
    assert.match(at.target.key, /^test_/);
    assert.match(at.liveKey, /^live_/);
    const {body} = await at.transfer('payout');
    await refused(404, 'NOT_FOUND', at.get(`/api/payouts/${body.id}`, {key: at.liveKey}));
  });
  verify('auth.missing', async (at) => {
    for (const key of [null, '', 'nonsense', `${at.target.key}x`, 'test_'])
      await refused(401, 'AUTHENTICATION_ERROR', at.get('/api/payouts', {key}));
  });
  verify('auth.forbidden', 'sandbox', async (at) => {
    const {body} = await at.control('POST', '/keys', {mode: 'test', scope: 'read'});
    const key = body.key as string;
    await refused(403, 'AUTHORIZATION_ERROR', at.post('/api/payees', {name: 'Elm'}, {key}));
    await expect(200, at.get('/api/payees', {key}));
  });
  verify('auth.otherMove', 'live', async (at) => {
    const {body} = await makeMove(at);
    const path = `/api/subaccounts/move/${body.data.id}/approve`;
    await expect(404, at.post(path, {}, {key: at.liveKey}));
    assert.equal((await at.get(`/api/subaccounts/move/${body.data.id}`)).body.data.status, 'CREATED');
  });
  verify('auth.otherPayer', 'live', async (at) => {
    const {id} = await at.ready('payer');
    const body = {payer_id: id, amount_in_minor_units: 100};
    await refused(404, 'PAYER_NOT_FOUND', at.post('/api/payins', body, {key: at.liveKey}));
  });
  verify('auth.otherAnything', 'live', isolation);
}

/** Ids of records of the test entity, as they may stand in paths and bodies. */
async function someRecords(at: Service): Promise<Record<string, string>> {
  const payee = await at.freshReady('payee');
  const payer = await at.freshReady('payer');
  const move = (await makeMove(at)).body.data as Record<string, string>;
  const [account, other] = await at.accounts();
  return {
    payee: payee.id,
    payeeMethod: payee.methodId,
    payer: payer.id,
    payerMethod: payer.methodId,
    payins: (await at.transfer('payin')).body.id as string,
    payouts: (await at.transfer('payout')).body.id as string,
    move: move['id']!,
    subaccounts: move['source_subaccount_id']!,
    account,
    otherAccount: other,
    accountTransfer: (await at.accountTransfer()).body.id as string,
    webhookEndpoints: (
      await at.post('/api/webhooks/endpoints', {
        url: 'https://receiver.example',
        event_types: ['payin.failed'],
        is_active: false,
      })
    ).body.id as string,
  };
}

/** A body that the operation would take, had the caller the records that it names. */
function bodyFor(id: string, ids: Record<string, string>): object {
  const bodies: Record<string, object> = {
    'payins.create': {payer_id: ids['payer'], amount_in_minor_units: 1},
    'payouts.create': {payee_id: ids['payee'], amount_in_minor_units: 1},
    'moves.create': {
      source_subaccount_id: ids['subaccounts'],
      destination_subaccount_id: UNKNOWN_ID,
      amount_in_minor_units: 1,
    },
    'payees.update': {name: 'Taken'},
    'payers.update': {name: 'Taken'},
    'payeePaymentMethods.add': bankAccount(),
    'payerPaymentMethods.add': bankAccount(),
    'payeePaymentMethods.update': {is_default: true},
    'payerPaymentMethods.update': {is_default: true},
    'treasury.updateLabel': {label: 'Taken'},
    'treasury.simulateInboundCredit': {amount_in_minor_units: 1},
    'accountTransfers.create': {
      source_account_id: ids['account'],
      destination_account_id: ids['otherAccount'],
      amount_in_minor_units: 1,
      currency_code: 'USD',
      rail: 'book',
    },
  };
  return bodies[id] ?? {};
}

/** The record of the test entity that a parameter of this operation would name. */
function idFor(resource: string, parameter: string, ids: Record<string, string>): string {
  if (parameter === 'payee_id') return ids['payee']!;
  if (parameter === 'payer_id') return ids['payer']!;
  if (resource === 'payees') return ids['payee']!;
  if (resource === 'payers') return ids['payer']!;
  if (resource.endsWith('PaymentMethods'))
    return ids[resource.startsWith('payee') ? 'payeeMethod' : 'payerMethod']!;
  if (parameter === 'move_id') return ids['move']!;
  if (parameter === 'account_id') return ids['account']!;
  if (parameter === 'account_transfer_id') return ids['accountTransfer']!;
  return ids[resource]!;
}

/** Every operation, asked by the live entity with ids of the test entity. */
async function isolation(at: Service): Promise<void> {
  const ids = await someRecords(at);
  const call = {key: at.liveKey};
  const free = ['payees.create', 'payers.create', 'subaccounts.create', 'webhookEndpoints.create'];
  for (const {id, operation} of allOperations()) {
    if (free.includes(id)) continue; // names no record
    const [resource = ''] = id.split('.');
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const found = idFor(resource, name, ids);
      assert.ok(found, `no record for ${name} of ${id}`);
      return found;
    });
    const body = operation.body === undefined ? {} : {body: bodyFor(id, ids)};
    const answer = await at.call(operation.method, path, {...call, ...body});
    const asked = path + JSON.stringify(body);
    const known = Object.values(ids).filter((one) => !asked.includes(one) && answer.text.includes(one));
    assert.deepEqual(known, [], `${id} shows records of the other entity`);
    const named =
      /\{/.test(operation.path) || Object.values(bodyFor(id, ids)).some((one) => isKnown(ids, one));
    if (!named) {
      await expect(200, answer);
      continue;
    }
    const codes = operation.fails.filter((code) => code.endsWith('NOT_FOUND'));
    assert.equal(answer.status, 404, `${id}: ${answer.status} ${answer.text}`);
    assert.ok((codes as string[]).includes(answer.body.error_code as string), `${id}: ${answer.text}`);
  }
}

const isKnown = (ids: Record<string, string>, value: unknown) => Object.values(ids).includes(value as string);

function endpoints(): void {
  verify('route.json', async (at) => {
    for (const answer of [
      await at.get('/api/payouts'),
      await at.transfer('payout'),
      await at.get('/api/nothing'),
    ]) {
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
      assert.ok(answer.body);
    }
  });
  verify('route.uuidPath', async (at) => {
    const {body} = await at.transfer('payout');
    isUuid(body.id);
    await expect(200, at.get(`/api/payouts/${body.id}`));
    const {status} = await at.get('/api/payouts/42');
    assert.ok(status === 400 || status === 404);
  });
  for (const kind of BOTH) {
    const name = kind === 'payin' ? 'Payin' : 'Payout';
    verify(`route.get${name}`, async (at) => {
      const {body} = await at.transfer(kind);
      isText((await expect(200, at.get(`/api/${kind}s/${body.id}`))).body.status);
    });
    verify(`route.approve${name}`, async (at) => {
      const {body} = await at.transfer(kind);
      const {status} = await at.post(`/api/${kind}s/${body.id}/approve`);
      assert.ok([200, 201, 202].includes(status), String(status));
      await at.reaches(kind, body.id as string, 'initiated', 'debited', 'settled');
    });
    verify(`route.create${name}Statuses`, 'sandbox', async (at) => {
      const call = {idempotencyKey: crypto.randomUUID()};
      await expect(201, at.transfer(kind, {}, call));
      await expect(200, at.transfer(kind, {}, call));
      await expect(202, at.transfer(kind, {...scenario('async_202'), auto_approve: true}));
      await expect(207, at.transfer(kind, {...scenario('approval_fails_207'), auto_approve: true}));
    });
  }
}

function pagination(): void {
  verify('page.cursor', async (at) => {
    const {id: payee_id} = await at.freshReady('payee');
    const make = async () => (await expect(201, at.transfer('payout', {payee_id}))).body.id as string;
    const made = [await make(), await make(), await make(), await make(), await make()];
    const seen: string[] = [];
    let cursor = '';
    for (let pages = 0; pages < 10; pages += 1) {
      const {body} = await expect(200, at.get(`/api/payouts?payee_id=${payee_id}&limit=2${cursor}`));
      seen.push(...(body.data as {id: string}[]).map(({id}) => id));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
      await make(); // items added in between neither move nor repeat the others
    }
    assert.deepEqual(seen, [...made].reverse());
  });
  verify('page.limit', async (at) => {
    for (let n = 0; n < 3; n += 1) await at.party('payee');
    for (const limit of [1, 2, 3])
      assert.equal((await expect(200, at.get(`/api/payees?limit=${limit}`))).body.data.length, limit);
  });
  verify('page.order', async (at) => {
    const {id: payee_id} = await at.freshReady('payee');
    for (let n = 0; n < 3; n += 1) await at.transfer('payout', {payee_id});
    const list = async (order: string) =>
      ((await at.get(`/api/payouts?payee_id=${payee_id}&order=${order}`)).body.data as {id: string}[]).map(
        ({id}) => id,
      );
    assert.deepEqual(await list('asc'), (await list('desc')).reverse());
  });
}

function errors(): void {
  const bad = (at: Service): Promise<Answer> => at.get('/api/payouts?limit=0');
  verify('error.VALIDATION_ERROR', async (at) => {
    await refused(400, 'VALIDATION_ERROR', bad(at));
    await refused(400, 'VALIDATION_ERROR', at.post('/api/payouts', {payee_id: 5}));
    await refused(400, 'VALIDATION_ERROR', at.call('POST', '/api/payouts', {text: '{'}));
  });
  verify('error.unsupportedRail', async (at) => {
    await refused(400, 'VALIDATION_ERROR', at.transfer('payout', {rail: 'instant_card'}));
    await refused(400, 'VALIDATION_ERROR', at.transfer('payin', {rail: 'wire'}));
  });
  verify('error.currency', async (at) => {
    for (const kind of BOTH)
      await refused(400, 'VALIDATION_ERROR', at.transfer(kind, {currency_code: 'JPY'}));
    await refused(400, 'VALIDATION_ERROR', at.accountTransfer({currency_code: 'JPY'}));
  });
  verify('error.pair', async (at) => {
    const [account] = await at.accounts();
    await refused(400, 'VALIDATION_ERROR', at.accountTransfer({destination_account_id: account}));
  });
  verify('error.AUTHENTICATION_ERROR', async (at) => {
    await refused(401, 'AUTHENTICATION_ERROR', at.get('/api/payouts', {key: 'test_nobody'}));
    await refused(401, 'AUTHENTICATION_ERROR', at.post('/api/payouts', {}, {key: null}));
  });
  verify('error.AUTHORIZATION_ERROR', 'sandbox', async (at) => {
    const {body} = await at.control('POST', '/keys', {mode: 'test', scope: 'read'});
    const key = body.key as string;
    const {id} = await at.ready('payee');
    await refused(403, 'AUTHORIZATION_ERROR', at.transfer('payout', {payee_id: id}, {key}));
  });
  verify('error.PAYER_NOT_FOUND', async (at) => {
    await refused(404, 'PAYER_NOT_FOUND', at.transfer('payin', {payer_id: UNKNOWN_ID}));
  });
  verify('error.PAYMENT_METHOD_NOT_FOUND', async (at) => {
    await refused(404, 'PAYMENT_METHOD_NOT_FOUND', at.transfer('payin', {payment_method_id: UNKNOWN_ID}));
  });
  verify('error.payoutNotFound', async (at) => {
    await refused(404, 'NOT_FOUND', at.transfer('payout', {payee_id: UNKNOWN_ID}));
  });
  verify('error.payoutMethodNotFound', async (at) => {
    const body = {override_default_payment_method_id: UNKNOWN_ID};
    await refused(404, 'NOT_FOUND', at.transfer('payout', body));
  });
  verify('error.treasuryNotFound', async (at) => {
    const account = `/api/treasury/accounts/${UNKNOWN_ID}`;
    await refused(404, 'NOT_FOUND', at.get(`${account}/balance`));
    await refused(404, 'NOT_FOUND', at.get(`${account}/transactions`));
    await refused(404, 'NOT_FOUND', at.post(`${account}/update-label`, {label: 'x'}));
    await refused(404, 'NOT_FOUND', at.post(`/api/treasury/account-transfers/${UNKNOWN_ID}/approve`));
    await refused(404, 'NOT_FOUND', at.accountTransfer({source_account_id: UNKNOWN_ID}));
  });
  verify('error.IDEMPOTENCY_KEY_CONFLICT', async (at) => {
    for (const kind of BOTH) {
      const call = {idempotencyKey: crypto.randomUUID()};
      const {body} = await at.transfer(kind, {}, call);
      await expect(200, at.post(`/api/${kind}s/${body.id}/cancel`));
      await refused(409, 'IDEMPOTENCY_KEY_CONFLICT', at.transfer(kind, {}, call));
    }
  });
  verify('error.INVALID_PAYMENT_DETAILS', async (at) => {
    const path = `/api/payees/${await at.party('payee')}/payment-methods`;
    const impossible = bankAccount({routing_number: '123456789'}); // its check digit is wrong
    await refused(422, 'INVALID_PAYMENT_DETAILS', at.post(path, impossible));
  });
  verify('error.transient', 'sandbox', async (at) => {
    const body = {...scenario('transient_503'), auto_approve: true};
    const answer = await expect(503, at.transfer('payout', body));
    isText(answer.body.error_code);
    isText(answer.body.message);
  });
  verify('error.warned', 'sandbox', async (at) => {
    const body = {...scenario('approval_fails_207'), auto_approve: true};
    const answer = await expect(207, at.transfer('payin', body));
    isUuid(answer.body.id);
    isText(answer.body.warning);
    assert.equal(answer.body.error_code, undefined);
  });
  verify('error.moveState', async (at) => {
    const {body} = await makeMove(at);
    await approveMove(at, body.data.id as string);
    await expect(400, approveMove(at, body.data.id as string));
  });
  verify('error.moveUnknown', async (at) => {
    await expect(404, approveMove(at, UNKNOWN_ID));
  });
}

function limits(): void {
  const metadata = (entries: [string, unknown][]) => ({metadata: Object.fromEntries(entries)});
  const keys = (count: number) => metadata(Array.from({length: count}, (_, at) => [`k${at}`, 'v']));
  const edge = (id: string, taken: object, over: object) =>
    verify(id, async (at) => {
      for (const kind of BOTH) {
        await expect(201, at.transfer(kind, taken));
        await refused(400, 'VALIDATION_ERROR', at.transfer(kind, over));
      }
    });
  edge('limit.keys', keys(50), keys(51));
  edge('limit.keyLength', metadata([['k'.repeat(40), 'v']]), metadata([['k'.repeat(41), 'v']]));
  edge('limit.valueLength', metadata([['k', 'v'.repeat(500)]]), metadata([['k', 'v'.repeat(501)]]));
  const long = (count: number) =>
    metadata(Array.from({length: count}, (_, at) => [`k${at}`, 'v'.repeat(500)]));
  edge('limit.total', long(30), long(40));
  edge('limit.types', metadata([['k', '5']]), metadata([['k', 5]]));
  verify('limit.payinToo', async (at) => {
    for (const kind of BOTH) {
      await refused(400, 'VALIDATION_ERROR', at.transfer(kind, keys(51)));
      await expect(201, at.transfer(kind, keys(50)));
    }
    await refused(400, 'VALIDATION_ERROR', at.transfer('payout', {payout_metadata: keys(51).metadata}));
  });
  verify('limit.amount', async (at) => {
    for (const kind of BOTH)
      for (const amount_in_minor_units of [0, -5, 0.5])
        await refused(400, 'VALIDATION_ERROR', at.transfer(kind, {amount_in_minor_units}));
  });
  verify('version.deprecated', async (at) => {
    for (const kind of BOTH) {
      const {body} = await expect(
        201,
        at.transfer(kind, {amount_in_minor_units: undefined, amount_in_cents: 42}),
      );
      assert.equal(body.amount_in_cents, 42);
    }
  });
}
