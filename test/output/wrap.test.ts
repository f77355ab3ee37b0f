import assert from 'node:assert/strict';
import {wrapLines} from '../../src/output/wrap.ts';

describe('wrapped text', () => {
  it('breaks between words and carries over further in', () => {
    assert.equal(wrapLines('  line 7: the amount is empty', 16), '  line 7: the\n    amount is\n    empty');
  });

  it('leaves short lines, and words longer than a line, as they are', () => {
    assert.equal(wrapLines('short\n0123456789 ab', 8), 'short\n0123456789\n  ab');
  });

  it('keeps the spaces of a table', () => {
    assert.equal(wrapLines('  planned      2  10.00 USD', 80), '  planned      2  10.00 USD');
  });
});
