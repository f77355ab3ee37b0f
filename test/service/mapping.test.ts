import assert from 'node:assert/strict';
import {type Mapping, toWire, Unwritable} from '../../src/service/mapping.ts';
import {pathOf} from '../../src/service/paths.ts';

const mapping = (names: Record<string, string>): Mapping => ({
  names: [
    Object.entries(names).map(([canonical, wire]) => ({canonical: pathOf(canonical), wire: pathOf(wire)})),
  ],
  units: [],
  words: [],
  reference: undefined,
});
const PAYOUT = {amount: 1250, payee: 'p-1', rail: 'wire', metadata: {a: '1'}};

describe('an object in the form of a service', () => {
  const clashes: Record<string, string>[] = [
    {amount: 'x', payee: 'x.y'},
    {amount: 'x.y', payee: 'x'},
    {amount: 'rail.amount'},
    {rail: 'amount.rail'},
    {payee: 'x.y.z', amount: 'x.y'},
  ];
  for (const names of clashes)
    it(`is refused if a name would destroy another value: ${JSON.stringify(names)}`, () =>
      assert.throws(() => toWire(PAYOUT, mapping(names)), Unwritable));

  it('may have fields within objects, and in one that is sent already', () => {
    assert.deepEqual(
      toWire(PAYOUT, mapping({amount: 'money.value', rail: 'money.rail', payee: 'metadata.payee'})),
      {
        metadata: {a: '1', payee: 'p-1'},
        money: {value: 1250, rail: 'wire'},
      },
    );
  });
});
