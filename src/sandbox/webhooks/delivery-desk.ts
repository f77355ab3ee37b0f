import type {EventTypeName} from '../../contract/events.ts';
import {byName} from '../../narrow.ts';
import type {Queries, SqlRow, SqlValue, Store} from '../../store/port/port.ts';
import {int, intOrNull, iso, text, textOrNull, word} from '../base/rows.ts';
import {ServiceError, invalid} from '../base/service-error.ts';
import {findForSending} from './deliveries.ts';
import type {DeliveryPump} from './delivery-pump.ts';
import {
  DELIVERY_STATES,
  type DeliveryRecord,
  type DeliveryState,
  type ShownAttempt,
  type ShownDelivery,
} from '../base/shown-records.ts';

export interface DeliveryFilter {
  state?: DeliveryState | undefined;
  event?: string | undefined;
  endpoint?: string | undefined;
  /** Only deliveries older than this one. */
  before?: string | undefined;
  limit: number;
}

/** The number of deliveries in each state, of events, and of requests sent for them. */
export interface DeliveryCounts extends Record<DeliveryState, number> {
  events: number;
  attempts: number;
}

const FROM = `from webhook_deliveries d join webhook_endpoints p on p.entity_id = d.entity_id and p.id = d.endpoint_id
  join entities n on n.id = d.entity_id`;

const toShown = (row: SqlRow): ShownDelivery => {
  const nextMs = intOrNull(row, 'next_ms');
  return {
    id: text(row, 'id'),
    event_id: text(row, 'event_id'),
    event_type: word<EventTypeName>(row, 'event_type'),
    endpoint_id: text(row, 'endpoint_id'),
    url: text(row, 'url'),
    mode: word<ShownDelivery['mode']>(row, 'mode'), // written by us only
    state: word<DeliveryState>(row, 'state'), // the same
    sent: int(row, 'sent'),
    last_status: intOrNull(row, 'last_status'),
    last_error: textOrNull(row, 'last_error'),
    next_attempt_at: nextMs === null ? null : iso(nextMs),
    created_at: iso(int(row, 'created_ms')),
  };
};

const toAttempt = (row: SqlRow): ShownAttempt => ({
  n: int(row, 'n'),
  by_hand: int(row, 'by_hand') === 1,
  at: iso(int(row, 'at_ms')),
  sent_at: iso(int(row, 'sent_ms')),
  timestamp: text(row, 'signed_at'),
  elapsed_ms: int(row, 'elapsed_ms'),
  status: intOrNull(row, 'status'),
  error_code: textOrNull(row, 'error_code'),
  error: textOrNull(row, 'error'),
  response: text(row, 'response'),
  fault: textOrNull(row, 'fault'),
});

/** Queries about deliveries, and redelivery. */
export class DeliveryDesk {
  readonly #store: Store;
  readonly #pump: DeliveryPump;

  constructor(store: Store, pump: DeliveryPump) {
    this.#store = store;
    this.#pump = pump;
  }

  /** The newest first. */
  list(filter: DeliveryFilter): Promise<ShownDelivery[]> {
    const where: [string, SqlValue][] = [];
    if (filter.state !== undefined) where.push(['d.state = ?', filter.state]);
    if (filter.event !== undefined) where.push(['d.event_type = ?', filter.event]);
    if (filter.endpoint !== undefined) where.push(['d.endpoint_id = ?', filter.endpoint]);
    if (filter.before !== undefined) where.push(['d.id < ?', filter.before]);
    const conditions = where.map(([condition]) => ` and ${condition}`).join('');
    return this.#store.read(async (queries) =>
      (
        await queries.all(
          `select d.*, p.url, n.mode ${FROM} where 1 = 1${conditions} order by d.id desc limit ?`,
          [...where.map(([, value]) => value), filter.limit],
        )
      ).map(toShown),
    );
  }

  /** @throws {ServiceError} NOT_FOUND */
  async show(id: string): Promise<DeliveryRecord> {
    const found = await this.find(id);
    if (found === undefined) throw new ServiceError('NOT_FOUND', `no delivery ${id}`);
    return found;
  }

  find(id: string): Promise<DeliveryRecord | undefined> {
    return this.#store.read(async (queries) => {
      const row = await queries.get(
        `select d.*, p.url, n.mode, e.body ${FROM} join webhook_events e on e.id = d.event_id where d.id = ?`,
        [id],
      );
      if (!row) return undefined;
      const attempts = await queries.all('select * from webhook_attempts where delivery_id = ? order by n', [
        id,
      ]);
      return {...toShown(row), payload: text(row, 'body'), attempts: attempts.map(toAttempt)};
    });
  }

  /**
   * Sends a delivery again now: the same event and bytes, a new timestamp. Its schedule is kept, unless it is
   * delivered.
   * @throws {ServiceError} NOT_FOUND, or VALIDATION_ERROR if its endpoint takes no deliveries
   */
  async redeliver(id: string): Promise<DeliveryRecord> {
    const claimed = await this.#store.read(async (queries) => {
      const found = await findForSending(queries, id);
      if (!found) throw new ServiceError('NOT_FOUND', `no delivery ${id}`);
      const endpoint = await queries.get(
        'select is_active from webhook_endpoints where entity_id = ? and id = ? and deleted_ms is null',
        [found.entityId, found.endpointId],
      );
      if (!endpoint) throw invalid('', `the endpoint ${found.endpointId} was deleted`);
      if (int(endpoint, 'is_active') === 0) throw invalid('', `the endpoint ${found.endpointId} is disabled`);
      return found;
    });
    await this.#pump.sendByHand(claimed);
    return this.show(id);
  }

  counts(): Promise<DeliveryCounts> {
    return this.#store.read(countDeliveries);
  }
}

async function countDeliveries(queries: Queries): Promise<DeliveryCounts> {
  const counts: DeliveryCounts = {events: 0, attempts: 0, ...byName(DELIVERY_STATES, () => 0)};
  for (const row of await queries.all(
    'select state, count(*) as records, sum(sent) as attempts from webhook_deliveries group by state',
  )) {
    counts[word<DeliveryState>(row, 'state')] = int(row, 'records'); // written only by us
    counts.attempts += int(row, 'attempts');
  }
  const events = await queries.get(`select count(*) as records from webhook_events where body <> ''`);
  counts.events = events ? int(events, 'records') : 0;
  return counts;
}
