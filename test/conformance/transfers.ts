import assert from 'node:assert/strict';
import {
  hasForms,
  isCountry,
  isCurrency,
  isObject,
  isText,
  isTime,
  isUuid,
  isWhole,
  oneOf,
  orNull,
  type Form,
} from './forms.ts';
import {bankAccount} from '../sandbox/payment-details.ts';
import {UNKNOWN_ID, card, expect, partyOf, refused, type Answer, type Kind, type Service} from './service.ts';
import {verify} from './suite.ts';

export const scenario = (name: string): object => ({metadata: {'sandbox.scenario': name}});
export const STATUSES = ['created', 'canceled', 'approved', 'initiated', 'debited', 'settled', 'failed'];
const BEYOND_APPROVED = ['initiated', 'debited', 'settled'];

const FORMS: Readonly<Record<string, Form>> = {
  id: isUuid,
  subaccount_id: orNull(isUuid),
  status: oneOf(...STATUSES),
  amount_in_minor_units: isWhole,
  amount_in_cents: isWhole,
  currency_code: isCurrency,
  country_code: isCountry,
  client_metadata: isObject,
  created_at: isTime,
  updated_at: isTime,
};

/** 09:00 in New York of a day (YYYY-MM-DD), milliseconds since the epoch. */
function nineInNewYork(day: string): number {
  const hour = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'America/New_York',
    hour: '2-digit',
    hour12: false,
  });
  const at = [13, 14].map((utc) => Date.parse(`${day}T${utc}:00:00Z`)).find((ms) => hour.format(ms) === '09');
  assert.ok(at !== undefined);
  return at;
}

/** What both kinds promise alike; statements of a kind begin with its name. */
function both(kind: Kind): void {
  const party = partyOf(kind);
  const named = `${party}_id`;
  const code = kind === 'payin' ? 'PAYER_NOT_FOUND' : 'NOT_FOUND';

  verify(`${kind}.${party}`, async (at) => {
    await refused(404, code, at.transfer(kind, {[named]: UNKNOWN_ID}));
  });
  verify(`${kind}.${party}Required`, async (at) => {
    await refused(400, 'VALIDATION_ERROR', at.post(`/api/${kind}s`, {amount_in_minor_units: 100}));
  });
  verify(`${kind}.amount`, async (at) => {
    for (const amount of [0, -1, 1.5, '100', null, 2 ** 53])
      await refused(400, 'VALIDATION_ERROR', at.transfer(kind, {amount_in_minor_units: amount}));
    await expect(201, at.transfer(kind, {amount_in_minor_units: 1}));
  });
  verify(`${kind}.amountRequired`, async (at) => {
    const {id} = await at.ready(party);
    await refused(400, 'VALIDATION_ERROR', at.post(`/api/${kind}s`, {[named]: id}));
  });
  verify(`${kind}.alias`, async (at) => {
    const {id} = await at.ready(party);
    const {body} = await expect(201, at.post(`/api/${kind}s`, {[named]: id, amount_in_cents: 777}));
    assert.deepEqual([body.amount_in_minor_units, body.amount_in_cents], [777, 777]);
  });
  verify(`${kind}.currencyDefault`, async (at) => {
    for (const body of kind === 'payout' ? [{}, {currency_code: null}] : [{}])
      isCurrency((await expect(201, at.transfer(kind, body))).body.currency_code);
  });
  verify(`${kind}.currency`, async (at) => {
    await refused(400, 'VALIDATION_ERROR', at.transfer(kind, {currency_code: 'XTS'}));
    await expect(201, at.transfer(kind, {currency_code: 'USD'}));
  });
  verify(`${kind}.subaccount`, async (at) => {
    const subaccount_id = await at.fundedSubaccount(2000);
    const answer = await expect(
      201,
      at.transfer(kind, {subaccount_id, amount_in_minor_units: 500, auto_approve: true}),
    );
    assert.equal(answer.body.subaccount_id, subaccount_id);
    await at.reaches(kind, answer.body.id as string, 'settled');
    assert.equal(await at.balanceOf(subaccount_id), kind === 'payin' ? 2500 : 1500);
  });
  verify(`${kind}.autoApproveDefault`, async (at) => {
    assert.equal((await expect(201, at.transfer(kind))).body.status, 'created');
    assert.equal((await expect(201, at.transfer(kind, {auto_approve: false}))).body.status, 'created');
  });
  verify(`${kind}.autoApprove`, async (at) => {
    const {status, body} = await at.transfer(kind, {auto_approve: true});
    oneOf(201, 202)(status);
    await at.reaches(kind, body.id as string, ...BEYOND_APPROVED);
  });
  verify(`${kind}.metadata`, async (at) => {
    const metadata = {order: 'A-1', 'ключ "x"': '\u{1d4b3} & <b>'};
    const {body} = await expect(201, at.transfer(kind, {metadata}));
    assert.deepEqual(body.client_metadata, metadata);
    assert.deepEqual((await at.get(`/api/${kind}s/${body.id}`)).body.client_metadata, metadata);
  });
  verify(`${kind}.scheduled`, 'sandbox', async (at) => {
    const scheduled_date = await at.day(2);
    const {body} = await expect(201, at.transfer(kind, {scheduled_date, auto_approve: true}));
    const nine = nineInNewYork(scheduled_date);
    await at.control('POST', '/advance', {to: new Date(nine - 1000).toISOString()});
    assert.equal((await at.get(`/api/${kind}s/${body.id}`)).body.status, 'approved');
    await at.control('POST', '/advance', {to: new Date(nine + 1000).toISOString()});
    oneOf(...BEYOND_APPROVED)((await at.get(`/api/${kind}s/${body.id}`)).body.status);
  });

  const forms = {
    ...FORMS,
    [named]: isUuid,
    rail: kind === 'payin' ? oneOf('standard_ach', 'same_day_ach') : isText,
    ...(kind === 'payin' ? {status_recorded_at: isTime} : {}),
    [`${kind}_metadata`]: isObject,
  };
  for (const [field, form] of Object.entries(forms))
    verify(`${kind}.response.${field}`, async (at) => {
      const made = (await expect(201, at.transfer(kind))).body;
      const read = (await expect(200, at.get(`/api/${kind}s/${made.id}`))).body;
      for (const record of [made, read]) {
        hasForms(record as Record<string, unknown>, {[field]: form});
        if (field === 'subaccount_id') assert.equal(record.subaccount_id, null);
        if (field === 'amount_in_cents') assert.equal(record.amount_in_cents, record.amount_in_minor_units);
        if (field.endsWith(`${kind}_metadata`)) isMasked(record[field] as object, record[named] as string);
      }
      if (field === 'status_recorded_at') {
        const approved = (await at.post(`/api/payins/${made.id}/approve`)).body;
        assert.ok(Date.parse(approved.status_recorded_at as string) > Date.parse(made.created_at as string));
      }
    });
  verify(`${kind}.response.warning`, 'sandbox', async (at) => {
    const plain = await expect(201, at.transfer(kind));
    assert.ok(!('warning' in plain.body));
    const warned = await expect(
      207,
      at.transfer(kind, {...scenario('approval_fails_207'), auto_approve: true}),
    );
    isText(warned.body.warning);
    assert.ok(!('warning' in (await at.get(`/api/${kind}s/${warned.body.id}`)).body));
  });
}

/** Names the method and the party, and no number in full. */
function isMasked(metadata: object, partyId: string): void {
  const text = JSON.stringify(metadata);
  assert.match(text, new RegExp(partyId));
  assert.doesNotMatch(text, /000123456789/);
}

function payinsOnly(): void {
  verify('payin.rail', async (at) => {
    for (const rail of ['standard_ach', 'same_day_ach'])
      assert.equal((await expect(201, at.transfer('payin', {rail}))).body.rail, rail);
    for (const rail of ['wire', 'instant_bank', 'instant_card', 'STANDARD_ACH', ''])
      await refused(400, 'VALIDATION_ERROR', at.transfer('payin', {rail}));
  });
  verify('payin.railDefault', async (at) => {
    for (const body of [{}, {rail: null}])
      oneOf('standard_ach', 'same_day_ach')((await expect(201, at.transfer('payin', body))).body.rail);
  });
  verify('payin.method', async (at) => {
    const {id, methodId} = await at.freshReady('payer');
    const other = await at.method('payer', id, bankAccount({account_number: '000987654321'}));
    const usual = await expect(201, at.transfer('payin', {payer_id: id}));
    const named = await expect(201, at.transfer('payin', {payer_id: id, payment_method_id: other}));
    assert.match(JSON.stringify(usual.body.payin_metadata), new RegExp(methodId));
    assert.match(JSON.stringify(named.body.payin_metadata), new RegExp(other));
    await expect(201, at.transfer('payin', {payer_id: id, payment_method_id: null}));
  });
  verify('payin.methodOwner', async (at) => {
    const other = await at.freshReady('payer');
    const code = 'PAYMENT_METHOD_NOT_FOUND';
    await refused(404, code, at.transfer('payin', {payment_method_id: other.methodId}));
  });
  verify('payin.subaccountOwner', 'live', async (at) => {
    const foreign = await at.subaccount({key: at.liveKey});
    await refused(404, 'NOT_FOUND', at.transfer('payin', {subaccount_id: foreign}));
  });
  verify('payin.noSchedule', async (at) => {
    const {body} = await at.transfer('payin', {auto_approve: true, scheduled_date: null});
    await at.reaches('payin', body.id as string, ...BEYOND_APPROVED);
  });
}

function payoutsOnly(): void {
  verify('payout.bankRails', async (at) => {
    for (const rail of ['instant_bank', 'same_day_ach', 'standard_ach', 'wire'])
      assert.equal((await expect(201, at.transfer('payout', {rail}))).body.rail, rail);
  });
  verify('payout.cardRail', async (at) => {
    const {id} = await at.freshReady('payee', card());
    assert.equal((await expect(201, at.transfer('payout', {payee_id: id}))).body.rail, 'instant_card');
    for (const rail of ['instant_bank', 'same_day_ach', 'standard_ach', 'wire'])
      await refused(400, 'VALIDATION_ERROR', at.transfer('payout', {payee_id: id, rail}));
  });
  verify('payout.railUnsupported', async (at) => {
    await refused(400, 'VALIDATION_ERROR', at.transfer('payout', {rail: 'instant_card'}));
    await refused(400, 'VALIDATION_ERROR', at.transfer('payout', {rail: 'pigeon'}));
  });
  verify('payout.railsByRouting', 'sandbox', async (at) => {
    const {id} = await at.freshReady('payee', bankAccount({routing_number: '790000022'}));
    await expect(201, at.transfer('payout', {payee_id: id, rail: 'same_day_ach'}));
    await refused(400, 'VALIDATION_ERROR', at.transfer('payout', {payee_id: id, rail: 'wire'}));
  });
  verify('payout.override', async (at) => {
    const {id} = await at.freshReady('payee');
    const other = await at.method('payee', id, card());
    const body = {payee_id: id, override_default_payment_method_id: other};
    const made = await expect(201, at.transfer('payout', body));
    assert.match(JSON.stringify(made.body.payout_metadata), new RegExp(other));
    assert.equal(made.body.rail, 'instant_card');
  });
  verify('payout.overrideVerified', 'sandbox', async (at) => {
    const {id} = await at.freshReady('payee');
    const failed = await at.method('payee', id, bankAccount({holder_name: 'Failed'}));
    const body = {payee_id: id, override_default_payment_method_id: failed};
    await refused(422, 'INVALID_PAYMENT_DETAILS', at.transfer('payout', body));
  });
  verify('payout.overrideRail', async (at) => {
    const {id} = await at.freshReady('payee');
    const other = await at.method('payee', id, card());
    const body = {payee_id: id, override_default_payment_method_id: other, rail: 'wire'};
    await refused(400, 'VALIDATION_ERROR', at.transfer('payout', body));
  });
  verify('payout.payoutMetadata', async (at) => {
    const {body} = await expect(201, at.transfer('payout', {payout_metadata: {order: 'B-2'}}));
    assert.deepEqual(body.client_metadata, {order: 'B-2'});
  });
  verify('payout.response.transfer_details', async (at) => {
    const {body} = await expect(201, at.transfer('payout'));
    assert.ok((body.transfer_details ?? null) === null);
    await at.post(`/api/payouts/${body.id}/approve`);
    isObject((await at.reaches('payout', body.id as string, ...BEYOND_APPROVED)).transfer_details);
  });
}

const BOTH: readonly Kind[] = ['payin', 'payout'];

function states(): void {
  verify('state.created', async (at) => {
    for (const kind of BOTH) assert.equal((await expect(201, at.transfer(kind))).body.status, 'created');
  });
  verify('state.approved', 'sandbox', async (at) => {
    for (const kind of BOTH) {
      const {body} = await expect(201, at.transfer(kind, {auto_approve: true}));
      oneOf('approved', ...BEYOND_APPROVED)(body.status);
    }
  });
  verify('state.continuing', 'sandbox', async (at) => {
    for (const kind of BOTH) {
      const {body} = await expect(202, at.transfer(kind, {...scenario('async_202'), auto_approve: true}));
      assert.equal(body.status, 'approved');
      await at.reaches(kind, body.id as string, 'settled');
    }
  });
  verify('state.approvalFails', 'sandbox', async (at) => {
    for (const kind of BOTH) {
      const {body} = await expect(
        207,
        at.transfer(kind, {...scenario('approval_fails_207'), auto_approve: true}),
      );
      isText(body.warning);
      assert.equal((await at.get(`/api/${kind}s/${body.id}`)).body.status, 'created');
    }
  });
  verify('state.replayContinues', async (at) => {
    for (const kind of BOTH) {
      const call = {idempotencyKey: crypto.randomUUID()};
      const {body} = await expect(201, at.transfer(kind, {}, call));
      const again = await at.transfer(kind, {auto_approve: true}, call);
      oneOf(201, 202)(again.status);
      assert.equal(again.body.id, body.id);
      await at.reaches(kind, body.id as string, ...BEYOND_APPROVED);
    }
  });
  verify('state.transient', 'sandbox', async (at) => {
    for (const kind of BOTH) {
      const marker = {...scenario('transient_503').valueOf(), auto_approve: true};
      const call = {idempotencyKey: crypto.randomUUID()};
      const {id} = await at.ready(partyOf(kind));
      await expect(503, at.transfer(kind, marker, call));
      const {body} = await at.get(`/api/${kind}s?limit=1&${partyOf(kind)}_id=${id}`);
      assert.equal(body.data[0].status, 'approved');
      assert.equal(body.data[0].client_metadata['sandbox.scenario'], 'transient_503');
    }
  });
  verify('state.transientRetry', 'sandbox', async (at) => {
    for (const kind of BOTH) {
      const call = {idempotencyKey: crypto.randomUUID()};
      const ask = () => at.transfer(kind, {...scenario('transient_503'), auto_approve: true}, call);
      await expect(503, ask());
      const {body} = await expect(201, ask());
      oneOf(...BEYOND_APPROVED)(body.status);
      assert.equal((await expect(200, ask())).body.id, body.id);
    }
  });
  verify('state.replayEnded', 'sandbox', async (at) => {
    for (const kind of BOTH)
      for (const auto_approve of [true, false])
        await refused(409, 'IDEMPOTENCY_KEY_CONFLICT', await endedReplay(at, kind, auto_approve));
  });
  verify('state.approveFails', 'sandbox', async (at) => {
    for (const kind of BOTH) {
      const {body} = await expect(201, at.transfer(kind, scenario('approval_fails_207')));
      const {status} = await at.post(`/api/${kind}s/${body.id}/approve`);
      assert.ok(status >= 400 && status < 500, String(status));
    }
  });
  verify('state.order', 'sandbox', async (at) => {
    for (const kind of BOTH) {
      const {id} = (await expect(201, at.transfer(kind, {auto_approve: true}))).body as {id: string};
      const seen: string[] = [];
      await at.until(
        () => at.get(`/api/${kind}s/${id}`),
        ({body}) => (seen.push(body.status as string), body.status === 'settled'),
      );
      const order = ['approved', 'initiated', 'debited', 'settled'];
      const steps = seen.map((status) => order.indexOf(status));
      assert.deepEqual(
        steps,
        [...steps].sort((a, b) => a - b),
      );
      assert.ok(seen.includes('debited'), seen.join());
    }
  });
}

/** A create repeated with the key of a canceled record. */
async function endedReplay(at: Service, kind: Kind, auto_approve: boolean): Promise<Answer> {
  const call = {idempotencyKey: crypto.randomUUID()};
  const {body} = await expect(201, at.transfer(kind, {}, call));
  await expect(200, at.post(`/api/${kind}s/${body.id}/cancel`));
  return at.transfer(kind, {auto_approve}, call);
}

function idempotency(): void {
  verify('idempotency.optional', async (at) => {
    const [a, b] = [await expect(201, at.transfer('payout')), await expect(201, at.transfer('payout'))];
    assert.notEqual(a.body.id, b.body.id);
  });
  verify('idempotency.newKey', async (at) => {
    const [a, b] = [
      await expect(201, at.transfer('payout', {}, {idempotencyKey: crypto.randomUUID()})),
      await expect(201, at.transfer('payout', {}, {idempotencyKey: crypto.randomUUID()})),
    ];
    assert.notEqual(a.body.id, b.body.id);
  });
  verify('idempotency.known', async (at) => {
    const {id: payee_id} = await at.freshReady('payee');
    const call = {idempotencyKey: crypto.randomUUID()};
    const made = await expect(201, at.transfer('payout', {payee_id}, call));
    const again = await expect(200, at.transfer('payout', {payee_id}, call));
    assert.deepEqual(again.body, made.body);
    assert.equal((await at.get(`/api/payouts?payee_id=${payee_id}`)).body.data.length, 1);
  });
  verify('idempotency.continues', async (at) => {
    const call = {idempotencyKey: crypto.randomUUID()};
    const {body} = await expect(201, at.transfer('payout', {}, call));
    assert.equal((await at.transfer('payout', {auto_approve: true}, call)).body.id, body.id);
    assert.notEqual((await at.get(`/api/payouts/${body.id}`)).body.status, 'created');
    await expect(200, at.transfer('payout', {auto_approve: true}, call));
  });
  verify('idempotency.conflict', 'sandbox', async (at) => {
    const call = {idempotencyKey: crypto.randomUUID()};
    const body = {...scenario('fails_after_initiated'), auto_approve: true};
    const made = await expect(201, at.transfer('payout', body, call));
    await at.reaches('payout', made.body.id as string, 'failed');
    await refused(409, 'IDEMPOTENCY_KEY_CONFLICT', at.transfer('payout', body, call));
  });
  verify('idempotency.payin', async (at) => {
    const call = {idempotencyKey: crypto.randomUUID()};
    const made = await expect(201, at.transfer('payin', {}, call));
    assert.equal((await expect(200, at.transfer('payin', {}, call))).body.id, made.body.id);
  });
}

export function transfers(): void {
  both('payin');
  payinsOnly();
  both('payout');
  payoutsOnly();
  states();
  idempotency();
}
