import {must} from '../../narrow.ts';
import type {ForwardResult} from '../delivery/delivery.ts';
import type {RecordEntry} from '../record/entry.ts';
import {addEntry, type RecordedDelivery} from '../record/state.ts';

/** A delivery with every attempt to forward it, oldest first. */
export interface LoggedDelivery extends RecordedDelivery {
  forwards: ForwardResult[];
}

export interface LogBounds {
  deliveries: number;
  bodyBytes: number;
}
const DEFAULT_BOUNDS: LogBounds = {deliveries: 5000, bodyBytes: 16 * 1_048_576};
/** Results whose delivery has not been read yet: another process may have recorded it. */
const MOST_EARLY = 1000;
/** Maximum number of attempts kept per delivery. */
const MOST_FORWARDS = 200;

export interface LogPage {
  shown: LoggedDelivery[];
  /** How many deliveries match the filter. */
  matching: number;
  /** Whether there are older ones than those on this page. */
  more: boolean;
}

/**
 * The newest deliveries in memory, for the inspector. Older ones are dropped, so that a long run stays within its
 * limits.
 */
export class DeliveryLog {
  readonly #bounds: LogBounds;
  readonly #byId = new Map<string, LoggedDelivery>();
  /** The deliveries by id, oldest first. */
  #sorted: LoggedDelivery[] = [];
  #bodyBytes = 0;
  readonly #early = new Map<string, ForwardResult[]>();
  /** Whether the record has deliveries that are too old for this log. */
  hasOlder = false;
  /** Called with the id of each delivery that was added or changed. */
  onChange: (id: string) => void = () => {};

  constructor(bounds: LogBounds = DEFAULT_BOUNDS) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#sorted.length;
  }

  add(entry: RecordEntry): void {
    if (entry.kind === 'delivery') this.#addDelivery(entry);
    else this.#addForward(entry.forward);
  }

  get(id: string): LoggedDelivery | undefined {
    return this.#byId.get(id);
  }

  /** Every delivery of the same event, oldest first. */
  ofEvent(eventId: string | null): LoggedDelivery[] {
    return eventId === null ? [] : this.#sorted.filter(({delivery}) => delivery.eventId === eventId);
  }

  /** One page of matching deliveries, newest first. @param before only older ones than this id */
  list(
    passes: (logged: LoggedDelivery) => boolean,
    {before, limit}: {before?: string | undefined; limit: number},
  ): LogPage {
    const matching = this.#sorted.filter(passes).reverse();
    const rest = before === undefined ? matching : matching.filter(({delivery}) => delivery.id < before);
    return {shown: rest.slice(0, limit), matching: matching.length, more: rest.length > limit};
  }

  #addDelivery(entry: Extract<RecordEntry, {kind: 'delivery'}>): void {
    const {id} = entry.delivery;
    if (this.#byId.has(id)) return;
    // A copy: the body that was read is a view of a larger piece, which it would keep in memory.
    const delivery = {...entry.delivery, body: Buffer.from(entry.delivery.body)};
    const found = new Map<string, RecordedDelivery>();
    addEntry(found, {kind: 'delivery', delivery});
    const logged = {...must(found.get(id), 'delivery that was just added'), forwards: []};
    this.#byId.set(id, logged);
    this.#bodyBytes += delivery.body.length;
    const before = this.#sorted.findLastIndex(({delivery: other}) => other.id <= id);
    this.#sorted.splice(before + 1, 0, logged);
    this.#drop();
    const early = this.#early.get(id);
    this.#early.delete(id);
    for (const forward of early ?? []) this.#addForward(forward);
    this.onChange(id);
  }

  #addForward(forward: ForwardResult): void {
    const logged = this.#byId.get(forward.delivery);
    if (logged === undefined) return this.#keepEarly(forward);
    addEntry(new Map([[forward.delivery, logged]]), {kind: 'forward', forward});
    logged.forwards.push(forward);
    if (logged.forwards.length > MOST_FORWARDS) logged.forwards.shift();
    this.onChange(forward.delivery);
  }

  #keepEarly(forward: ForwardResult): void {
    const [first] = this.#early.keys();
    if (this.#early.size >= MOST_EARLY && first !== undefined) this.#early.delete(first);
    this.#early.set(forward.delivery, [...(this.#early.get(forward.delivery) ?? []), forward]);
  }

  #drop(): void {
    const {deliveries, bodyBytes} = this.#bounds;
    while (this.#sorted.length > 1 && (this.#sorted.length > deliveries || this.#bodyBytes > bodyBytes)) {
      const {delivery} = must(this.#sorted.shift(), 'delivery among several');
      this.hasOlder = true;
      this.#byId.delete(delivery.id);
      this.#bodyBytes -= delivery.body.length;
    }
  }
}
