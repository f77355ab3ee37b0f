import assert from 'node:assert/strict';
import fc from 'fast-check';
import {isFormula, quoteFormula} from '../src/spreadsheet.ts';

describe('a cell for a spreadsheet', () => {
  for (const sign of ['=', '+', '-', '@', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', '﹫', '\t', '\r', '\n'])
    it(`is quoted when it begins with ${JSON.stringify(sign)}`, () => {
      assert.equal(quoteFormula(`${sign}HYPERLINK("x")`), `'${sign}HYPERLINK("x")`);
      assert.equal(isFormula(sign), true);
    });

  for (const before of [' ', '\u00a0', '\u200b', '\ufeff', '\u202e', ' \u2060 '])
    it(`is quoted when a formula follows ${JSON.stringify(before)}`, () =>
      assert.equal(isFormula(`${before}＝1+1`), true));

  it('is quoted for its beginning only, and once', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const quoted = quoteFormula(text);
        assert.ok(quoted === text || quoted === `'${text}`);
        assert.equal(isFormula(quoted), false);
      }),
    );
    for (const text of ['', 'a=b', '10.00', "'=1", 'INV-1 + 2']) assert.equal(quoteFormula(text), text);
  });
});
