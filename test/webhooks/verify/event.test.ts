import assert from 'node:assert/strict';
import {EVENT_TYPES, type EventTypeName} from '../../../src/contract/events.ts';
import {SCHEMAS} from '../../../src/contract/schemas/registry.ts';
import type * as schemas from '../../../src/contract/schemas/webhooks.ts';
import type * as z from 'zod';
import {parseEvent, type KnownWebhookEvent, type WebhookEvent} from '../../../src/webhooks/verify/event.ts';

type DataOf<Type> = Extract<KnownWebhookEvent, {type: Type}>['data'];
/** The contract's fields, without those that a later service may add. */
type Fields<T> = {[K in keyof T as string extends K ? never : K]: T[K]};
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;

/** The compiler compares the union with the contract, both ways. */
const SAME: {types: Same<KnownWebhookEvent['type'], EventTypeName>} & {
  [Name in 'PayoutEventData' | 'PayinEventData' | 'SubaccountCreditEventData']: Same<
    Fields<z.infer<(typeof schemas)[Name]>>,
    Omit<
      DataOf<{[T in EventTypeName]: (typeof EVENT_TYPES)[T]['data'] extends Name ? T : never}[EventTypeName]>,
      'unknownFields'
    >
  >;
} = {types: true, PayoutEventData: true, PayinEventData: true, SubaccountCreditEventData: true};

/** Compiles only while each branch has the data of its type alone. */
function subject(event: WebhookEvent): string {
  switch (event.type) {
    case 'payout.debited':
    case 'payout.settled':
    case 'payout.failed':
      return event.data.payout_id;
    case 'payin.settled':
    case 'payin.failed':
      return event.data.payin_id;
    case 'subaccount.credit_received':
      return `${event.data.subaccount_id} ${event.data.amount_in_minor_units + event.data.amount_cents}`;
    default: {
      // @ts-expect-error an unknown type has no known data
      const id: string = event.data.payout_id;
      return `${String(event.type)} ${id ?? ''}`;
    }
  }
}

const body = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

describe('webhook events', () => {
  it('have ids that are text, also if they were sent as numbers', () => {
    const sent = (id: number, payout: number) =>
      parseEvent(body(`{"id":${id},"type":"payout.settled","data":{"payout_id":${payout},"n":1}}`));
    assert.deepEqual(sent(41, 12_345), {id: '41', type: 'payout.settled', data: {payout_id: '12345', n: 1}});
    assert.equal(sent(41, 2 ** 53), undefined, 'it was rounded');
    assert.equal(sent(2 ** 53, 1), undefined);
    assert.equal(sent(1.5, 1), undefined);
  });

  it('have the types and data of the contract', () => {
    assert.ok(Object.values(SAME).every(Boolean));
    for (const [type, {data}] of Object.entries(EVENT_TYPES)) {
      const id = '0192a000-0000-7000-8000-000000000041';
      const fields = {
        payout_id: id,
        payin_id: id,
        subaccount_id: id,
        amount_in_minor_units: 100,
        amount_cents: 100,
      };
      assert.ok(SCHEMAS[data].safeParse(fields).success);
      const event = parseEvent(body({id: 'e1', type, data: fields}));
      assert.match(subject(event as WebhookEvent), new RegExp(`^${id}`));
    }
  });

  it('have the fields that the contract does not have under unknownFields', () => {
    const data = {payout_id: 'p', amount_cents: 5, later: {a: 1}};
    const event = parseEvent(body({id: 'e1', type: 'payout.settled', data}));
    assert.ok(event?.type === 'payout.settled');
    assert.deepEqual(event.data.unknownFields, {amount_cents: 5, later: {a: 1}});
    assert.deepEqual({...event.data}, data, 'not part of a copy');
    for (const [type, {data: name}] of Object.entries(EVENT_TYPES)) {
      const all = Object.fromEntries(Object.keys(SCHEMAS[name].shape).map((field) => [field, '1']));
      const known = parseEvent(body({id: 'e1', type, data: all})) as KnownWebhookEvent;
      assert.deepEqual(known.data.unknownFields, {}, `add the field to KNOWN_FIELDS of event.ts: ${type}`);
    }
    const sent = parseEvent(body({id: 'e1', type: 'payout.settled', data: {...data, unknownFields: 'sent'}}));
    assert.equal((sent as KnownWebhookEvent).data.unknownFields, 'sent', 'a field of this name stays');
  });

  it('may have an unknown type', () => {
    const event = parseEvent(body({id: 'e1', type: 'move.settled', data: {move_id: 'm1'}, more: 1}));
    assert.deepEqual(event, {id: 'e1', type: 'move.settled', data: {move_id: 'm1'}, more: 1});
    assert.equal(subject(event), 'move.settled ');
  });

  it('are not created from other bodies', () => {
    for (const value of [
      '',
      'x',
      '[]',
      'null',
      '{}',
      {id: true, type: 'a', data: {}},
      {id: 'a', type: 'b', data: []},
      {id: 'a', data: {}},
    ])
      assert.equal(parseEvent(body(value)), undefined, JSON.stringify(value));
    assert.equal(parseEvent(Buffer.from([0x22, 0xff, 0x22])), undefined, 'invalid UTF-8');
    assert.equal(parseEvent(body('\ufeff{"id":"a","type":"b","data":{}}'))?.id, 'a', 'a byte order mark');
  });
});
