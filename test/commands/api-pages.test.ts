import assert from 'node:assert/strict';
import {mkdtempSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {BASE_URL, runCli, scratch, TEST_KEY} from '../cli/run-cli.ts';
import {answer} from '../client/transport/fake-transport.ts';

const page = (from: number, next: string | null) =>
  answer(200, {data: [{id: `p${from}`}, {id: `p${from + 1}`}], next_cursor: next});
const LIST = ['api', 'GET', '/api/payouts?limit=2&status=created', '--paginate'];

describe('api --paginate', () => {
  it('follows the cursors, keeps the query, and prints one JSON array', async () => {
    for (const extra of [[], ['-o', 'json']]) {
      const ran = await runCli([...LIST, ...extra], {service: [page(1, 'a b'), page(3, 'c'), page(5, null)]});
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.deepEqual(
        ran.json(),
        [1, 2, 3, 4, 5, 6].map((at) => ({id: `p${at}`})),
      );
      assert.deepEqual(
        ran.requests.map(({path}) => path),
        ['', '&cursor=a+b', '&cursor=c'].map((end) => `/api/payouts?limit=2&status=created${end}`),
      );
    }
  });

  it('streams one item a line', async () => {
    const {stdout} = await runCli([...LIST, '-o', 'ndjson'], {service: [page(1, 'a'), page(3, null)]});
    assert.equal(stdout, '{"id":"p1"}\n{"id":"p2"}\n{"id":"p3"}\n{"id":"p4"}\n');
  });

  it('stops at a cursor that comes again', async () => {
    const ran = await runCli([...LIST, '--json'], {service: [page(1, 'a'), page(3, 'a')]});
    assert.equal(ran.error().code, 'CURSOR_REPEATED');
    assert.equal(ran.exitCode, 7);
    assert.equal(ran.stdout, '');
  });

  it('prints the warning of its pages once, and ends with 8', async () => {
    const page = (id: string, next: string | null, warning?: string) =>
      answer(207, {data: [{id}], next_cursor: next, ...(warning === undefined ? {} : {warning})});
    const ran = await runCli(LIST, {
      service: [page('a', 'c2', 'late'), page('b', 'c3', 'late'), page('c', null)],
    });
    assert.equal(ran.exitCode, 8);
    assert.deepEqual(ran.stderr.match(/^Warning: .*$/gm), [
      'Warning: late',
      'Warning: the service answered 207 without a warning: the list may be incomplete',
    ]);
  });

  it('refuses an answer that is no list, and a write', async () => {
    const ran = await runCli(['api', 'GET', '/api/payouts/x', '--paginate'], {
      service: [answer(200, {id: 'x'})],
    });
    assert.equal(ran.exitCode, 7);
    assert.match(ran.stderr, /Hint: remit api GET \/api\/payouts\/x/);
    const write = await runCli(['api', 'POST', '/api/payouts', '--data', '{}', '--paginate']);
    assert.deepEqual([write.exitCode, write.requests], [2, []]);
  });

  it('reads the pages of a service file, by the path of the service', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'remit-api-')), 'service.json');
    const service = {
      routes: {'payouts.list': 'GET /v1/payouts'},
      envelopes: {list: 'items', next: 'page.next', more: 'page.more'},
      paging: {cursor: 'after'},
    };
    writeFileSync(file, JSON.stringify(service), {mode: 0o600});
    const env = {
      HOME: scratch(),
      REMIT_API_KEY: TEST_KEY,
      REMIT_BASE_URL: BASE_URL,
      REMIT_SERVICE_FILE: file,
    };
    const pages = [
      answer(200, {items: [{id: 1}], page: {next: 'n', more: true}}),
      answer(200, {items: [{id: 2}], page: {next: null, more: false}}),
    ];
    const ran = await runCli(['api', 'GET', '/v1/payouts', '--paginate'], {env, service: pages});
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual(ran.json(), [{id: 1}, {id: 2}]);
    assert.deepEqual(ran.requests.map(({path}) => path).at(-1), '/v1/payouts?after=n');
    const cut = await runCli(['api', 'GET', '/v1/payouts', '--paginate', '--json'], {
      env,
      service: [answer(200, {items: [], page: {more: true}})],
    });
    assert.equal(cut.error().code, 'LIST_CUT');
  });
});

describe('api without a format', () => {
  const answered = {nested: {a: [1]}, id: 'x'};
  const run = (extra: string[], options: {columns?: number} = {}) =>
    runCli(['api', 'GET', '/api/unknown', ...extra], {service: [answer(200, answered)], ...options});

  it('prints the JSON of the service, in a pipe and at a terminal', async () => {
    for (const screen of [{}, {columns: 80}, {columns: 120}])
      assert.equal((await run([], screen)).stdout, `${JSON.stringify(answered, undefined, 2)}\n`);
  });

  it('prints a table if one is asked for', async () => {
    for (const screen of [{}, {columns: 80}])
      assert.match((await run(['-o', 'table'], screen)).stdout, /\n.*id.*\s+x\n/);
  });

  it('reports errors as text', async () => {
    const ran = await runCli(['api', 'GET', '/api/unknown'], {service: [answer(404, {message: 'no'})]});
    assert.deepEqual([ran.exitCode, ran.stdout], [4, '']);
    assert.match(ran.stderr, /^Error: /);
  });
});
