import type {EventTypeName} from '../../contract/events.ts';
import type {TransferStatus} from '../../contract/lifecycle.ts';
import type {Queries} from '../../store/port/port.ts';
import type {SandboxContext} from '../world/context.ts';
import {json, text} from '../base/rows.ts';
import type {Transfer, TransferKind} from '../records/transfer.ts';

/** An event for subscribers. */
export interface NewEvent {
  entityId: string;
  type: EventTypeName;
  /** The data that is documented for the type. */
  data: object;
  /** The record whose change it reports. A cause has at most one event of each type. */
  causeId: string;
  atMs: number;
}

/**
 * Stores an event and one delivery for each endpoint that is active and subscribed now, in the caller's transaction:
 * they exist exactly if the change that they report does. The body is stored once, and every attempt sends it
 * unchanged.
 */
async function emitEvent(queries: Queries, context: SandboxContext, event: NewEvent): Promise<void> {
  const {entityId, type, data, causeId, atMs} = event;
  const id = context.ids.next(context.clock.now());
  await queries.run(
    'insert into webhook_events (id, entity_id, type, cause_id, body, created_ms) values (?, ?, ?, ?, ?, ?)',
    [id, entityId, type, causeId, JSON.stringify({id, type, data}), atMs],
  );
  const endpoints = await queries.all(
    'select id, event_types from webhook_endpoints where entity_id = ? and is_active = 1 and deleted_ms is null order by id',
    [entityId],
  );
  for (const endpoint of endpoints) {
    if (!json<string[]>(endpoint, 'event_types').includes(type)) continue;
    await queries.run(
      `insert into webhook_deliveries (id, entity_id, endpoint_id, event_id, event_type, state, next_ms, tries, sent, held,
         created_ms, updated_ms) values (?, ?, ?, ?, ?, 'pending', ?, 0, 0, 0, ?, ?)`,
      [context.ids.next(context.clock.now()), entityId, text(endpoint, 'id'), id, type, atMs, atMs, atMs],
    );
    context.deliveryAdded(atMs);
  }
}

/** Interface document, "Event types": the steps that have an event. `debited` of a payin has none. */
const STEP_EVENTS: Record<TransferKind, Partial<Record<TransferStatus, EventTypeName>>> = {
  payout: {debited: 'payout.debited', settled: 'payout.settled', failed: 'payout.failed'},
  payin: {settled: 'payin.settled', failed: 'payin.failed'},
};

/** The events of a transfer that has just reached its status. */
export async function emitTransferEvents(
  queries: Queries,
  context: SandboxContext,
  transfer: Transfer,
): Promise<void> {
  const {kind, id, status, entityId, subaccountId, amount, statusMs: atMs} = transfer;
  const type = STEP_EVENTS[kind][status];
  if (type === undefined) return;
  await emitEvent(queries, context, {entityId, type, data: {[`${kind}_id`]: id}, causeId: id, atMs});
  if (type === 'payin.settled' && subaccountId !== null)
    await emitCreditReceived(queries, context, {entityId, subaccountId, amount, causeId: id, atMs});
}

/** An inbound credit of a subaccount, in minor units of US dollars; `causeId` is its cause. */
export async function emitCreditReceived(
  queries: Queries,
  context: SandboxContext,
  credit: {entityId: string; subaccountId: string; amount: number; causeId: string; atMs: number},
): Promise<void> {
  const {entityId, subaccountId, amount, causeId, atMs} = credit;
  await emitEvent(queries, context, {
    entityId,
    type: 'subaccount.credit_received',
    data: {subaccount_id: subaccountId, amount_cents: amount, amount_in_minor_units: amount},
    causeId,
    atMs,
  });
}
