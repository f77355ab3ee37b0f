import type {Delivery} from '../delivery.ts';
import {decodeEntry, encodeEntry} from '../record/entry.ts';
import {decodeFrames} from '../record/frame.ts';

/** A delivery that is to be sent to one target. */
export interface Job {
  delivery: Delivery;
  /** Counted from 1. */
  attempt: number;
}

const PART_BYTES = 262_144;
const ATTEMPT_BYTES = 4;

interface Part {
  bytes: Buffer;
  used: number;
}

/**
 * Jobs in order of arrival, as bytes: while a target hangs thousands of deliveries wait, and as objects they would make each
 * garbage collection longer, and with it every answer.
 */
export class WaitingJobs {
  readonly #parts: Part[] = [];
  /** Where the next job lies in the first part. */
  #next = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push({delivery, attempt}: Job): void {
    encodeEntry({kind: 'delivery', delivery}, (bytes) => {
      const room = this.#room(ATTEMPT_BYTES + bytes);
      room.writeUInt32LE(attempt, 0);
      return room.subarray(ATTEMPT_BYTES);
    });
    this.#length += 1;
  }

  shift(): Job | undefined {
    const [part] = this.#parts;
    if (part === undefined) return undefined;
    const attempt = part.bytes.readUInt32LE(this.#next);
    const bytes = part.bytes.subarray(this.#next + ATTEMPT_BYTES, part.used);
    const {frames, read} = decodeFrames(bytes, 1);
    this.#next += ATTEMPT_BYTES + read;
    if (this.#next >= part.used) {
      this.#parts.shift();
      this.#next = 0;
    }
    this.#length -= 1;
    const entry = decodeEntry(frames[0]!); // it was written above
    if (entry?.kind !== 'delivery') throw new Error('a waiting job is damaged');
    return {delivery: entry.delivery, attempt};
  }

  #room(bytes: number): Buffer {
    let part = this.#parts.at(-1);
    if (part === undefined || part.used + bytes > part.bytes.length) {
      part = {bytes: Buffer.allocUnsafeSlow(Math.max(PART_BYTES, bytes)), used: 0};
      this.#parts.push(part);
    }
    part.used += bytes;
    return part.bytes.subarray(part.used - bytes, part.used);
  }
}
