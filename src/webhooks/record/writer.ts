import {randomBytes} from 'node:crypto';
import {fstatSync, mkdirSync, writeSync} from 'node:fs';
import {open, type FileHandle} from 'node:fs/promises';
import {join} from 'node:path';
import {nextTurn, type Clock} from '../../clock.ts';
import type {RemitError} from '../../errors.ts';
import {fileFailure} from '../../store/files/failures.ts';
import {syncFolder} from '../../store/files/folder.ts';
import type {RecordEntry} from './entry.ts';
import {EntryGroup, type OnWritten} from './group.ts';
import {segmentName} from './segments.ts';

const SEGMENT_BYTES = 8 * 1_048_576;
const LEAST_SEGMENT_BYTES = 65_536;

/** Size of a segment in a record of this size: small enough that what is pruned is a small part of it. */
export const segmentBytesIn = (maxBytes: number): number =>
  Math.min(SEGMENT_BYTES, Math.max(LEAST_SEGMENT_BYTES, Math.floor(maxBytes / 8)));

/** The parts of a file that are used here; replaced in tests of a full disk. */
export interface SegmentFile extends Pick<FileHandle, 'fd' | 'datasync' | 'truncate' | 'close'> {
  /**
   * Returns how many bytes were written. Writes into the system's cache without waiting: a turn through Node's thread
   * pool costs more.
   */
  write(bytes: Buffer, offset: number, length: number, position: number): number;
}

export interface WriterOptions {
  folder: string;
  clock: Clock;
  /** Called after a new segment was started, with the bytes that it may get: the time to prune. */
  onSegment?: ((bytes: number) => void) | undefined;
  openFile?: ((path: string) => Promise<SegmentFile>) | undefined;
  segmentBytes?: number | undefined;
}

/**
 * Appends entries to segments that only this process writes. All entries that arrive while the disk is busy are
 * written and synced together, so that one wait makes many entries durable. Entries that could not be written are
 * removed from the file again.
 */
export class RecordWriter {
  readonly #options: WriterOptions;
  #file: SegmentFile | undefined;
  /** Bytes that are written and synced. */
  #size = 0;
  /** The time in the name of the newest segment. */
  #startedMs = 0;
  #next = new EntryGroup();
  #spare = new EntryGroup();
  #running: Promise<void> | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** Resolves when the entry is on disk. Rejects with RemitError STATE, and then it is not in the record. */
  append(entry: RecordEntry): Promise<void> {
    return new Promise((resolve, reject) =>
      this.write(entry, (failure) => (failure === undefined ? resolve() : reject(failure))),
    );
  }

  /** Writes without a promise, which would be noticeable at thousands per second. */
  write(entry: RecordEntry, onWritten: OnWritten): void {
    this.#next.add(entry, onWritten);
    this.#running ??= this.#run();
  }

  /** Waits for what was appended, and closes. */
  async close(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    await this.#closeFile();
  }

  async #run(): Promise<void> {
    await nextTurn(); // entries that arrived in the same turn belong to the same group
    while (this.#next.count > 0) {
      const group = this.#next;
      [this.#next, this.#spare] = [this.#spare, group];
      group.finish(await this.#writeGroup(group));
      // The senders that were just answered send again: what has already arrived belongs to the next group, the rest
      // arrives while the disk works. Waiting for more would leave the processor idle.
      await nextTurn();
    }
    this.#running = undefined; // in the same turn in which nothing was waiting any more
  }

  /**
   * A group may be larger than a segment. Each part is answered before the next segment starts: pruning must know by then
   * which of its deliveries wait.
   * @returns why the rest of the group is not on disk
   */
  async #writeGroup(group: EntryGroup): Promise<RemitError | undefined> {
    const {folder, segmentBytes = SEGMENT_BYTES} = this.#options;
    for (const {pieces, count} of group.parts(segmentBytes)) {
      const failure = await failureOf(this.#write(pieces), folder);
      if (failure !== undefined) return failure;
      group.written(count);
    }
    return undefined;
  }

  async #write(pieces: readonly Buffer[]): Promise<void> {
    const bytes = pieces.reduce((sum, {length}) => sum + length, 0);
    const {segmentBytes = SEGMENT_BYTES} = this.#options;
    if (this.#size > 0 && this.#size + bytes > segmentBytes) await this.#closeFile();
    this.#file ??= await this.#begin(Math.max(segmentBytes, bytes));
    const file = this.#file;
    let end = this.#size;
    try {
      for (const piece of pieces) end = writeAll(file, piece, end);
      await file.datasync();
    } catch (error) {
      await this.#takeBack(file);
      throw error;
    }
    if (fstatSync(file.fd).nlink === 0) {
      // Another process has pruned the segment: write the group to a new one.
      await this.#closeFile();
      return this.#write(pieces);
    }
    this.#size = end;
  }

  async #begin(bytes: number): Promise<SegmentFile> {
    const {folder, clock, openFile = openSegment} = this.#options;
    mkdirSync(folder, {recursive: true, mode: 0o700});
    this.#startedMs = Math.max(clock.now(), this.#startedMs + 1); // the order of names is the order of time
    const name = segmentName(this.#startedMs, randomBytes(4).toString('hex'));
    const file = await openFile(join(folder, name));
    syncFolder(folder);
    this.#size = 0;
    this.#options.onSegment?.(bytes);
    return file;
  }

  /** A file whose write or sync failed is not written again: after a failed sync its state is unknown. */
  async #takeBack(file: SegmentFile): Promise<void> {
    try {
      await file.truncate(this.#size);
      await file.datasync();
    } catch {
      // The frames that were cut are torn, and known by their length or checksum.
    }
    await this.#closeFile();
  }

  async #closeFile(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    this.#size = 0;
    await file?.close().catch(() => undefined);
  }
}

async function openSegment(path: string): Promise<SegmentFile> {
  const file = await open(path, 'wx', 0o600);
  return {
    fd: file.fd,
    write: (bytes, offset, length, position) => writeSync(file.fd, bytes, offset, length, position),
    datasync: () => file.datasync(),
    truncate: (length) => file.truncate(length),
    close: () => file.close(),
  };
}

/** Returns the end offset in the file. */
function writeAll(file: SegmentFile, bytes: Buffer, position: number): number {
  for (let done = 0; done < bytes.length;)
    done += file.write(bytes, done, bytes.length - done, position + done);
  return position + bytes.length;
}

const failureOf = (written: Promise<void>, folder: string): Promise<RemitError | undefined> =>
  written.then(
    () => undefined,
    (error: unknown) => fileFailure(error, 'write', folder),
  );
