import assert from 'node:assert/strict';
import {parseHead} from '../../../src/webhooks/http/request-head.ts';

const head = (...lines: string[]) => parseHead(lines.join('\r\n'));
const HOST = 'Host: a';

describe('the head of a request', () => {
  it('keeps names and values in order and case, without the white space around values', () => {
    assert.deepEqual(
      head(
        'POST /hook?a=1 HTTP/1.1',
        HOST,
        'X-Twice: 1',
        'x-twice:\t two words \t',
        'Empty:',
        'X-\u00e9: no',
      ),
      undefined,
    );
    assert.deepEqual(
      head('POST /hook?a=1 HTTP/1.1', HOST, 'X-Twice: 1', 'x-twice:\t two words \t', 'Empty:', 'L: \u00e9'),
      {
        method: 'POST',
        target: '/hook?a=1',
        headers: [
          ['Host', 'a'],
          ['X-Twice', '1'],
          ['x-twice', 'two words'],
          ['Empty', ''],
          ['L', '\u00e9'],
        ],
        body: 0,
        keepsAlive: true,
        waits: false,
      },
    );
  });

  it('is refused if two programs could read it in two ways', () => {
    for (const lines of [
      ['POST / HTTP/1.1'],
      ['POST / HTTP/1.1', HOST, HOST],
      ['POST  / HTTP/1.1', HOST],
      ['POST /a b HTTP/1.1', HOST],
      ['POST / HTTP/2.0', HOST],
      ['POST /', HOST],
      ['P(ST / HTTP/1.1', HOST],
      ['POST / HTTP/1.1', HOST, 'no colon'],
      ['POST / HTTP/1.1', HOST, 'Name : value'],
      ['POST / HTTP/1.1', HOST, ' folded: value'],
      ['POST / HTTP/1.1', HOST, ': no name'],
      ['POST / HTTP/1.1', `${HOST}\nX: bare line feed`],
      ['POST / HTTP/1.1', `${HOST}\rX: bare carriage return`],
      ['POST / HTTP/1.1', HOST, 'X: \0'],
      ['POST / HTTP/1.1', HOST, 'X: \u007f'],
      ['POST / HTTP/1.1', HOST, ...Array.from({length: 200}, () => 'X: 1')],
      ['POST / HTTP/1.1', HOST, 'Content-Length: 1', 'content-length: 1'],
      ['POST / HTTP/1.1', HOST, 'Content-Length: 1, 1'],
      ['POST / HTTP/1.1', HOST, 'Content-Length: +1'],
      ['POST / HTTP/1.1', HOST, 'Content-Length: 0x1'],
      ['POST / HTTP/1.1', HOST, 'Content-Length:'],
      ['POST / HTTP/1.1', HOST, 'Content-Length: 9999999999999999'],
      ['POST / HTTP/1.1', HOST, 'Content-Length: 1', 'Transfer-Encoding: chunked'],
      ['POST / HTTP/1.1', HOST, 'Transfer-Encoding: gzip, chunked'],
      ['POST / HTTP/1.1', HOST, 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'],
      ['POST / HTTP/1.1', HOST, 'Transfer-Encoding: identity'],
      ['POST / HTTP/1.0', 'Transfer-Encoding: chunked'],
    ])
      assert.equal(head(...lines), undefined, JSON.stringify(lines));
  });

  it('gives the size of the body, and whether the connection continues', () => {
    const facts = (...lines: string[]) => {
      const {body, keepsAlive, waits} = head(...lines)!;
      return [body, keepsAlive, waits];
    };
    assert.deepEqual(facts('POST / HTTP/1.1', HOST, 'content-LENGTH: 0012'), [12, true, false]);
    assert.deepEqual(facts('POST / HTTP/1.1', HOST, 'Transfer-Encoding: Chunked'), ['chunked', true, false]);
    assert.deepEqual(facts('POST / HTTP/1.1', HOST, 'Connection: x, Close'), [0, false, false]);
    assert.deepEqual(facts('POST / HTTP/1.1', HOST, 'Connection: x', 'connection: close'), [0, false, false]);
    assert.deepEqual(facts('POST / HTTP/1.1', HOST, 'Connection: closed'), [0, true, false]);
    assert.deepEqual(facts('POST / HTTP/1.1', HOST, 'Expect: 100-Continue'), [0, true, true]);
    assert.deepEqual(facts('GET / HTTP/1.0', 'Expect: 100-continue'), [0, false, false]);
  });
});
