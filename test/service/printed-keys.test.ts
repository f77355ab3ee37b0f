import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {allOperations, type OperationId} from '../../src/contract/operations/operations.ts';
import {requestFieldsOf} from '../../src/contract/origin/field-origins.ts';
import {assumptionBehind, type Failure} from '../../src/service/file/assumption.ts';
import {routeOf} from '../../src/service/routes.ts';
import {serviceSchema} from '../../src/service/file/schema.ts';
import {sourcesUnder} from '../repo/tree.ts';
import {settingOf} from './key-setting.ts';
import type {Json} from '../../src/narrow.ts';

const REFUSALS = [
  'unknown parameter limit',
  'limit must be at most 25',
  'unknown query parameter order',
  'order must be oldest or newest',
  'cursor is not a known parameter',
  'the header X-Tenant is required',
  'Idempotency-Key must be a UUID',
  'the idempotency key is too long',
  'unknown header Idempotency-Key',
];

function failuresOf(id: string): Failure[] {
  const refused = [...REFUSALS, ...requestFieldsOf(id).map((name) => `unknown field ${name}`)];
  return [
    {status: 404, json: {}},
    {status: 405, json: undefined},
    {status: 409, json: {reason: 'busy'}},
    ...[
      {items: []},
      {id: 'i', status: 7, rail: 'r', created_at: 'c'},
      {status: 'x', rail: 'r', created_at: 'c'},
    ].map((json) => ({status: 200, json})),
    ...['OTHER', 'created'].map((status) => ({
      status: 200,
      json: {id: 'i', status, currency_code: 'USD', created_at: 'c'},
    })),
    ...refused.map((message) => ({status: 400, message, json: {message}})),
  ];
}

describe('a key of the service file that a message names', () => {
  it('exists in the schema, and a file with it is valid', () => {
    const keys = new Map<string, string>();
    for (const {id} of allOperations())
      for (const failure of failuresOf(id)) {
        const found = assumptionBehind(id, routeOf(id, {}), failure);
        if (found !== undefined) keys.set(found.key, found.text);
      }
    assert.ok(keys.size > 100, String(keys.size));
    for (const [key, text] of keys) {
      const file = settingOf(key);
      assert.ok(text.includes(`set ${key}`), text);
      for (const unit of Object.keys(file.units ?? {})) assert.ok(text.includes(`units.${unit}`), text);
    }
  });

  it('is the one that the refusal is about', () => {
    const after = (message: string) =>
      assumptionBehind('payouts.list', routeOf('payouts.list', {}), {
        ...{status: 400, message, errorCode: 'VALIDATION_ERROR', json: {message}},
      })?.key;
    assert.deepEqual(REFUSALS.map(after), [
      'paging.limit',
      'paging.max',
      'paging.order.name',
      'paging.order',
      'paging.cursor',
      'headers.send',
      'keys.format',
      'keys.maxLength',
      'keys.header',
    ]);
    assert.equal(after('the value 500 of limit is not allowed'), 'paging.max');
    assert.equal(after('the cursor is invalid'), undefined);
  });

  it('is that of the body if an operation without fields is refused for its body', () => {
    const after = (status: number, message: string) =>
      assumptionBehind('payouts.approve', routeOf('payouts.approve', {}), {
        ...{status, message, errorCode: 'VALIDATION_ERROR', json: {message}},
      })?.key;
    for (const message of ['unexpected request body', 'must not have a body', 'body must be empty'])
      assert.equal(after(400, message), 'bodies.payouts.approve', message);
    assert.equal(after(415, 'unsupported media type'), 'bodies.payouts.approve');
    assert.equal(after(400, 'the payout is canceled'), undefined);
  });

  it('is that of the fields of an operation if the service requires one that remit does not have', () => {
    const after = (id: OperationId, message: string, details?: Json) => {
      const {key, text = ''} =
        assumptionBehind(id, routeOf(id, {}), {status: 400, message, details, json: {message}}) ?? {};
      return [key, /requires (.*), which remit/.exec(text)?.[1]];
    };
    for (const [id, message, names, details] of [
      ['payouts.create', 'beneficiary_id is required', 'beneficiary_id'],
      ['payees.create', 'display_name is required', 'display_name'],
      [
        'accountTransfers.create',
        'from_account, to_account and "amount" are required',
        'from_account, to_account, amount',
      ],
      ['payouts.create', 'body must have required property "amount"', 'amount'],
      ['payouts.create', 'invalid', 'beneficiary_id', [{code: 'missing_field', field: 'beneficiary_id'}]],
      ['payouts.create', 'invalid', 'amount', {amount: ['is required']}],
      [
        'payouts.create',
        'invalid',
        'beneficiaryId',
        [{loc: ['body', 'beneficiaryId'], msg: 'field required'}],
      ],
    ] as const)
      assert.deepEqual(after(id, message, details), [`fields.${id}`, names], message);
    assert.deepEqual(after('payouts.create', 'payee_id is required')[0], 'fields.payouts.payee_id');
    assert.equal(
      assumptionBehind('payouts.create', routeOf('payouts.create', {}), {
        ...{
          status: 422,
          message: 'a verified payment method is required',
          errorCode: 'INVALID_PAYMENT_DETAILS',
        },
        json: {},
      }),
      undefined,
    );
  });

  it('is that of the route after NOT_FOUND, unless the request names a record', () => {
    const text = (id: Parameters<typeof assumptionBehind>[0]) =>
      assumptionBehind(id, routeOf(id, {}), {status: 404, errorCode: 'NOT_FOUND', json: {}})?.text ?? '';
    for (const id of ['payouts.create', 'payins.create', 'moves.create', 'accountTransfers.create'] as const)
      assert.match(text(id), /^unless a record that the request names does not exist, /, id);
    assert.doesNotMatch(text('payouts.list'), /^unless/);
  });

  it('names the place of a record with three fields that are its own, and of no other object', () => {
    const text = (json: Json) =>
      assumptionBehind('payouts.get', routeOf('payouts.get', {}), {status: 200, json})?.text ?? '';
    assert.match(
      text({payout: {id: 'i', rail: 'r', created_at: 'c'}}),
      /the record is in payout, not at the top/,
    );
    assert.match(text({payout: {id: 'i', rail: 'r', other: 'c'}}), /the envelope of a record is assumed/);
    for (const none of ['text', null, undefined, 7])
      assert.match(text(none), /the envelope of a record is assumed/);
  });

  it('exists in the schema wherever a text of the sources names one', () => {
    const sections = Object.keys(serviceSchema().properties ?? {}).filter((name) => !name.startsWith('$'));
    const key = new RegExp(`\\bset ((?:${sections.join('|')})(?:\\.[A-Za-z_]+)*)(?![\\w.$({])`, 'g');
    const named = sourcesUnder('src').flatMap(({text}) => [...text.matchAll(key)].map(([, name]) => name!));
    assert.ok(named.length > 3, String(named.length));
    for (const name of named) settingOf(name);
  });
});
