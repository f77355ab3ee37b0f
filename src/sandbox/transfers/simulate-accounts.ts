import type {Queries} from '../../store/port/port.ts';
import {storedAccountTransfer, type AccountTransfer} from '../records/account-transfer.ts';
import {
  failAccountTransfer,
  initiateAccountTransfer,
  settleAccountTransfer,
} from './account-transfer-steps.ts';
import {codesOf, usualCode} from '../outcomes/bank-codes.ts';
import type {SandboxContext} from '../world/context.ts';
import type {Became, Simulation} from '../outcomes/outcomes.ts';
import {ServiceError, invalid} from '../base/service-error.ts';
import {creditSubaccount, noSubaccount} from '../ledger/subaccount.ts';
import type {Timer} from '../world/timers.ts';
import {listEntities} from '../entities/entities.ts';

/** The code as the rail writes it. @throws {ServiceError} if the rail has no such code. */
export function readCode(rail: string, code: string): string {
  const known = codesOf(rail);
  const found = [code, code.toUpperCase(), code.toLowerCase()].find((name) => Object.hasOwn(known, name));
  if (found === undefined) throw invalid('code', `of ${rail} is one of ${Object.keys(known).join(', ')}`);
  return found;
}

/** Cancels what was scheduled for a record: the operator has decided otherwise. */
export async function forgetPlans(
  queries: Queries,
  {entityId, subject, subjectId}: Pick<Timer, 'entityId' | 'subject' | 'subjectId'>,
): Promise<void> {
  await queries.run('delete from timers where entity_id = ? and subject = ? and subject_id = ?', [
    entityId,
    subject,
    subjectId,
  ]);
}

/** Account transfers: between two treasury accounts, by the same steps. */
export async function simulateAccountTransfer(
  queries: Queries,
  context: SandboxContext,
  {id, outcome, code}: Simulation,
): Promise<Became> {
  const transfer = await accountTransferOfAny(queries, id);
  const {status, rail} = transfer;
  const ready: readonly string[] = outcome === 'initiate' ? ['approved'] : ['approved', 'initiated'];
  if (!ready.includes(status))
    throw invalid(
      'outcome',
      `an account transfer that is ${status} cannot ${outcome}${status === 'created' ? '; approve it first' : ''}`,
    );
  const atMs = context.clock.now();
  const subject = {entityId: transfer.entityId, subject: 'account_transfer', subjectId: id} as const;
  await forgetPlans(queries, subject);
  if (outcome === 'fail') {
    const reason = code === undefined ? usualCode(rail) : readCode(rail, code);
    return {
      status: (await failAccountTransfer(queries, context, transfer, {atMs, code: reason})).status,
      code: reason,
    };
  }
  const initiated =
    status === 'approved' ? await initiateAccountTransfer(queries, context, transfer, atMs) : transfer;
  if (outcome === 'initiate') return {status: initiated.status};
  await forgetPlans(queries, subject);
  return {status: (await settleAccountTransfer(queries, context, initiated, atMs)).status};
}

async function accountTransferOfAny(queries: Queries, id: string): Promise<AccountTransfer> {
  for (const {id: entityId} of await listEntities(queries)) {
    const transfer = await storedAccountTransfer(queries, entityId, id);
    if (transfer) return transfer;
  }
  throw new ServiceError('NOT_FOUND', `no account transfer ${id}`);
}

/** An inbound credit (interface document, "Event types", `subaccount.credit_received`). */
export async function simulateSubaccount(
  queries: Queries,
  context: SandboxContext,
  {id, amountMinor}: Simulation,
): Promise<Became> {
  if (amountMinor === undefined)
    throw invalid('amount_in_minor_units', 'is required: the amount of the credit');
  const row = await queries.get('select entity_id from subaccounts where id = ?', [id]);
  const entityId = row?.['entity_id'];
  if (typeof entityId !== 'string') throw noSubaccount(id);
  const credited = await creditSubaccount(queries, context, {
    entityId,
    subaccountId: id,
    amount: amountMinor,
  });
  const {status, balance_in_minor_units, currency_code} = credited;
  return {status, balance_in_minor_units, currency_code};
}
