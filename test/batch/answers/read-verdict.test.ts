import assert from 'node:assert/strict';
import {judgeRead} from '../../../src/batch/answers/read-verdict.ts';
import type {JournalRow} from '../../../src/batch/journal/rows/row.ts';
import {readAnswer} from '../../../src/client/answers/answer.ts';
import {type FailureKind, TransportFailure} from '../../../src/client/transport/transport.ts';

/** The row, as far as a record is compared with it; see `a GET that shows the end of another payment`. */
const ROW = {...{reference: 'INV-1', party: 'p', amount: 1, currency: 'USD'}, metadata: null} as JournalRow;
const ID = '018f0000-0000-7000-8000-00000000000a';

describe('the verdict on a fetched record', () => {
  const answered = (status: number, body: unknown) =>
    judgeRead(
      {
        answer: readAnswer(
          {status, headers: {'content-type': 'application/json'}, body: Buffer.from(JSON.stringify(body))},
          0,
        ),
      },
      {row: ROW, id: ID, kind: 'payout'},
    );
  const failed = (kind: FailureKind, sent: boolean, cause?: unknown) =>
    judgeRead(
      {failure: new TransportFailure(kind, 'it failed', {sent, cause})},
      {row: ROW, id: ID, kind: 'payout'},
    );

  for (const [status, is] of [
    ['created', 'open'],
    ['approved', 'moved'],
    ['failed', 'moved'],
    ['canceled', 'moved'],
    ['queued', 'unknown'],
  ] as const)
    it(`${is}: 200 with ${status}, whether or not the record names its id`, () => {
      assert.equal(answered(200, {id: ID.toUpperCase(), status}).is, is);
      assert.equal(answered(200, {status}).is, is);
      assert.equal(answered(200, {id: 'other', status}).is, 'unknown');
    });

  it('distinguishes a canceled record from an approved one', () => {
    const canceled = answered(200, {status: 'canceled'});
    const settled = answered(200, {status: 'settled'});
    assert.ok(canceled.is === 'moved' && settled.is === 'moved');
    assert.deepEqual([canceled.state, settled.state], ['dead_key', 'accepted']);
  });

  for (const [status, is] of [
    [404, 'not-found'],
    [401, 'credentials'],
    [403, 'credentials'],
    [429, 'throttled'],
    [500, 'failing'],
    [408, 'failing'],
    [302, 'unknown'],
    [409, 'unknown'],
    [410, 'unknown'],
  ] as const)
    it(`${is}: ${status}, even with a record in its body`, () =>
      assert.equal(answered(status, {id: ID, status: 'approved'}).is, is));

  it('distinguishes requests that were aborted, not sent, or not answered', () => {
    assert.deepEqual(failed('aborted', false), {is: 'aborted'});
    assert.deepEqual(failed('timeout', true), {is: 'unanswered'});
    assert.deepEqual(failed('refused', false), {is: 'not-sent', then: 'gate', throttled: false});
    const noSocket = Object.assign(new Error('too many open files'), {code: 'EMFILE'});
    assert.deepEqual(failed('other', false, noSocket), {is: 'not-sent', then: 'crowded', throttled: false});
  });
});
