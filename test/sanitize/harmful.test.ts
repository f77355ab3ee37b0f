import assert from 'node:assert/strict';
import fc from 'fast-check';
import {anyCharacter} from './any-character.ts';
import {
  cleanLine,
  escapedJson,
  escapedYaml,
  isPrintable,
  markedToken,
  strippedLine,
  strippedLines,
} from '../../src/sanitize/harmful.ts';

/** First and last of each range that is removed, and the neighbours that stay. */
const INVISIBLE: readonly (readonly [first: number, last: number])[] = [
  [0x00, 0x08],
  [0x0e, 0x1f],
  [0x7f, 0x84],
  [0x86, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];
const BREAKS = [0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x85, 0x2028, 0x2029];
const isHarmful = (code: number) =>
  BREAKS.includes(code) || INVISIBLE.some(([first, last]) => code >= first && code <= last);
const hex = (code: number) => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;

describe('harmful characters', () => {
  for (const [first, last] of INVISIBLE)
    it(`${hex(first)} to ${hex(last)} are removed, and their neighbours stay`, () => {
      for (const code of [first, last]) {
        const text = `a${String.fromCodePoint(code)}b`;
        assert.deepEqual([strippedLine(text), strippedLines(text)], ['ab', 'ab']);
        assert.equal(markedToken(text), 'a\ufffdb');
        assert.equal(isPrintable(text), false);
      }
      for (const code of [first - 1, last + 1].filter((near) => near > 0 && !isHarmful(near))) {
        const text = `a${String.fromCodePoint(code)}b`;
        assert.deepEqual(
          [strippedLine(text), strippedLines(text), isPrintable(text)],
          [text, text, true],
          hex(code),
        );
      }
    });

  for (const code of BREAKS)
    it(`${hex(code)} becomes a space, and in a text of our own a line feed`, () => {
      const text = `a${String.fromCodePoint(code)}b`;
      assert.equal(strippedLine(text), 'a b');
      assert.equal(strippedLines(text), code === 0x09 ? text : 'a\nb');
      assert.equal(isPrintable(text), false);
    });

  it('of a whole break become one space or one line feed', () => {
    assert.equal(strippedLine('a\r\n\t\u2028b'), 'a b');
    assert.equal(strippedLines('a\r\nb\rc'), 'a\nb\nc');
    assert.equal(cleanLine('\n a\r\n'), 'a');
    assert.equal(strippedLine(' a '), ' a ');
  });

  it('include halves of characters, but no whole one', () => {
    assert.equal(strippedLine('a\ud83db\ude00c\ud800d\udfffe'), 'abcde');
    assert.equal(strippedLine('Zoë 😀 Ж 日本 é'), 'Zoë 😀 Ж 日本 é');
  });

  it('are escaped in JSON and YAML, to the same value', () => {
    assert.equal(escapedJson('"\u{e0041}\u202e\u009b"'), '"\\udb40\\udc41\\u202e\\u009b"');
    assert.equal(escapedYaml('"\u{e0041}\u202e"'), '"\\U000e0041\\U0000202e"');
    assert.equal(escapedJson('{\n "a": "é😀"\n}'), '{\n "a": "é😀"\n}');
    fc.assert(
      fc.property(fc.string({unit: anyCharacter}), (text) => {
        const json = escapedJson(JSON.stringify(text));
        assert.equal(JSON.parse(json), text);
        assert.ok([...json].every((character) => !isHarmful(character.codePointAt(0)!)));
      }),
    );
  });

  it('never stay in a line, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({unit: anyCharacter, maxLength: 100}), (text) => {
        assert.ok([...strippedLine(text)].every((character) => !isHarmful(character.codePointAt(0)!)));
        assert.ok(isPrintable(strippedLine(text)));
      }),
    );
  });
});
