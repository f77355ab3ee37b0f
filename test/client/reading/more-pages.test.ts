import assert from 'node:assert/strict';
import {readPage} from '../../../src/client/reading/page.ts';

describe('headers that announce more of a list', () => {
  const list = {data: [1]};
  it('are read beside a list: a flag, and the numbers of pages as JSON', () => {
    assert.deepEqual(readPage(list, {'x-has-more': 'true'})?.moreBy, ['the x-has-more header']);
    const pages = readPage(list, {'x-pagination': '{"total":250,"page":1,"pages":7}'});
    assert.deepEqual([pages?.total, pages?.pages?.current, pages?.pages?.last], [250, 1, 7]);
  });

  it('are ignored if they are not JSON, or say that there is no more', () => {
    for (const [name, value] of [
      ['x-pagination', 'page 1'],
      ['x-pagination', '7'],
      ['x-has-more', 'false'],
    ] as const)
      assert.equal(readPage(list, {[name]: value})?.moreBy, undefined);
  });
});
