import assert from 'node:assert/strict';
import {hasForms, isBoolean, isCountry, isCurrency, isList, isText, isTime, isUuid, oneOf} from './forms.ts';
import {bankAccount} from '../sandbox/payment-details.ts';
import {UNKNOWN_ID, card, expect, refused, type Answer, type PartyKind, type Service} from './service.ts';
import {verify} from './suite.ts';

const BOTH: readonly PartyKind[] = ['payee', 'payer'];
const pathOf = (kind: PartyKind, owner: string) => `/api/${kind}s/${owner}/payment-methods`;
const add = (at: Service, kind: PartyKind, owner: string, body: object): Promise<Answer> =>
  at.post(pathOf(kind, owner), body);

export function methods(): void {
  verify('method.owner', async (at) => {
    for (const kind of BOTH) {
      const owner = await at.party(kind);
      assert.equal((await expect(201, add(at, kind, owner, bankAccount()))).body[`${kind}_id`], owner);
    }
  });
  verify('method.payeeTypes', async (at) => {
    const owner = await at.party('payee');
    assert.equal((await expect(201, add(at, 'payee', owner, bankAccount()))).body.type, 'bank_account');
    assert.equal((await expect(201, add(at, 'payee', owner, card()))).body.type, 'card');
  });
  verify('method.payerTypes', async (at) => {
    const owner = await at.party('payer');
    await refused(400, 'VALIDATION_ERROR', add(at, 'payer', owner, card()));
    await expect(201, add(at, 'payer', owner, bankAccount()));
  });
  verify('method.market', async (at) => {
    const owner = await at.party('payee');
    const {body} = await expect(201, add(at, 'payee', owner, bankAccount()));
    assert.deepEqual([body.country_code, body.currency_code], ['US', 'USD']);
    for (const field of ['country_code', 'currency_code'])
      await refused(400, 'VALIDATION_ERROR', add(at, 'payee', owner, bankAccount({}, {[field]: undefined})));
  });
  verify('method.marketFields', async (at) => {
    const owner = await at.party('payee');
    for (const body of [
      bankAccount({routing_number: undefined}),
      card({number: undefined}),
      {...bankAccount(), type: 'card'},
    ])
      await refused(400, 'VALIDATION_ERROR', add(at, 'payee', owner, body));
  });
  verify('method.verification', async (at) => {
    const owner = await at.party('payee');
    const {body} = await expect(201, add(at, 'payee', owner, bankAccount()));
    oneOf('pending', 'verified', 'failed')(body.verification_status);
  });
  verify('method.isDefault', async (at) => {
    const owner = await at.party('payee');
    const {status, body} = await add(at, 'payee', owner, bankAccount({}, {is_default: true}));
    oneOf(201, 207)(status);
    isBoolean(body.is_default);
    await refused(400, 'VALIDATION_ERROR', add(at, 'payee', owner, bankAccount({}, {is_default: 'yes'})));
  });
  verify('method.warning', 'sandbox', async (at) => {
    const owner = await at.party('payee');
    const {body} = await expect(207, add(at, 'payee', owner, bankAccount({}, {is_default: true})));
    isText(body.warning);
    assert.equal(body.is_default, false);
  });

  verification();
  routes();
  assumptions();
}

function verification(): void {
  verify('verification.pending', 'sandbox', async (at) => {
    const owner = await at.party('payee');
    assert.equal((await add(at, 'payee', owner, bankAccount())).body.verification_status, 'pending');
  });
  verify('verification.verified', async (at) => {
    const {id, methodId} = await at.freshReady('payee');
    assert.equal((await at.methodOf('payee', id, methodId)).body.verification_status, 'verified');
    await expect(201, at.transfer('payout', {payee_id: id}));
  });
  verify('verification.failed', 'sandbox', async (at) => {
    const owner = await at.party('payee');
    const id = await at.method('payee', owner, bankAccount({holder_name: 'Failed'}));
    assert.equal((await at.methodOf('payee', owner, id)).body.verification_status, 'failed');
  });
  verify('verification.rule1', 'sandbox', async (at) => {
    for (const kind of BOTH) {
      const owner = await at.party(kind);
      const {body} = await add(at, kind, owner, bankAccount({holder_name: 'Pending'}, {is_default: true}));
      const path = `${pathOf(kind, owner)}/${body.id}/set-default`;
      assert.equal((await at.post(path)).status, 400);
      assert.equal((await at.methodOf(kind, owner, body.id as string)).body.is_default, false);
    }
  });
  verify('verification.rule2', 'sandbox', async (at) => {
    for (const kind of BOTH) {
      const owner = await at.party(kind);
      const {body} = await expect(207, add(at, kind, owner, bankAccount({}, {is_default: true})));
      assert.equal(body.is_default, false);
      isText(body.warning);
      assert.ok((await at.methodOf(kind, owner, body.id as string)).body);
    }
  });
  verify('verification.rule3', 'sandbox', async (at) => {
    const owner = await at.party('payee');
    const failed = await at.method('payee', owner, bankAccount({holder_name: 'Failed'}));
    const {status} = await at.post(`${pathOf('payee', owner)}/${failed}/set-default`);
    assert.ok(status >= 400 && status < 500);
  });
  verify('verification.rule4', async (at) => {
    const {id, methodId} = await at.freshReady('payee');
    const second = await at.method('payee', id, bankAccount({account_number: '000555566667'}));
    const usual = await expect(201, at.transfer('payout', {payee_id: id}));
    assert.match(JSON.stringify(usual.body.payout_metadata), new RegExp(methodId));
    await expect(200, at.post(`${pathOf('payee', id)}/${second}/set-default`));
    const later = await expect(201, at.transfer('payout', {payee_id: id}));
    assert.match(JSON.stringify(later.body.payout_metadata), new RegExp(second));
  });
  verify('verification.rule5', async (at) => {
    const {id, methodId} = await at.freshReady('payer');
    const path = pathOf('payer', id);
    const {status} = await at.call('DELETE', `${path}/${methodId}`);
    assert.ok(status >= 400 && status < 500);
    const second = await at.method('payer', id, bankAccount({account_number: '000555566667'}));
    await expect(200, at.post(`${path}/${second}/set-default`));
    await expect(204, at.call('DELETE', `${path}/${methodId}`));
  });
  verify('service.oneDefault', async (at) => {
    const {id} = await at.freshReady('payee');
    const second = await at.method('payee', id, card());
    await expect(200, at.post(`${pathOf('payee', id)}/${second}/set-default`));
    const {body} = await at.get(pathOf('payee', id));
    const defaults = (body.data as {id: string; is_default: boolean}[]).filter((one) => one.is_default);
    assert.deepEqual(
      defaults.map((one) => one.id),
      [second],
    );
  });
}

function routes(): void {
  for (const kind of BOTH)
    verify(`methodRoute.delete${kind === 'payee' ? 'Payee' : 'Payer'}`, async (at) => {
      const owner = await at.party(kind);
      const {body} = await expect(201, add(at, kind, owner, bankAccount()));
      const deleted = await expect(204, at.call('DELETE', `${pathOf(kind, owner)}/${body.id}`));
      assert.equal(deleted.text, '');
    });
  verify('methodRoute.gone', async (at) => {
    const {id} = await at.freshReady('payee');
    const second = await at.method('payee', id, card());
    await expect(204, at.call('DELETE', `${pathOf('payee', id)}/${second}`));
    assert.equal((await at.methodOf('payee', id, second)).body, undefined);
    const named = {payee_id: id, override_default_payment_method_id: second};
    await refused(404, 'NOT_FOUND', at.transfer('payout', named));
    await refused(404, 'NOT_FOUND', at.call('DELETE', `${pathOf('payee', id)}/${second}`));
  });
  verify('methodRoute.ownerOnly', 'live', async (at) => {
    const {id, methodId} = await at.ready('payer');
    const path = `${pathOf('payer', id)}/${methodId}`;
    await refused(404, 'PAYER_NOT_FOUND', at.call('DELETE', path, {key: at.liveKey}));
    const other = await at.party('payer');
    await refused(
      404,
      'PAYMENT_METHOD_NOT_FOUND',
      at.call('DELETE', `${pathOf('payer', other)}/${methodId}`),
    );
    assert.ok((await at.methodOf('payer', id, methodId)).body);
  });
  verify('methodRoute.rest', async (at) => {
    for (const kind of BOTH) {
      const {id, methodId} = await at.freshReady(kind); // adds, lists and sets the default
      assert.equal((await at.methodOf(kind, id, methodId)).body.is_default, true);
    }
  });
  verify('service.vault', async (at) => {
    const owner = await at.party('payee');
    const number = '4000056655665556';
    const answers = [
      await add(at, 'payee', owner, bankAccount({account_number: '000314159265'})),
      await add(at, 'payee', owner, card({number})),
      await at.get(pathOf('payee', owner)),
    ];
    for (const {text} of answers) assert.doesNotMatch(text, /314159265|4000056655665556/);
  });
}

function assumptions(): void {
  verify('assumed.12', async (at) => {
    const owner = await at.party('payee');
    await expect(201, add(at, 'payee', owner, bankAccount({account_type: 'savings'})));
    await expect(201, add(at, 'payee', owner, card()));
    await refused(404, 'NOT_FOUND', add(at, 'payee', UNKNOWN_ID, card()));
    await refused(404, 'PAYER_NOT_FOUND', add(at, 'payer', UNKNOWN_ID, bankAccount()));
  });
  verify('assumed.13', async (at) => {
    const owner = await at.party('payee');
    const made: string[] = [];
    for (let n = 0; n < 3; n += 1)
      made.push((await add(at, 'payee', owner, bankAccount())).body.id as string);
    const first = (await expect(200, at.get(`${pathOf('payee', owner)}?limit=2&order=asc`))).body;
    const rest = await at.get(`${pathOf('payee', owner)}?limit=2&cursor=${first.next_cursor}`);
    const ids = [...first.data, ...rest.body.data].map((one: {id: string}) => one.id);
    assert.deepEqual(ids, made);
    assert.equal(rest.body.next_cursor, null);
  });
  verify('assumed.14', async (at) => {
    const {id, methodId} = await at.freshReady('payee');
    const second = await at.method('payee', id, card());
    const changed = await at.call('PATCH', `${pathOf('payee', id)}/${second}`, {body: {is_default: true}});
    assert.equal((await expect(200, changed)).body.is_default, true);
    const back = await expect(200, at.post(`${pathOf('payee', id)}/${methodId}/set-default`));
    assert.equal(back.body.is_default, true);
    const never = await at.call('PATCH', `${pathOf('payee', id)}/${second}`, {body: {is_default: false}});
    await refused(400, 'VALIDATION_ERROR', never);
  });
  verify('assumed.15', async (at) => {
    const owner = await at.party('payee');
    const common = {
      id: isUuid,
      payee_id: isUuid,
      country_code: isCountry,
      currency_code: isCurrency,
      is_default: isBoolean,
      supported_rails: isList,
      created_at: isTime,
      updated_at: isTime,
    };
    const account = (await add(at, 'payee', owner, bankAccount())).body;
    hasForms(account as Record<string, unknown>, {...common, bank_name: isText, last4: oneOf('6789')});
    const made = (await add(at, 'payee', owner, card())).body;
    hasForms(made as Record<string, unknown>, {...common, brand: isText, last4: oneOf('5556')});
    assert.deepEqual(made.supported_rails, ['instant_card']);
  });
  verify('assumed.16', 'sandbox', async (at) => {
    const owner = await at.party('payee');
    const good = await at.method('payee', owner);
    assert.equal((await at.methodOf('payee', owner, good)).body.verification_status, 'verified');
    const bad = await at.method('payee', owner, bankAccount({holder_name: 'failed'}));
    await at.control('POST', '/advance', {ms: 86_400_000});
    assert.equal((await at.methodOf('payee', owner, bad)).body.verification_status, 'failed');
  });
  verify('assumed.17', 'sandbox', async (at) => {
    const {id, methodId} = await at.freshReady('payee');
    await refused(400, 'VALIDATION_ERROR', at.call('DELETE', `${pathOf('payee', id)}/${methodId}`));
    const failed = await at.method('payee', id, bankAccount({holder_name: 'failed'}));
    await refused(400, 'VALIDATION_ERROR', at.post(`${pathOf('payee', id)}/${failed}/set-default`));
  });
  verify('assumed.65', 'sandbox', async (at) => {
    const {id, methodId} = await at.freshReady('payee', bankAccount({account_number: '10003'}));
    const made = await expect(201, at.transfer('payout', {payee_id: id, auto_approve: true}));
    await at.reaches('payout', made.body.id as string, 'failed');
    const {body} = await at.methodOf('payee', id, methodId);
    assert.deepEqual([body.verification_status, body.is_default], ['failed', false]);
  });
}
