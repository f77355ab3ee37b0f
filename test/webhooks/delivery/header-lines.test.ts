import assert from 'node:assert/strict';
import {RemitError} from '../../../src/errors.ts';
import {parseHeaderText} from '../../../src/webhooks/delivery/header-lines.ts';

const PAIRS = [
  ['X-Signature', 'ab'],
  ['Accept', 'a'],
  ['Accept', 'b'],
];

describe('header text', () => {
  it('is lines, pairs, or an object whose values may be lists', () => {
    for (const text of [
      'POST /hook HTTP/1.1\r\nX-Signature: ab\r\nAccept: a\r\nAccept: b\r\n\r\n',
      JSON.stringify(PAIRS),
      '{"X-Signature": "ab", "Accept": ["a", "b"]}',
      '*   Trying 127.0.0.1:3000...\n> POST /hook HTTP/1.1\n> X-Signature: ab\n> Accept: a\n> Accept: b\n>\n< HTTP/1.1 401 Unauthorized\n< X-Signature: cd\n',
    ])
      assert.deepEqual(parseHeaderText(text), PAIRS, text);
  });

  it('is refused where it has no names or values', () => {
    for (const text of ['["ab"]', '[null]', '[["a"]]', '[[1, "a"]]', '{"a": 1}', '{"a": ["b", null]}', '{'])
      assert.throws(
        () => parseHeaderText(text),
        (error) =>
          error instanceof RemitError && error.code === 'USAGE' && /names and values/.test(error.message),
        text,
      );
  });
});
