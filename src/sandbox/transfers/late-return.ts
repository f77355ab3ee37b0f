import type {Queries} from '../../store/port/port.ts';
import {bankingDay} from '../time/banking-days.ts';
import {bookLine} from '../ledger/bank-lines.ts';
import type {SandboxContext} from '../world/context.ts';
import {post} from '../ledger/ledger.ts';
import {dayAt, timeOn} from '../time/schedule.ts';
import type {Timing} from '../time/timing.ts';
import {fundsOf, traceOf} from './lines.ts';
import type {Transfer} from '../records/transfer.ts';

/** Banking days after settlement: unauthorized consumer debits may be returned for 60 calendar days. */
const LATE_BANKING_DAYS = 20;

/** The step of its timer. `late_return:R02` has a code. */
export const LATE_RETURN = 'late_return';

/** When a late return of a transfer that settled at `settledMs` arrives. */
export function lateReturnTime(timing: Timing, settledMs: number): number {
  return timing.calendar
    ? timeOn(bankingDay(dayAt(settledMs), LATE_BANKING_DAYS), 8, 30)
    : settledMs + timing.settleMs;
}

/**
 * The bank takes back the money of a settled transfer, once; its status stays `settled`, because the document has no
 * status after it. False if it was returned before, has not settled, or the main account no longer has that much.
 */
export async function returnLate(
  queries: Queries,
  context: SandboxContext,
  transfer: Transfer,
  {atMs, code}: {atMs: number; code: string | undefined},
): Promise<boolean> {
  if (transfer.status !== 'settled') return false;
  const before = await queries.get(
    `select id from ledger_postings where entity_id = ? and subject = 'late_return' and subject_id = ? limit 1`,
    [transfer.entityId, transfer.id],
  );
  if (before) return false;
  const funds = fundsOf(transfer);
  const [from, to] =
    transfer.kind === 'payin' ? ([funds, 'external'] as const) : (['external', funds] as const);
  const returned = {
    entityId: transfer.entityId,
    amount: transfer.amount,
    subject: 'late_return',
    subjectId: transfer.id,
    atMs,
  };
  if (!(await post(queries, context, {...returned, from, to}))) return false;
  await bookLine(queries, context, {
    ...returned,
    funds,
    direction: transfer.kind === 'payin' ? 'debit' : 'credit',
    description: `Return of ${transfer.kind} ${transfer.id}`,
    trace: traceOf(transfer),
    returnCode: code,
  });
  return true;
}
