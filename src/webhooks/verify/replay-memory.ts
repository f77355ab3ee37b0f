import {checkOptions, mustBeNumber} from '../../arguments.ts';

/** `unknown`: deliveries of that age are no longer in the memory, so a replay cannot be excluded. */
export type Seen = 'new' | 'seen' | 'unknown';

/** What `verifyWebhook` needs from a memory. */
export interface Replays {
  /**
   * Stores a verified signature.
   * @param timestampMs when the delivery was signed, according to its header
   * @param untilMs from then on, the timestamp alone is a reason to refuse it
   */
  see(signature: string, timestampMs: number, nowMs: number, untilMs: number): Seen;
}

/** About 100 bytes per entry. */
const DEFAULT_ENTRIES = 100_000;
const mustBeCount = mustBeNumber('a number of at least 1', (entries) => entries >= 1);

/**
 * Signatures that were accepted and are still fresh, so that a captured request cannot be sent a second time. Limited
 * in size: when it is full the oldest entry is dropped, and from then on unseen deliveries that are not newer than it
 * are refused, because they could be replays.
 */
export class ReplayMemory implements Replays {
  readonly #entries = new Map<string, {timestampMs: number; untilMs: number}>();
  readonly #most: number;
  #forgottenMs = Number.NEGATIVE_INFINITY;

  /** @throws {RemitError} USAGE unless maxEntries is a number of at least 1 */
  constructor(options: {maxEntries?: number} = {}) {
    checkOptions(options, {maxEntries: mustBeCount}, 'the options of ReplayMemory');
    this.#most = options.maxEntries ?? DEFAULT_ENTRIES;
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

  /** Entries are in order of arrival, which is nearly the order in which they expire. */
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
