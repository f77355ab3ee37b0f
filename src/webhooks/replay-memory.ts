/** `unknown`: the memory has forgotten deliveries of that age, so it cannot exclude a replay. */
export type Seen = 'new' | 'seen' | 'unknown';

/** What `verifyWebhook` needs of a memory. */
export interface Replays {
  /**
   * Keeps a verified signature.
   * @param timestampMs when the delivery was signed, according to its header
   * @param untilMs from then on the timestamp alone is reason to refuse it
   */
  see(signature: string, timestampMs: number, nowMs: number, untilMs: number): Seen;
}

/** Some 100 bytes an entry. */
const DEFAULT_ENTRIES = 100_000;

/**
 * Signatures that were accepted and are still fresh, so that a captured request cannot be sent a second time. Bounded: when
 * it is full the oldest entry is dropped, and from then on unseen deliveries that are not newer than it are refused, because
 * they could be replays.
 */
export class ReplayMemory implements Replays {
  readonly #entries = new Map<string, {timestampMs: number; untilMs: number}>();
  readonly #most: number;
  #forgottenMs = Number.NEGATIVE_INFINITY;

  constructor({maxEntries = DEFAULT_ENTRIES}: {maxEntries?: number} = {}) {
    this.#most = maxEntries;
  }

  get size(): number {
    return this.#entries.size;
  }

  see(signature: string, timestampMs: number, nowMs: number, untilMs: number): Seen {
    const known = this.#entries.get(signature);
    if (known !== undefined && known.untilMs >= nowMs) return 'seen';
    if (timestampMs <= this.#forgottenMs) return 'unknown';
    this.#expire(nowMs);
    if (this.#entries.size >= this.#most) this.#dropOldest();
    this.#entries.set(signature, {timestampMs, untilMs});
    return 'new';
  }

  /** Entries lie in order of arrival, which is nearly the order in which they expire. */
  #expire(nowMs: number): void {
    for (const [signature, {untilMs}] of this.#entries) {
      if (untilMs >= nowMs) return;
      this.#entries.delete(signature);
    }
  }

  #dropOldest(): void {
    const [oldest] = this.#entries;
    if (oldest === undefined) return;
    this.#entries.delete(oldest[0]);
    this.#forgottenMs = Math.max(this.#forgottenMs, oldest[1].timestampMs);
  }
}
