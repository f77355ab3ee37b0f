import assert from 'node:assert/strict';
import {endingOf, rawBytes, rawText, utf8} from '../../../src/webhooks/inspector/body-text.ts';
import {prettyJson} from '../../../src/webhooks/inspector/pretty-json.ts';

/** Marks as `[…]`, other markup as it is. */
const marked = (markup: {text: string}): string =>
  markup.text.replace(/<span class="mark">(.*?)<\/span>/g, '[$1]');

describe('the raw body', () => {
  it('shows invisible characters as highlighted escape sequences, and line feeds as lines', () => {
    assert.equal(
      marked(rawText('a\tb\r\nc\u202ed\x1b[31m\ufeff\u00ad\\r 水 é\n')),
      'a[\\t]b[\\r]\nc[\\u{202e}]d[\\x1b][31m[\\u{feff}][\\xad]\\r 水 é\n',
    );
    assert.equal(marked(rawText('')), '');
  });

  it('keeps a byte order mark, and shows bytes that are not UTF-8', () => {
    assert.equal(utf8(Buffer.from('\ufeff{}')), '\ufeff{}');
    const bytes = Buffer.from([0x41, 0xff, 0xfe, 0x0a, 0x42, 0x00]);
    assert.equal(utf8(bytes), undefined);
    assert.equal(marked(rawBytes(bytes)), 'A[\\xff\\xfe]\nB[\\x00]');
  });

  it('describes its end', () => {
    const ends = ['x', 'x\n', 'x\r\n', '\n', 'x\r'].map((text) => endingOf(Buffer.from(text)));
    assert.deepEqual(ends, [
      'no newline at the end',
      'a newline at the end',
      'CRLF at the end',
      'a newline at the end',
      'no newline at the end',
    ]);
  });
});

describe('the pretty body', () => {
  const text = (json: string): string =>
    prettyJson(json)
      .text.replace(/<[^>]+>/g, '')
      .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));

  it('keeps every token unchanged, one value per line', () => {
    assert.equal(
      text('{"a":[1.0,1e400,-0],"b":{},"c":[],"d":{"e":"x,{}:\\"y"}}'),
      '{\n  "a": [\n    1.0,\n    1e400,\n    -0\n  ],\n  "b": {},\n  "c": [],\n  "d": {\n    "e": "x,{}:\\"y"\n  }\n}',
    );
    for (const json of ['null', '"x"', '[]', '{"a":{"a":[[{}]]}}', '[1,[2,[3]]]'])
      assert.deepEqual(JSON.parse(text(json)), JSON.parse(json));
  });

  it('marks invisible characters', () => {
    assert.match(marked(prettyJson('{"a\u202e":"b\ufeff"}')), /a\[\\u\{202e\}\].*b\[\\u\{feff\}\]/s);
  });

  it('stays small for a body that is nested deeply', () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    assert.ok(prettyJson(deep).text.length < 100 * deep.length);
  });
});
