import assert from 'node:assert/strict';
import type {Report} from '../../../src/cli/doctor/report.ts';
import type {ServiceFile} from '../../../src/service/service-file.ts';
import {countIn, type PagingOptions, setUp} from './paging-service.ts';

const FOUND: readonly (readonly [name: string, options: PagingOptions, write: ServiceFile])[] = [
  [
    'pages of at most 30',
    {cap: 30, envelope: (items) => items},
    {paging: {by: 'page', cursor: 'page', max: 30}},
  ],
  [
    'a total that counts the page, by offset',
    {by: 'offset', envelope: (items) => ({data: items, total: items.length})},
    {paging: {by: 'offset', cursor: 'offset'}},
  ],
  [
    'a Link header with a title',
    {link: (n) => `<http://s/p?page=${n}>; title="n"; rel="next", <http://s/p?page=1>; rel="first"`},
    {paging: {by: 'link', cursor: 'page'}},
  ],
  ['fixed pages of 25', {fixed: 25}, {paging: {by: 'page', cursor: 'page', min: 25, max: 25}}],
  [
    'fixed pages of 25, by offset',
    {fixed: 25, by: 'offset'},
    {paging: {by: 'offset', cursor: 'offset', min: 25, max: 25}},
  ],
  [
    'the whole list, with its number of records',
    {fixed: 1000, by: 'none', envelope: (items, total) => ({data: items, total})},
    {paging: {by: 'none'}},
  ],
  ['an order that it ignores', {ignores: ['order']}, {paging: {by: 'page', cursor: 'page', order: false}}],
  [
    'the oldest records first',
    {isAscending: true},
    {paging: {by: 'page', cursor: 'page', order: {default: 'asc'}}},
  ],
  ['a list that grows all the time', {growth: 3}, {paging: {by: 'page', cursor: 'page'}}],
];

describe('remit doctor, at a service with 250 payouts', () => {
  for (const [name, options, write] of FOUND)
    it(`writes what describes ${name}; then lists are complete`, async () => {
      const {path, run, withFile} = setUp(options);
      const ran = await run(`doctor --json --write ${path}`);
      const report = ran.json() as Report;
      assert.deepEqual(report.service, write, ran.stdout);
      assert.equal(ran.exitCode, 8);
      const again = await withFile('doctor --json');
      const left = (again.json() as Report).checks.filter(({verdict}) => verdict === 'differs');
      assert.deepEqual([left, again.exitCode], [[], 0]);
      const listed = await withFile('payouts list --all --json');
      // What moved while it was read came twice, so that other records may be missing.
      const exit = 'growth' in options ? 8 : 0;
      assert.deepEqual([listed.exitCode, countIn(listed.json()) >= 250], [exit, true], listed.stderr);
    });

  it('proposes one page for a service that ignores everything, and accepts that in the file', async () => {
    const {run} = setUp({fixed: 1000, by: 'none'});
    const checks = ((await run('doctor --json')).json() as Report).checks;
    const found = checks.find(({check}) => check === 'paging.by');
    assert.deepEqual([found?.write, found?.sure], [{paging: {by: 'none'}}, false]);
    const list = await run('payouts list --all --json');
    assert.deepEqual([list.exitCode, list.error().code], [7, 'LIST_CUT']);
  });

  it('does not claim that a short page is all of the list, unless the answer states it', async () => {
    const found = async (options: PagingOptions) => {
      const report = (await setUp(options).run('doctor --json')).json() as Report;
      const max = report.checks.find(({check}) => check === 'paging.max');
      return [max?.verdict, max?.evidence];
    };
    const bare = (items: readonly unknown[]) => items;
    const cut = ['unknown', 'limit=100 returned 30 records; the list may have more'];
    assert.deepEqual(await found({cap: 30, by: 'none', envelope: bare}), cut);
    const whole = ['holds', 'limit=100 returned 30 records, all of the list'];
    const stated = (items: readonly unknown[], total: number) => ({data: items, total});
    assert.deepEqual(await found({count: 30, by: 'none', envelope: stated}), whole);
  });

  it('finds the smallest page, with which every list is read', async () => {
    const {path, run, withFile} = setUp({min: 500, cap: 1000, by: 'offset'});
    const ran = await run(`doctor --json --write ${path}`);
    const report = ran.json() as Report;
    assert.deepEqual(report.service, {paging: {min: 500}}, ran.stdout);
    const min = report.checks.find(({check}) => check === 'paging.min');
    assert.equal(min?.evidence, 'limit=500 is accepted, limit=499 is refused');
    const differing = report.checks.filter(({verdict}) => verdict === 'differs').map(({check}) => check);
    assert.deepEqual(differing, ['paging.min'], ran.stdout);
    const again = await withFile('doctor --json');
    assert.equal(again.exitCode, 0, again.stdout);
    assert.equal((await withFile('payouts list --json --limit 5')).exitCode, 0);
  });

  it('finds records of another account in a list of transactions', async () => {
    const {run} = setUp({count: 3, otherAccounts: true});
    const checks = ((await run('doctor --json')).json() as Report).checks;
    const found = checks.filter(({check}) => check === 'routes.treasury.transactions');
    assert.deepEqual(
      found.map(({verdict}) => verdict),
      ['differs'],
    );
  });
});

describe('the order of a list at a service that', () => {
  it('cannot sort is not requested, and --order is refused', async () => {
    const {path, run, withFile} = setUp({ignores: ['order']});
    await run(`doctor --json --write ${path}`);
    const ran = await withFile('payouts list --order asc --json');
    assert.deepEqual([ran.exitCode, ran.error().code], [5, 'LOCAL_VALIDATION']);
    assert.match(ran.error().message, /the service cannot sort lists \(paging\.order is false/);
  });

  it('starts with the oldest is a warning, and with the file the newest come first', async () => {
    const {path, run, withFile} = setUp({isAscending: true});
    const plain = await run('payouts list --limit 5 --json');
    assert.match(
      plain.stderr,
      /^Warning: the oldest records come first .*\(row 40\).* set paging\.order\.default/m,
    );
    await run(`doctor --json --write ${path}`);
    const listed = await withFile('payouts list --limit 1 -o id');
    assert.match(listed.stdout, /-000000000001\n$/);
    assert.doesNotMatch((await withFile('payouts list --limit 5 --json')).stderr, /Warning/);
  });
});
