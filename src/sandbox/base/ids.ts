import type {RandomBytes} from './random.ts';

/** Two digits for each byte: joining them costs a quarter of converting all bytes at once. */
const HEX = Array.from({length: 256}, (_, byte) => byte.toString(16).padStart(2, '0'));
const hex = (bytes: Uint8Array, index: number) => HEX[bytes[index] ?? 0];

/**
 * UUIDv7 (RFC 9562, section 5.7), strictly increasing within one generator: time in milliseconds, then a 12-bit
 * counter, then random bits. Lists are ordered by id, so ids must increase even if the clock stops or goes back.
 */
export class IdMaker {
  readonly #random: RandomBytes;
  #ms = 0;
  #counter = 0;

  constructor(random: RandomBytes) {
    this.#random = random;
  }

  /** Never generates an id at or below this one: the highest stored id. */
  startAfter(id: string): void {
    const ms = timeOfId(id);
    if (ms < this.#ms) return;
    this.#ms = ms;
    this.#counter = 0xfff; // the next id uses the next millisecond
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
  const variant = HEX[((tail[0] ?? 0) & 0x3f) | 0x80];
  const count = (counter + 0x1000).toString(16).slice(1);
  return `${timePart(ms)}7${count}-${variant}${hex(tail, 1)}-${hex(tail, 2)}${hex(tail, 3)}${hex(tail, 4)}${hex(tail, 5)}${hex(tail, 6)}${hex(tail, 7)}`;
}

let last = {ms: -1, text: ''};

/** The part up to the version; cached, because the next id is often in the same millisecond. */
function timePart(ms: number): string {
  if (ms !== last.ms) {
    const time = ms.toString(16).padStart(12, '0');
    last = {ms, text: `${time.slice(0, 8)}-${time.slice(8)}-`};
  }
  return last.text;
}

/** An id that is at or below every UUIDv7 of this time, and below all of them before 1970. */
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
