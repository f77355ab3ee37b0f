import type {Mode} from '../../contract/mode.ts';
import {claimed} from '../../store/port/claim.ts';
import type {Queries, SqlRow, Store} from '../../store/port/port.ts';
import {int, json, text, textOrNull, word} from '../base/rows.ts';
import type {DeliveryState} from '../base/shown-records.ts';

/** A delivery that only this process may send now. */
export interface Claimed {
  id: string;
  entityId: string;
  mode: Mode;
  endpointId: string;
  eventId: string;
  eventType: string;
  /** Sandbox time at which it became due. */
  dueMs: number;
  /** Attempts of the schedule so far. */
  tries: number;
  /** A fault that has already been applied: it was delayed or held back. */
  fault: string | null;
  /**
   * Identifies the claim: its expiry, by the wall clock. Each claim of a delivery expires later than the previous
   * ones, so writes of a process whose claim expired and was taken over can be distinguished. Null while it is not
   * claimed.
   */
  claim: number | null;
  /** The event as stored, for every attempt. */
  body: string;
  url: string;
  secret: string;
}

const toClaimed = (row: SqlRow): Claimed => ({
  id: text(row, 'id'),
  entityId: text(row, 'entity_id'),
  mode: word<Claimed['mode']>(row, 'mode'), // written by us only
  endpointId: text(row, 'endpoint_id'),
  eventId: text(row, 'event_id'),
  eventType: text(row, 'event_type'),
  dueMs: row['next_ms'] === null ? 0 : int(row, 'next_ms'),
  tries: int(row, 'tries'),
  fault: textOrNull(row, 'fault'),
  claim: text(row, 'state') === 'sending' ? int(row, 'claimed_until_ms') : null,
  body: text(row, 'body'),
  url: text(row, 'url'),
  secret: text(row, 'secret'),
});

const FROM = `from webhook_deliveries d join webhook_events e on e.id = d.event_id
  join webhook_endpoints p on p.entity_id = d.entity_id and p.id = d.endpoint_id join entities n on n.id = d.entity_id`;

/** When the next delivery of each active endpoint is due, for endpoints that have one. */
export async function dueTimes(queries: Queries): Promise<{endpointId: string; dueMs: number}[]> {
  const rows = await queries.all(
    `select * from (
       select p.id as endpoint_id, (
         select d.next_ms from webhook_deliveries d where d.endpoint_id = p.id and d.state = 'pending'
         order by d.next_ms, d.id limit 1) as next_ms
       from webhook_endpoints p where p.is_active = 1 and p.deleted_ms is null) as queues
     where next_ms is not null order by next_ms, endpoint_id`,
  );
  return rows.map((row) => ({endpointId: text(row, 'endpoint_id'), dueMs: int(row, 'next_ms')}));
}

/** How many are due by then to endpoints that accept them, or claimed. */
export async function countUnderWay(queries: Queries, untilMs: number): Promise<number> {
  const row = await queries.get(
    `select count(*) as records from webhook_deliveries d
     join webhook_endpoints p on p.entity_id = d.entity_id and p.id = d.endpoint_id
     where p.is_active = 1 and p.deleted_ms is null
       and (d.state = 'sending' or d.state = 'pending' and d.next_ms <= ?)`,
    [untilMs],
  );
  return row ? int(row, 'records') : 0;
}

/** Whether its endpoint accepts events of that type: it may have been changed since. */
async function isStillWanted(queries: Queries, id: string): Promise<boolean> {
  const row = await queries.get(
    `select d.event_type, p.event_types from webhook_deliveries d
     join webhook_endpoints p on p.entity_id = d.entity_id and p.id = d.endpoint_id where d.id = ?`,
    [id],
  );
  return row !== undefined && json<string[]>(row, 'event_types').includes(text(row, 'event_type'));
}

/**
 * Takes the first due delivery of an endpoint; undefined if there is none. Those whose type the endpoint no longer
 * accepts are canceled.
 */
export async function claimNext(
  queries: Queries,
  dialect: Store['dialect'],
  at: {endpointId: string; untilMs: number; claimUntilMs: number},
): Promise<Claimed | undefined> {
  const first = await queries.get(
    `select d.id from webhook_deliveries d
     where d.endpoint_id = ? and d.state = 'pending' and d.next_ms <= ?
       and exists (select 1 from webhook_endpoints p
         where p.entity_id = d.entity_id and p.id = d.endpoint_id and p.is_active = 1 and p.deleted_ms is null)
     order by d.next_ms, d.id limit 1${claimed(dialect)}`,
    [at.endpointId, at.untilMs],
  );
  if (!first) return undefined;
  if (!(await isStillWanted(queries, text(first, 'id')))) {
    await queries.run(
      `update webhook_deliveries set state = 'canceled', next_ms = null, held = 0, updated_ms = ? where id = ?`,
      [at.untilMs, text(first, 'id')],
    );
    return claimNext(queries, dialect, at);
  }
  await queries.run(
    `update webhook_deliveries set state = 'sending',
       claimed_until_ms = case when claimed_until_ms >= ? then claimed_until_ms + 1 else ? end where id = ?`,
    [at.claimUntilMs, at.claimUntilMs, text(first, 'id')],
  );
  return findForSending(queries, text(first, 'id'));
}

/** A delivery with its event and endpoint, whatever its state; for redelivery by hand. */
export async function findForSending(queries: Queries, id: string): Promise<Claimed | undefined> {
  const row = await queries.get(`select d.*, e.body, p.url, p.secret, n.mode ${FROM} where d.id = ?`, [id]);
  return row && toClaimed(row);
}

/**
 * Returns what a process claimed and did not finish: it may have been sent, so it may arrive twice. Its claim is
 * kept, so that the next one differs from it.
 * @param nowMs the wall clock; Infinity takes back every claim, at the start of the only process
 */
export async function releaseClaims(queries: Queries, nowMs: number): Promise<number> {
  const before = nowMs === Infinity ? Number.MAX_SAFE_INTEGER : nowMs;
  return queries.run(
    `update webhook_deliveries set state = 'pending' where state = 'sending' and claimed_until_ms <= ?`,
    [before],
  );
}

/** Identifies a claim in an update, so that a claim taken over by another process is not changed. */
const CLAIM = `id = ? and state = 'sending' and claimed_until_ms = ?`;

/** A claim without a result: as if it had not been made. */
export async function giveBack(queries: Queries, {id, claim}: Pick<Claimed, 'id' | 'claim'>): Promise<void> {
  await queries.run(`update webhook_deliveries set state = 'pending' where ${CLAIM}`, [id, claim]);
}

/** Puts a claimed delivery back because of a fault, to be sent later without another fault. */
export async function postpone(
  queries: Queries,
  {id, claim}: Pick<Claimed, 'id' | 'claim'>,
  {nextMs, held, fault}: {nextMs: number; held: boolean; fault: string},
): Promise<void> {
  await queries.run(
    `update webhook_deliveries set state = 'pending', next_ms = ?, held = ?, fault = ? where ${CLAIM}`,
    [nextMs, held ? 1 : 0, fault, id, claim],
  );
}

/** A fault drops a claimed delivery: nothing is sent, now or later, and no attempt is recorded. */
export async function drop(
  queries: Queries,
  {id, claim}: Pick<Claimed, 'id' | 'claim'>,
  atMs: number,
): Promise<void> {
  await queries.run(
    `update webhook_deliveries set state = 'dropped', next_ms = null, held = 0, fault = null, updated_ms = ? where ${CLAIM}`,
    [atMs, id, claim],
  );
}

/** Deliveries held back behind the next one of their endpoint are sent now, because that one has been sent. */
export async function releaseHeld(queries: Queries, endpointId: string, nowMs: number): Promise<number> {
  return queries.run(
    'update webhook_deliveries set held = 0, next_ms = ? where endpoint_id = ? and held = 1 and next_ms > ?',
    [nowMs, endpointId, nowMs],
  );
}

export async function cancelDeliveries(queries: Queries, endpointId: string, nowMs: number): Promise<void> {
  await queries.run(
    `update webhook_deliveries set state = 'canceled', next_ms = null, held = 0, updated_ms = ?
     where endpoint_id = ? and state in ('pending', 'sending')`,
    [nowMs, endpointId],
  );
}

/** The result of one request. */
export interface Attempt {
  byHand: boolean;
  /** Wall clock. */
  sentMs: number;
  /** Sandbox time. */
  atMs: number;
  elapsedMs: number;
  /** The timestamp header. */
  signedAt: string;
  status: number | null;
  errorCode: string | null;
  error: string | null;
  /** The first characters of the answer's body. */
  response: string;
  fault: string | null;
  retryAfterMs: number | undefined;
}

/** The state of a delivery after its attempts. */
export interface DeliveryStanding {
  state: DeliveryState;
  /** Sandbox time; null if there is none. */
  nextMs: number | null;
  tries: number;
}

/**
 * Records attempts, because the receiver has seen them, and the resulting state of the delivery. A success always
 * counts. Anything else counts only while the claim is held: if its endpoint was deleted in the meantime it stays
 * canceled, and if another process has taken it over, that process decides. A delivery removed by a reset leaves no
 * trace.
 * @returns whether the standing was written
 */
export async function recordAttempts(
  queries: Queries,
  {id, claim}: Pick<Claimed, 'id' | 'claim'>,
  attempts: readonly Attempt[],
  standing: DeliveryStanding | undefined,
): Promise<boolean> {
  const row = await queries.get('select sent from webhook_deliveries where id = ?', [id]);
  if (!row) return false;
  let n = int(row, 'sent');
  for (const attempt of attempts)
    await queries.run(
      `insert into webhook_attempts (delivery_id, n, by_hand, sent_ms, at_ms, elapsed_ms, signed_at, status, error_code,
         error, response, fault) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        id,
        ++n,
        attempt.byHand ? 1 : 0,
        attempt.sentMs,
        attempt.atMs,
        Math.round(attempt.elapsedMs),
        attempt.signedAt,
        attempt.status,
        attempt.errorCode,
        attempt.error,
        attempt.response,
        attempt.fault,
      ],
    );
  const last = attempts.at(-1);
  await queries.run(
    'update webhook_deliveries set sent = ?, last_status = ?, last_error = ?, updated_ms = ? where id = ?',
    [n, last?.status ?? null, last?.error ?? null, last?.atMs ?? 0, id],
  );
  if (!standing) return false;
  const [which, params] = standing.state === 'delivered' ? ['id = ?', [id]] : [CLAIM, [id, claim]];
  const written = await queries.run(
    `update webhook_deliveries set state = ?, next_ms = ?, tries = ?, held = 0, fault = null where ${which}`,
    [standing.state, standing.nextMs, standing.tries, ...params],
  );
  return written === 1;
}
