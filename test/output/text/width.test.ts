import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, it} from 'mocha';
import {cellWidth, cutTo} from '../../../src/output/text/width.ts';

describe('the width of a text', () => {
  for (const [text, cells] of [
    ['abc', 3],
    ['\u001b[31mred\u001b[39m', 3],
    ['支払い', 6],
    ['e\u0301', 1],
    ['💶', 2],
    ['ACME™ ©', 7],
    ['👍🏽', 2],
    ['👨‍👩‍👧', 2],
    ['𠮷', 2],
  ] as const) {
    it(`of ${JSON.stringify(text)} is ${cells}`, () => assert.equal(cellWidth(text), cells));
  }

  it('is kept when it is cut', () => {
    fc.assert(
      fc.property(fc.string({unit: 'grapheme'}), fc.integer({min: 1, max: 30}), (text, cells) => {
        assert.ok(cellWidth(cutTo(text, cells)) <= cells);
      }),
    );
  });
});
