import type {RemitError} from '../../errors.ts';
import {encodeEntry, type RecordEntry} from './entry.ts';

/** Called once the entry is on disk, or with the reason why it is not. */
export type OnWritten = (failure?: RemitError) => void;

const BUFFER_BYTES = 262_144;

/** Entries that are written and synced together. Their frames are in one buffer, which the next group reuses. */
export class EntryGroup {
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #used = 0;
  /** Frames that did not fit into the buffer: a growing buffer would be copied again and again. */
  readonly #others: Buffer[] = [];
  readonly #waiting: OnWritten[] = [];

  get count(): number {
    return this.#waiting.length;
  }

  /** All frames, in pieces, in the order in which they were added. */
  get pieces(): readonly Buffer[] {
    return [this.#buffer.subarray(0, this.#used), ...this.#others];
  }

  add(entry: RecordEntry, onWritten: OnWritten): void {
    encodeEntry(entry, (bytes) => this.#room(bytes));
    this.#waiting.push(onWritten);
  }

  /** Answers all waiting callers, and empties the group. */
  finish(failure?: RemitError): void {
    for (const onWritten of this.#waiting.splice(0)) onWritten(failure);
    this.#used = 0;
    this.#others.length = 0;
  }

  #room(bytes: number): Buffer {
    const end = this.#used + bytes;
    if (this.#others.length === 0 && end <= BUFFER_BYTES) {
      const room = this.#buffer.subarray(this.#used, end);
      this.#used = end;
      return room;
    }
    const other = Buffer.allocUnsafe(bytes);
    this.#others.push(other);
    return other;
  }
}
