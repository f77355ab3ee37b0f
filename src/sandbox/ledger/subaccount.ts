import type {Output} from '../../contract/schemas/registry.ts';
import type {Queries, SqlRow} from '../../store/port/port.ts';
import type {SandboxContext, Entity} from '../world/context.ts';
import {openFunds, post, shownColumn, subaccountFunds} from './ledger.ts';
import {int, iso, text} from '../base/rows.ts';
import {ServiceError, invalid} from '../base/service-error.ts';
import {emitCreditReceived} from '../webhooks/events.ts';

/** Subaccounts with their available balance; followed by `where`, paging and order. */
export const SUBACCOUNTS = `
select * from (
  select subaccounts.*, ledger_accounts.balance from subaccounts join ledger_accounts
    on ledger_accounts.entity_id = subaccounts.entity_id and ledger_accounts.id = 'sub:' || subaccounts.id
) as held`;

export function toSubaccount(row: SqlRow): Output<'Subaccount'> {
  return {
    id: text(row, 'id'),
    name: text(row, 'name'),
    currency_code: text(row, 'currency_code'),
    balance_in_minor_units: shownColumn(row, 'balance'),
    status: text(row, 'status'),
    created_at: iso(int(row, 'created_ms')),
  };
}

export const noSubaccount = (id: string): ServiceError =>
  new ServiceError('NOT_FOUND', `no subaccount ${id}`);

/** @throws {ServiceError} if the entity has no such subaccount. */
export async function findSubaccount(queries: Queries, entityId: string, id: string): Promise<SqlRow> {
  const row = await queries.get(`${SUBACCOUNTS} where entity_id = ? and id = ?`, [entityId, id]);
  if (!row) throw noSubaccount(id);
  return row;
}

/** Assumption 11; a new one is empty. */
export async function openSubaccount(
  queries: Queries,
  context: SandboxContext,
  entity: Entity,
  wanted: {name: string; currency: string | undefined},
): Promise<SqlRow> {
  if (wanted.currency !== undefined && wanted.currency !== 'USD')
    throw invalid('currency_code', 'is not supported; only USD is');
  const now = context.clock.now();
  const id = context.ids.next(now);
  await queries.run(
    `insert into subaccounts (entity_id, id, name, currency_code, status, created_ms)
     values (?, ?, ?, 'USD', 'active', ?)`,
    [entity.id, id, wanted.name, now],
  );
  await openFunds(queries, entity.id, subaccountFunds(id));
  return findSubaccount(queries, entity.id, id);
}

/**
 * Money from outside arrives in a subaccount now, and subscribers are notified (interface document, "Event types").
 * The bank reports no line for it: a subaccount is virtual.
 * @param credit.amount positive, minor units
 * @returns the subaccount afterwards
 * @throws {ServiceError} NOT_FOUND; VALIDATION_ERROR if the ledger cannot hold more
 */
export async function creditSubaccount(
  queries: Queries,
  context: SandboxContext,
  credit: {entityId: string; subaccountId: string; amount: number},
): Promise<Output<'Subaccount'>> {
  const {entityId, subaccountId, amount} = credit;
  await findSubaccount(queries, entityId, subaccountId);
  const atMs = context.clock.now();
  const creditId = context.ids.next(atMs);
  const posted = await post(queries, context, {
    entityId,
    from: 'external',
    to: subaccountFunds(subaccountId),
    amount,
    subject: 'subaccount_credit',
    subjectId: creditId,
    atMs,
  });
  if (!posted) throw invalid('amount_in_minor_units', 'is more than the sandbox can hold');
  await emitCreditReceived(queries, context, {entityId, subaccountId, amount, causeId: creditId, atMs});
  return toSubaccount(await findSubaccount(queries, entityId, subaccountId));
}
