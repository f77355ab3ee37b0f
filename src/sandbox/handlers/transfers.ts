import type {OperationId} from '../../contract/operations/operations.ts';
import type {Output} from '../../contract/schemas/registry.ts';
import type {Queries, SqlValue} from '../../store/port/port.ts';
import type {SandboxContext, Entity} from '../world/context.ts';
import type {HandlerCall, Handler} from './handler.ts';
import {lowestIdAt} from '../base/ids.ts';
import {findByKey, hashRequest} from '../entities/idempotency.ts';
import {storedPage, type Position} from './paging.ts';
import {ServiceError} from '../base/service-error.ts';
import {admit, type TransferRequest, type WantedTransfer} from '../transfers/admission.ts';
import {approve, initiate, step} from '../transfers/steps.ts';
import {findTransfer, toTransfer, type Transfer, type TransferKind} from '../records/transfer.ts';

/** The result of a create. It is committed in any case; a 503 only becomes an error answer afterwards. */
type Created =
  {status: 200 | 201 | 202 | 503; transfer: Transfer} | {status: 207; transfer: Transfer; warning: string};

type Of<Verb extends string> = Extract<OperationId, `payins.${Verb}` | `payouts.${Verb}`>;

/** The differences between payins and payouts on the wire. */
export interface TransferWire<Create extends Of<'create'>, List extends Of<'list'>> {
  kind: TransferKind;
  toRecord: (transfer: Transfer) => object;
  readCreate: (body: HandlerCall<Create>['body']) => TransferRequest;
  /** The party that a list is filtered by. */
  partyFilter: (query: HandlerCall<List>['query']) => string | undefined;
}

/** Interface document, "States and transitions", "Payin and payout". */
export function transferHandlers<Create extends Of<'create'>, List extends Of<'list'>>(
  wire: TransferWire<Create, List>,
) {
  const {kind, toRecord} = wire;

  const create = async (call: HandlerCall<Create>, context: SandboxContext) => {
    const request = wire.readCreate(call.body);
    const key = call.idempotencyKey ?? null;
    const bodyHash = key === null ? null : hashOf(request, context);
    const created = await context.store.write<Created>(async (queries) => {
      const nowMs = context.clock.now(); // for id and record alike: lists from a given time stop at the ids of that time
      const id = context.ids.next(nowMs);
      const wanted = {id, nowMs, kind, request, key, bodyHash};
      const {made, known} = await recordOf(queries, context, call.entity, wanted);
      if (known) return replay(queries, context, known, request);
      return request.autoApprove ? release(queries, context, made) : {status: 201, transfer: made};
    });
    if (created.status === 503)
      throw new ServiceError(
        'SERVICE_UNAVAILABLE',
        `the ${kind} exists and is approved, but initiation could not be started; repeat the same create`,
      );
    const body = toRecord(created.transfer);
    return created.status === 207
      ? {status: 207 as const, body: {...body, warning: created.warning}}
      : {status: created.status, body};
  };

  const get: Handler<Of<'get'>> = ({entity, params}, {store}) =>
    store.read(async (queries) => ({
      status: 200,
      body: toRecord(await found(queries, entity.id, kind, params.id)),
    }));

  const list = ({entity, query}: HandlerCall<List>, {store}: SandboxContext) => {
    const filters = query as Output<'PayinListQuery'> & Output<'PayoutListQuery'>; // equal except for the party
    const party = wire.partyFilter(query);
    const where = (at: Position) => {
      const conditions: [string, SqlValue][] = [
        ['entity_id = ?', entity.id],
        ['kind = ?', kind],
      ];
      if (filters.status !== undefined) conditions.push(['status = ?', filters.status]);
      if (party !== undefined) conditions.push(['party_id = ?', party.toLowerCase()]);
      if (filters.created_from !== undefined) {
        const fromMs = Date.parse(filters.created_from);
        conditions.push(['created_ms >= ?', fromMs]);
        // No id is from an earlier time than its record, so the list need not be read below this one. An ascending
        // cursor implies the same, and of two lower bounds SQLite uses the first.
        if (at.order === 'desc' || at.after === undefined) conditions.push(['id >= ?', lowestIdAt(fromMs)]);
      }
      if (filters.created_to !== undefined)
        conditions.push(['created_ms <= ?', Date.parse(filters.created_to)]);
      return conditions;
    };
    const select = 'select * from transfers';
    return storedPage(store, filters, {
      ...{name: `${kind}s`, select, where, toRecord: (row) => toRecord(toTransfer(row))},
    });
  };

  const approveOne: Handler<Of<'approve'>> = ({entity, params}, context) =>
    context.store.write(async (queries) => {
      const transfer = await found(queries, entity.id, kind, params.id);
      if (transfer.status !== 'created') throw wrongState(transfer, 'approved');
      const ms = context.clock.now();
      const approval = await approve(queries, context, transfer, ms);
      if ('refusal' in approval) throw new ServiceError('INVALID_PAYMENT_DETAILS', approval.refusal);
      const {moved, outcome} = await initiate(queries, context, approval.moved, {ms, by: 'approve'});
      return {status: outcome === 'later' ? 202 : 200, body: toRecord(moved)};
    });

  /** Assumption 4: while nothing was sent to the bank. */
  const cancel: Handler<Of<'cancel'>> = ({entity, params}, context) =>
    context.store.write(async (queries) => {
      const transfer = await found(queries, entity.id, kind, params.id);
      const now = context.clock.now();
      const held = transfer.status === 'approved' && transfer.releaseMs !== null && transfer.releaseMs > now;
      if (transfer.status !== 'created' && !held) throw wrongState(transfer, 'canceled');
      const canceled = await step(queries, context, transfer, {to: 'canceled', atMs: now});
      if (!canceled) throw new Error('the reserved money of a held payout is missing');
      return {status: 200, body: toRecord(canceled)};
    });

  return {create, get, list, approve: approveOne, cancel};
}

/**
 * What a request with the same key is compared with; null if nothing is compared. According to the interface document
 * a replay may add the approval, so it counts only on request.
 */
function hashOf(request: TransferRequest, {rules}: SandboxContext): string | null {
  if (rules.strictAutoApprove === true) return hashRequest(request);
  return rules.strictIdempotency ? hashRequest({...request, autoApprove: false}) : null;
}

/**
 * The record of a create: a new one, or the one of its key, whatever the create itself would result in. Most keys are
 * new, so the record with the key is looked up only if no new one was created.
 */
async function recordOf(
  queries: Queries,
  context: SandboxContext,
  entity: Entity,
  wanted: WantedTransfer,
): Promise<{made: Transfer; known?: undefined} | {made?: undefined; known: Transfer}> {
  const {kind, key} = wanted;
  const admission = await admit(queries, context, entity, wanted).catch(refusalOnly);
  const refused = admission instanceof ServiceError;
  if (!refused && (await context.keyIndex.insert(queries, admission))) return {made: admission};
  const known =
    key === null ? undefined : await findByKey(queries, context, {entityId: entity.id, kind, key});
  if (known) return {known};
  if (refused) throw admission;
  if (!(await context.keyIndex.insert(queries, admission)))
    throw new Error('a forgotten key was taken again within a transaction');
  return {made: admission};
}

function refusalOnly(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  throw error;
}

async function found(queries: Queries, entityId: string, kind: TransferKind, id: string): Promise<Transfer> {
  const transfer = await findTransfer(queries, {entityId, kind, id});
  if (!transfer) throw new ServiceError('NOT_FOUND', `no ${kind} ${id}`);
  return transfer;
}

const wrongState = (transfer: Transfer, wanted: string) =>
  new ServiceError('VALIDATION_ERROR', `a ${transfer.kind} that is ${transfer.status} cannot be ${wanted}`);

/** Approves, then initiates, as far as both succeed: for a new record, or one that is still `created`. */
async function release(queries: Queries, context: SandboxContext, transfer: Transfer): Promise<Created> {
  const approval = await approve(queries, context, transfer, context.clock.now());
  if ('refusal' in approval) return {status: 207, transfer, warning: approval.refusal};
  return start(queries, context, approval.moved);
}

async function start(queries: Queries, context: SandboxContext, transfer: Transfer): Promise<Created> {
  const {moved, outcome} = await initiate(queries, context, transfer, {
    ms: context.clock.now(),
    by: 'create',
  });
  if (outcome === 'transient_error') return {status: 503, transfer: moved};
  // A transfer held for its scheduled day is finished as far as this request is concerned.
  return {status: outcome === 'later' ? 202 : 201, transfer: moved};
}

/** A create with a key that has a record: rules 3 and 4 of "Idempotency on create payin and create payout". */
async function replay(
  queries: Queries,
  context: SandboxContext,
  transfer: Transfer,
  request: TransferRequest,
): Promise<Created> {
  const {kind, id, status, bodyHash} = transfer;
  if (status === 'canceled' || status === 'failed')
    throw new ServiceError(
      'IDEMPOTENCY_KEY_CONFLICT',
      `the idempotency key belongs to ${kind} ${id}, which is ${status}; use a new key`,
    );
  const asked = hashOf(request, context);
  if (bodyHash !== null && asked !== null && bodyHash !== asked)
    throw new ServiceError(
      'IDEMPOTENCY_KEY_CONFLICT',
      `the idempotency key belongs to ${kind} ${id}, which was created with another body`,
    );
  if (!request.autoApprove) return {status: 200, transfer};
  if (status === 'created') return release(queries, context, transfer);
  // Approved by a create that then answered 503: this is the requested repetition.
  if (status === 'approved' && transfer.attempts > 0) return start(queries, context, transfer);
  return {status: 200, transfer};
}
