import type {Queries, SqlRow} from '../../store/port/port.ts';
import type {SandboxContext, Entity} from '../world/context.ts';
import type {IdMaker} from '../base/ids.ts';
import {issueKey} from '../world/keys.ts';
import {openAccounts} from '../ledger/ledger.ts';
import type {RandomBytes} from '../base/random.ts';
import {text, textOrNull, word} from '../base/rows.ts';
import {foundTreasury} from '../ledger/treasury-account.ts';

/** $10,000,000.00 in the main account of each entity. */
export const MAIN_BALANCE_MINOR = 1_000_000_000;

const toEntity = (row: SqlRow): Entity => ({
  id: text(row, 'id'),
  mode: word<Entity['mode']>(row, 'mode'), // written by us only
  name: text(row, 'name'),
});

/** The test entity first. */
export async function listEntities(queries: Queries): Promise<Entity[]> {
  return (await queries.all('select * from entities order by mode desc, id')).map(toEntity);
}

/**
 * Creates the two entities with their keys and funded accounts, unless the store has them already. An entity that was
 * created before treasury accounts existed gets them.
 */
export async function foundWorld(
  queries: Queries,
  context: SandboxContext,
  random: RandomBytes,
  mainBalanceMinor: number,
): Promise<void> {
  const known = await listEntities(queries);
  for (const {id} of known) await fund(queries, context, id, 0);
  if (known.length > 0) return;
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

/** Opens an entity's accounts, unless they are open, with money in its main and its second account. */
async function fund(
  queries: Queries,
  context: SandboxContext,
  entityId: string,
  amount: number,
): Promise<void> {
  await openAccounts(queries, entityId);
  await foundTreasury(queries, context, entityId, amount);
}

const RECORDS = [
  'parties',
  'payment_methods',
  'transfers',
  'timers',
  'parked_timers',
  'ledger_postings',
  'ledger_accounts',
  'subaccounts',
  'moves',
  'treasury_accounts',
  'bank_transactions',
  'account_transfers',
  'webhook_attempts',
  'webhook_deliveries',
  'webhook_events',
  'webhook_endpoints',
] as const;

/** Deletes every record and funds the main accounts again. Entities and keys are kept. */
export async function clearWorld(
  queries: Queries,
  context: SandboxContext,
  mainBalanceMinor: number,
): Promise<void> {
  for (const table of RECORDS) await queries.run(`delete from ${table}`);
  for (const entity of await listEntities(queries)) await fund(queries, context, entity.id, mainBalanceMinor);
}

/** Tables whose highest id is found fastest entity by entity, because their keys begin with it. */
const BY_ENTITY = ['subaccounts', 'moves', 'treasury_accounts', 'account_transfers'] as const;

/** New ids follow the highest stored one, whatever the clock shows. */
export async function continueIds(queries: Queries, ids: IdMaker): Promise<void> {
  const startAfterHighest = async (from: string, params: readonly string[] = []) => {
    const highest = await queries.get(`select max(id) as id from ${from}`, params);
    const id = highest && textOrNull(highest, 'id');
    if (id) ids.startAfter(id);
  };
  for (const table of [
    'parties',
    'payment_methods',
    'ledger_postings',
    'timers',
    'webhook_endpoints',
    'webhook_deliveries',
    'entities',
  ])
    await startAfterHighest(table);
  for (const {id} of await listEntities(queries)) {
    for (const table of BY_ENTITY) await startAfterHighest(`${table} where entity_id = ?`, [id]);
    for (const kind of ['payin', 'payout'])
      await startAfterHighest('transfers where entity_id = ? and kind = ?', [id, kind]);
  }
  for (const account of await queries.all('select id from treasury_accounts'))
    await startAfterHighest('bank_transactions where account_id = ?', [text(account, 'id')]);
}
