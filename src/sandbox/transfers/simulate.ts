import type {Queries} from '../../store/port/port.ts';
import {usualCode, usualReturn} from '../outcomes/bank-codes.ts';
import type {SandboxContext} from '../world/context.ts';
import {LATE_RETURN, returnLate} from './late-return.ts';
import {
  SIMULATED_KINDS,
  isSimulated,
  outcomesOf,
  type Became,
  type Simulated,
  type SimulatedKind,
  type Simulation,
} from '../outcomes/outcomes.ts';
import {iso, text} from '../base/rows.ts';
import {ServiceError, invalid} from '../base/service-error.ts';
import {forgetPlans, readCode, simulateAccountTransfer, simulateSubaccount} from './simulate-accounts.ts';
import {fail, takeDueSteps, planNext, step, submit} from './steps.ts';
import {findTransfer, type Transfer, type TransferKind} from '../records/transfer.ts';
import {listEntities} from '../entities/entities.ts';
import {setTimer} from '../world/timers.ts';

/** Applies one outcome, in the caller's transaction; the kind has such an outcome. */
type Simulate = (queries: Queries, context: SandboxContext, asked: Simulation) => Promise<Became>;

/** One for each kind of `OUTCOMES`; a new kind needs an entry there and here. */
const SIMULATE: Readonly<Record<SimulatedKind, Simulate>> = {
  payout: (...args) => simulateTransfer('payout', ...args),
  payin: (...args) => simulateTransfer('payin', ...args),
  'account-transfer': simulateAccountTransfer,
  subaccount: simulateSubaccount,
  'payment-method': simulateMethod,
};

/** @throws {ServiceError} VALIDATION_ERROR for an impossible outcome, NOT_FOUND for a missing record. */
export async function simulate(context: SandboxContext, asked: Simulation): Promise<Simulated> {
  const {kind, outcome} = asked;
  if (!isSimulated(kind)) throw invalid('kind', `is one of ${SIMULATED_KINDS.join(', ')}`);
  const outcomes = outcomesOf(kind) ?? {};
  if (!Object.hasOwn(outcomes, outcome))
    throw invalid('outcome', `of a ${kind} is one of ${Object.keys(outcomes).join(', ')}`);
  if (asked.amountMinor !== undefined && outcome !== 'credit')
    throw invalid('amount_in_minor_units', `does not apply to the outcome ${outcome}`);
  if (asked.code !== undefined && outcome !== 'fail' && outcome !== 'return')
    throw invalid('code', `does not apply to the outcome ${outcome}`);
  if (asked.afterMs !== undefined && outcome !== 'return')
    throw invalid('after_ms', `does not apply to the outcome ${outcome}`);
  const id = asked.id.toLowerCase();
  const run = SIMULATE[kind];
  const became = await context.store.write((queries) => run(queries, context, {...asked, id}));
  return {kind, id, outcome, ...became};
}

async function simulateTransfer(
  kind: TransferKind,
  queries: Queries,
  context: SandboxContext,
  {id, outcome, code, afterMs}: Simulation,
): Promise<Became> {
  const transfer = await transferOfAny(queries, kind, id);
  const usual = outcome === 'return' ? usualReturn(transfer.rail) : usualCode(transfer.rail);
  const reason = code === undefined ? usual : readCode(transfer.rail, code);
  const atMs = context.clock.now();
  if (afterMs !== undefined)
    return returnLater(queries, context, transfer, {dueMs: atMs + afterMs, code: reason});
  if (outcome === 'return' && transfer.status === 'settled') {
    if (await returnLate(queries, context, transfer, {atMs, code: reason}))
      return {status: 'settled', code: reason};
    throw invalid('outcome', 'the money was already returned, or the main account no longer has it');
  }
  await forgetPlans(queries, subjectOf(transfer));
  if (outcome === 'fail' || outcome === 'return') {
    // Only an explicitly given reason affects the payment method.
    const why = {atMs, code: reason, blames: code !== undefined};
    const moved = await failNow(queries, context, transfer, outcome, why);
    return {status: moved.status, code: reason};
  }
  return {status: (await walk(queries, context, transfer, {outcome, atMs})).status};
}

/** The bank will return the money of a settled record: its clock decides. */
async function returnLater(
  queries: Queries,
  context: SandboxContext,
  transfer: Transfer,
  {dueMs, code}: {dueMs: number; code: string},
): Promise<Became> {
  const {status} = transfer;
  if (status !== 'settled')
    throw invalid('after_ms', `is for a settled ${transfer.kind}; this one is ${status}`);
  await setTimer(queries, context, {
    ...subjectOf(transfer),
    ownerId: null,
    step: `${LATE_RETURN}:${code}`,
    dueMs,
  });
  return {status, code, due_at: iso(dueMs)};
}

/** Records of both entities: their ids never collide. */
async function transferOfAny(queries: Queries, kind: TransferKind, id: string): Promise<Transfer> {
  for (const {id: entityId} of await listEntities(queries)) {
    const transfer = await findTransfer(queries, {entityId, kind, id});
    if (transfer) return transfer;
  }
  throw new ServiceError('NOT_FOUND', `no ${kind} ${id}`);
}

const subjectOf = ({entityId, kind, id}: Transfer) => ({entityId, subject: kind, subjectId: id});

const cannot = ({kind, status}: Transfer, outcome: string) =>
  invalid(
    'outcome',
    `a ${kind} that is ${status} cannot ${outcome}${status === 'created' ? '; approve it first' : ''}`,
  );

async function failNow(
  queries: Queries,
  context: SandboxContext,
  transfer: Transfer,
  outcome: 'fail' | 'return',
  why: {atMs: number; code: string; blames: boolean},
): Promise<Transfer> {
  if (outcome === 'fail') {
    if (!['approved', 'initiated', 'debited'].includes(transfer.status)) throw cannot(transfer, outcome);
    return fail(queries, context, transfer, why);
  }
  if (transfer.rail.startsWith('instant_'))
    throw invalid('outcome', `${transfer.rail} payments are final and cannot be returned`);
  if (transfer.status === 'debited') return fail(queries, context, transfer, why);
  if (transfer.status !== 'initiated') throw cannot(transfer, outcome);
  const debited = await step(queries, context, transfer, {to: 'debited', atMs: why.atMs});
  return fail(queries, context, debited ?? transfer, why);
}

const UNTIL: Readonly<Record<string, string>> = {initiate: 'initiated', debit: 'debited', settle: 'settled'};
const WAY = ['approved', 'initiated', 'debited', 'settled'];

/** Takes the successful steps, one after the other, up to the outcome; later steps take their usual time. */
async function walk(
  queries: Queries,
  context: SandboxContext,
  transfer: Transfer,
  {outcome, atMs}: {outcome: string; atMs: number},
): Promise<Transfer> {
  const from = WAY.findIndex((status) => status === transfer.status);
  const until = WAY.findIndex((status) => status === UNTIL[outcome]); // checked against the list of outcomes
  if (from === -1 || from >= until) throw cannot(transfer, outcome);
  let at = transfer;
  for (let to = from + 1; to <= until; to += 1) {
    if (to === 1) at = await submit(queries, context, at, atMs);
    else at = await takeDueSteps(queries, context, at, {to: to === 2 ? 'debited' : 'settled', atMs});
    if (at.status === 'failed') throw invalid('outcome', 'the account cannot hold more');
    await forgetPlans(queries, subjectOf(at));
  }
  await planNext(queries, context, at);
  return at;
}

async function simulateMethod(
  queries: Queries,
  context: SandboxContext,
  {id, outcome}: Simulation,
): Promise<Became> {
  const row = await queries.get(
    'select owner_id, status from payment_methods where id = ? and deleted_ms is null',
    [id],
  );
  if (!row) throw new ServiceError('NOT_FOUND', `no payment method ${id}`);
  const status = text(row, 'status');
  if (status !== 'pending')
    throw invalid('outcome', `a payment method that is ${status} cannot ${outcome.replace('-', ' its ')}`);
  const to = outcome === 'verify' ? 'verified' : 'failed';
  await queries.run('update payment_methods set status = ?, updated_ms = ? where owner_id = ? and id = ?', [
    to,
    context.clock.now(),
    text(row, 'owner_id'),
    id,
  ]);
  return {status: to};
}
