import {createHash} from 'node:crypto';
import {hasArrived} from '../delivery.ts';
import type {Entry} from '../record/entry.ts';

interface Known {
  first: string;
  digest: string;
  attempts: number;
  forwarded: Set<string>;
}

/** How an event that arrives relates to earlier ones. */
export interface Arrival {
  attempt: number;
  /** The first delivery, where this one has the same bytes. */
  duplicateOf: string | null;
  /** Targets that answered a forward of it with 2XX. */
  forwarded: ReadonlySet<string>;
}

const MOST = 200_000;

/** Events by their id, so that each is shown once. The oldest are forgotten. */
export class KnownEvents {
  readonly #events = new Map<string, Known>();
  /** Event by delivery, for results that come later. */
  readonly #byDelivery = new Map<string, string>();

  /** An event was delivered; call `forget` if it could not be kept. */
  arrive(eventId: string, body: Uint8Array, delivery: string): Arrival {
    const digest = createHash('sha256').update(body).digest('base64');
    const known = this.#events.get(eventId);
    this.#byDelivery.set(delivery, eventId);
    if (known === undefined) {
      this.#events.set(eventId, {first: delivery, digest, attempts: 1, forwarded: new Set()});
      this.#shrink();
      return {attempt: 1, duplicateOf: null, forwarded: new Set()};
    }
    known.attempts += 1;
    const same = known.digest === digest;
    return {
      attempt: known.attempts,
      duplicateOf: same ? known.first : null,
      forwarded: same ? known.forwarded : new Set(),
    };
  }

  /** A delivery that was answered with 503 has not arrived. */
  forget(eventId: string, delivery: string): void {
    const known = this.#events.get(eventId);
    this.#byDelivery.delete(delivery);
    if (known === undefined) return;
    known.attempts -= 1;
    if (known.first === delivery || known.attempts === 0) this.#events.delete(eventId);
  }

  forwarded(delivery: string, target: string): void {
    const eventId = this.#byDelivery.get(delivery);
    if (eventId !== undefined) this.#events.get(eventId)?.forwarded.add(target);
  }

  /** Takes over what an earlier run recorded. */
  load(entry: Entry): void {
    if (entry.kind === 'forward') {
      if (hasArrived(entry.forward)) this.forwarded(entry.forward.delivery, entry.forward.target);
      return;
    }
    const {eventId, verdict, body, id} = entry.delivery;
    if (eventId !== null && verdict !== 'rejected') this.arrive(eventId, body, id);
  }

  #shrink(): void {
    if (this.#events.size <= MOST) return;
    const [oldest] = this.#events;
    if (oldest !== undefined) this.#events.delete(oldest[0]);
    const [delivery] = this.#byDelivery.keys();
    if (delivery !== undefined) this.#byDelivery.delete(delivery);
  }
}
