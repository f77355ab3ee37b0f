import assert from 'node:assert/strict';
import {revisionText} from '../../../../src/cli/batch/plan-view.ts';

describe('what an edited file changes', () => {
  it('names ten rows that are gone, says how many more, and where all of them stand', () => {
    const dropped = Array.from({length: 12}, (_, n) => `A-${n + 1}`);
    const words = revisionText(2, {added: 0, corrected: 0, dropped});
    assert.match(words, /12 gone and never sent: A-1, .*A-10, and 2 more \(plan -o json lists them all/);
    assert.doesNotMatch(words, /A-11/);
    assert.doesNotMatch(revisionText(2, {added: 0, corrected: 0, dropped: dropped.slice(0, 10)}), /more/);
  });
});
