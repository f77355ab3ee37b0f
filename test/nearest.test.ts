import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {nearest} from '../src/nearest.ts';

const NAMES = ['status', 'rail', 'payee_id', 'created_at'];

describe('the nearest name', () => {
  for (const [asked, found] of [
    ['status', 'status'],
    ['staus', 'status'],
    ['sttaus', 'status'],
    ['statuses', 'status'],
    ['ril', 'rail'],
    ['tails', 'rail'],
    ['liar', undefined],
    ['arli', 'rail'], // two swaps of neighbours
    ['payee', undefined],
    ['payeeid', 'payee_id'],
    ['crated_at', 'created_at'],
    ['amount', undefined],
    ['', undefined],
  ] as const)
    it(`to "${asked}" is ${found ?? 'none'}`, () => assert.equal(nearest(asked, NAMES), found));

  it('is the first of those that are equally near', () => {
    assert.equal(nearest('cat', ['bat', 'hat']), 'bat');
    assert.equal(nearest('hat', ['cart', 'hat']), 'hat');
  });
});
