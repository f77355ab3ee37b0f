import {RAIL_LIMITS_MINOR} from '../../contract/rails.ts';
import type {Queries, SqlRow} from '../../store/port/port.ts';
import type {SandboxContext, Entity} from '../world/context.ts';
import {partyNotFound} from '../records/party.ts';
import {maskedMethod, methodNotFound} from './payment-method.ts';
import {fateOf} from '../outcomes/magic.ts';
import {json, text, textOrNull} from '../base/rows.ts';
import {scenarioOf} from '../outcomes/scenarios.ts';
import {releaseTime, dayAt} from '../time/schedule.ts';
import {CLOCK_MAX_MS} from '../time/clock.ts';
import {ServiceError, invalid} from '../base/service-error.ts';
import {findSubaccount} from '../ledger/subaccount.ts';
import type {NewTransfer, TransferKind} from '../records/transfer.ts';

/** The body of a create in the same form for both kinds; field names of the document are kept for messages. */
export interface TransferRequest {
  partyId: string;
  amount: number;
  currency: string | null;
  rail: string | null;
  methodId: string | null;
  subaccountId: string | null;
  autoApprove: boolean;
  metadata: Record<string, string>;
  scheduledDate: string | null;
}

/** A create, with the values for its record. */
export interface WantedTransfer {
  id: string;
  nowMs: number;
  kind: TransferKind;
  request: TransferRequest;
  /** Its idempotency key, if it has one. */
  key: string | null;
  bodyHash: string | null;
}

/** The kind of party of each kind of transfer. */
const PARTY = {payin: 'payer', payout: 'payee'} as const;

/**
 * Everything that a create needs besides a well-formed body: resources first (404), then rules (400, 422).
 * @throws {ServiceError}
 */
export async function admit(
  queries: Queries,
  context: SandboxContext,
  entity: Entity,
  wanted: WantedTransfer,
): Promise<NewTransfer> {
  const {id, nowMs: now, kind, request} = wanted;
  if (request.subaccountId !== null && entity.mode === 'live')
    throw new ServiceError('AUTHORIZATION_ERROR', 'subaccount_id is available only to test entities');
  const method = await chooseMethod(queries, entity, kind, request);
  if (request.currency !== null && request.currency !== 'USD')
    throw invalid('currency_code', 'is not a supported country and currency combination; only USD in US is');
  const rail = chooseRail(request.rail, method);
  checkRailLimit(rail, request.amount);
  return {
    entityId: entity.id,
    kind,
    id,
    partyId: request.partyId,
    methodId: text(method, 'id'),
    subaccountId: request.subaccountId,
    status: 'created',
    amount: request.amount,
    currency: 'USD',
    country: 'US',
    rail,
    parties: withParty(kind, maskedMethod(method), {id: request.partyId, name: text(method, 'party_name')}),
    clientMetadata: request.metadata,
    details: null,
    fate: fateOf({
      scenario: scenarioOf(request.metadata),
      behaviour: textOrNull(method, 'behaviour'),
      amountMinor: request.amount,
      rail,
      magicAmounts: context.rules.magicAmounts,
    }),
    releaseMs: request.scheduledDate === null ? null : scheduledRelease(request.scheduledDate, now),
    attempts: 0,
    createdMs: now,
    updatedMs: now,
    statusMs: now,
    idempotencyKey: wanted.key,
    bodyHash: wanted.bodyHash,
  };
}

const withParty = (kind: TransferKind, method: object, party: {id: string; name: string}) =>
  kind === 'payout' ? {payment_method: method, payee: party} : {payment_method: method, payer: party};

/** The party's name with its named or default method, in one query, because every create needs it. */
const METHOD_QUERY = `
select parties.name as party_name, payment_methods.id, payment_methods.type, payment_methods.status,
  payment_methods.last4, payment_methods.routing_last4, payment_methods.institution, payment_methods.rails,
  payment_methods.behaviour
from parties left join payment_methods
  on payment_methods.owner_id = parties.id and payment_methods.deleted_ms is null and `;
const OF_PARTY = ' where parties.entity_id = ? and parties.kind = ? and parties.id = ?';
const DEFAULT_METHOD = `${METHOD_QUERY} payment_methods.is_default = 1 ${OF_PARTY}`;
const NAMED_METHOD = `${METHOD_QUERY} payment_methods.id = ? ${OF_PARTY}`;

/** The named method or the default; only a verified one can be used. */
async function chooseMethod(
  queries: Queries,
  entity: Entity,
  kind: TransferKind,
  request: TransferRequest,
): Promise<SqlRow> {
  const party = [entity.id, PARTY[kind], request.partyId];
  const row =
    request.methodId === null
      ? await queries.get(DEFAULT_METHOD, party)
      : await queries.get(NAMED_METHOD, [request.methodId, ...party]);
  if (!row) throw partyNotFound(PARTY[kind], request.partyId);
  if (row['id'] === null && request.methodId !== null) throw methodNotFound(PARTY[kind], request.methodId);
  if (request.subaccountId !== null) await findSubaccount(queries, entity.id, request.subaccountId);
  if (row['id'] === null)
    throw new ServiceError(
      'INVALID_PAYMENT_DETAILS',
      `the ${PARTY[kind]} has no default payment method; name one`,
    );
  const status = text(row, 'status');
  if (status !== 'verified')
    throw new ServiceError(
      'INVALID_PAYMENT_DETAILS',
      `the payment method is ${status}; a verified one is needed`,
    );
  return row;
}

/** Assumption 54: standard_ach for a bank account, instant_card for a card. */
function chooseRail(asked: string | null, method: SqlRow): string {
  const rail = asked ?? (text(method, 'type') === 'card' ? 'instant_card' : 'standard_ach');
  const supported = json<string[]>(method, 'rails');
  if (!supported.includes(rail))
    throw invalid(
      'rail',
      `${rail} is not supported by the payment method (it has ${supported.join(', ') || 'none'})`,
    );
  return rail;
}

/** Refuses an amount above the maximum of the rail: interface document, "Errors", 400. */
export function checkRailLimit(rail: string, amountMinor: number): void {
  const limits: Readonly<Partial<Record<string, number>>> = RAIL_LIMITS_MINOR;
  const most = limits[rail];
  if (most !== undefined && amountMinor > most)
    throw invalid('amount_in_minor_units', `is above the maximum of ${rail}: ${most} minor units`);
}

function scheduledRelease(day: string, now: number): number {
  const today = dayAt(now);
  if (day < today) throw invalid('scheduled_date', `is in the past; today is ${today} in New York`);
  const release = releaseTime(day);
  if (release >= CLOCK_MAX_MS) throw invalid('scheduled_date', 'is after the year 2199');
  return release;
}
