import {closeSync, constants, openSync, readSync, rmSync, writeSync} from 'node:fs';
import {ownJson} from '../../narrow.ts';
import {isStrike, unescaped, type XmlHandler} from './xml.ts';

/** Texts per block: a block is read as a whole. */
const BLOCK = 64;
/** Characters of texts that are kept in memory. */
const CACHED = 4_000_000;

interface Block {
  at: number;
  bytes: number;
}

/**
 * The shared texts of a workbook, by number. A sheet of a million rows may have millions, so they are kept in a file,
 * and only the blocks used last in memory. The file has no name once it is open, so it disappears with the process.
 */
export class SharedStrings implements XmlHandler {
  readonly #path: string;
  readonly #fd: number;
  readonly #blocks: Block[] = [];
  readonly #cache = new Map<number, string[]>();
  #cached = 0;
  #end = 0;
  #open: string[] = [];
  #count = 0;
  #text: string | undefined;
  #isText = false;
  #isPhonetic = false;
  readonly #struck = new Set<number>();

  /** @param path a file that does not exist yet, in a private folder */
  constructor(path: string) {
    this.#path = path;
    this.#fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
    removeName(path);
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'strike' && isStrike(attributes)) this.#struck.add(this.#count);
    if (name === 'si') this.#text = '';
    else if (name === 't') this.#isText = true;
    else if (name === 'rPh') this.#isPhonetic = true; // how to pronounce the text
  }

  text(text: string): void {
    if (this.#isText && !this.#isPhonetic && this.#text !== undefined) this.#text += text;
  }

  close(name: string): void {
    if (name === 't') this.#isText = false;
    else if (name === 'rPh') this.#isPhonetic = false;
    else if (name === 'si') {
      this.#open.push(unescaped(this.#text ?? ''));
      this.#count++;
      this.#text = undefined;
      if (this.#open.length === BLOCK) this.#write();
    }
  }

  /** Whether a part of the text is struck through. */
  isStruck(number: number): boolean {
    return this.#struck.has(number);
  }

  /** Undefined if there is no text of this number. */
  get(number: number): string | undefined {
    if (!(number >= 0 && number < this.#count)) return undefined;
    const block = Math.floor(number / BLOCK);
    const texts = block < this.#blocks.length ? this.#block(block) : this.#open;
    return texts[number % BLOCK];
  }

  end(): void {
    closeSync(this.#fd);
    removeName(this.#path);
  }

  #write(): void {
    const bytes = Buffer.from(JSON.stringify(this.#open));
    for (let written = 0; written < bytes.length;)
      written += writeSync(this.#fd, bytes, written, bytes.length - written, this.#end + written);
    this.#blocks.push({at: this.#end, bytes: bytes.length});
    this.#end += bytes.length;
    this.#open = [];
  }

  #block(number: number): string[] {
    const known = this.#cache.get(number);
    if (known !== undefined) {
      this.#cache.delete(number);
      this.#cache.set(number, known); // last used, dropped last
      return known;
    }
    const texts = this.#read(number);
    this.#cache.set(number, texts);
    this.#cached += lengthOf(texts);
    for (const [oldest, dropped] of this.#cache) {
      if (this.#cached <= CACHED || oldest === number) break;
      this.#cache.delete(oldest);
      this.#cached -= lengthOf(dropped);
    }
    return texts;
  }

  #read(number: number): string[] {
    const {at, bytes} = this.#blocks[number] ?? {at: 0, bytes: 0};
    const buffer = Buffer.allocUnsafe(bytes);
    for (let read = 0; read < bytes;) {
      const more = readSync(this.#fd, buffer, read, bytes - read, at + read);
      if (more === 0) throw new Error('internal error: the shared texts of a workbook ended early');
      read += more;
    }
    return ownJson<string[]>(buffer.toString('utf8'));
  }
}

const lengthOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + text.length + 16, 0);

/** Where an open file cannot be removed, it is removed once it is closed. */
function removeName(path: string): void {
  try {
    rmSync(path, {force: true});
  } catch {
    // its folder is removed with the plan
  }
}
