import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {judgeSeen} from '../../src/batch/follow/judge.ts';
import {failureOf} from '../../src/contract/failure.ts';

const FAILURE = {code: 'R01', message: 'insufficient funds'};

describe('the reason of a failed record', () => {
  for (const [where, record] of [
    ['transfer details', {transfer_details: {failure: FAILURE}}],
    ['masked payin details', {transfer_details: null, payin_metadata: {failure: FAILURE}}],
    ['payout details', {payout_metadata: {failure: FAILURE}}],
    ['own field', {transfer_details: {failure: null}, failure: FAILURE}],
    ['plain fields', {failure_code: 'R01', failure_message: 'insufficient funds'}],
  ] as const)
    it(`is read from its ${where}, also for the status of a batch`, () => {
      assert.deepEqual(failureOf(record), FAILURE);
      const {facts} = judgeSeen({
        kind: 'payin',
        state: 'accepted',
        before: 'initiated',
        status: 'failed',
        record,
      });
      assert.deepEqual(facts, {state: 'accepted', ...FAILURE});
    });

  it('may be one text, or missing', () => {
    assert.deepEqual(failureOf({failure_reason: 'no funds'}), {code: undefined, message: 'no funds'});
    assert.deepEqual(failureOf({failure_code: 17}), {code: '17', message: undefined});
    assert.deepEqual(failureOf({failure_code: '', failure: 'no funds'}), {
      code: undefined,
      message: 'no funds',
    });
    for (const record of [undefined, null, 'text', {}, {failure: {}}, {failure_reason: ''}])
      assert.equal(failureOf(record), undefined);
  });
});
