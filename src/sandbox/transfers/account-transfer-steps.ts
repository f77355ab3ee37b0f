import {LIFECYCLES, type AccountTransferStatus} from '../../contract/lifecycle.ts';
import type {Queries} from '../../store/port/port.ts';
import {
  storedAccountTransfer,
  updateAccountTransfer,
  type AccountTransfer,
} from '../records/account-transfer.ts';
import {bankFailureOf, usualCode} from '../outcomes/bank-codes.ts';
import {bookLine} from '../ledger/bank-lines.ts';
import type {SandboxContext, Entity} from '../world/context.ts';
import {post, reservedOf, type AccountId, type FundsId} from '../ledger/ledger.ts';
import type {RailTimes} from '../time/rail-hours.ts';
import {setTimer, type Timer} from '../world/timers.ts';
import {bankTimes} from '../time/timing.ts';
import {findAccount, fundsOfAccount} from '../ledger/treasury-account.ts';

type Step = `${AccountTransferStatus}>${AccountTransferStatus}`;
interface Effect {
  /** Which money moves. */
  money: (source: FundsId, destination: FundsId) => readonly [AccountId, AccountId];
  /** What the bank reports about it, and for which account. */
  line?: {on: 'source' | 'destination'; direction: 'credit' | 'debit'; says: string};
}

/** The effect of a step on money; steps not listed move none. */
const EFFECTS: Partial<Record<Step, Effect>> = {
  'created>approved': {money: (source) => [source, reservedOf(source)]},
  'approved>initiated': {
    money: (source) => [reservedOf(source), 'transit'],
    line: {on: 'source', direction: 'debit', says: 'to'},
  },
  'approved>failed': {money: (source) => [reservedOf(source), source]},
  'initiated>settled': {
    money: (_source, destination) => ['transit', destination],
    line: {on: 'destination', direction: 'credit', says: 'from'},
  },
  'initiated>failed': {
    money: (source) => ['transit', source],
    line: {on: 'source', direction: 'credit', says: 'returned, to'},
  },
};

/**
 * Takes one step of the lifecycle, with its money and the bank's report; returns undefined, without a change, if the
 * source cannot pay. Throws if the lifecycle has no such step: callers check first.
 */
export async function stepAccountTransfer(
  queries: Queries,
  context: SandboxContext,
  transfer: AccountTransfer,
  change: {to: AccountTransferStatus; atMs: number; failureReason?: string},
): Promise<AccountTransfer | undefined> {
  const {entityId, status, amount} = transfer;
  const {to, atMs, failureReason = null} = change;
  const following: readonly AccountTransferStatus[] = LIFECYCLES.accountTransfer.next[status];
  if (!following.includes(to))
    throw new Error(`the lifecycle of an account transfer has no step from ${status} to ${to}`);
  const effect = EFFECTS[`${status}>${to}`];
  if (effect) {
    const source = await findAccount(queries, entityId, transfer.sourceId);
    const destination = await findAccount(queries, entityId, transfer.destinationId);
    const ends = {source: fundsOfAccount(source), destination: fundsOfAccount(destination)};
    const booking = {entityId, amount, subject: 'account_transfer', subjectId: transfer.id, atMs};
    const [from, into] = effect.money(ends.source, ends.destination);
    if (!(await post(queries, context, {...booking, from, to: into}))) return undefined;
    const {line} = effect;
    if (line) {
      const other = line.on === 'source' ? transfer.destinationId : transfer.sourceId;
      const description = `Account transfer ${line.says} ${other} by ${transfer.rail}`;
      await bookLine(queries, context, {
        ...booking,
        funds: ends[line.on],
        direction: line.direction,
        description,
      });
    }
  }
  const moved = {...transfer, status: to, failureReason, updatedMs: atMs};
  await updateAccountTransfer(queries, moved, status);
  return moved;
}

const timesOf = (context: SandboxContext, {rail}: AccountTransfer): RailTimes =>
  bankTimes(context.timing, {rail, pull: false});

const plan = (
  queries: Queries,
  context: SandboxContext,
  {entityId, id}: AccountTransfer,
  step: string,
  dueMs: number,
) =>
  setTimer(queries, context, {
    entityId,
    subject: 'account_transfer',
    ownerId: null,
    subjectId: id,
    step,
    dueMs,
  });

/** Queues an approved one for initiation: after the usual delay, when its rail is open. */
export const queueInitiation = (
  queries: Queries,
  context: SandboxContext,
  transfer: AccountTransfer,
): Promise<void> =>
  plan(
    queries,
    context,
    transfer,
    'initiate',
    timesOf(context, transfer).submit(transfer.updatedMs + context.timing.initiateMs),
  );

/** Whether initiation continues after the answer: because of the entity's setting, the scenario, or a closed rail. */
export function goesOnLater(context: SandboxContext, entity: Entity, transfer: AccountTransfer): boolean {
  if (transfer.scenario === 'async_202') return true;
  if (context.rules.asyncInitiation?.includes(entity.mode) === true) return true;
  return timesOf(context, transfer).submit(transfer.updatedMs) > transfer.updatedMs;
}

/** Hands an approved one to the bank, and sets the timer of the bank's next step. */
export async function initiateAccountTransfer(
  queries: Queries,
  context: SandboxContext,
  transfer: AccountTransfer,
  atMs: number,
): Promise<AccountTransfer> {
  const moved = await stepAccountTransfer(queries, context, transfer, {to: 'initiated', atMs});
  if (!moved) throw new Error('the money reserved by an account transfer is missing');
  const times = timesOf(context, moved);
  const {scenario} = moved;
  if (scenario === 'fails_after_initiated') await plan(queries, context, moved, 'fail', times.reject(atMs));
  else if (scenario !== 'stuck_initiated') {
    const slow = scenario === 'settle_slow' ? context.timing.slowSettleMs : 0;
    await plan(queries, context, moved, 'settle', times.settle(times.debit(atMs)) + slow);
  }
  return moved;
}

/** Settles one. */
export async function settleAccountTransfer(
  queries: Queries,
  context: SandboxContext,
  transfer: AccountTransfer,
  atMs: number,
): Promise<AccountTransfer> {
  const settled = await stepAccountTransfer(queries, context, transfer, {to: 'settled', atMs});
  if (!settled) throw new Error('the money of an account transfer in transit is missing');
  return settled;
}

/** Fails one that is approved or initiated: its money is returned to its source. */
export async function failAccountTransfer(
  queries: Queries,
  context: SandboxContext,
  transfer: AccountTransfer,
  why: {atMs: number; code?: string},
): Promise<AccountTransfer> {
  const {code, message} = bankFailureOf(transfer.rail, why.code ?? usualCode(transfer.rail));
  const failed = await stepAccountTransfer(queries, context, transfer, {
    to: 'failed',
    atMs: why.atMs,
    failureReason: `${code}: ${message}`,
  });
  if (!failed) throw new Error('the money held by an account transfer is missing');
  return failed;
}

/** A timer of an account transfer. One that fires too late does nothing. */
export async function fireAccountTransfer(
  queries: Queries,
  context: SandboxContext,
  timer: Timer,
): Promise<void> {
  const transfer = await storedAccountTransfer(queries, timer.entityId, timer.subjectId);
  if (!transfer) return;
  const atMs = timer.dueMs;
  if (timer.step === 'initiate' && transfer.status === 'approved')
    await initiateAccountTransfer(queries, context, transfer, atMs);
  else if (timer.step === 'settle' && transfer.status === 'initiated')
    await settleAccountTransfer(queries, context, transfer, atMs);
  else if (timer.step === 'fail' && transfer.status === 'initiated')
    await failAccountTransfer(queries, context, transfer, {atMs});
}
