import {TRANSFER_STATUSES, type TransferStatus} from '../contract/lifecycle.ts';
import type {Queries, SqlRow} from '../store/port.ts';
import type {Entity} from './context.ts';
import {ACCOUNTS, balances, type AccountId} from './ledger.ts';
import {big, int, text} from './rows.ts';
import type {TransferKind} from './transfer.ts';
import {eventProblems} from './webhooks/event-audit.ts';
import {listEntities} from './world.ts';

/** Count and sum in minor units (decimal text, since JSON numbers end at 2^53). */
export interface Tally {
  count: number;
  amount: string;
}

export interface EntityAudit extends Entity {
  payouts: Partial<Record<TransferStatus, Tally>>;
  payins: Partial<Record<TransferStatus, Tally>>;
  /** Minor units. */
  balances: Record<AccountId, string>;
}

/** The truth of the store, read in one moment. */
export interface Audit {
  entities: EntityAudit[];
  /** True when `problems` is empty. */
  balanced: boolean;
  problems: string[];
}

export async function readAudit(queries: Queries): Promise<Audit> {
  const problems: string[] = [];
  const entities: EntityAudit[] = [];
  for (const entity of await listEntities(queries)) {
    const payouts = await tally(queries, entity.id, 'payout');
    const payins = await tally(queries, entity.id, 'payin');
    const held = await balances(queries, entity.id);
    problems.push(
      ...ledgerProblems(entity, held, await postedSums(queries, entity.id)),
      ...transferProblems(entity, held, payouts, payins),
      ...(await timerProblems(queries, entity)),
      ...(await eventProblems(queries, entity.id)).map((problem) => `${entity.mode}: ${problem}`),
    );
    entities.push({
      ...entity,
      payouts,
      payins,
      balances: Object.fromEntries(ACCOUNTS.map((id) => [id, String(held[id])])) as EntityAudit['balances'], // fromEntries forgets the keys
    });
  }
  return {entities, balanced: problems.length === 0, problems};
}

/** A sum of amounts in two parts: a thousand of the largest amounts would pass 64 bits, where SQLite gives up. */
const SUM = 'sum(amount / 1000000000) as billions, sum(amount % 1000000000) as units';
const sumOf = (row: SqlRow) => big(row, 'billions') * 1_000_000_000n + big(row, 'units');

async function tally(queries: Queries, entityId: string, kind: TransferKind) {
  const rows = await queries.all(
    `select status, count(*) as records, ${SUM} from transfers
     where entity_id = ? and kind = ? group by status`,
    [entityId, kind],
  );
  const found: Partial<Record<TransferStatus, Tally>> = {};
  for (const status of TRANSFER_STATUSES) {
    const row = rows.find((candidate) => text(candidate, 'status') === status);
    if (row) found[status] = {count: int(row, 'records'), amount: String(sumOf(row))};
  }
  return found;
}

/** What each account should hold, recomputed from the postings. */
async function postedSums(queries: Queries, entityId: string): Promise<Record<AccountId, bigint>> {
  const sums: Record<AccountId, bigint> = {main: 0n, reserved: 0n, clearing: 0n, external: 0n};
  for (const [side, sign] of [
    ['debit', -1n],
    ['credit', 1n],
  ] as const) {
    const rows = await queries.all(
      `select ${side} as account, ${SUM} from ledger_postings where entity_id = ? group by ${side}`,
      [entityId],
    );
    for (const row of rows) sums[text(row, 'account') as AccountId] += sign * sumOf(row); // ids of ACCOUNTS
  }
  return sums;
}

function ledgerProblems(
  entity: Entity,
  held: Record<AccountId, bigint>,
  posted: Record<AccountId, bigint>,
): string[] {
  const problems: string[] = [];
  const sum = ACCOUNTS.reduce((total, id) => total + held[id], 0n);
  if (sum !== 0n) problems.push(`${entity.mode}: the balances sum to ${sum}, not to zero`);
  for (const id of ACCOUNTS) {
    if (held[id] !== posted[id])
      problems.push(`${entity.mode}: ${id} holds ${held[id]}, but its postings sum to ${posted[id]}`);
    if (id !== 'external' && held[id] < 0n) problems.push(`${entity.mode}: ${id} is below zero: ${held[id]}`);
  }
  return problems;
}

/** Reserved money belongs to payouts under way, clearing money to transfers between debit and settlement. */
function transferProblems(
  entity: Entity,
  held: Record<AccountId, bigint>,
  payouts: EntityAudit['payouts'],
  payins: EntityAudit['payins'],
): string[] {
  const of = (tallies: EntityAudit['payouts'], ...statuses: TransferStatus[]) =>
    statuses.reduce((total, status) => total + BigInt(tallies[status]?.amount ?? 0), 0n);
  const reserved = of(payouts, 'approved', 'initiated');
  const clearing = of(payouts, 'debited') + of(payins, 'debited');
  return [
    ...(held.reserved === reserved
      ? []
      : [`${entity.mode}: reserved holds ${held.reserved}, payouts need ${reserved}`]),
    ...(held.clearing === clearing
      ? []
      : [`${entity.mode}: clearing holds ${held.clearing}, transfers need ${clearing}`]),
  ];
}

/** Whatever is on its way has a timer that will move it, save where its scenario says that it is stuck. */
async function timerProblems(queries: Queries, entity: Entity): Promise<string[]> {
  const row = await queries.get(
    `select count(*) as records from transfers where entity_id = ? and status in ('approved', 'initiated', 'debited')
       and (scenario is null or scenario <> 'stuck_initiated')
       and id not in (select subject_id from timers where entity_id = ?)`,
    [entity.id, entity.id],
  );
  const lost = row ? int(row, 'records') : 0;
  return lost === 0 ? [] : [`${entity.mode}: ${lost} transfers under way have no timer`];
}
