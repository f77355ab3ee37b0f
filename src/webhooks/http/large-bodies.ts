import type {Clock} from '../../clock.ts';

/** A slot in which a body is collected that does not fit into a few packets. */
export interface BodySlot {
  readonly buffer: Buffer;
  /** The body is complete and can no longer be cut off. */
  complete(): void;
  /** Releases the slot. Safe to call twice. */
  release(): void;
}

interface Holder {
  place: BodySlot;
  sinceMs: number;
  cut: () => void;
  isComplete: boolean;
}

/** A body that takes longer than this may lose its slot to a new one. */
const PATIENCE_MS = 1000;

/**
 * A fixed number of slots for large bodies, allocated once and reused. Separate buffers would be freed only by a
 * garbage collection, and in a flood that comes hundreds of megabytes too late.
 */
export class LargeBodies {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #maxBytes: number;
  #unused: number;
  readonly #free: Buffer[] = [];
  /** The bodies in order of age. */
  readonly #holders = new Set<Holder>();

  constructor(clock: Pick<Clock, 'monotonic'>, {places, maxBytes}: {places: number; maxBytes: number}) {
    this.#clock = clock;
    this.#maxBytes = maxBytes;
    this.#unused = places;
  }

  /**
   * Undefined if all slots are taken by bodies that make progress.
   * @param cut called when the slot is given to another body
   */
  take(cut: () => void): BodySlot | undefined {
    const buffer = this.#buffer() ?? this.#cutOldest();
    if (buffer === undefined) return undefined;
    const place: BodySlot = {
      buffer,
      complete: () => void (holder.isComplete = true),
      release: () => {
        if (this.#holders.delete(holder)) this.#free.push(buffer);
      },
    };
    const holder: Holder = {place, sinceMs: this.#clock.monotonic(), cut, isComplete: false};
    this.#holders.add(holder);
    return place;
  }

  #buffer(): Buffer | undefined {
    const free = this.#free.pop();
    if (free !== undefined || this.#unused === 0) return free;
    this.#unused -= 1;
    return Buffer.allocUnsafeSlow(this.#maxBytes);
  }

  #cutOldest(): Buffer | undefined {
    const beforeMs = this.#clock.monotonic() - PATIENCE_MS;
    for (const holder of this.#holders) {
      if (holder.sinceMs > beforeMs) return undefined;
      if (holder.isComplete) continue;
      holder.place.release();
      holder.cut();
      return this.#free.pop();
    }
    return undefined;
  }
}
