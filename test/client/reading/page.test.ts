import assert from 'node:assert/strict';
import {continued} from '../../../src/client/reading/continued.ts';
import {readPage} from '../../../src/client/reading/page.ts';
import {must, type Json} from '../../../src/narrow.ts';

const ONE = {items: [1], nextCursor: undefined};

describe('reading a page', () => {
  const shapes: [string, Json, ReturnType<typeof readPage>][] = [
    ['the assumed envelope', {data: [1], next_cursor: 'c'}, {items: [1], nextCursor: 'c'}],
    ['a null cursor', {data: [1], next_cursor: null}, {...ONE, end: 'next'}],
    ['an empty cursor', {data: [1], next_cursor: ''}, {...ONE, end: 'next'}],
    ['no cursor', {data: [], extra: 1}, {items: [], nextCursor: undefined}],
    ['a number as cursor', {data: [], next_cursor: 7}, {items: [], nextCursor: '7'}],
    ['an explicit end', {data: [1], has_more: false, cursor: 'here'}, {...ONE, end: 'flag'}],
    ['a flag of another kind', {data: [1], success: true}, ONE],
    ['a flag as text', {data: [1], has_more: 'false'}, {...ONE, end: 'flag'}],
    ['a null cursor of another name', {data: [1], meta: {next: null}}, {...ONE, end: 'next'}],
    ['a null cursor that may be that of the request', {data: [1], cursor: null}, ONE],
    ['the number of all records', {data: [1], total: 7}, {...ONE, total: 7}],
    [
      'the last page of several',
      {data: [1], meta: {current_page: '2', last_page: '2', total: '3'}},
      {...ONE, total: 3, pages: {current: 2, last: 2, key: 'meta.last_page'}},
    ],
    [
      'links that lead elsewhere than forward',
      {data: [1], next_cursor: null, prev_cursor: 'p', links: {self: '/a', prev: '/b', next: null}},
      {...ONE, end: 'next'},
    ],
    ['a bare list', [1, 2], {items: [1, 2], nextCursor: undefined}],
    ['an empty bare list', [], {items: [], nextCursor: undefined}],
    ['no list', {data: {}}, undefined],
    ['something else', 'x', undefined],
    ['nothing', undefined, undefined],
  ];
  for (const [name, json, page] of shapes) it(`takes ${name}`, () => assert.deepEqual(readPage(json), page));

  const unclear: [object, string[]][] = [
    [{has_more: true}, ['has_more']],
    [{has_more: 'yes'}, ['has_more']],
    [{more_results_available: true}, ['more_results_available']],
    [
      {
        links: [
          {rel: 'self', href: '/a'},
          {rel: 'next', href: '/b'},
        ],
      },
      ['links.next'],
    ],
    [{'@odata.nextLink': 'https://x/b'}, ['@odata.nextLink']],
    [{next_cursor: null, has_more: true}, ['has_more']],
    [{hasMore: true, pagination: {next_cursor: 'c'}}, ['hasMore', 'pagination.next_cursor']],
    [{pagination: {next_cursor: 'c'}}, ['pagination.next_cursor']],
    [{nextCursor: 'c'}, ['nextCursor']],
    [{next_page_token: 't'}, ['next_page_token']],
    [{cursor: 'c'}, ['cursor']],
    [{links: {next: '/page/2'}}, ['links.next']],
    [{_links: {next: {href: '/page/2'}}}, ['_links.next']],
    [{page_info: {end_cursor: 'e'}}, ['page_info.end_cursor']],
    [{next: 'https://example.com/2'}, ['next']],
    [{next: 'https://example.com/2', archived: false}, ['next']],
    [{has_more: 'true'}, ['has_more']],
    [{paging: {cursors: {after: 'x'}}}, ['paging.cursors.after']],
    [{last: false}, ['last']],
    [{is_last: 'false'}, ['is_last']],
    [{page: {isLastPage: false}}, ['page.isLastPage']],
    [{complete: false}, ['complete']],
    [{truncated: true}, ['truncated']],
    [{is_truncated: true}, ['is_truncated']],
    [{partial: true}, ['partial']],
    [{remaining: 220}, ['remaining']],
    [{meta: {remaining_items: '220'}}, ['meta.remaining_items']],
    [{has_more: false, truncated: true}, ['truncated']],
  ];
  for (const [keys, moreBy] of unclear)
    it(`finds that the list continues by ${moreBy.join(' and ')} in ${JSON.stringify(keys)}`, () => {
      const {cursorKey, ...page} = readPage({data: [1], ...keys}) ?? {};
      assert.deepEqual(page, {items: [1], nextCursor: undefined, moreBy});
      const last = must(moreBy.at(-1), 'key');
      const isFlag = /more|last|complete|truncated|partial|remaining/i.test(last);
      assert.equal(cursorKey, isFlag ? undefined : last);
    });

  it('finds neither another page nor an end in what may mean something else', () => {
    for (const keys of [
      {last: true},
      {complete: true},
      {truncated: false},
      {partial: null},
      {remaining: 0},
      {meta: {remaining: 99}},
      {count: 1},
      {results: ['a', 'b']},
    ])
      assert.deepEqual(readPage({data: [1], ...keys}), ONE, JSON.stringify(keys));
  });

  it('reads a count as that of all records only if it is larger than the page', () => {
    for (const keys of [{count: 7}, {results: '7'}, {meta: {item_count: 7}}])
      assert.equal(readPage({data: [1], ...keys})?.total, 7, JSON.stringify(keys));
    assert.equal(readPage({data: [1], total: 1, count: 7})?.total, 1);
    assert.equal(readPage({data: [1], total: undefined, count: 7})?.total, undefined);
  });

  it('finds that the list continues by the Link header', () => {
    const link = '<https://example.com/p?page=2>; rel="next", <https://example.com/p?page=9>; rel="last"';
    assert.deepEqual(readPage([1], {link})?.moreBy, ['the Link header']);
    assert.equal(readPage([1], {link})?.nextLink, 'https://example.com/p?page=2');
    assert.deepEqual(readPage([1], {link: '<https://example.com/p?page=1>; rel="prev"'}), {
      ...ONE,
      ...{end: 'next', isLinked: true},
    });
    assert.equal(readPage({data: [1], next_cursor: 'c'}, {link})?.moreBy, undefined);
  });
});

describe('the page before the last one', () => {
  it('is the first one of several, if only their number is stated', () => {
    const page = must(readPage({data: [1], next_cursor: null, pages: 9}), 'page');
    const first = {cursor: undefined, limit: 100, readBefore: {count: 0, total: undefined}};
    assert.deepEqual(continued(page, first).moreBy, ['pages']);
    assert.equal(continued(page, {...first, cursor: 'c9'}).moreBy, undefined);
    const one = must(readPage({data: [1], pages: 1}), 'page');
    assert.equal(continued(one, first).moreBy, undefined);
  });

  it('announces it by its number', () => {
    for (const numbers of [{page: 1, total_pages: 3}, {meta: {current_page: 1, last_page: 2}}]) {
      const page = must(readPage({data: [1], ...numbers}), 'page');
      const asked = {cursor: undefined, limit: 100, readBefore: {count: 0, total: undefined}};
      assert.equal(continued(page, asked).moreBy?.length, 1);
      assert.equal(continued(page, asked, {by: 'page'}).nextCursor, '2');
    }
  });
});
