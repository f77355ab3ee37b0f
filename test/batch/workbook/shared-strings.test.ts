import assert from 'node:assert/strict';
import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {SharedStrings} from '../../../src/batch/workbook/shared-strings.ts';

describe('the shared texts of a workbook', () => {
  for (const count of [0, 1, 63, 64, 65, 128, 1000])
    it(`are found by their numbers: ${count} of them`, () => {
      const texts = new SharedStrings(join(mkdtempSync(join(tmpdir(), 'remit-shared-')), 'texts'));
      try {
        for (let n = 0; n < count; n++) {
          texts.open('si', {});
          texts.open('t', {});
          texts.text(`text ${n}`);
          texts.close('t');
          texts.close('si');
        }
        const backwards = Array.from({length: count}, (_, n) => count - 1 - n);
        assert.deepEqual(
          backwards.map((n) => texts.get(n)),
          backwards.map((n) => `text ${n}`),
        );
        assert.deepEqual([texts.get(count), texts.get(-1)], [undefined, undefined]);
      } finally {
        texts.end();
      }
    });
});
