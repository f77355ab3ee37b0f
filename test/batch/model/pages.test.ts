import assert from 'node:assert/strict';
import {pagesOf} from '../../../src/batch/model/pages.ts';

describe('the pages of a batch', () => {
  const rows = (count: number) => Array.from({length: count}, (_, index) => ({n: index + 1}));

  for (const count of [0, 1, 2, 3, 4, 5])
    it(`are all ${count} rows, two at a time, each page found after the one before was used`, () => {
      const asked: number[] = [];
      const find = (after: number, limit: number) => {
        asked.push(after);
        return rows(count)
          .filter(({n}) => n > after)
          .slice(0, limit);
      };
      const seen: number[] = [];
      for (const page of pagesOf(find, 2)) {
        assert.equal(asked.at(-1), seen.at(-1) ?? 0);
        seen.push(...page.map(({n}) => n));
      }
      assert.deepEqual(
        seen,
        rows(count).map(({n}) => n),
      );
    });
});
