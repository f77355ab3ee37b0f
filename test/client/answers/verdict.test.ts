import assert from 'node:assert/strict';
import {type Meaning, meaningOf} from '../../../src/client/answers/verdict.ts';

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
