import type {Readable} from 'node:stream';
import {crc32} from 'node:zlib';
import type {Entry, ZipFile} from 'yauzl';
import {messageOf} from '../../narrow.ts';
import {RemitError} from '../../errors.ts';
import {brokenWorkbook, refusedWorkbook} from './refusal.ts';

/** Largest part that is read as a whole or whose content is kept: styles, relationships, the list of sheets. */
const SMALL_PART_BYTES = 32 * 1024 * 1024;
/** Largest part that is streamed: a sheet or the shared strings. A full sheet of Excel has about 1 GB. */
const LARGE_PART_BYTES = 4 * 1024 * 1024 * 1024;
/** XML of a sheet shrinks to a tenth or less; a bomb shrinks to a thousandth. */
const MOST_RATIO = 200;
const HARMLESS_BYTES = 64 * 1024 * 1024;
/** A workbook has about ten parts more than it has sheets. */
const MOST_PARTS = 10_000;

/**
 * The parts of a workbook, which is a ZIP archive. Its directory is read once; two parts with one name, encryption and
 * sizes that only a ZIP bomb has are refused, and the checksum of each part that is read is checked.
 */
export class Archive {
  readonly #path: string;
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(path: string, zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#path = path;
    this.#zip = zip;
    this.#entries = entries;
  }

  /** @throws RemitError CSV_INVALID if it is not a ZIP archive, or not one that can be trusted */
  static async open(path: string, fd: number): Promise<Archive> {
    const {default: yauzl} = await import('yauzl');
    let zip: ZipFile | undefined;
    try {
      const opened = await yauzl.fromFdPromise(fd, {
        lazyEntries: true,
        autoClose: false,
        strictFileNames: true,
      });
      zip = opened;
      const entries = new Map<string, Entry>();
      for await (const entry of opened.eachEntry()) {
        const name = partName(entry.fileName);
        if (entries.has(name)) throw brokenWorkbook(path, `it contains ${name} twice`);
        if (entries.size >= MOST_PARTS) throw brokenWorkbook(path, `it has more than ${MOST_PARTS} parts`);
        entries.set(name, entry);
      }
      return new Archive(path, opened, entries);
    } catch (cause) {
      zip?.close();
      if (cause instanceof RemitError) throw cause;
      throw brokenWorkbook(path, `the archive is damaged or incomplete (${messageOf(cause)})`, cause);
    }
  }

  has(name: string): boolean {
    return this.#entries.has(partName(name));
  }

  names(): IterableIterator<string> {
    return this.#entries.keys();
  }

  /** The bytes of a part, decompressed; undefined if there is no such part. */
  async *bytes(name: string, size: 'small' | 'large'): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(partName(name));
    if (entry === undefined) throw brokenWorkbook(this.#path, `${name} is missing`);
    this.#refuseBomb(entry, size);
    let sum = 0;
    let read = 0;
    try {
      const stream: Readable = await this.#zip.openReadStreamPromise(entry);
      for await (const piece of stream) {
        const bytes = Buffer.isBuffer(piece) ? piece : Buffer.alloc(0); // never text: no encoding was set
        sum = crc32(bytes, sum);
        read += bytes.length;
        yield bytes;
      }
    } catch (cause) {
      if (cause instanceof RemitError) throw cause;
      throw brokenWorkbook(this.#path, `${name} is damaged (${messageOf(cause)})`, cause);
    }
    if (sum !== entry.crc32 || read !== entry.uncompressedSize)
      throw brokenWorkbook(this.#path, `${name} is damaged: its checksum does not match`);
  }

  close(): void {
    this.#zip.close();
  }

  #refuseBomb(entry: Entry, size: 'small' | 'large'): void {
    const {fileName, compressedSize, uncompressedSize} = entry;
    if (entry.isEncrypted())
      throw refusedWorkbook(
        this.#path,
        'is an encrypted archive',
        'save it without a password, then plan again',
      );
    const most = size === 'small' ? SMALL_PART_BYTES : LARGE_PART_BYTES;
    const isBomb =
      uncompressedSize > HARMLESS_BYTES && uncompressedSize > MOST_RATIO * Math.max(compressedSize, 1);
    if (uncompressedSize > most || isBomb)
      throw refusedWorkbook(
        this.#path,
        `expands to ${Math.round(uncompressedSize / 1_000_000)} MB in ${fileName}, which no workbook of payments does`,
        'delete formatted but empty rows and other sheets, or save the sheet as CSV UTF-8; if the file is from someone else, do not open it',
      );
  }
}

/** Names of parts do not depend on case. */
const partName = (name: string): string => name.replace(/^\//, '').toLowerCase();
