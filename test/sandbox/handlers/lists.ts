import assert from 'node:assert/strict';
import {createSandbox} from '../../../src/sandbox/sandbox.ts';
import {openSandboxStore} from '../../../src/sandbox/migrations/open-store.ts';
import {listEntities} from '../../../src/sandbox/entities/entities.ts';
import type {Queries, Store} from '../../../src/store/port/port.ts';
import {text} from '../../../src/sandbox/base/rows.ts';
import {testStore} from '../test-store.ts';
import type {Sandbox} from '../../../src/sandbox/control/sandbox-interface.ts';

/** Long lists, filled with SQL, and the time that a page of them takes wherever it lies. */
export interface Lengths {
  payouts: number;
  lines: number;
  /** How often each page is asked for. */
  rounds: number;
}

/** Median milliseconds of a page, at the start of a list, in its middle, and the last full one. */
export interface PageTimes {
  list: string;
  order: 'asc' | 'desc';
  /** Whether it shall cost the same everywhere; one that only ends at a time is read past the records after it. */
  flat: boolean;
  startMs: number;
  middleMs: number;
  endMs: number;
}

/** The first record's moment; the n-th is n milliseconds younger. */
const FIRST_MS = Date.UTC(2026, 0, 1);
const LIMIT = 100;
const PAYEES = 50;
const STATUSES = ['settled', 'failed', 'created', 'canceled'];

/** The id of the n-th record, as SQL makes it below. */
export function idOf(n: number): string {
  const time = (FIRST_MS + n).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

/** `i` runs from 0 to below the number. */
const counted = (many: number) =>
  `(with recursive counted (i) as (select 0 union all select i + 1 from counted where i + 1 < ${many})
    select i from counted) as counted`;

/** The same id in SQL, of the number in column `i`. */
function sqlId(dialect: Store['dialect']): string {
  const number = `(i + ${FIRST_MS})`;
  const time =
    dialect === 'sqlite' ? `printf('%012x', ${number})` : `lpad(to_hex(${number}::bigint), 12, '0')`;
  return `substr(${time}, 1, 8) || '-' || substr(${time}, 9, 4) || '-7000-8000-000000000000'`;
}

const payeeOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

async function fill(
  queries: Queries,
  dialect: Store['dialect'],
  lengths: Pick<Lengths, 'payouts' | 'lines'>,
  at: Place,
): Promise<void> {
  const id = sqlId(dialect);
  const pick = (values: readonly string[]) =>
    `case i % ${values.length} ${values.map((value, n) => `when ${n} then '${value}'`).join(' ')} end`;
  const payee = pick(Array.from({length: PAYEES}, (_, n) => payeeOf(n)));
  await queries.run(
    `insert into transfers (entity_id, kind, id, party_id, method_id, subaccount_id, status, amount, currency_code,
       country_code, rail, parties, client_metadata, details, scenario, release_ms, attempts, created_ms, updated_ms,
       status_ms)
     select '${at.entityId}', 'payout', ${id}, ${payee}, ${payee}, null, ${pick(STATUSES)}, 100, 'USD', 'US',
       'standard_ach', '{}', '{}', null, null, null, 0, i + ${FIRST_MS}, i + ${FIRST_MS}, i + ${FIRST_MS}
     from ${counted(lengths.payouts)}`,
  );
  await queries.run(
    `insert into bank_transactions (account_id, id, entity_id, direction, amount, currency_code, description, reference,
       subject, subject_id, posted_ms, value_date, reported_ms)
     select '${at.accountId}', ${id}, '${at.entityId}', 'credit', 100, 'USD', 'Seeded', '000000000000', 'seed', ${id},
       i + ${FIRST_MS}, '2026-01-01', i + ${FIRST_MS}
     from ${counted(lengths.lines)}`,
  );
}

interface Place {
  entityId: string;
  accountId: string;
}

/** Fills the store of a sandbox, for its first entity. */
export async function fillLists(store: Store, lengths: Pick<Lengths, 'payouts' | 'lines'>): Promise<Place> {
  const at = await store.write(async (queries) => {
    const [entity] = await listEntities(queries);
    const account = await queries.get(
      'select id from treasury_accounts where entity_id = ? order by id limit 1',
      [entity!.id],
    );
    const found = {entityId: entity!.id, accountId: text(account!, 'id')};
    await fill(queries, store.dialect, lengths, found);
    return found;
  });
  if (store.dialect === 'postgres') await store.write((queries) => queries.run('analyze'));
  return at;
}

/** Fills a store of its own and asks for pages through the sandbox, as a caller does. */
export async function measureLists(lengths: Lengths): Promise<PageTimes[]> {
  const place = await testStore();
  try {
    const store = await openSandboxStore(place.place);
    const sandbox = await createSandbox({store});
    try {
      const at = await fillLists(store, lengths);
      return await measureAll(sandbox, lengths, at);
    } finally {
      await sandbox.close();
    }
  } finally {
    await place.drop();
  }
}

interface List {
  path: string;
  /** Name within its cursors. */
  name: string;
  /** Numbers of its records, oldest first: `at(k)` of `count`. */
  count: number;
  at: (k: number) => number;
}

async function measureAll(
  sandbox: Sandbox,
  {payouts, lines, rounds}: Lengths,
  at: Place,
): Promise<PageTimes[]> {
  const every = (n: number, from = 0) => ({
    count: Math.ceil((payouts - from) / n),
    at: (k: number) => from + n * k,
  });
  const half = Math.floor(payouts / 2);
  const from = new Date(FIRST_MS + half).toISOString();
  const path = '/api/payouts?limit=100';
  const lists: List[] = [
    {path, name: 'payouts', ...every(1)},
    {path: `${path}&status=settled`, name: 'payouts', ...every(STATUSES.length)},
    {path: `${path}&payee_id=${payeeOf(0)}`, name: 'payouts', ...every(PAYEES)},
    {path: `${path}&created_from=${from}`, name: 'payouts', count: payouts - half, at: (k) => half + k},
    {path: `${path}&created_to=${from}`, name: 'payouts', count: half + 1, at: (k) => k},
    {
      path: `/api/treasury/accounts/${at.accountId}/transactions?limit=100`,
      name: `transactions of ${at.accountId}`,
      count: lines,
      at: (k) => k,
    },
  ];
  const times: PageTimes[] = [];
  for (const list of lists)
    for (const order of ['asc', 'desc'] as const) times.push(await measure(sandbox, list, order, rounds));
  return times;
}

/** Pages in turn, so that whatever else the machine does strikes all three alike. */
async function measure(
  sandbox: Sandbox,
  list: List,
  order: 'asc' | 'desc',
  rounds: number,
): Promise<PageTimes> {
  const nth = (k: number) => list.at(order === 'asc' ? k : list.count - 1 - k);
  const starts = [0, Math.floor(list.count / 2), Math.max(0, list.count - LIMIT)];
  const taken: number[][] = starts.map(() => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [n, first] of starts.entries()) {
      const cursor =
        first === 0
          ? ''
          : `&cursor=${Buffer.from(`${list.name}\n${order[0]}${idOf(nth(first - 1))}`).toString('base64url')}`;
      const started = performance.now();
      const response = await sandbox.fetch(
        new Request(`http://localhost${list.path}&order=${order}${cursor}`, {
          headers: {'x-api-key': sandbox.testKey},
        }),
      );
      const page = (await response.json()) as {data: {id: string}[]};
      taken[n]!.push(performance.now() - started);
      assert.equal(page.data[0]?.id, idOf(nth(first)), `${list.path} ${order}`);
      assert.equal(page.data.length, Math.min(LIMIT, list.count - first));
    }
  const [startMs, middleMs, endMs] = taken.map(
    (all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)]!,
  );
  const shown = list.path
    .replace(/[0-9a-f-]{36}/g, '{id}')
    .replace('limit=100', '')
    .replace('?&', '?')
    .replace(/\?$/, '');
  return {
    list: shown,
    order,
    flat: !shown.includes('created_to'),
    startMs: startMs!,
    middleMs: middleMs!,
    endMs: endMs!,
  };
}
