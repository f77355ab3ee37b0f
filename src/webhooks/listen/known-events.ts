import {crc32} from 'node:zlib';
import {hasArrived} from '../delivery/delivery.ts';
import {RecentMap} from '../delivery/recent-map.ts';
import type {RecordEntry} from '../record/entry.ts';
import {EventTable, setKey, type EventKey} from './event-table.ts';

/** How a new event relates to earlier ones. */
export interface Arrival {
  attempt: number;
  /** The first delivery, if this one has the same bytes. */
  duplicateOf: string | null;
  /** The targets that answered a forward of it with 2XX, for `hasForwarded`. */
  forwarded: number;
}

const MOST = 200_000;
/** Targets beyond this number may receive duplicates. */
const MOST_TARGETS = 32;

/**
 * Events by their id, so that each is shown once. Keeps at least the last `most / 2` and at most `most`: when full,
 * the older half is forgotten.
 */
export class KnownEvents {
  readonly #half: number;
  readonly #bits: ReadonlyMap<string, number>;
  #recent: EventTable;
  #older: EventTable | undefined;
  readonly #key: EventKey = {low: 0, high: 0};
  #slot = -1;
  /** Event by delivery, for forward results in the record. */
  readonly #byDelivery = new RecentMap<string, string>(MOST);

  /** @param targets where this listener forwards to */
  constructor(targets: readonly string[], most = MOST) {
    this.#half = Math.max(1, Math.floor(most / 2));
    this.#recent = new EventTable(this.#half);
    this.#bits = new Map(targets.slice(0, MOST_TARGETS).map((target, index) => [target, 1 << index]));
  }

  /** An event was delivered; call `forget` if it could not be stored. */
  arrive(eventId: string, body: Uint8Array, delivery: string): Arrival {
    const mark = {checksum: crc32(body), length: body.length};
    const table = this.#find(eventId);
    const slot = this.#slot;
    if (table === undefined || table.attempts[slot] === 0) {
      (table ?? this.#added()).setFirst(this.#slot, delivery, mark);
      return {attempt: 1, duplicateOf: null, forwarded: 0};
    }
    const attempt = (table.attempts[slot] ?? 0) + 1;
    table.attempts[slot] = attempt;
    return table.hasBody(slot, mark)
      ? {attempt, duplicateOf: table.first(slot), forwarded: table.forwarded[slot] ?? 0}
      : {attempt, duplicateOf: null, forwarded: 0};
  }

  /** A delivery that was answered with 503 does not count as arrived. */
  forget(eventId: string, delivery: string): void {
    const table = this.#find(eventId);
    if (table === undefined) return;
    const slot = this.#slot;
    const attempts = table.attempts[slot] ?? 0;
    table.attempts[slot] = attempts === 0 || table.first(slot) === delivery ? 0 : attempts - 1;
  }

  /** A target answered a forward of the event with 2XX. */
  forwarded(eventId: string, target: string): void {
    const table = this.#find(eventId);
    if (table === undefined) return;
    table.forwarded[this.#slot] = (table.forwarded[this.#slot] ?? 0) | (this.#bits.get(target) ?? 0);
  }

  hasForwarded({forwarded}: Arrival, target: string): boolean {
    return (forwarded & (this.#bits.get(target) ?? 0)) !== 0;
  }

  /** Adds what an earlier run recorded. */
  load(entry: RecordEntry): void {
    if (entry.kind === 'forward') {
      const {delivery: id, target} = entry.forward;
      const eventId = hasArrived(entry.forward) ? this.#byDelivery.get(id) : undefined;
      if (eventId !== undefined) this.forwarded(eventId, target);
      return;
    }
    const {delivery} = entry;
    const {eventId, verdict, body, id, targets} = delivery;
    if (eventId === null || verdict === 'rejected') return;
    this.arrive(eventId, body, id);
    if (targets.length > 0) this.#byDelivery.set(id, eventId);
  }

  /** The table that has the event; sets `#key` and `#slot` to its key and slot there. */
  #find(eventId: string): EventTable | undefined {
    setKey(this.#key, eventId);
    for (const table of [this.#recent, this.#older]) {
      this.#slot = table?.find(this.#key) ?? -1;
      if (this.#slot !== -1) return table;
    }
    return undefined;
  }

  /** Creates a slot for the event of `#key`. */
  #added(): EventTable {
    if (this.#recent.size >= this.#half) {
      const next = this.#older ?? new EventTable(this.#half);
      next.clear();
      this.#older = this.#recent;
      this.#recent = next;
    }
    this.#slot = this.#recent.add(this.#key);
    return this.#recent;
  }
}
