import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {asRecord, answeredRecord} from '../../../src/client/answers/record.ts';
import {asReceived, ExactNumber, type Json} from '../../../src/narrow.ts';
import {Sanitizer} from '../../../src/sanitize/sanitizer.ts';

describe('the record in an answer', () => {
  it('is the answer itself if every known field has its type', () => {
    const record = {
      id: 'a',
      status: 'settled',
      subaccount_id: null,
      is_default: true,
      metadata: {a: 'b'},
      own: [1],
    };
    assert.equal(answeredRecord(record), record);
    assert.equal(answeredRecord({data: record}), record);
    assert.equal(asReceived(answeredRecord(record)), record);
  });

  it('has no value for a known field of another type, and is still shown and compared as it was received', () => {
    const odd = {
      ...{id: {a: 1}, status: 5, payee_id: ['x'], name: null, currency_code: '', subaccount_id: 7},
      ...{is_default: 'true', metadata: 'text', event_types: {}, amount_in_minor_units: '12', own: {deep: 1}},
    };
    const record = answeredRecord(odd);
    const known = Object.entries(record).filter(([, value]) => value !== undefined);
    assert.deepEqual(known, [
      ['amount_in_minor_units', '12'],
      ['own', {deep: 1}],
    ]);
    assert.deepEqual(Object.keys(record), Object.keys(odd));
    assert.deepEqual(asReceived(record), odd);
    const sanitizer = new Sanitizer();
    assert.deepEqual(sanitizer.value(record), odd);
    assert.deepEqual(sanitizer.value({list: [record]}), {list: [odd]});
  });

  it('has no fields if the answer is no object, and is shown as the answer', () => {
    for (const answer of [
      null,
      'text',
      5,
      true,
      [{id: 'a'}],
      new ExactNumber('9007199254740993'),
      undefined,
    ] as Json[]) {
      const record = answeredRecord(answer);
      assert.deepEqual(Object.keys(record), []);
      assert.deepEqual(asReceived(record), answer);
      assert.deepEqual(new Sanitizer().value(record), answer);
    }
  });

  it('is not looked for inside a body or a part of a record', () => {
    const body = {payee_id: 'a', data: {payee_id: 'b'}};
    assert.equal(asRecord(body), body);
  });

  it('keeps what was added to it', () => {
    const record = {...answeredRecord({status: 'x', id: null, name: 5}), id: 'a1'};
    assert.deepEqual(asReceived(record), {status: 'x', id: 'a1', name: 5});
  });
});
