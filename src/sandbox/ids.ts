import type {RandomBytes} from './random.ts';

const hex = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');

/**
 * UUIDv7 (RFC 9562, section 5.7), strictly rising within one maker: time in milliseconds, then a 12-bit counter, then
 * randomness. Lists are ordered by id, so ids must rise even when the clock stands still or steps back.
 */
export class IdMaker {
  readonly #random: RandomBytes;
  #ms = 0;
  #counter = 0;

  constructor(random: RandomBytes) {
    this.#random = random;
  }

  /** Never again makes an id at or below this one: the highest id already stored. */
  startAfter(id: string): void {
    const ms = timeOfId(id);
    if (ms < this.#ms) return;
    this.#ms = ms;
    this.#counter = 0xfff; // the next id takes the next millisecond
  }

  next(nowMs: number): string {
    if (nowMs > this.#ms) {
      this.#ms = nowMs;
      this.#counter = 0;
    } else if (++this.#counter > 0xfff) {
      this.#ms += 1;
      this.#counter = 0;
    }
    return formatV7(this.#ms, this.#counter, this.#random(8));
  }
}

/** The UUIDv7 of a time, a counter below 4096 and 8 random bytes. */
export function formatV7(ms: number, counter: number, tail: Uint8Array): string {
  const time = ms.toString(16).padStart(12, '0');
  const text = hex(tail);
  const variant = ((tail[0]! & 0x3f) | 0x80).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${variant}${text.slice(2, 4)}-${text.slice(4)}`;
}

/** At or below every UUIDv7 of this time; below all of them before 1970. */
export function lowestIdAt(ms: number): string {
  const time = Math.max(0, Math.min(ms, 2 ** 48 - 1))
    .toString(16)
    .padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/** Milliseconds since the epoch, as written in a UUIDv7. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
