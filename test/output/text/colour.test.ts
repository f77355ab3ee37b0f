import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {ansiPaint, plainPaint, wantsColour} from '../../../src/output/text/colour.ts';

describe('colour', () => {
  it('is one standard code before the text and its end after it', () => {
    for (const [style, on, off] of [
      ['bold', 1, 22],
      ['dim', 2, 22],
      ['red', 31, 39],
      ['green', 32, 39],
      ['yellow', 33, 39],
      ['liveBanner', 41, 49],
    ] as const)
      assert.equal(ansiPaint(style, 'x'), `\u001b[${on}mx\u001b[${off}m`);
    assert.equal(plainPaint('red', 'x'), 'x');
  });

  for (const [title, facts, expected] of [
    ['on a terminal', {}, true],
    ['in a pipe', {isTerminal: false}, false],
    ['on a dumb terminal', {env: {TERM: 'dumb'}}, false],
    ['with --color never', {setting: 'never', env: {FORCE_COLOR: '1'}}, false],
    ['with NO_COLOR, whatever FORCE_COLOR says', {env: {NO_COLOR: '1', FORCE_COLOR: '1'}}, false],
    ['with an empty NO_COLOR', {env: {NO_COLOR: ''}}, true],
    ['with FORCE_COLOR in a pipe', {isTerminal: false, env: {FORCE_COLOR: '1'}}, true],
    ['with FORCE_COLOR=0', {env: {FORCE_COLOR: '0'}}, false],
    ['with FORCE_COLOR=false', {env: {FORCE_COLOR: 'false'}}, false],
  ] as const)
    it(`is ${expected ? 'shown' : 'not shown'} ${title}`, () =>
      assert.equal(wantsColour({setting: 'auto', env: {}, isTerminal: true, ...facts}), expected));
});
