import {closeSync, openSync, readSync} from 'node:fs';
import {nextTurn, type Clock} from '../../clock.ts';
import {codeOf} from '../../narrow.ts';
import {fileFailure} from '../../store/files/failures.ts';
import {decodeEntry, type RecordEntry} from './entry.ts';
import {decodeFrames} from './frame.ts';
import {listSegments, type Segment} from './segments.ts';

const PIECE_BYTES = 1_048_576;
const FOLLOW_EVERY_MS = 200;

/** How far a segment was read. */
interface Position {
  offset: number;
  damaged: number;
}

/** Reads the record, even while other processes write it. */
export class RecordReader {
  readonly #folder: string;
  readonly #positions = new Map<string, Position>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Number of damaged entries. Entries truncated by a crash are not counted. */
  get damaged(): number {
    return [...this.#positions.values()].reduce((sum, {damaged}) => sum + damaged, 0);
  }

  /** What was added since the last call, oldest segment first. */
  *more(wanted: (segment: Segment) => boolean = () => true): Generator<RecordEntry> {
    for (const segment of listSegments(this.#folder)) {
      const position = this.#positions.get(segment.file) ?? {offset: 0, damaged: 0};
      if (segment.bytes <= position.offset || !wanted(segment)) continue;
      this.#positions.set(segment.file, position);
      yield* readSegment(segment.file, position);
    }
  }

  /** Everything in the record, then what is added, until `signal` aborts. */
  async *follow(clock: Clock, signal: AbortSignal): AsyncGenerator<RecordEntry> {
    while (!signal.aborted) {
      yield* this.more();
      await clock.sleep(FOLLOW_EVERY_MS, signal).catch(() => undefined);
      await nextTurn(); // a signal is noticed even with a clock that does not wait
    }
  }
}

/** All entries of a record, oldest segment first. */
export const readAllEntries = (folder: string): Generator<RecordEntry> => new RecordReader(folder).more();

/** The entries of one segment. */
export const readEntries = (file: string): Generator<RecordEntry> =>
  readSegment(file, {offset: 0, damaged: 0});

function* readSegment(file: string, position: Position): Generator<RecordEntry> {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return; // pruned in between
    throw fileFailure(error, 'read', file);
  }
  try {
    let rest: Buffer = Buffer.alloc(0);
    for (;;) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      const read = readSync(descriptor, piece, 0, PIECE_BYTES, position.offset + rest.length);
      const bytes = Buffer.concat([rest, piece.subarray(0, read)]);
      const decoded = decodeFrames(bytes);
      position.offset += decoded.read;
      position.damaged += decoded.damaged + (decoded.stuck ? 1 : 0);
      for (const frame of decoded.frames) {
        const entry = decodeEntry(frame);
        if (entry !== undefined) yield entry;
      }
      if (decoded.stuck) position.offset = Number.MAX_SAFE_INTEGER; // nothing after it can be read
      if (read === 0 || decoded.stuck) return;
      rest = bytes.subarray(decoded.read);
    }
  } finally {
    closeSync(descriptor);
  }
}
