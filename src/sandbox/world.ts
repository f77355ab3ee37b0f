import type {Queries, SqlRow} from '../store/port.ts';
import type {Context, Entity} from './context.ts';
import type {IdMaker} from './ids.ts';
import {issueKey} from './keys.ts';
import {openAccounts, post} from './ledger.ts';
import type {RandomBytes} from './random.ts';
import {text, textOrNull} from './rows.ts';
import type {ClockState} from './sandbox-clock.ts';

/** $10,000,000.00 in the main account of each entity. */
export const MAIN_BALANCE_MINOR = 1_000_000_000;

const toEntity = (row: SqlRow): Entity => ({
  id: text(row, 'id'),
  mode: text(row, 'mode') as Entity['mode'], // written by us only
  name: text(row, 'name'),
});

/** The test entity first. */
export async function listEntities(queries: Queries): Promise<Entity[]> {
  return (await queries.all('select * from entities order by mode desc, id')).map(toEntity);
}

/** Makes the two entities with their keys and funded accounts, unless the store has them already. */
export async function foundWorld(
  queries: Queries,
  context: Context,
  random: RandomBytes,
  mainBalanceMinor: number,
): Promise<void> {
  if ((await listEntities(queries)).length > 0) return;
  const now = context.clock.now();
  for (const [mode, name] of [
    ['test', 'Sandbox Test Company'],
    ['live', 'Sandbox Live-Style Company'],
  ] as const) {
    const entity: Entity = {id: context.ids.next(now), mode, name};
    await queries.run('insert into entities (id, mode, name, created_ms) values (?, ?, ?, ?)', [
      entity.id,
      mode,
      name,
      now,
    ]);
    await issueKey(queries, {entity, scope: 'full', random, nowMs: now});
    await issueKey(queries, {entity, scope: 'read', random, nowMs: now});
    await fund(queries, context, entity.id, mainBalanceMinor);
  }
}

/** Opens an entity's accounts and puts money into its main one. */
export async function fund(
  queries: Queries,
  context: Context,
  entityId: string,
  amount: number,
): Promise<void> {
  await openAccounts(queries, entityId);
  if (amount === 0) return;
  const atMs = context.clock.now();
  const posted = await post(queries, context, {
    entityId,
    from: 'external',
    to: 'main',
    amount,
    subject: 'funding',
    subjectId: entityId,
    atMs,
  });
  if (!posted) throw new RangeError('the main account cannot hold that much');
}

const RECORDS = [
  'parties',
  'payment_methods',
  'transfers',
  'idempotency_keys',
  'timers',
  'ledger_postings',
  'ledger_accounts',
  'webhook_attempts',
  'webhook_deliveries',
  'webhook_events',
  'webhook_endpoints',
] as const;

/** Takes away every record and funds the main accounts anew. Entities and keys stay. */
export async function clearWorld(
  queries: Queries,
  context: Context,
  mainBalanceMinor: number,
): Promise<void> {
  for (const table of RECORDS) await queries.run(`delete from ${table}`);
  for (const entity of await listEntities(queries)) await fund(queries, context, entity.id, mainBalanceMinor);
}

export async function readSetting<T>(queries: Queries, name: string): Promise<T | undefined> {
  const row = await queries.get('select value from settings where name = ?', [name]);
  return row && (JSON.parse(text(row, 'value')) as T); // what writeSetting wrote
}

export async function writeSetting(queries: Queries, name: string, value: object): Promise<void> {
  await queries.run(
    'insert into settings (name, value) values (?, ?) on conflict (name) do update set value = excluded.value',
    [name, JSON.stringify(value)],
  );
}

/** How often this store was opened before. */
export async function countOpening(queries: Queries): Promise<number> {
  const count = (await readSetting<{count: number}>(queries, 'openings'))?.count ?? 0;
  await writeSetting(queries, 'openings', {count: count + 1});
  return count;
}

export const loadClock = (queries: Queries) => readSetting<ClockState>(queries, 'clock');
export const saveClock = (queries: Queries, state: ClockState) => writeSetting(queries, 'clock', state);

/** Ids go on after the highest one stored, whatever the clock says. */
export async function continueIds(queries: Queries, ids: IdMaker): Promise<void> {
  for (const table of [
    'parties',
    'payment_methods',
    'transfers',
    'ledger_postings',
    'timers',
    'webhook_endpoints',
    'webhook_deliveries',
    'entities',
  ]) {
    const highest = await queries.get(`select max(id) as id from ${table}`);
    const id = highest && textOrNull(highest, 'id');
    if (id) ids.startAfter(id);
  }
}
