import {LIFECYCLES, statusesBefore, type TransferStatus} from '../../contract/lifecycle.ts';
import type {Queries} from '../../store/port/port.ts';
import {bankFailureOf, isBadAccount, usualCode, usualReturn} from '../outcomes/bank-codes.ts';
import type {SandboxContext} from '../world/context.ts';
import {LATE_RETURN, lateReturnTime, returnLate} from './late-return.ts';
import {post, reservedOf, type AccountId} from '../ledger/ledger.ts';
import {endingOfTransfer} from '../outcomes/magic.ts';
import {bookTransfer, fundsOf} from './lines.ts';
import type {Flow, Rail, RailTimes} from '../time/rail-hours.ts';
import {randomDigits} from '../base/random.ts';
import {iso, text} from '../base/rows.ts';
import {setTimer, type Timer} from '../world/timers.ts';
import {arrivalDay, bankTimes, type Timing} from '../time/timing.ts';
import {findTransfer, updateTransfer, type Transfer, type TransferKind} from '../records/transfer.ts';
import {emitTransferEvents} from '../webhooks/events.ts';

/** `funds`: the main account, or the subaccount that the transfer names. */
type Role = 'funds' | 'reserved' | 'clearing' | 'external';

/** Which money moves when a transfer takes a step; steps not listed move none. */
const MONEY: Record<TransferKind, Partial<Record<`${TransferStatus}>${TransferStatus}`, [Role, Role]>>> = {
  payout: {
    'created>approved': ['funds', 'reserved'],
    'approved>canceled': ['reserved', 'funds'],
    'approved>failed': ['reserved', 'funds'],
    'initiated>debited': ['reserved', 'clearing'],
    'initiated>failed': ['reserved', 'funds'],
    'debited>settled': ['clearing', 'external'],
    'debited>failed': ['clearing', 'funds'],
  },
  payin: {
    'initiated>debited': ['external', 'clearing'],
    'debited>settled': ['clearing', 'funds'],
    'debited>failed': ['clearing', 'external'],
  },
};

function accountOf(role: Role, transfer: Transfer): AccountId {
  if (role === 'funds') return fundsOf(transfer);
  return role === 'reserved' ? reservedOf(fundsOf(transfer)) : role;
}

/**
 * Takes one step of the lifecycle, with its money; returns undefined, without a change, if the money is missing.
 * Throws if the lifecycle has no such step: callers check first.
 */
export async function step(
  queries: Queries,
  context: SandboxContext,
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
      from: accountOf(money[0], transfer),
      to: accountOf(money[1], transfer),
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
  await bookTransfer(queries, context, moved, transfer.status);
  await emitTransferEvents(queries, context, moved);
  return moved;
}

/** Approval: the transfer afterwards, or why it was refused. Nothing changes if it is refused. */
export async function approve(
  queries: Queries,
  context: SandboxContext,
  transfer: Transfer,
  atMs: number,
): Promise<{moved: Transfer} | {refusal: string}> {
  if (transfer.fate === 'approval_fails_207')
    return {refusal: 'approval failed (scenario approval_fails_207)'};
  const method = await queries.get(
    'select status from payment_methods where owner_id = ? and id = ? and deleted_ms is null',
    [transfer.partyId, transfer.methodId],
  );
  if (!method) return {refusal: 'approval failed: the payment method was deleted'};
  if (text(method, 'status') !== 'verified')
    return {refusal: 'approval failed: the payment method is not verified'};
  const moved = await step(queries, context, transfer, {to: 'approved', atMs});
  if (moved) return {moved};
  const where = transfer.subaccountId === null ? 'the main account' : `subaccount ${transfer.subaccountId}`;
  return {refusal: `approval failed: insufficient funds in ${where}`};
}

/** The result of starting initiation. `held`: until the scheduled time. `later`: it continues after the answer. */
export type Initiation = {moved: Transfer; outcome: 'done' | 'held' | 'later' | 'transient_error'};

/**
 * Starts initiation of an approved transfer.
 * @param by a repeated create may get the transient error of its scenario; approve and timers never do
 */
export async function initiate(
  queries: Queries,
  context: SandboxContext,
  transfer: Transfer,
  at: {ms: number; by: 'create' | 'approve' | 'timer'},
): Promise<Initiation> {
  const wait = (ms: number) =>
    setTimer(queries, context, {...subjectOf(transfer), dueMs: at.ms + ms, step: 'initiate'});
  if (transfer.releaseMs !== null && transfer.releaseMs > at.ms) {
    await wait(transfer.releaseMs - at.ms);
    return {moved: transfer, outcome: 'held'};
  }
  if (transfer.fate === 'transient_503' && transfer.attempts === 0 && at.by !== 'timer') {
    const failed = {...transfer, attempts: 1, updatedMs: at.ms};
    await updateTransfer(queries, failed, transfer.status);
    await wait(at.by === 'create' ? context.timing.recoverMs : context.timing.initiateMs);
    return {moved: failed, outcome: at.by === 'create' ? 'transient_error' : 'later'};
  }
  if (transfer.fate === 'async_202' && at.by !== 'timer') {
    await wait(context.timing.initiateMs);
    return {moved: transfer, outcome: 'later'};
  }
  const submitMs = bankTimes(context.timing, flowOf(transfer)).submit(at.ms);
  if (submitMs > at.ms) {
    await wait(submitMs - at.ms);
    return {moved: transfer, outcome: 'later'};
  }
  return {moved: await submit(queries, context, transfer, at.ms), outcome: 'done'};
}

/** What is known once the bank has it (assumption 58). */
function submission(context: SandboxContext, transfer: Transfer, atMs: number): Record<string, unknown> {
  const number = transfer.rail.endsWith('_ach') ? 'trace_number' : 'end_to_end_id';
  return {
    [number]: randomDigits(context.random, 15),
    submitted_at: iso(atMs),
    expected_settlement_date: arrivalDay(context.timing, flowOf(transfer), atMs),
  };
}

const flowOf = (transfer: Transfer): Flow => ({
  rail: transfer.rail as Rail, // one of those that the method supports
  pull: transfer.kind === 'payin',
});

const subjectOf = (transfer: Transfer) => ({
  entityId: transfer.entityId,
  subject: transfer.kind,
  ownerId: null,
  subjectId: transfer.id,
});

/** Hands an approved transfer to the bank now, whatever the time of day. */
export async function submit(
  queries: Queries,
  context: SandboxContext,
  transfer: Transfer,
  atMs: number,
): Promise<Transfer> {
  const details = transfer.kind === 'payout' ? submission(context, transfer, atMs) : null;
  const moved = await step(queries, context, transfer, {to: 'initiated', atMs, details});
  if (!moved) throw new Error('initiation moves no money, so it cannot lack any');
  await planNext(queries, context, moved);
  return moved;
}

/**
 * Sets the timer of the bank's next step, from what was requested for this transfer, its rail and the timing profile.
 */
export async function planNext(queries: Queries, context: SandboxContext, transfer: Transfer): Promise<void> {
  const {status, statusMs, fate, rail} = transfer;
  const times = bankTimes(context.timing, flowOf(transfer));
  const ending = endingOfTransfer(fate, rail, times.comeBack === undefined);
  const plan = (step: string, dueMs: number) =>
    setTimer(queries, context, {...subjectOf(transfer), dueMs, step});
  if (status === 'initiated' && ending.kind !== 'stuck')
    await (ending.kind === 'rejected'
      ? plan('fail', times.reject(statusMs))
      : plan('debit', times.debit(statusMs)));
  else if (status === 'debited' && ending.kind === 'comes_back')
    await plan('fail', (times.comeBack ?? times.settle)(statusMs));
  else if (status === 'debited') await plan('settle', settleTime(context.timing, times, transfer));
  else if (status === 'settled' && fate === 'late_return')
    await plan(LATE_RETURN, lateReturnTime(context.timing, statusMs));
}

function settleTime(timing: Timing, times: RailTimes, {fate, statusMs}: Transfer): number {
  if (fate !== 'settle_slow') return times.settle(statusMs);
  return times.settle(statusMs) + timing.slowSettleMs;
}

/**
 * A timer of a payin or payout. One that fires too late (canceled, or initiated by a repeated create) does nothing.
 */
export async function fireTransfer(queries: Queries, context: SandboxContext, timer: Timer): Promise<void> {
  const kind = timer.subject as TransferKind; // the caller only passes transfers
  const transfer = await findTransfer(queries, {entityId: timer.entityId, kind, id: timer.subjectId});
  if (!transfer) return;
  const atMs = timer.dueMs;
  if (timer.step === 'initiate' && transfer.status === 'approved')
    await initiate(queries, context, transfer, {ms: atMs, by: 'timer'});
  else if (timer.step === 'debit' && transfer.status === 'initiated')
    await takeDueSteps(queries, context, transfer, {to: 'debited', atMs});
  else if (timer.step === 'settle' && transfer.status === 'debited')
    await takeDueSteps(queries, context, transfer, {to: 'settled', atMs});
  else if (timer.step === 'fail' && LIFECYCLES[kind].next[transfer.status].includes('failed')) {
    const ending = endingOfTransfer(transfer.fate, transfer.rail, false);
    await fail(queries, context, transfer, {
      atMs,
      ...('code' in ending ? ending : {code: usualCode(transfer.rail), blames: false}),
    });
  } else if (timer.step.startsWith(LATE_RETURN)) {
    const code = timer.step.slice(LATE_RETURN.length + 1) || usualReturn(transfer.rail);
    await returnLate(queries, context, transfer, {atMs, code});
  }
}

/** The next successful step and the timer after it; the end, if the account cannot hold more. */
export async function takeDueSteps(
  queries: Queries,
  context: SandboxContext,
  transfer: Transfer,
  change: {to: 'debited' | 'settled'; atMs: number},
): Promise<Transfer> {
  const moved = await step(queries, context, transfer, change);
  if (moved) {
    await planNext(queries, context, moved);
    return moved;
  }
  return fail(queries, context, transfer, {
    atMs: change.atMs,
    code: usualCode(transfer.rail),
    blames: false,
  });
}

/**
 * Fails a transfer with a code of its rail.
 * @param why.blames whether a code that means that the account is invalid makes the payment method `failed`
 */
export async function fail(
  queries: Queries,
  context: SandboxContext,
  transfer: Transfer,
  why: {atMs: number; code: string; blames: boolean},
): Promise<Transfer> {
  const {atMs, code, blames} = why;
  const details = {...transfer.details, failure: bankFailureOf(transfer.rail, code)};
  const moved = await step(queries, context, transfer, {to: 'failed', atMs, details});
  if (!moved) throw new Error('the money held by a transfer is missing');
  if (blames && isBadAccount(transfer.rail, code)) await failMethod(queries, transfer, atMs);
  return moved;
}

/** The statuses from which a payment method can fail. */
const CAN_FAIL = statusesBefore(LIFECYCLES.paymentMethod, 'failed');

/** Assumption 65: nothing more can be sent to this account or card, and it is no longer the default. */
async function failMethod(queries: Queries, transfer: Transfer, atMs: number): Promise<void> {
  await queries.run(
    `update payment_methods set status = 'failed', is_default = 0, updated_ms = ?
     where owner_id = ? and id = ? and status in (${CAN_FAIL.map(() => '?').join(', ')}) and deleted_ms is null`,
    [atMs, transfer.partyId, transfer.methodId, ...CAN_FAIL],
  );
}
