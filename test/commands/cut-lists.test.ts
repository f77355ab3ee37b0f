import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {runCli} from '../cli/run-cli.ts';
import {answer, type Script} from '../client/transport/fake-transport.ts';
import {METHOD_ID, page, PAYEE_ID, payin, payout, PAYOUT_ID} from './fixtures.ts';

const item = {id: PAYOUT_ID, status: 'created'};
const LISTS = ['payouts list --all', 'api GET /api/payouts --paginate'];
const run = (line: string, service: Script) => runCli([...line.split(' '), '--json'], {service});

for (const line of LISTS)
  describe(`${line}: the end of the list`, () => {
    for (const keys of [
      {has_more: true},
      {pagination: {next_cursor: 'c'}},
      {next_cursor: {after: 'x'}},
      {next_cursor: true},
      {next_cursor: ['x']},
    ])
      it(`is not ${JSON.stringify(keys)}`, async () => {
        const ran = await run(line, () => answer(200, {data: [item], ...keys}));
        assert.deepEqual([ran.exitCode, ran.stdout, ran.error().code], [7, '', 'LIST_CUT']);
      });

    it('is not a Link header with another page', async () => {
      const link = {link: '<https://example.com/api/payouts?page=2>; rel="next"'};
      const ran = await run(line, () => answer(200, {data: [item]}, link));
      assert.deepEqual([ran.exitCode, ran.error().code], [7, 'LIST_CUT']);
    });

    it('comes after at most 1000 empty pages', async () => {
      let n = 0;
      const ran = await run(line, () => page([], `c${n++}`));
      assert.deepEqual([ran.error().code, n], ['LIST_CUT', 1000]);
      assert.match(ran.error().message, /\(row 39\); .* set paging\.by in the service file/);
      assert.equal(ran.error().hint, 'remit doctor');
    });

    it('comes when a page is sent again with another cursor', async () => {
      let n = 0;
      const ran = await run(line, () => page([item], `c${n++}`));
      assert.deepEqual([ran.exitCode, ran.error().code, ran.requests.length], [7, 'LIST_CUT', 2]);
    });

    it('exits 8 if records came twice, because others may be missing', async () => {
      const pages = [
        ['a', 'b'],
        ['b', 'c'],
      ];
      let n = 0;
      const ran = await run(line, () => {
        const data = pages[n++]!.map((id) => ({...item, id}));
        return page(data, n === pages.length ? null : `c${n}`);
      });
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.deepEqual(
        (ran.json() as {id: string}[]).map(({id}) => id),
        ['a', 'b', 'c'],
      );
      assert.match(ran.stderr, /^Warning: the service sent 1 record twice, .* and records may be missing$/m);
    });

    it('exits 8 with the warning of a 207', async () => {
      const ran = await run(line, () => answer(207, {data: [item], warning: 'one region is missing'}));
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.deepEqual(ran.json(), [item]);
      assert.match(ran.stderr, /^Warning: one region is missing$/m);
    });
  });

describe('payouts list --limit: the end of the list', () => {
  it('comes when the beginning of a page is sent again, because fewer records were requested', async () => {
    const all = ['a', 'b', 'c', 'd', 'e'].map((id) => ({...item, id}));
    let n = 0;
    const service: Script = ({path}) => {
      const limit = Number(new URL(path, 'http://service').searchParams.get('limit'));
      return page(all.slice(0, limit), `c${n++}`);
    };
    const ran = await run('payouts list --limit 8', service);
    assert.deepEqual([ran.exitCode, ran.error().code, ran.requests.length], [7, 'LIST_CUT', 2], ran.stderr);
  });

  it('does not come when a page begins with the last record of the previous one', async () => {
    const pages = [['a', 'b'], ['b', 'c'], ['d']].map((ids) => ids.map((id) => ({...item, id})));
    let n = 0;
    const ran = await run('payouts list --limit 5', () => page(pages[n++] ?? [], n < 3 ? `c${n}` : null));
    assert.deepEqual([ran.exitCode, (ran.json() as unknown[]).length], [8, 4], ran.stderr);
  });
});

describe('a single record that was answered 207', () => {
  for (const line of [
    ...['payouts', 'payins', 'moves', 'payees', 'payers', 'subaccounts'].map((topic) => `${topic} get`),
    ...['webhooks endpoints get', 'treasury balance', 'transfers get'],
  ])
    it(`exits 8 with the warning: ${line}`, async () => {
      const list = {data: [item], next_cursor: null};
      const record = line === 'transfers get' ? list : item;
      const service: Script = ({path}) =>
        path.includes('?') && line !== 'transfers get'
          ? page([])
          : answer(207, {...record, warning: 'one region is missing'});
      const ran = await run(`${line} ${PAYOUT_ID}`, service);
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.equal((ran.json() as typeof item).id, PAYOUT_ID);
      assert.match(ran.stderr, /^Warning: one region is missing$/m);
    });

  it('has a warning of our own if the service sent none', async () => {
    const ran = await run(`payouts get ${PAYOUT_ID}`, () => answer(207, item));
    assert.equal(ran.exitCode, 8);
    assert.match(ran.stderr, /^Warning: the service answered 207 without a warning: the answer may be/m);
  });

  it('exits 8 with the warning also in the list of event types and in the history of a balance', async () => {
    const types = await run('webhooks event-types', () => answer(207, {data: [], warning: 'w'}));
    assert.deepEqual([types.exitCode, types.stderr], [8, 'Warning: w\n']);
    for (const partial of ['/balance', '/transactions']) {
      const balance = {
        current_balance_in_minor_units: 1,
        currency_code: 'USD',
        as_of: '2026-11-23T12:00:00Z',
      };
      const ran = await run(`treasury balance ${PAYOUT_ID} --history`, ({path}) =>
        answer((path.split('?')[0] ?? '').endsWith(partial) ? 207 : 200, {data: [], ...balance}),
      );
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.match(ran.stderr, /^Warning: the service answered 207/m);
    }
  });
});

describe('a list whose service ignores a filter', () => {
  const transfer = {source_account_id: METHOD_ID, destination_account_id: METHOD_ID};
  for (const [line, record, filter] of [
    [`payouts list --payee ${PAYEE_ID}`, payout({payee_id: METHOD_ID}), 'payee_id'],
    [`payouts list --payee ${PAYEE_ID} --summary`, payout({payee_id: METHOD_ID}), 'payee_id'],
    ['payins list --status settled', payin({status: 'failed'}), 'status'],
    ['payouts list --status created --summary', payout({status: 'settled'}), 'status'],
    ['payouts list --created-from 2024-01-01T00:00:00Z', payout(), 'created_from'],
    ['payouts list --created-to 2023-01-01T00:00:00Z', payout(), 'created_to'],
    ['payouts list --created-from 2030-01-01', payout(), 'created_from'],
    ['payins list --created-to 2023-01-01', payin(), 'created_to'],
    [`transfers list --account ${PAYEE_ID}`, {...item, ...transfer}, 'account_id'],
    [`treasury transactions ${PAYEE_ID}`, {...item, account_id: METHOD_ID}, 'account_id'],
    [`payment-methods list --payee ${PAYEE_ID}`, {id: METHOD_ID, payee_id: METHOD_ID}, 'payee_id'],
  ] as const)
    it(`exits 7 and names the filter: ${line}`, async () => {
      const ran = await run(line, () => page([record]));
      assert.deepEqual([ran.exitCode, ran.stdout, ran.error().code], [7, '', 'FILTER_IGNORED'], ran.stderr);
      assert.equal(ran.error().details?.['filter'], filter);
      assert.match(ran.error().message, new RegExp(`requested with ${filter} `));
      const key = line.startsWith('treasury')
        ? 'routes.treasury.transactions'
        : line.startsWith('payment-methods')
          ? 'routes.payeePaymentMethods.list'
          : `filters.[A-Za-z]+.${filter}`;
      assert.match(ran.error().message, new RegExp(`\\(row \\d+\\).* set ${key} in the service file`));
      assert.match(ran.error().hint ?? '', /remit doctor$/);
    });

  it('is asked for whole days in UTC if a date has no time', async () => {
    const line = 'payouts list --created-from 2023-11-14 --created-to 2023-11-14';
    const ran = await run(line, () => page([payout({created_at: '2023-11-14T23:59:59.500Z'})]));
    assert.equal(ran.exitCode, 0, ran.stderr);
    const {searchParams} = new URL(ran.requests[0]!.path, 'http://service');
    assert.equal(searchParams.get('created_from'), '2023-11-14T00:00:00Z');
    assert.equal(searchParams.get('created_to'), '2023-11-14T23:59:59.999Z');
  });

  for (const time of [
    '2026-02-30',
    '2026-01-01T00:00:00',
    '2026-01-01T25:00:00Z',
    '2026-01-01T00:00:00+99:99',
    '01.02.2026',
    'yesterday',
    '',
  ])
    it(`is not requested with a time that cannot be read: ${JSON.stringify(time)}`, async () => {
      const ran = await runCli(['payins', 'list', `--created-to=${time}`, '--json'], {service: []});
      assert.deepEqual([ran.exitCode, ran.error().code, ran.requests], [2, 'USAGE', []]);
      assert.match(ran.error().hint ?? '', /--created-to 2026-07-01T09:00:00Z, or --created-to 2026-07-01$/);
    });

  it('is not requested between two times in the wrong order', async () => {
    const between = (from: string, to: string) => `payins list --created-from ${from} --created-to ${to}`;
    const ran = await run(between('2026-07-02', '2026-07-01'), () => page([]));
    assert.deepEqual([ran.exitCode, ran.error().code, ran.requests], [2, 'USAGE', []]);
    assert.match(
      ran.error().message,
      /^--created-from 2026-07-02T00:00:00Z is after --created-to 2026-07-01T/,
    );
    const zones = between('2026-07-01T12:00:00+02:00', '2026-07-01T11:00:00Z');
    assert.equal((await run(zones, () => page([]))).exitCode, 0);
  });

  it('is not reported if some records lack the field, or have it in another form', async () => {
    const line = `payouts list --payee ${PAYEE_ID} --status settled --created-from 2023-11-14T22:10:00.400Z`;
    for (const changes of [
      {payee_id: PAYEE_ID.toUpperCase(), status: 'SETTLED'},
      {payee_id: undefined, status: undefined, created_at: undefined},
      {payee_id: null, status: 'paid_out', created_at: '2023-11-14T20:10:00'},
    ]) {
      const times = {created_at: '2023-11-14T22:13:10.000Z'};
      const whole = payout({payee_id: PAYEE_ID, status: 'settled', ...times});
      const ran = await run(line, () => page([payout({id: METHOD_ID, ...changes}), whole]));
      assert.equal(ran.exitCode, 0, ran.stderr);
    }
  });

  it('names the field if no record has it: nothing shows whether the filter was applied', async () => {
    for (const [line, changes, key] of [
      [`--payee ${PAYEE_ID}`, {payee_id: undefined, payee: {id: PAYEE_ID}}, 'payee_id'],
      ['--status settled', {status: undefined, state: 'settled'}, 'status'],
      ['--created-from 2023-11-14T22:10:00Z', {created_at: undefined}, 'created_at'],
    ] as const) {
      const ran = await run(`payouts list ${line} --json`, () => page([payout(changes), payout(changes)]));
      assert.deepEqual([ran.exitCode, ran.error().code, ran.stdout], [7, 'FILTER_IGNORED', ''], line);
      assert.match(ran.error().message, new RegExp(`set fields\\.payouts\\.${key} in the service file`));
    }
  });
});

describe('payouts list --summary of a list with a warning', () => {
  it('does not claim to have all records', async () => {
    const summary = (status: number) =>
      runCli(['payouts', 'list', '--summary'], {service: [answer(status, {data: [payout()]})]});
    const partial = await summary(207);
    assert.equal(partial.exitCode, 8, partial.stderr);
    assert.match(partial.stderr, /Summary of the 1 payout read; more may exist\.\n$/);
    assert.match((await summary(200)).stderr, /Summary of 1 payout\.\n$/);
  });
});

describe('payouts list --summary of a list that moves while it is read', () => {
  it('counts a record once that is on two pages in a row', async () => {
    const pages = [['a', 'b'], ['b', 'c'], ['d']].map((ids) => ids.map((id) => payout({id})));
    let n = 0;
    const ran = await run('payouts list --summary', () => page(pages[n++] ?? [], n < 3 ? `c${n}` : null));
    assert.equal(ran.exitCode, 8, ran.stderr);
    assert.equal((ran.json() as {count: number}[])[0]?.count, 4);
    assert.match(ran.stderr, /Summary of the 4 payouts read; more may exist/);
  });
});

describe('payouts list --all: a list that fails in the middle', () => {
  const pages: Script = (_, n) => (n === 1 ? page([item], 'c1') : answer(503, {message: 'no'}));
  const listed = (line: string, service: Script = pages) => runCli(line.split(' '), {service});
  const rest = (format: string) => `remit payouts list --all -o ${format} --cursor c1`;

  it('writes what was read, and prints the command that reads the rest', async () => {
    const ran = await listed('payouts list --all -o id');
    assert.deepEqual([ran.exitCode, ran.stdout], [7, `${PAYOUT_ID}\n`]);
    assert.match(ran.stderr, /the service answered 503: no .*\. The list is incomplete$/m);
    assert.match(ran.stderr, new RegExp(`^Hint: ${rest('id')}$`, 'm'));
    const lines = await listed('payouts list --all -o ndjson');
    assert.deepEqual([lines.error().hint, lines.error().details?.['next']], [rest('ndjson'), rest('ndjson')]);
  });

  it('does not, if nothing was written, or the list does not end properly', async () => {
    const whole = await listed('payouts list --all --json');
    assert.deepEqual([whole.stdout, whole.error().hint], ['', null]);
    const none = await listed('payouts list --all -o id', () => answer(503, {message: 'no'}));
    assert.doesNotMatch(none.stderr, /incomplete|Hint/);
    const repeated = await listed('payouts list --all -o id', () => page([item], 'c1'));
    assert.match(repeated.stderr, /^Hint: remit doctor$/m);
  });
});
