import assert from 'node:assert/strict';
import {mkdtempSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import type {ServiceFile} from '../../src/service/service-file.ts';
import {BASE_URL, runCli, scratch, TEST_KEY} from '../cli/run-cli.ts';
import {answer, type Script} from '../client/transport/fake-transport.ts';
import {METHOD_ID, PAYEE_ID, payout} from './fixtures.ts';

const idOf = (n: number) => `0192a000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const accounts = {source_account_id: PAYEE_ID, destination_account_id: METHOD_ID};
/** Newest first. */
const records = (count: number) =>
  Array.from({length: count}, (_, at) =>
    payout({
      id: idOf(at + 1),
      created_at: new Date(Date.UTC(2026, 0, 31) - at * 1000).toISOString(),
      ...accounts,
    }),
  );

type Query = URLSearchParams;
interface Served {
  readonly start: number;
  readonly size: number;
  readonly all: number;
  readonly items: unknown[];
}
type Start = (query: Query, size: number) => number;
/** A service that cuts its lists: where a page starts, and what it is sent in. */
const capped =
  (cap: number, start: Start, envelope: (page: Served) => unknown, count = 250): Script =>
  ({path}) => {
    const query = new URL(path, 'http://service').searchParams;
    const size = Math.min(cap, Number(query.get('limit') ?? cap));
    const all = records(count);
    const from = start(query, size);
    const items = all.slice(from, from + size);
    return answer(200, envelope({start: from, size, all: all.length, items}));
  };
const paged = (start: Start, envelope: (page: Served) => unknown, count = 250): Script =>
  capped(100, start, envelope, count);
const linked =
  (header: (page: number) => string): Script =>
  ({path}) => {
    const page = Number(new URL(path, 'http://service').searchParams.get('page') ?? 1);
    const data = records(250).slice((page - 1) * 100, page * 100);
    return answer(200, {data}, page === 3 ? {} : {link: header(page + 1)});
  };
const byPage = (query: Query, size: number) => (Number(query.get('page') ?? 1) - 1) * size;
const byOffset = (query: Query) => Number(query.get('offset') ?? 0);
const afterId = (query: Query) => records(250).findIndex(({id}) => id === query.get('starting_after')) + 1;
const pagesOf = ({all, size}: Served) => Math.ceil(all / size);
const numberOf = ({start, size}: Served) => start / size + 1;

const SHAPES: readonly (readonly [name: string, service: Script, file: ServiceFile])[] = [
  ['a bare array', paged(byPage, ({items}) => items), {paging: {by: 'page'}}],
  ['{data, total}', paged(byOffset, ({items, all}) => ({data: items, total: all})), {paging: {by: 'offset'}}],
  [
    '{data, page, total_pages}',
    paged(byPage, (page) => ({data: page.items, page: numberOf(page), total_pages: pagesOf(page)})),
    {paging: {by: 'page'}},
  ],
  [
    '{data, meta: {last_page}}',
    paged(byPage, (page) => ({
      data: page.items,
      meta: {current_page: numberOf(page), last_page: pagesOf(page)},
    })),
    {paging: {by: 'page'}},
  ],
  [
    '{data, has_more: "true"}',
    paged(afterId, ({items, start, all}) => ({
      data: items,
      has_more: String(start + items.length < all),
    })),
    {paging: {by: 'id'}},
  ],
  ['plain {data}', paged(byOffset, ({items}) => ({data: items})), {paging: {by: 'offset'}}],
];

/** As doctor describes such services; what their answers say about the end is wrong or means something else. */
const MISLEADING: readonly (readonly [name: string, service: Script, file: ServiceFile])[] = [
  ['a bare array of at most 30', capped(30, byPage, ({items}) => items), {paging: {by: 'page'}}],
  [
    '{data} of at most 30 by offset',
    capped(30, byOffset, ({items}) => ({data: items})),
    {paging: {by: 'offset'}},
  ],
  [
    '{data, total}, where total counts this page',
    paged(byPage, ({items}) => ({data: items, total: items.length})),
    {paging: {by: 'page'}},
  ],
  [
    '{data, next: null} on every page',
    paged(byPage, ({items}) => ({data: items, next: null})),
    {paging: {by: 'page'}},
  ],
  [
    '{data, next: null} on every page, by id',
    paged(afterId, ({items}) => ({data: items, next: null})),
    {paging: {by: 'id'}},
  ],
  [
    '{data} with a Link header that has a title',
    linked((page) => `<http://s/p?page=${page}>; title="n"; rel="next", <http://s/p?page=1>; rel="first"`),
    {paging: {by: 'link', cursor: 'page'}},
  ],
];

function run(line: string, service: Script, file?: ServiceFile) {
  if (file === undefined) return runCli(line.split(' '), {service});
  const path = join(mkdtempSync(join(tmpdir(), 'remit-lists-')), 'service.json');
  writeFileSync(path, JSON.stringify(file), {mode: 0o600});
  const env = {HOME: scratch(), REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL, REMIT_SERVICE_FILE: path};
  return runCli(line.split(' '), {service, env});
}

describe('a list of 250 records in pages of 100', () => {
  for (const [name, service, file] of SHAPES) {
    it(`sent as ${name} is not complete after the first page, and the error names the key`, async () => {
      for (const line of [
        'payouts list --all --json',
        'payouts list --summary --json',
        'payouts list --limit 120 --json',
        'api GET /api/payouts --paginate --json',
        `transfers wait ${idOf(150)} --timeout 2s --json`,
        `transfers get ${idOf(150)} --json`,
      ]) {
        const ran = await run(line, service);
        assert.deepEqual([ran.exitCode, ran.error().code], [7, 'LIST_CUT'], `${line}\n${ran.stderr}`);
        assert.equal(ran.stdout, '', line);
        const {message, hint, details} = ran.error();
        assert.match(
          message,
          /\(row 39\); if this service differs, set paging\.by in the service file/,
          line,
        );
        assert.equal(hint, 'remit doctor', line);
        assert.deepEqual(Object.keys(details?.['assumption'] as object), ['row', 'key', 'text']);
      }
      const named = await runCli(['payouts', 'list', '--payee', 'Acme'], {service, columns: 100});
      assert.equal(named.exitCode, 7, named.stderr);
      assert.equal((await run('payouts list --limit 100 --json', service)).exitCode, 0);
    });

    it(`sent as ${name} is read to its end with one line of the service file`, async () => {
      const ran = await run('payouts list --all --json', service, file);
      assert.equal(ran.exitCode, 0, ran.stderr);
      const ids = (ran.json() as {id: string}[]).map(({id}) => id);
      assert.deepEqual(
        ids,
        records(250).map(({id}) => id),
      );
      const some = await run('payouts list --limit 120 -o id', service, file);
      assert.deepEqual(some.stdout.trim().split('\n'), ids.slice(0, 120));
      const paginated = await run('api GET /api/payouts?limit=100 --paginate -o json', service, file);
      assert.equal((paginated.json() as unknown[]).length, 250, paginated.stderr);
      const found = await run(`transfers get ${idOf(150)} --json`, service, file);
      assert.equal((found.json() as {id: string}).id, idOf(150));
    });
  }
});

describe('a list of 250 records whose answers seem to end it', () => {
  for (const [name, service, file] of MISLEADING)
    it(`sent as ${name} is read to its end once the service file says how to go on`, async () => {
      for (const line of ['payouts list --all --json', 'api GET /api/payouts?limit=100 --paginate --json']) {
        const ran = await run(line, service, file);
        assert.equal(ran.exitCode, 0, ran.stderr);
        assert.deepEqual(
          (ran.json() as {id: string}[]).map(({id}) => id),
          records(250).map(({id}) => id),
          line,
        );
      }
      const {requests} = await run('payouts list --all --json', service, file);
      assert.ok(requests.length <= 11, `${requests.length} requests`); // one asks whether pages begin at 0
    });

  for (const first of [0, 1])
    it(`in numbered pages, the first of which is ${first}, is read whole although nothing states where they begin`, async () => {
      const pages: Start = (query, size) => (Number(query.get('page') ?? first) - first) * size;
      for (const line of ['payouts list --all --json', 'payouts list --limit 230 --json']) {
        const ran = await run(
          line,
          paged(pages, ({items}) => items),
          {paging: {by: 'page'}},
        );
        assert.equal(ran.exitCode, 0, ran.stderr);
        const ids = (ran.json() as {id: string}[]).map(({id}) => id);
        assert.deepEqual(
          ids,
          records(line.includes('230') ? 230 : 250).map(({id}) => id),
        );
        assert.doesNotMatch(ran.stderr, /twice/);
      }
    });

  for (const [name, headers] of [
    ['x-total-count', {'x-total-count': '250'}],
    ['x-total', {'x-total': '250'}],
    ['x-next-page', {'x-next-page': '2'}],
    ['x-next-cursor', {'x-next-cursor': 'abc'}],
    ['x-total-pages', {'x-total-pages': '9'}],
    ['content-range', {'content-range': 'items 0-29/250'}],
  ] as const)
    for (const status of [200, 206])
      it(`is cut after one page of an unusual size, answered with ${status} and ${name}`, async () => {
        const service: Script = () => answer(status, records(250).slice(0, 30), headers);
        const ran = await run('payouts list --all --json', service);
        assert.deepEqual([ran.exitCode, ran.error().code, ran.stdout], [7, 'LIST_CUT', '']);
      });

  const ends: Record<string, string>[] = [
    {'x-next-page': ''},
    {'x-total-count': '20'},
    {'content-range': 'items 0-19/20'},
  ];
  for (const headers of ends)
    it(`ends after one page of a usual size, answered with ${JSON.stringify(headers)}`, async () => {
      const ran = await run('payouts list --all --json', () => answer(200, records(20), headers));
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.equal((ran.json() as unknown[]).length, 20);
    });

  for (const [name, cursor] of [
    ['that leads on', (at: number) => `c${at + 1}`],
    ['that is the one before', (at: number) => `c${Math.min(at + 1, 2)}`],
  ] as const)
    it(`with has_more false and a cursor ${name} ends there`, async () => {
      const service: Script = ({path}) => {
        const at = Number(new URL(path, 'http://service').searchParams.get('cursor')?.slice(1) ?? 0);
        const data = records(45).slice(at * 20, at * 20 + 20);
        return answer(200, {data, has_more: at < 2, next_cursor: cursor(at)});
      };
      for (const line of ['payouts list --all --json', 'api GET /api/payouts --paginate --json']) {
        const ran = await run(line, service);
        assert.equal(ran.exitCode, 0, ran.stderr);
        assert.equal((ran.json() as unknown[]).length, 45);
        assert.ok(ran.requests.length <= 4, `${ran.requests.length} requests`);
      }
    });

  it('with a record twice on one page delivers it once, and warns', async () => {
    const [one, two] = records(2);
    const service: Script = () => answer(200, {data: [one, two, one], next_cursor: null});
    const ran = await run('payouts list --all --json', service);
    assert.deepEqual(
      (ran.json() as {id: string}[]).map(({id}) => id),
      [one, two].map((record) => record!.id),
    );
    assert.match(ran.stderr, /sent 1 record twice/);
  });

  for (const end of [{next_cursor: null}, {has_more: false}, {meta: {next: null}}])
    it(`is cut if it ends with ${JSON.stringify(end)} before the number of all records`, async () => {
      const service = paged(byPage, ({items, all}) => ({data: items, total: all, ...end}));
      for (const line of ['payouts list --all --json', 'api GET /api/payouts --paginate --json']) {
        const ran = await run(line, service);
        assert.deepEqual([ran.exitCode, ran.error().code, ran.stdout], [7, 'LIST_CUT', ''], line);
        assert.match(
          ran.error().message,
          /sent 100 records, but states that the list has 250: .*set paging\.by/,
        );
        assert.equal(ran.error().hint, 'remit doctor');
      }
    });

  it('is cut after one page of an unusual size, whatever key announces the rest', async () => {
    for (const keys of [
      {count: 250},
      {results: 250},
      {pages: 9},
      {last: false},
      {is_last: false},
      {complete: false},
      {truncated: true},
      {is_truncated: true},
      {partial: true},
      {remaining: 220},
      {paging: {cursors: {after: 'x'}}},
    ]) {
      const service = capped(30, byPage, ({items}) => ({data: items, ...keys}));
      const ran = await run('payouts list --all --json', service);
      assert.deepEqual([ran.exitCode, ran.error().code], [7, 'LIST_CUT'], JSON.stringify(keys));
    }
  });

  it('is cut with the key of the place of the cursor, if the answer has the address of the next page', async () => {
    const next = 'http://service/api/payouts?cursor=x';
    const service = capped(30, byPage, ({items}) => ({data: items, next}));
    const ran = await run('payouts list --all --json', service);
    assert.match(ran.error().message, /\(next\), but sent no usable next_cursor: .* set envelopes\.next in/);
  });

  it('is not cut if the number may include records that a filter excludes, or those before its cursor', async () => {
    const service = paged(
      () => 0,
      ({items, all}) => ({data: items.slice(0, 3), total: all, next_cursor: null}),
    );
    for (const line of [
      `payouts list --payee ${PAYEE_ID} --all --json`,
      'payouts list --cursor c7 --all --json',
      `api GET /api/payouts?payee_id=${PAYEE_ID} --paginate --json`,
    ])
      assert.equal((await run(line, service)).exitCode, 0, line);
    const elsewhere = await run('payouts list --all --json', service, {envelopes: {total: 'meta.all'}});
    assert.equal(elsewhere.exitCode, 0, elsewhere.stderr);
  });

  it('is not cut if records were added while it was read', async () => {
    for (const by of ['page', 'cursor'] as const) {
      let added = 0;
      const growing: Script = ({path}) => {
        const page = Number(new URL(path, 'http://service').searchParams.get(by) ?? 1);
        const data = records(250).slice((page - 1) * 100, page * 100);
        const next = {next_cursor: page < 3 ? String(page + 1) : null};
        return answer(200, {data, total: 250 + added++, ...(by === 'cursor' ? next : {})});
      };
      const ran = await run('payouts list --all --json', growing, {paging: {by}});
      assert.deepEqual([ran.exitCode, (ran.json() as unknown[]).length], [0, 250], ran.stderr);
    }
  });

  it('is not complete after one full page because a number agrees with the size of that page', async () => {
    const service = paged(byPage, ({items}) => ({data: items, total: items.length}));
    const ran = await run('payouts list --all --json', service);
    assert.deepEqual([ran.exitCode, ran.error().code], [7, 'LIST_CUT']);
  });

  it('ends where the service refuses the page after the one that seemed to be the last', async () => {
    const pages = paged(byPage, ({items, all}) => ({data: items, total: all}));
    const refusing =
      (status: number): Script =>
      (request, n) =>
        request.path.includes('page=4') || typeof pages !== 'function'
          ? answer(status, {error_code: 'NOT_FOUND', message: 'no such page'})
          : pages(request, n);
    for (const status of [404, 400]) {
      const ran = await run('payouts list --all --json', refusing(status), {paging: {by: 'page'}});
      assert.deepEqual([ran.exitCode, (ran.json() as unknown[]).length], [0, 250], ran.stderr);
    }
    const second: Script = (request, n) =>
      n > 1 || typeof pages !== 'function' ? answer(404, {error_code: 'NOT_FOUND'}) : pages(request, n);
    assert.equal((await run('payouts list --all --json', second, {paging: {by: 'page'}})).exitCode, 4);
  });
});

describe('a short page without an explicit end', () => {
  const plain = (count: number) => paged(byOffset, ({items}) => ({data: items}), count);
  it('is the whole list', async () => {
    for (const count of [0, 1, 3, 19, 99]) {
      const ran = await run('payouts list --all --json', plain(count));
      assert.deepEqual([ran.exitCode, (ran.json() as unknown[]).length], [0, count], ran.stderr);
    }
  });

  it('is not, if services cap pages at its size, unless the number of all records agrees', async () => {
    for (const count of [10, 20, 25, 50]) {
      const ran = await run('payouts list --all --json', plain(count));
      assert.deepEqual([ran.exitCode, ran.error().code], [7, 'LIST_CUT']);
      const total = paged(byOffset, ({items, all}) => ({data: items, total: all}), count);
      assert.equal((await run('payouts list --all --json', total)).exitCode, 0);
    }
  });

  it('is, whatever its size, if the service file says that lists have one page', async () => {
    const ran = await run('payouts list --all --json', plain(100), {paging: {by: 'none'}});
    assert.deepEqual([ran.exitCode, (ran.json() as unknown[]).length], [0, 100], ran.stderr);
  });
});

describe('a service that ignores what leads to the next page', () => {
  it('is stopped at the first page that it sends again, however late', async () => {
    const service = paged(
      () => 0,
      ({items}) => ({data: items}),
    );
    const ran = await run('payouts list --all --json', service, {paging: {by: 'page'}});
    assert.deepEqual([ran.exitCode, ran.error().code, ran.requests.length], [7, 'LIST_CUT', 3]);
    let n = 0;
    const circle: Script = () =>
      answer(200, {data: records(300).slice((n % 3) * 100, (n % 3) * 100 + 100), next_cursor: `c${n++}`});
    const later = await run('payouts list --all --json', circle);
    assert.deepEqual([later.exitCode, later.error().code, later.requests.length], [7, 'LIST_CUT', 4]);
    assert.match(later.error().message, /set paging\.cursor in the service file/);
  });
});

describe('a list that moves while it is read', () => {
  it('delivers a record once, warns and exits 8', async () => {
    let shift = 0;
    const moving: Script = ({path}) => {
      const offset = Number(new URL(path, 'http://service').searchParams.get('offset') ?? 0);
      const items = records(250).slice(Math.max(0, offset - shift), offset - shift + 100);
      shift += 1;
      return answer(200, {data: items});
    };
    const ran = await run('payouts list --all --json', moving, {paging: {by: 'offset'}});
    assert.equal(ran.exitCode, 8, ran.stderr);
    const ids = (ran.json() as {id: string}[]).map(({id}) => id);
    assert.equal(new Set(ids).size, ids.length);
    assert.match(ran.stderr, /^Warning: the service sent \d+ records? twice, each is used once: /m);
  });
});

describe('a list in another order than requested', () => {
  it('is shown with a warning that names the row and the key', async () => {
    const service = paged(byOffset, ({items}) => ({data: items, next_cursor: null}), 5);
    const ran = await run('payouts list --order asc --json', service);
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(ran.stderr, /^Warning: .*order asc.*\(row 40\); .* set paging\.order in the service file/m);
    for (const line of ['payouts list --order desc --json', 'payouts list --json'])
      assert.equal((await run(line, service)).stderr, '');
  });
});

describe('the recent payouts below a payee', () => {
  const payee = {id: PAYEE_ID, name: 'Acme', type: 'business', created_at: '2026-01-31T00:00:00Z'};
  const service: Script = ({path}) => {
    const {pathname, searchParams} = new URL(path, 'http://service');
    if (pathname !== '/api/payouts') return answer(200, pathname.endsWith('methods') ? {data: []} : payee);
    const data = searchParams.get('order') === 'desc' ? records(20) : records(20).reverse();
    return answer(200, {data, next_cursor: null});
  };
  const shown = async (file?: ServiceFile) => {
    const path = join(mkdtempSync(join(tmpdir(), 'remit-lists-')), 'service.json');
    writeFileSync(path, JSON.stringify(file ?? {}), {mode: 0o600});
    const env = {
      HOME: scratch(),
      REMIT_API_KEY: TEST_KEY,
      REMIT_BASE_URL: BASE_URL,
      REMIT_SERVICE_FILE: path,
    };
    return runCli(['payees', 'get', PAYEE_ID], {service, columns: 200, env});
  };

  it('are the newest, also if the service lists the oldest first', async () => {
    const ran = await shown();
    assert.match(ran.stdout, /the newest 10:/, ran.stderr);
    assert.ok(ran.stdout.includes(idOf(1)) && !ran.stdout.includes(idOf(20)), ran.stdout);
  });

  it('come with a warning if the service cannot sort', async () => {
    const ran = await shown({paging: {order: false}});
    assert.match(
      ran.stderr,
      /the oldest records come first, and the service file states that the service cannot sort/,
    );
  });
});

describe('a service without a filter', () => {
  const mixed: Script = ({path}) => {
    const query = new URL(path, 'http://service').searchParams;
    if (query.has('status') || query.has('payee_id'))
      return answer(400, {message: 'unknown parameter status'});
    const data = records(6).map((one, at) => ({
      ...one,
      ...(at % 2 === 0 ? {status: 'settled'} : {payee_id: METHOD_ID}),
    }));
    return answer(200, {data, next_cursor: null});
  };
  const ignoring: Script = () => answer(200, {data: records(6), next_cursor: null});

  it('that ignores it stops with its row, its key and a command', async () => {
    const ran = await run('payouts list --status settled --json', ignoring);
    assert.deepEqual(
      [ran.exitCode, ran.error().code, ran.error().hint],
      [7, 'FILTER_IGNORED', 'remit doctor'],
    );
    assert.match(ran.error().message, /\(row 5\); .* set filters\.payouts\.status in the service file/);
  });

  it('works with one line of the service file: remit filters the records', async () => {
    const file: ServiceFile = {filters: {payouts: {status: false, payee_id: false, created_to: false}}};
    const line = `payouts list --status settled --payee ${PAYEE_ID} --created-to 2026-01-30T23:59:59.500Z --json`;
    const ran = await run(line, mixed, file);
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual(
      (ran.json() as {id: string}[]).map(({id}) => id),
      [idOf(3), idOf(5)],
    );
    assert.equal(new URL(ran.requests[0]!.path, 'http://service').searchParams.has('status'), false);
  });

  it('is not filtered here by a field that the records lack', async () => {
    const bare: Script = () => answer(200, {data: [{id: idOf(1)}], next_cursor: null});
    const ran = await run('payouts list --status settled --json', bare, {
      filters: {payouts: {status: false}},
    });
    assert.deepEqual([ran.exitCode, ran.error().code], [7, 'FILTER_IGNORED']);
  });

  it('has another name for it than for the field', async () => {
    const file: ServiceFile = {
      fields: {payouts: {status: 'state'}},
      filters: {payouts: {payee_id: 'recipient'}},
    };
    const service: Script = () =>
      answer(200, {data: records(2).map(({status, ...one}) => ({...one, state: status})), next_cursor: null});
    const ran = await run(`payouts list --status created --payee ${PAYEE_ID} --json`, service, file);
    assert.equal(ran.exitCode, 0, ran.stderr);
    const {searchParams} = new URL(ran.requests[0]!.path, 'http://service');
    assert.deepEqual([searchParams.get('status'), searchParams.get('recipient')], ['created', PAYEE_ID]);
    assert.equal((ran.json() as {status: string}[])[0]?.status, 'created');
  });
});
