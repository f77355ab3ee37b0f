import {LIFECYCLES, type VerificationStatus} from '../../contract/lifecycle.ts';
import type {Input, Output} from '../../contract/schemas/registry.ts';
import type {Queries, SqlRow} from '../../store/port/port.ts';
import {readDetails} from '../records/bank-details.ts';
import type {SandboxContext, Entity} from '../world/context.ts';
import type {PartyKind} from '../records/party.ts';
import {int, iso, json, text, textOrNull, word} from '../base/rows.ts';
import {ServiceError, invalid} from '../base/service-error.ts';
import {setTimer, type Timer} from '../world/timers.ts';

/** Interface document, "Errors": methods of payers have their own code. */
export const methodNotFound = (kind: PartyKind, id: string) =>
  new ServiceError(
    kind === 'payer' ? 'PAYMENT_METHOD_NOT_FOUND' : 'NOT_FOUND',
    `no payment method ${id} of this ${kind}`,
  );

/** A method that is not deleted. @throws {ServiceError} if the party has no such method. */
export async function storedMethod(
  queries: Queries,
  method: {ownerId: string; kind: PartyKind; id: string},
): Promise<SqlRow> {
  const row = await queries.get(
    'select * from payment_methods where owner_id = ? and id = ? and deleted_ms is null',
    [method.ownerId, method.id],
  );
  if (!row) throw methodNotFound(method.kind, method.id);
  return row;
}

/** Interface document, "Payment method"; assumption 15: the number is never stored, so it can never be shown. */
export function toMethod(row: SqlRow): Output<'PaymentMethod'> {
  const type = word<'bank_account' | 'card'>(row, 'type'); // checked when it was written
  return {
    id: text(row, 'id'),
    [text(row, 'owner_kind') === 'payee' ? 'payee_id' : 'payer_id']: text(row, 'owner_id'),
    type,
    country_code: text(row, 'country_code'),
    currency_code: text(row, 'currency_code'),
    verification_status: word<VerificationStatus>(row, 'status'), // moved by LIFECYCLES only
    is_default: int(row, 'is_default') === 1,
    last4: text(row, 'last4'),
    [type === 'card' ? 'brand' : 'bank_name']: text(row, 'institution'),
    supported_rails: json(row, 'rails'),
    created_at: iso(int(row, 'created_ms')),
    updated_at: iso(int(row, 'updated_ms')),
  };
}

/** Interface document, "Payment method verification": pending -> verified or failed, by timer. */
export async function fireVerification(
  queries: Queries,
  _context: SandboxContext,
  timer: Timer,
): Promise<void> {
  const to = timer.step as VerificationStatus; // written only by `add`
  await queries.run(
    `update payment_methods set status = ?, updated_ms = ?
     where owner_id = ? and id = ? and status = ? and deleted_ms is null`,
    [to, timer.dueMs, timer.ownerId, timer.subjectId, LIFECYCLES.paymentMethod.initial],
  );
}

/** Default rules 1 and 3. The previous default is unset, so that at most one remains. */
export async function makeDefault(queries: Queries, row: SqlRow, now: number): Promise<void> {
  if (text(row, 'status') !== 'verified')
    throw invalid(
      'is_default',
      `only a verified payment method can be the default; this one is ${text(row, 'status')}`,
    );
  const owner = text(row, 'owner_id');
  await queries.run(
    'update payment_methods set is_default = 0, updated_ms = ? where owner_id = ? and is_default = 1',
    [now, owner],
  );
  await queries.run(
    'update payment_methods set is_default = 1, updated_ms = ? where owner_id = ? and id = ?',
    [now, owner, text(row, 'id')],
  );
}

/** Stores a method without its number and schedules its verification; returns the new id. */
export async function insertMethod(
  queries: Queries,
  context: SandboxContext,
  added: {entity: Entity; kind: PartyKind; ownerId: string; body: Input<'PayeePaymentMethodAdd'>},
): Promise<string> {
  const {entity, kind, ownerId, body} = added;
  const now = context.clock.now();
  const {last4, routingLast4, institution, rails, behaviour} = readDetails(body, now);
  const immediate = context.timing.verifyMs === 0 && behaviour !== 'stays_pending' && behaviour !== 'fails';
  const id = context.ids.next(now);
  const status = immediate ? 'verified' : LIFECYCLES.paymentMethod.initial;
  await queries.run(
    `insert into payment_methods (owner_id, id, owner_kind, entity_id, type, country_code, currency_code, status,
       is_default, last4, routing_last4, institution, rails, behaviour, created_ms, updated_ms, deleted_ms)
     values (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, null)`,
    [
      ...[ownerId, id, kind, entity.id, body.type, body.country_code, body.currency_code, status],
      ...[last4, routingLast4, institution, JSON.stringify(rails), behaviour, now, now],
    ],
  );
  if (!immediate && behaviour !== 'stays_pending')
    await setTimer(queries, context, {
      dueMs: now + context.timing.verifyMs,
      entityId: entity.id,
      subject: 'payment_method',
      ownerId,
      subjectId: id,
      step: behaviour === 'fails' ? 'failed' : 'verified',
    });
  return id;
}

/** Masked, as in the metadata of answers (assumption 58). */
export function maskedMethod(row: SqlRow): Record<string, string | null> {
  const id = text(row, 'id');
  const type = text(row, 'type');
  const last4 = text(row, 'last4');
  const institution = text(row, 'institution');
  const routing_last4 = textOrNull(row, 'routing_last4');
  return type === 'card' // no computed key, which would cost more than the rest
    ? {id, type, last4, brand: institution, routing_last4}
    : {id, type, last4, bank_name: institution, routing_last4};
}
