import {LIFECYCLES, type TransferStatus} from '../contract/lifecycle.ts';
import type {Queries} from '../store/port.ts';
import type {Context} from './context.ts';
import {post, type AccountId} from './ledger.ts';
import {randomDigits} from './random.ts';
import {iso, text} from './rows.ts';
import {setTimer, type Timer} from './timers.ts';
import {findTransfer, updateTransfer, type Transfer, type TransferKind} from './transfer.ts';

/** Which money moves when a transfer takes a step; steps not named move none. */
const MONEY: Record<
  TransferKind,
  Partial<Record<`${TransferStatus}>${TransferStatus}`, [AccountId, AccountId]>>
> = {
  payout: {
    'created>approved': ['main', 'reserved'],
    'approved>canceled': ['reserved', 'main'],
    'approved>failed': ['reserved', 'main'],
    'initiated>debited': ['reserved', 'clearing'],
    'initiated>failed': ['reserved', 'main'],
    'debited>settled': ['clearing', 'external'],
    'debited>failed': ['clearing', 'main'],
  },
  payin: {
    'initiated>debited': ['external', 'clearing'],
    'debited>settled': ['clearing', 'main'],
    'debited>failed': ['clearing', 'external'],
  },
};

/**
 * Takes one step of the lifecycle, with its money; undefined, and nothing changed, when the money is not there.
 * Throws when the lifecycle has no such step: callers ask first.
 */
export async function step(
  queries: Queries,
  context: Context,
  transfer: Transfer,
  change: {to: TransferStatus; atMs: number; details?: Record<string, unknown> | null},
): Promise<Transfer | undefined> {
  const {to, atMs} = change;
  if (!LIFECYCLES[transfer.kind].next[transfer.status].includes(to))
    throw new Error(`the lifecycle of a ${transfer.kind} has no step from ${transfer.status} to ${to}`);
  const money = MONEY[transfer.kind][`${transfer.status}>${to}`];
  if (money) {
    const moved = await post(queries, context, {
      entityId: transfer.entityId,
      from: money[0],
      to: money[1],
      amount: transfer.amount,
      subject: transfer.kind,
      subjectId: transfer.id,
      atMs,
    });
    if (!moved) return undefined;
  }
  const moved: Transfer = {
    ...transfer,
    status: to,
    details: change.details ?? transfer.details,
    updatedMs: atMs,
    statusMs: atMs,
  };
  await updateTransfer(queries, moved, transfer.status);
  return moved;
}

/** Approval: the moved transfer, or why it was refused. Nothing changes when it is refused. */
export async function approve(
  queries: Queries,
  context: Context,
  transfer: Transfer,
  atMs: number,
): Promise<{moved: Transfer} | {refusal: string}> {
  if (transfer.scenario === 'approval_fails_207')
    return {refusal: 'approval failed (scenario approval_fails_207)'};
  const method = await queries.get(
    'select status from payment_methods where owner_id = ? and id = ? and deleted_ms is null',
    [transfer.partyId, transfer.methodId],
  );
  if (!method) return {refusal: 'approval failed: the payment method was deleted'};
  if (text(method, 'status') !== 'verified')
    return {refusal: 'approval failed: the payment method is not verified'};
  const moved = await step(queries, context, transfer, {to: 'approved', atMs});
  return moved ? {moved} : {refusal: 'approval failed: insufficient funds in the main account'};
}

/** How the start of initiation went. `held`: until the scheduled time. `later`: it goes on after the answer. */
export type Initiation = {moved: Transfer; outcome: 'done' | 'held' | 'later' | 'transient_error'};

/**
 * Starts initiation of an approved transfer.
 * @param by a repeated create may meet the transient error of its scenario; approve and timers never do
 */
export async function initiate(
  queries: Queries,
  context: Context,
  transfer: Transfer,
  at: {ms: number; by: 'create' | 'approve' | 'timer'},
): Promise<Initiation> {
  const wait = (ms: number) =>
    setTimer(queries, context, {...subjectOf(transfer), dueMs: at.ms + ms, step: 'initiate'});
  if (transfer.releaseMs !== null && transfer.releaseMs > at.ms) {
    await wait(transfer.releaseMs - at.ms);
    return {moved: transfer, outcome: 'held'};
  }
  if (transfer.scenario === 'transient_503' && transfer.attempts === 0 && at.by !== 'timer') {
    const failed = {...transfer, attempts: 1, updatedMs: at.ms};
    await updateTransfer(queries, failed, transfer.status);
    await wait(at.by === 'create' ? context.timing.recoverMs : context.timing.initiateMs);
    return {moved: failed, outcome: at.by === 'create' ? 'transient_error' : 'later'};
  }
  if (transfer.scenario === 'async_202' && at.by !== 'timer') {
    await wait(context.timing.initiateMs);
    return {moved: transfer, outcome: 'later'};
  }
  const moved = await step(queries, context, transfer, {
    to: 'initiated',
    atMs: at.ms,
    details: transfer.kind === 'payout' ? submission(context, transfer, at.ms) : null,
  });
  if (!moved) throw new Error('initiation moves no money, so it cannot lack any');
  await planNext(queries, context, moved);
  return {moved, outcome: 'done'};
}

/** Assumption 58: what is known once the bank has it. */
function submission(context: Context, transfer: Transfer, atMs: number): Record<string, unknown> {
  const ach = transfer.rail.endsWith('_ach');
  const {debitMs, settleMs} = context.timing;
  return {
    [ach ? 'trace_number' : 'end_to_end_id']: randomDigits(context.random, 15),
    submitted_at: iso(atMs),
    expected_settlement_date: iso(atMs + debitMs + settleMs).slice(0, 10),
  };
}

const subjectOf = (transfer: Transfer) => ({
  entityId: transfer.entityId,
  subject: transfer.kind,
  ownerId: null,
  subjectId: transfer.id,
});

/** Sets the timer of what the bank does next, by the scenario and the timing profile. */
async function planNext(queries: Queries, context: Context, transfer: Transfer): Promise<void> {
  const {debitMs, settleMs, slowSettleMs} = context.timing;
  const {status, scenario} = transfer;
  const plan = (step: string, ms: number) =>
    setTimer(queries, context, {...subjectOf(transfer), dueMs: transfer.statusMs + ms, step});
  if (status === 'initiated' && scenario === 'fails_after_initiated') await plan('fail', debitMs);
  else if (status === 'initiated' && scenario !== 'stuck_initiated') await plan('debit', debitMs);
  else if (status === 'debited') await plan('settle', scenario === 'settle_slow' ? slowSettleMs : settleMs);
}

/** A timer of a payin or payout. One that comes too late (canceled, or initiated by a repeated create) does nothing. */
export async function fireTransfer(queries: Queries, context: Context, timer: Timer): Promise<void> {
  const kind = timer.subject as TransferKind; // the caller hands over transfers only
  const transfer = await findTransfer(queries, {entityId: timer.entityId, kind, id: timer.subjectId});
  if (!transfer) return;
  const atMs = timer.dueMs;
  if (timer.step === 'initiate' && transfer.status === 'approved')
    await initiate(queries, context, transfer, {ms: atMs, by: 'timer'});
  else if (timer.step === 'debit' && transfer.status === 'initiated') {
    const moved = await step(queries, context, transfer, {to: 'debited', atMs});
    if (moved) await planNext(queries, context, moved);
    else await fail(queries, context, transfer, atMs); // the account cannot hold more
  } else if (timer.step === 'settle' && transfer.status === 'debited') {
    if (!(await step(queries, context, transfer, {to: 'settled', atMs})))
      await fail(queries, context, transfer, atMs);
  } else if (timer.step === 'fail' && LIFECYCLES[kind].next[transfer.status].includes('failed'))
    await fail(queries, context, transfer, atMs);
}

async function fail(queries: Queries, context: Context, transfer: Transfer, atMs: number): Promise<void> {
  const failure = {code: 'R03', message: 'No account, or unable to locate the account'};
  const details = transfer.kind === 'payout' ? {...transfer.details, failure} : null;
  await step(queries, context, transfer, {to: 'failed', atMs, details});
}
