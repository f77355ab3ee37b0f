import type {RemitError} from '../../errors.ts';
import {encodeEntry, type Entry} from './entry.ts';

/** Called once the entry is on disk, or with the reason why it is not. */
export type OnWritten = (failure?: RemitError) => void;

const BUFFER_BYTES = 65_536;
/** A larger buffer is given back after use. */
const KEPT_BYTES = 1_048_576;

/** Entries that are written and synced together. Their frames lie in one buffer, which the next group uses again. */
export class EntryGroup {
  #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #size = 0;
  readonly #waiting: OnWritten[] = [];

  get count(): number {
    return this.#waiting.length;
  }

  /** All frames. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size);
  }

  add(entry: Entry, onWritten: OnWritten): void {
    this.#size += encodeEntry(entry, (bytes) => this.#room(bytes)).length;
    this.#waiting.push(onWritten);
  }

  /** Tells all that wait, and empties the group. */
  settle(failure?: RemitError): void {
    for (const onWritten of this.#waiting.splice(0)) onWritten(failure);
    this.#size = 0;
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  }

  #room(bytes: number): Buffer {
    const end = this.#size + bytes;
    if (end > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, Math.min(2 * this.#buffer.length, end + KEPT_BYTES)));
      larger.set(this.bytes);
      this.#buffer = larger;
    }
    return this.#buffer.subarray(this.#size, end);
  }
}
