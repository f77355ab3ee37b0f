import {hash} from 'node:crypto';
import {hasArrived} from '../delivery.ts';
import {RecentMap} from '../recent-map.ts';
import type {Entry} from '../record/entry.ts';

interface Known {
  first: string;
  digest: string;
  attempts: number;
  forwarded: Set<string> | undefined;
}

/** How an event that arrives relates to earlier ones. */
export interface Arrival {
  attempt: number;
  /** The first delivery, where this one has the same bytes. */
  duplicateOf: string | null;
  /** Targets that answered a forward of it with 2XX. */
  forwarded: ReadonlySet<string> | undefined;
}

const MOST = 200_000;

/** Events by their id, so that each is shown once. The oldest are forgotten. */
export class KnownEvents {
  readonly #events = new RecentMap<string, Known>(MOST);
  /** Event by delivery, for forward results in the record. */
  readonly #byDelivery = new RecentMap<string, string>(MOST);

  /** An event was delivered; call `forget` if it could not be kept. */
  arrive(eventId: string, body: Uint8Array, delivery: string): Arrival {
    const digest = hash('sha256', body, 'base64');
    const known = this.#events.get(eventId);
    if (known === undefined) {
      this.#events.set(eventId, {first: delivery, digest, attempts: 1, forwarded: undefined});
      return {attempt: 1, duplicateOf: null, forwarded: undefined};
    }
    known.attempts += 1;
    const same = known.digest === digest;
    return {
      attempt: known.attempts,
      duplicateOf: same ? known.first : null,
      forwarded: same ? known.forwarded : undefined,
    };
  }

  /** A delivery that was answered with 503 has not arrived. */
  forget(eventId: string, delivery: string): void {
    const known = this.#events.get(eventId);
    if (known === undefined) return;
    known.attempts -= 1;
    if (known.first === delivery || known.attempts === 0) this.#events.delete(eventId);
  }

  /** A target answered a forward of the event with 2XX. */
  forwarded(eventId: string, target: string): void {
    const known = this.#events.get(eventId);
    if (known !== undefined) (known.forwarded ??= new Set()).add(target);
  }

  /** Takes over what an earlier run recorded. */
  load(entry: Entry): void {
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
}
