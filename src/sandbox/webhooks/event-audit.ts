import type {EventTypeName} from '../../contract/events.ts';
import type {TransferStatus} from '../../contract/lifecycle.ts';
import type {Queries, SqlValue} from '../../store/port/port.ts';
import {int} from '../base/rows.ts';
import type {TransferKind} from '../records/transfer.ts';

/** The statuses whose records must have an event of a type, and those that may: a payout may fail after it was debited. */
const TOLD: readonly {
  type: EventTypeName;
  kind: TransferKind;
  must: readonly TransferStatus[];
  may?: readonly TransferStatus[];
}[] = [
  {type: 'payout.debited', kind: 'payout', must: ['debited', 'settled'], may: ['failed']},
  {type: 'payout.settled', kind: 'payout', must: ['settled']},
  {type: 'payout.failed', kind: 'payout', must: ['failed']},
  {type: 'payin.settled', kind: 'payin', must: ['settled']},
  {type: 'payin.failed', kind: 'payin', must: ['failed']},
];

/** Every step has its event, every event its step. An index ensures that a cause has no two of one type. */
export async function eventProblems(queries: Queries, entityId: string): Promise<string[]> {
  const problems: string[] = [];
  const count = async (sql: string, params: readonly SqlValue[]) => {
    const row = await queries.get(sql, params);
    return row ? int(row, 'records') : 0;
  };
  for (const {type, kind, must, may = []} of TOLD) {
    const among = (statuses: readonly string[]) => `(${statuses.map((status) => `'${status}'`).join(', ')})`;
    const untold = await count(
      `select count(*) as records from transfers t where t.entity_id = ? and t.kind = ? and t.status in ${among(must)}
         and not exists (select 1 from webhook_events e where e.cause_id = t.id and e.type = ?)`,
      [entityId, kind, type],
    );
    if (untold > 0) problems.push(`${untold} ${kind}s have no event ${type}`);
    const untrue = await count(
      `select count(*) as records from webhook_events e where e.entity_id = ? and e.type = ?
         and not exists (select 1 from transfers t where t.entity_id = e.entity_id and t.kind = ? and t.id = e.cause_id
           and t.status in ${among([...must, ...may])})`,
      [entityId, type, kind],
    );
    if (untrue > 0) problems.push(`${untrue} events ${type} tell of no ${kind} that came so far`);
  }
  const orphans = await count(
    `select count(*) as records from webhook_deliveries d where d.entity_id = ?
       and not exists (select 1 from webhook_events e where e.id = d.event_id)`,
    [entityId],
  );
  if (orphans > 0) problems.push(`${orphans} deliveries have no event`);
  return problems;
}
