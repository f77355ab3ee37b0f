import assert from 'node:assert/strict';
import {endedByUs, failureOf} from '../../../src/client/transport/failure.ts';
import type {FailureKind} from '../../../src/client/transport/transport.ts';

const error = (code: string) => Object.assign(new Error(code), {code});
const kindOf = (code: string, progress: {sent: boolean; secure?: boolean; status?: number}) =>
  failureOf(error(code), {what: 'GET http://x', secure: false, ...progress});

describe('naming a failure', () => {
  const unsent: [string, FailureKind, boolean?][] = [
    ['ECONNREFUSED', 'refused'],
    ['ENOTFOUND', 'dns'],
    ['EAI_AGAIN', 'dns'],
    ['ETIMEDOUT', 'connect-timeout'],
    ['UND_ERR_CONNECT_TIMEOUT', 'connect-timeout'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls', true],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', true],
    ['CERT_HAS_EXPIRED', 'tls', true],
    ['EPROTO', 'tls', true],
    ['ECONNRESET', 'tls', true],
    ['ECONNRESET', 'reset'],
    ['EHOSTUNREACH', 'other'],
    ['ERR_INVALID_CHAR', 'other'],
  ];
  for (const [code, kind, secure = false] of unsent) {
    it(`before sending, ${code}${secure ? ' over TLS' : ''} is ${kind}`, () => {
      const failure = kindOf(code, {sent: false, secure});
      assert.deepEqual([failure.kind, failure.sent], [kind, false]);
    });
  }

  const sent: [string, FailureKind][] = [
    ['ECONNRESET', 'reset'],
    ['EPIPE', 'reset'],
    ['UND_ERR_SOCKET', 'reset'],
    ['ETIMEDOUT', 'timeout'],
    ['HPE_HEADER_OVERFLOW', 'other'],
    ['ECONNREFUSED', 'other'], // cannot be, and is still not called unsent
  ];
  for (const [code, kind] of sent) {
    it(`after sending, ${code} is ${kind}`, () => {
      const failure = kindOf(code, {sent: true});
      assert.deepEqual([failure.kind, failure.sent], [kind, true]);
    });
  }

  it('after headers arrived, everything is a cut answer with its status', () => {
    const failure = kindOf('ECONNRESET', {sent: true, status: 201});
    assert.deepEqual([failure.kind, failure.status], ['cut', 201]);
  });

  it('says what was tried and keeps the cause', () => {
    const failure = kindOf('ECONNREFUSED', {sent: false});
    assert.equal(failure.message, 'connection refused (ECONNREFUSED) (GET http://x)');
    assert.equal(failure.why, 'connection refused (ECONNREFUSED)');
    assert.equal((failure.cause as {code: string}).code, 'ECONNREFUSED');
    assert.equal(
      endedByUs('timeout', 'no answer within 5 ms', {what: 'GET http://x', sent: true, secure: false})
        .message,
      'no answer within 5 ms (GET http://x)',
    );
  });

  it('handles a cause that is not an error', () => {
    for (const cause of [undefined, null, 'text', {code: 5}]) {
      assert.equal(failureOf(cause, {what: 'x', sent: true, secure: false}).kind, 'other');
    }
  });
});
