import assert from 'node:assert/strict';
import {readPage} from '../../../src/client/reading/page.ts';

describe('reading a page', () => {
  const shapes: [string, unknown, ReturnType<typeof readPage>][] = [
    ['the assumed envelope', {data: [1], next_cursor: 'c'}, {items: [1], nextCursor: 'c'}],
    ['a null cursor', {data: [1], next_cursor: null}, {items: [1], nextCursor: undefined}],
    ['an empty cursor', {data: [], next_cursor: ''}, {items: [], nextCursor: undefined}],
    ['no cursor', {data: [], extra: 1}, {items: [], nextCursor: undefined}],
    ['a number as cursor', {data: [], next_cursor: 7}, {items: [], nextCursor: '7'}],
    ['an explicit end', {data: [1], has_more: false, cursor: 'here'}, {items: [1], nextCursor: undefined}],
    ['a flag of another kind', {data: [1], success: true}, {items: [1], nextCursor: undefined}],
    [
      'links that lead elsewhere than forward',
      {data: [1], next_cursor: null, prev_cursor: 'p', links: {self: '/a', prev: '/b', next: null}},
      {items: [1], nextCursor: undefined},
    ],
    ['a bare list', [1, 2], {items: [1, 2], nextCursor: undefined}],
    ['no list', {data: {}}, undefined],
    ['something else', 'x', undefined],
    ['nothing', undefined, undefined],
  ];
  for (const [name, json, page] of shapes) it(`takes ${name}`, () => assert.deepEqual(readPage(json), page));

  const unclear: [object, string[]][] = [
    [{has_more: true}, ['has_more']],
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
  ];
  for (const [keys, moreBy] of unclear)
    it(`finds that the list continues by ${moreBy.join(' and ')}`, () =>
      assert.deepEqual(readPage({data: [1], ...keys}), {items: [1], nextCursor: undefined, moreBy}));

  it('finds that the list continues by the Link header', () => {
    const link = '<https://example.com/p?page=2>; rel="next", <https://example.com/p?page=9>; rel="last"';
    assert.deepEqual(readPage([1], link)?.moreBy, ['the Link header']);
    assert.equal(readPage([1], '<https://example.com/p?page=1>; rel="prev"')?.moreBy, undefined);
    assert.equal(readPage({data: [1], next_cursor: 'c'}, link)?.moreBy, undefined);
  });
});
