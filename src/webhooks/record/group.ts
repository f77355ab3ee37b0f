import type {RemitError} from '../../errors.ts';
import {encodeEntry, type RecordEntry} from './entry.ts';

/** Called once the entry is on disk, or with the reason why it is not. */
export type OnWritten = (failure?: RemitError) => void;

const BUFFER_BYTES = 262_144;

/** Frames of a group that belong to the same segment. */
export interface GroupPart {
  pieces: readonly Buffer[];
  /** The number of frames. */
  count: number;
}

/** Entries that are written and synced together. Their frames are in one buffer, which the next group reuses. */
export class EntryGroup {
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #used = 0;
  /** Where each frame in the buffer ends. */
  readonly #ends: number[] = [];
  /** Frames that did not fit into the buffer: a growing buffer would be copied again and again. */
  readonly #others: Buffer[] = [];
  readonly #waiting: OnWritten[] = [];

  get count(): number {
    return this.#waiting.length;
  }

  /** All frames in the order in which they were added, in parts of at most so many bytes, or of one frame. */
  *parts(mostBytes: number): Generator<GroupPart> {
    const {count} = this;
    const bytes = this.#others.reduce((sum, {length}) => sum + length, this.#used);
    if (bytes <= mostBytes) {
      yield {pieces: [this.#buffer.subarray(0, this.#used), ...this.#others], count};
      return;
    }
    const frames = [
      ...this.#ends.map((end, nth) => this.#buffer.subarray(this.#ends[nth - 1] ?? 0, end)),
      ...this.#others,
    ];
    let pieces: Buffer[] = [];
    let size = 0;
    for (const frame of frames) {
      if (pieces.length > 0 && size + frame.length > mostBytes) {
        yield {pieces, count: pieces.length};
        pieces = [];
        size = 0;
      }
      pieces.push(frame);
      size += frame.length;
    }
    if (pieces.length > 0) yield {pieces, count: pieces.length};
  }

  add(entry: RecordEntry, onWritten: OnWritten): void {
    encodeEntry(entry, (bytes) => this.#room(bytes));
    this.#waiting.push(onWritten);
  }

  /** Answers the first waiting callers, so many of them: their entries are on disk. */
  written(count: number): void {
    for (const onWritten of this.#waiting.splice(0, count)) onWritten();
  }

  /** Answers all callers that still wait, and empties the group. */
  finish(failure?: RemitError): void {
    for (const onWritten of this.#waiting.splice(0)) onWritten(failure);
    this.#used = 0;
    this.#ends.length = 0;
    this.#others.length = 0;
  }

  #room(bytes: number): Buffer {
    const end = this.#used + bytes;
    if (this.#others.length === 0 && end <= BUFFER_BYTES) {
      const room = this.#buffer.subarray(this.#used, end);
      this.#used = end;
      this.#ends.push(end);
      return room;
    }
    const other = Buffer.allocUnsafe(bytes);
    this.#others.push(other);
    return other;
  }
}
