import assert from 'node:assert/strict';
import {readLinkHeader} from '../../../src/client/reading/link-header.ts';

describe('a Link header', () => {
  const whole: [string, ReturnType<typeof readLinkHeader>][] = [
    ['', {}],
    ['<https://x/p?page=2>; rel="next"', {next: 'https://x/p?page=2'}],
    [
      '<https://x/p?page=2>; title="n"; rel="next", <https://x/p?page=1>; rel="first"',
      {next: 'https://x/p?page=2'},
    ],
    [
      '<https://x/p?page=1>; rel="first", <https://x/p?page=2>; title="a, b; rel=first"; rel=next',
      {next: 'https://x/p?page=2'},
    ],
    ['<?a=1,2>; rel="last NEXT" ; hreflang=en', {next: '?a=1,2'}],
    ['<?page=2>;rel="next";title="quoted \\" text"', {next: '?page=2'}],
    ['<?page=2>; rel="prev"; rel="next"', {isEnd: true}],
    ['<?page=1>; rel="first", <?page=9>; rel="last"', {isEnd: true}],
    ['<?page=1>; title="rel=next"; rel="first"', {isEnd: true}],
    ['<?page=1>; rel="first",', {isEnd: true}],
  ];
  for (const [header, read] of whole)
    it(`is read with all of its links: ${header}`, () => assert.deepEqual(readLinkHeader(header), read));

  for (const header of [
    'https://x/p?page=2; rel="next"',
    '<?page=1>; rel="first", ?page=2; rel="next"',
    '<?page=1>; rel="first',
    '<?page=1>; rel="first" next',
    `<?page=1>; rel="first"${' '.repeat(30_000)}`,
  ])
    it(`is no end if a part of it cannot be read: ${header.slice(0, 50)}`, () =>
      assert.deepEqual(readLinkHeader(header), {}));
});
