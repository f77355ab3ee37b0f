import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {EVENT_TYPE_NAMES, EVENT_TYPES} from '../../../src/contract/events.ts';
import {SCHEMAS, check, type SchemaName} from '../../../src/contract/schemas/registry.ts';

const ID = '019a9f3c-0000-7000-8000-00000000000a';
const endpoint = {url: 'https://example.com/hooks', event_types: ['payout.settled']};

/** Fields that `name` complains about; empty when the value is accepted. */
const complaints = (name: SchemaName, value: unknown): string[] => {
  const result = check(name, value);
  return result.ok ? [] : result.issues.map(({field}) => field);
};

const CASES: [SchemaName, object, changes: object, complaints: string[]][] = [
  ['WebhookEndpointCreate', endpoint, {}, []],
  ['WebhookEndpointCreate', endpoint, {event_types: [...EVENT_TYPE_NAMES]}, []],
  ['WebhookEndpointCreate', endpoint, {description: 'x', is_active: false}, []],
  ['WebhookEndpointCreate', endpoint, {url: 'http://example.com/hooks'}, ['url']],
  ['WebhookEndpointCreate', endpoint, {url: 'ftp://example.com'}, ['url']],
  ['WebhookEndpointCreate', endpoint, {url: 'example.com'}, ['url']],
  ['WebhookEndpointCreate', endpoint, {url: `https://example.com/${'x'.repeat(2048)}`}, ['url']],
  ['WebhookEndpointCreate', endpoint, {event_types: []}, ['event_types']],
  ['WebhookEndpointCreate', endpoint, {event_types: ['everything']}, ['event_types.0']],
  ['WebhookEndpointCreate', endpoint, {event_types: 'payout.settled'}, ['event_types']],
  ['WebhookEndpointCreate', endpoint, {signing_secret: 'mine'}, ['']],
  ['WebhookEndpointUpdate', {}, {}, []],
  ['WebhookEndpointUpdate', {}, {url: 'https://example.com/b'}, []],
  ['WebhookEndpointUpdate', {}, {event_types: []}, ['event_types']],
  ['WebhookEndpointToggle', {}, {}, []],
  ['WebhookEndpointToggle', {}, {is_active: false}, []],
  ['WebhookEndpointToggle', {}, {is_active: 'false'}, ['is_active']],
];

describe('schemas of webhooks', () => {
  for (const [name, base, changes, expected] of CASES)
    it(`${name} ${expected.length > 0 ? 'refuses' : 'takes'} ${JSON.stringify(changes).slice(0, 70)}`, () =>
      assert.deepEqual(complaints(name, {...base, ...changes}), expected));

  it('have a place for the signing secret in the answer to a creation only', () => {
    assert.ok('signing_secret' in SCHEMAS.WebhookEndpointCreated.shape);
    assert.ok(!('signing_secret' in SCHEMAS.WebhookEndpoint.shape));
  });
});

describe('event types', () => {
  it('are the six of the interface document, with its data fields', () => {
    const fields = Object.entries(EVENT_TYPES).map(([type, {data}]) => [
      type,
      Object.keys(SCHEMAS[data].shape),
    ]);
    assert.deepEqual(Object.fromEntries(fields), {
      'payout.debited': ['payout_id'],
      'payout.settled': ['payout_id'],
      'payout.failed': ['payout_id'],
      'payin.settled': ['payin_id'],
      'payin.failed': ['payin_id'],
      'subaccount.credit_received': ['subaccount_id', 'amount_cents', 'amount_in_minor_units'],
    });
  });

  it('have a form that the schema of an endpoint takes, and data that their own schema takes', () => {
    assert.deepEqual(complaints('PayoutEventData', {payout_id: ID}), []);
    assert.deepEqual(complaints('PayinEventData', {payout_id: ID}), ['payin_id']);
    assert.deepEqual(complaints('WebhookEvent', {id: 'evt_1', type: 'a.b', data: {}, novelty: 1}), []);
    assert.deepEqual(complaints('WebhookEvent', {id: 'evt_1', type: 'a.b'}), ['data']);
  });
});
