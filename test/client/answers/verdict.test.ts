import assert from 'node:assert/strict';
import {
  type AttemptEnd,
  judge,
  type Meaning,
  meaningOf,
  type Safety,
  type Verdict,
} from '../../../src/client/answers/verdict.ts';
import {lost} from '../transport/fake-transport.ts';

describe('what an answer means', () => {
  const TABLE: readonly [Meaning, readonly number[]][] = [
    ['success', [200, 201, 202, 204, 207]],
    ['redirect', [301, 302, 307, 308]],
    ['invalid', [400, 422]],
    ['unauthorized', [401]],
    ['forbidden', [403]],
    ['not-found', [404]],
    ['throttled', [429]],
    ['failing', [408, 425, 500, 502, 503, 504]],
    ['refused', [402, 405, 410, 413, 415, 418, 451]],
  ];
  for (const [meaning, statuses] of TABLE)
    it(`${statuses.join(', ')}: ${meaning}, with and without a code`, () => {
      for (const status of statuses) {
        assert.equal(meaningOf({status}), meaning);
        assert.equal(meaningOf({status, errorCode: 'IDEMPOTENCY_KEY_CONFLICT'}), meaning);
      }
    });

  it('409: the documented code says that the record is dead, anything else that the key is in use', () => {
    assert.equal(meaningOf({status: 409, errorCode: 'IDEMPOTENCY_KEY_CONFLICT'}), 'key-conflict');
    assert.equal(meaningOf({status: 409, errorCode: 'DUPLICATE_REQUEST'}), 'key-in-use');
    assert.equal(meaningOf({status: 409}), 'key-in-use');
  });
});

describe('the verdict on one attempt', () => {
  /** The state, then whether it may have taken effect, may be sent again, and must wait longer. */
  const inWords = ({is, taken, again, slow}: Verdict): string =>
    [is, taken && 'taken', again && 'again', slow && 'slow'].filter(Boolean).join(' ');
  const of = (status: number, errorCode?: string): AttemptEnd => ({answer: {status, json: {}, errorCode}});
  const failed = (...args: Parameters<typeof lost>): AttemptEnd => ({failure: lost(...args)});
  const [any, open] = ['refused', ['open again', 'open taken again', 'open taken again', 'open taken']];

  for (const [title, end, expected] of [
    ['an unreadable success', of(200), open],
    ['a redirect', of(302), [any, 'open taken', 'open taken', 'open taken']],
    ['a refusal', of(422), [any, any, any, any]],
    ['a dead key', of(409, 'IDEMPOTENCY_KEY_CONFLICT'), [any, any, any, any]],
    ['a key in use', of(409), [any, 'open taken again', any, any]],
    ['a throttled request', of(429), Array(4).fill('open again slow')],
    ['a failing service', of(500), open],
    ['a busy service', of(503), open.map((words) => `${words} slow`)],
    ['a lost answer', failed('reset'), open],
    ['no connection', failed('refused', {sent: false}), Array(4).fill('open again')],
    ['a request that cannot be sent', failed('other', {sent: false}), Array(4).fill('open')],
  ] as const)
    it(`depends on what a repetition would do: ${title}`, () => {
      const safeties: Safety[] = ['read', 'keyed', 'delete', 'bare'];
      assert.deepEqual(
        safeties.map((safety) => inWords(judge(end, safety, () => false))),
        expected,
      );
    });

  it('is done for a success with what was requested', () => {
    assert.equal(judge(of(200), 'keyed', () => true).is, 'done');
  });
});
