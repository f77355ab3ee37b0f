import {TRANSFER_STATUSES, type TransferStatus} from '../../contract/lifecycle.ts';
import type {Queries} from '../../store/port/port.ts';
import type {Entity} from '../world/context.ts';
import {balances, type AccountId} from '../ledger/ledger.ts';
import {SUM, ledgerProblems, sumOf} from '../ledger/ledger-audit.ts';
import {int, text} from '../base/rows.ts';
import type {TransferKind} from '../records/transfer.ts';
import {eventProblems} from '../webhooks/event-audit.ts';
import {listEntities} from './entities.ts';

/** Count and sum in minor units (decimal text, because JSON numbers end at 2^53). */
export interface AuditTally {
  count: number;
  amount: string;
}

export interface EntityAudit extends Entity {
  payouts: Partial<Record<TransferStatus, AuditTally>>;
  payins: Partial<Record<TransferStatus, AuditTally>>;
  /** Minor units. They sum to zero. */
  balances: Record<
    'main' | 'reserved' | 'clearing' | 'transit' | 'subaccounts' | 'treasury' | 'external',
    string
  >;
}

/** The audit of the store, read as one snapshot. */
export interface Audit {
  entities: EntityAudit[];
  /** True if `problems` is empty. */
  balanced: boolean;
  problems: string[];
}

export async function readAudit(queries: Queries): Promise<Audit> {
  const problems: string[] = [];
  const entities: EntityAudit[] = [];
  for (const entity of await listEntities(queries)) {
    const payouts = await tally(queries, entity.id, 'payout');
    const payins = await tally(queries, entity.id, 'payin');
    const found = [
      ...(await ledgerProblems(queries, entity.id)),
      ...(await timerProblems(queries, entity.id)),
      ...(await keyProblems(queries, entity.id)),
      ...(await eventProblems(queries, entity.id)),
    ];
    problems.push(...found.map((problem) => `${entity.mode}: ${problem}`));
    entities.push({...entity, payouts, payins, balances: grouped(await balances(queries, entity.id))});
  }
  return {entities, balanced: problems.length === 0, problems};
}

async function tally(queries: Queries, entityId: string, kind: TransferKind) {
  const rows = await queries.all(
    `select status, count(*) as records, ${SUM} from transfers
     where entity_id = ? and kind = ? group by status`,
    [entityId, kind],
  );
  const found: Partial<Record<TransferStatus, AuditTally>> = {};
  for (const status of TRANSFER_STATUSES) {
    const row = rows.find((candidate) => text(candidate, 'status') === status);
    if (row) found[status] = {count: int(row, 'records'), amount: String(sumOf(row))};
  }
  return found;
}

/** An entity's accounts for display: subaccounts and further treasury accounts, each with its reserved money. */
function grouped(held: ReadonlyMap<AccountId, bigint>): EntityAudit['balances'] {
  const sumWhere = (belongs: (id: string) => boolean) =>
    String([...held].reduce((sum, [id, amount]) => (belongs(id) ? sum + amount : sum), 0n));
  return {
    main: sumWhere((id) => id === 'main'),
    reserved: sumWhere((id) => id === 'reserved'),
    clearing: sumWhere((id) => id === 'clearing'),
    transit: sumWhere((id) => id === 'transit'),
    subaccounts: sumWhere((id) => /^(reserved:)?sub:/.test(id)),
    treasury: sumWhere((id) => /^(reserved:)?treasury:/.test(id)),
    external: sumWhere((id) => id === 'external'),
  };
}

/** Everything in progress has a timer that will move it, unless its scenario is to be stuck. */
const UNDER_WAY = {
  'transfers under way': `select id from transfers where entity_id = ? and status in ('approved', 'initiated', 'debited')
       and (scenario is null or scenario <> 'stuck_initiated')`,
  'account transfers under way': `select id from account_transfers where entity_id = ? and status in ('approved', 'initiated')
       and (status = 'approved' or scenario is null or scenario <> 'stuck_initiated')`,
  'lines of the bank that wait for its report':
    'select id from bank_transactions where entity_id = ? and reported_ms is null',
};

async function timerProblems(queries: Queries, entityId: string): Promise<string[]> {
  const problems: string[] = [];
  for (const [what, which] of Object.entries(UNDER_WAY)) {
    const row = await queries.get(
      `select count(*) as records, min(id) as first from (${which}) as open
       where id not in (select subject_id from timers where entity_id = ?)`,
      [entityId, entityId],
    );
    const lost = row ? int(row, 'records') : 0;
    if (row && lost > 0) problems.push(`${lost} ${what} have no timer, the first is ${text(row, 'first')}`);
  }
  return problems;
}

/** A key identifies at most one payin and one payout. */
async function keyProblems(queries: Queries, entityId: string): Promise<string[]> {
  const rows = await queries.all(
    `select kind, count(*) as keys, min(idempotency_key) as first from (
       select kind, idempotency_key from transfers where entity_id = ? and idempotency_key is not null
       group by kind, idempotency_key having count(*) > 1) as shared
     group by kind order by kind`,
    [entityId],
  );
  return rows.map(
    (row) =>
      `${int(row, 'keys')} idempotency keys have more than one ${text(row, 'kind')}, the first is ${text(row, 'first')}`,
  );
}
