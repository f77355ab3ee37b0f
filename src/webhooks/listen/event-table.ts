import {randomBytes} from 'node:crypto';

/** 64 bits of an event's id, for a table that does not store the ids themselves. */
export interface EventKey {
  low: number;
  high: number;
}

const SEED = randomBytes(8);
const [LOW_SEED, HIGH_SEED] = [SEED.readUInt32LE(0), SEED.readUInt32LE(4)];

/** Writes into `key`, which is reused. */
export function setKey(key: EventKey, eventId: string): void {
  let low = LOW_SEED;
  let high = HIGH_SEED;
  for (let at = 0; at < eventId.length; at += 1) {
    const code = eventId.charCodeAt(at);
    low = Math.imul(low ^ code, 0x85ebca6b);
    low ^= low >>> 13;
    high = Math.imul(high ^ code, 0xc2b2ae35);
    high ^= high >>> 16;
  }
  key.low = low | 1; // 0 is a free slot
  key.high = high | 0;
}

/**
 * Distinguishes two bodies of one event. A checksum is enough: only the sender, who signs, could create two bodies
 * with the same one, and a SHA-256 takes longer than finding the event.
 */
export interface BodyMark {
  /** CRC-32. */
  checksum: number;
  /** Bytes. */
  length: number;
}

const ID_PREFIX = 'dlv_';
const ID_BYTES = 12;

/**
 * Events by their key, in arrays of numbers. A Map of objects would make each garbage collection longer, and delay
 * the answers to deliveries during it. Takes 36 bytes per slot; the system only provides memory that is used.
 */
export class EventTable {
  readonly attempts: Uint32Array;
  /** A bit for each target that the event was forwarded to. */
  readonly forwarded: Uint32Array;
  readonly #mask: number;
  readonly #low: Int32Array;
  readonly #high: Int32Array;
  readonly #checksums: Uint32Array;
  readonly #lengths: Uint32Array;
  readonly #firsts: Buffer;
  #size = 0;

  /** @param most maximum number of events */
  constructor(most: number) {
    const slots = 2 ** Math.ceil(Math.log2(most * 1.25 + 1));
    this.#mask = slots - 1;
    this.#low = new Int32Array(slots);
    this.#high = new Int32Array(slots);
    this.attempts = new Uint32Array(slots);
    this.forwarded = new Uint32Array(slots);
    this.#checksums = new Uint32Array(slots);
    this.#lengths = new Uint32Array(slots);
    this.#firsts = Buffer.alloc(slots * ID_BYTES);
  }

  get size(): number {
    return this.#size;
  }

  clear(): void {
    this.#low.fill(0);
    this.#size = 0;
  }

  /** Its slot, or -1 if there is none. */
  find({low, high}: EventKey): number {
    for (let slot = high & this.#mask; ; slot = (slot + 1) & this.#mask) {
      if (this.#low[slot] === 0) return -1;
      if (this.#low[slot] === low && this.#high[slot] === high) return slot;
    }
  }

  /** The slot of a new event. */
  add({low, high}: EventKey): number {
    let slot = high & this.#mask;
    while (this.#low[slot] !== 0) slot = (slot + 1) & this.#mask;
    this.#low[slot] = low;
    this.#high[slot] = high;
    this.#size += 1;
    return slot;
  }

  setFirst(slot: number, delivery: string, body: BodyMark): void {
    this.attempts[slot] = 1;
    this.forwarded[slot] = 0;
    this.#checksums[slot] = body.checksum;
    this.#lengths[slot] = body.length;
    this.#firsts.write(delivery.slice(ID_PREFIX.length), slot * ID_BYTES, ID_BYTES, 'hex');
  }

  /** The first delivery of the event. */
  first(slot: number): string {
    return ID_PREFIX + this.#firsts.toString('hex', slot * ID_BYTES, (slot + 1) * ID_BYTES);
  }

  hasBody(slot: number, {checksum, length}: BodyMark): boolean {
    return this.#checksums[slot] === checksum && this.#lengths[slot] === length;
  }
}
