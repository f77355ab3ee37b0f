import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {check, type SchemaName} from '../../../src/contract/schemas/registry.ts';

const A = '019a9f3c-0000-7000-8000-00000000000a';
const B = '019a9f3c-0000-7000-8000-00000000000b';
const move = {source_subaccount_id: A, destination_subaccount_id: B, amount_in_minor_units: 100};

/** Fields that `name` complains about; empty when the value is accepted. */
const complaints = (name: SchemaName, value: unknown): string[] => {
  const result = check(name, value);
  return result.ok ? [] : result.issues.map(({field}) => field);
};

const CASES: [SchemaName, object, changes: object, complaints: string[]][] = [
  ['MoveCreate', move, {}, []],
  ['MoveCreate', move, {currency_code: 'USD', description: ''}, []],
  ['MoveCreate', move, {description: null}, []],
  ['MoveCreate', move, {description: 'x'.repeat(501)}, ['description']],
  ['MoveCreate', move, {currency_code: 'usd'}, ['currency_code']],
  ['MoveCreate', move, {amount_in_minor_units: undefined}, ['amount_in_minor_units']],
  ['MoveCreate', move, {amount_in_minor_units: 0}, ['amount_in_minor_units']],
  ['MoveCreate', move, {destination_subaccount_id: A}, ['destination_subaccount_id']],
  ['MoveCreate', move, {destination_subaccount_id: A.toUpperCase()}, ['destination_subaccount_id']],
  ['MoveCreate', move, {source_subaccount_id: 'x'}, ['source_subaccount_id']],
  ['MoveCreate', move, {status: 'SETTLED'}, ['']],
  ['SubaccountCreate', {name: 'Rent'}, {}, []],
  ['SubaccountCreate', {name: 'Rent'}, {currency_code: 'USD'}, []],
  ['SubaccountCreate', {name: 'Rent'}, {name: ' '}, ['name']],
  ['SubaccountCreate', {name: 'Rent'}, {balance_in_minor_units: 1}, ['']],
];

describe('schemas of moves and subaccounts', () => {
  for (const [name, base, changes, expected] of CASES)
    it(`${name} ${expected.length > 0 ? 'refuses' : 'takes'} ${JSON.stringify(changes).slice(0, 60)}`, () =>
      assert.deepEqual(complaints(name, {...base, ...changes}), expected));

  it('read a move in its envelope, with or without a warning, before and after it settled', () => {
    const answered = {
      id: A,
      ...move,
      currency_code: 'USD',
      status: 'CREATED',
      created_at: '2026-01-01T00:00:00Z',
    };
    assert.deepEqual(complaints('MoveEnvelope', {data: answered}), []);
    assert.deepEqual(complaints('MoveEnvelope', {data: {...answered, settled_at: null}, warning: 'w'}), []);
    const settled = {...answered, status: 'SETTLED', settled_at: '2026-01-01T00:00:01Z'};
    assert.deepEqual(complaints('MoveEnvelope', {data: settled}), []);
    assert.deepEqual(complaints('MoveEnvelope', {data: {...answered, status: 'settled'}}), ['data.status']);
    assert.deepEqual(complaints('MoveEnvelope', answered), ['data']);
  });
});
