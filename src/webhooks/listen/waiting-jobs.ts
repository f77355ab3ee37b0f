import type {Delivery} from '../delivery/delivery.ts';

/** The parts of a delivery that are needed to forward it. */
export type ForwardedDelivery = Pick<Delivery, 'id' | 'eventId' | 'targets' | 'headers' | 'body'>;

/** A delivery to be sent to one target. */
export interface Job {
  delivery: ForwardedDelivery;
  /** Counted from 1. */
  attempt: number;
}

const PART_BYTES = 262_144;
/** Four bytes each: the attempt, the length of the JSON, the length of the body. */
const HEAD_BYTES = 12;

interface Part {
  bytes: Buffer;
  used: number;
}

/**
 * Jobs in order of arrival, as bytes: while a target hangs, thousands of deliveries wait, and as objects they would
 * make each garbage collection, and with it every answer, slower.
 */
export class WaitingJobs {
  readonly #parts: Part[] = [];
  /** Offset of the next job in the first part. */
  #next = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push({delivery: {id, eventId, targets, headers, body}, attempt}: Job): void {
    const json = JSON.stringify([id, eventId, targets, headers]);
    const jsonBytes = Buffer.byteLength(json);
    const room = this.#room(HEAD_BYTES + jsonBytes + body.length);
    room.writeUInt32LE(attempt, 0);
    room.writeUInt32LE(jsonBytes, 4);
    room.writeUInt32LE(body.length, 8);
    room.write(json, HEAD_BYTES, 'utf8');
    room.set(body, HEAD_BYTES + jsonBytes);
    this.#length += 1;
  }

  shift(): Job | undefined {
    const [part] = this.#parts;
    if (part === undefined) return undefined;
    const {bytes} = part;
    const start = this.#next;
    const bodyStart = start + HEAD_BYTES + bytes.readUInt32LE(start + 4);
    this.#next = bodyStart + bytes.readUInt32LE(start + 8);
    const [id, eventId, targets, headers] = JSON.parse(
      bytes.toString('utf8', start + HEAD_BYTES, bodyStart),
    ) as [string, string | null, string[], [string, string][]]; // written by `push`
    const delivery = {id, eventId, targets, headers, body: bytes.subarray(bodyStart, this.#next)};
    const attempt = bytes.readUInt32LE(start);
    if (this.#next >= part.used) {
      this.#parts.shift();
      this.#next = 0;
    }
    this.#length -= 1;
    return {delivery, attempt};
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
