import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {TransportFailure} from '../../src/client/transport/transport.ts';
import {digestOf, packAnswers, packRows, unpackAnswers, unpackRows} from '../../src/team/chunks.ts';

describe('a chunk of a batch', () => {
  it('has its rows again after the database', () => {
    const rows = [
      {reference: 'Ä "1"\u2028', approve: true, digest: 'd'},
      {reference: 'B', approve: false, digest: ''},
    ];
    assert.deepEqual(unpackRows(packRows(rows)), rows);
  });

  it('has its answers again, byte by byte, and failures as they were', () => {
    const bodies = [Buffer.from('{"id":"ä\0"}'), Buffer.from([0xff, 0xfe, 0]), Buffer.alloc(0)];
    const answers = bodies.map((body, at) => ({
      ...{at, tookMs: 5},
      answer: {status: 201, headers: {'x-request-id': 'r'}, body, ...(at === 1 ? {undecoded: 'br'} : {})},
    }));
    assert.deepEqual(unpackAnswers(packAnswers(answers)), answers);
    const failure = new TransportFailure('cut', 'the answer was truncated', {sent: true, status: 200});
    const [first, second] = unpackAnswers(
      packAnswers([
        {at: 3, tookMs: 1, failure},
        {at: 4, tookMs: 0},
      ]),
    );
    const {kind, why, sent, status} = first?.failure ?? {};
    assert.deepEqual([kind, why, sent, status], ['cut', 'the answer was truncated', true, 200]);
    assert.deepEqual(second, {at: 4, tookMs: 0});
  });

  it('has a digest of everything, in any order of the headers', () => {
    const request = {
      ...{method: 'POST', path: '/api/payouts', body: '{"a":1}'},
      headers: {'x-api-key': 'live_a', 'idempotency-key': 'k'},
      timeouts: {connectMs: 1, headersMs: 1, totalMs: 1},
    };
    const same = {...request, headers: {'idempotency-key': 'k', 'x-api-key': 'live_a'}};
    assert.equal(digestOf(request), digestOf(same));
    for (const other of [
      {...request, body: '{"a":2}'},
      {...request, path: '/api/payins'},
      {...request, method: 'PUT'},
      {...request, headers: {...request.headers, 'idempotency-key': 'l'}},
      {...request, headers: {...request.headers, 'x-api-key': 'live_b'}},
    ])
      assert.notEqual(digestOf(request), digestOf(other));
  });
});
