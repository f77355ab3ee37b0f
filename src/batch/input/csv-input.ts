import {createHash, type Hash} from 'node:crypto';
import {closeSync, createReadStream, fstatSync, openSync, type ReadStream, readSync} from 'node:fs';
import {basename} from 'node:path';
import {type Hint, RemitError} from '../../errors.ts';
import {codeOf, messageOf} from '../../narrow.ts';
import {foreignFormat, HEAD_BYTES} from './csv-formats.ts';

/** Where a batch comes from: a path, or `-` for stdin. */
export interface InputFile {
  /** The path as the user typed it. */
  path: string;
  name: string;
  /** A pipe or stdin. It can be truncated without an error, so its last line must end with a newline. */
  isPipe: boolean;
  /** Size of the file before it is read; undefined for a pipe. */
  bytes: number | undefined;
  /** The bytes from the beginning; may be asked for once. */
  open: () => ReadStream | NodeJS.ReadableStream;
  /** Set for a file that can be read at any place; its first bytes identify a workbook. */
  file: {fd: number; head: Buffer} | undefined;
  /** Arguments of the command that prints a template, if there is one: `payouts batch template`. */
  template: readonly string[] | undefined;
}

/**
 * Opens the input for one pass.
 * @throws RemitError CSV_INVALID if it is missing, a directory, or not readable; nothing was sent.
 */
export function openInput(
  path: string,
  stdin: NodeJS.ReadableStream = process.stdin,
  template?: readonly string[],
): InputFile {
  if (path === '-')
    return {
      path,
      name: 'stdin',
      isPipe: true,
      bytes: undefined,
      open: () => stdin,
      file: undefined,
      template,
    };
  let fd: number;
  let stats;
  try {
    fd = openSync(path, 'r');
    stats = fstatSync(fd);
  } catch (cause) {
    throw new RemitError('CSV_INVALID', `cannot read ${path}: ${reasonOf(cause)}`, {
      cause,
      hint: (commands) =>
        `name a CSV or .xlsx file, or - for standard input${template === undefined ? '' : `; ${commands.read(...template)} prints one to start from`}`,
    });
  }
  if (stats.isDirectory()) {
    closeSync(fd);
    throw new RemitError('CSV_INVALID', `${path} is a directory, not a file`, {
      hint: `name a file in it; to see them: ls ${path}`,
    });
  }
  return {
    path,
    name: basename(path),
    isPipe: !stats.isFile(),
    bytes: stats.isFile() ? stats.size : undefined,
    open: () =>
      createReadStream(path, {fd, highWaterMark: 256 * 1024, ...(stats.isFile() ? {start: 0} : {})}),
    file: stats.isFile() ? {fd, head: headOf(path, fd)} : undefined,
    template,
  };
}

function headOf(path: string, fd: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  try {
    return head.subarray(0, readSync(fd, head, 0, HEAD_BYTES, 0));
  } catch (cause) {
    closeSync(fd);
    throw new RemitError('CSV_INVALID', `reading ${path} failed: ${reasonOf(cause)}`, {cause});
  }
}

function reasonOf(cause: unknown): string {
  const code = codeOf(cause);
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  return messageOf(cause);
}

/** Facts about the bytes read; complete once the text has been read to its end. */
export interface InputFacts {
  sha256: string;
  bytes: number;
  endsWithNewline: boolean;
}

/**
 * Decodes the input strictly as UTF-8, with or without a byte order mark. UTF-16, one-byte code pages and workbooks
 * are detected and refused with the fix, because a wrong guess would change names and references. Yields chunks of
 * text; `facts()` is the hash of the bytes in the file.
 * @throws RemitError CSV_INVALID naming the line
 */
export class TextInput {
  readonly #input: InputFile;
  readonly #hash: Hash = createHash('sha256');
  #bytes = 0;
  #lines = 1;
  #lastByte = -1;
  /** The last bytes decoded: a character may begin in them and end in the next chunk. */
  #tail: Buffer = Buffer.alloc(0);

  constructor(input: InputFile) {
    this.#input = input;
  }

  async *chunks(): AsyncGenerator<string> {
    const decoder = new TextDecoder('utf-8', {fatal: true});
    try {
      for await (const chunk of this.#pieces()) {
        this.#refuseUtf16(chunk);
        this.#hash.update(chunk);
        this.#bytes += chunk.length;
        this.#lastByte = chunk.at(-1) ?? this.#lastByte;
        yield this.#decode(decoder, chunk);
      }
    } catch (cause) {
      if (cause instanceof RemitError) throw cause;
      throw new RemitError('CSV_INVALID', `reading ${this.#input.path} failed: ${reasonOf(cause)}`, {cause});
    }
    this.#decode(decoder, undefined);
  }

  /** The bytes as they arrive, except that the first piece is large enough to identify a workbook. */
  async *#pieces(): AsyncGenerator<Buffer> {
    let head: Buffer | undefined = Buffer.alloc(0);
    for await (const piece of this.#input.open()) {
      const chunk = typeof piece === 'string' ? Buffer.from(piece) : (piece as Buffer);
      if (head === undefined) {
        if (chunk.length > 0) yield chunk;
        continue;
      }
      head = Buffer.concat([head, chunk]);
      if (head.length < HEAD_BYTES) continue;
      this.#refuseForeignFormat(head);
      yield head;
      head = undefined;
    }
    if (head === undefined || head.length === 0) return;
    this.#refuseForeignFormat(head);
    yield head;
  }

  #refuseForeignFormat(head: Buffer): void {
    const format = foreignFormat(head, this.#input.file?.fd);
    if (format === undefined) return;
    throw new RemitError('CSV_INVALID', `${this.#input.path} is ${format.what}, not a CSV file`, {
      hint: format.fix,
    });
  }

  facts(): InputFacts {
    return {
      sha256: this.#hash.copy().digest('hex'),
      bytes: this.#bytes,
      endsWithNewline: this.#lastByte === 10 || this.#lastByte === 13,
    };
  }

  #decode(decoder: InstanceType<typeof TextDecoder>, chunk: Buffer | undefined): string {
    try {
      const text = decoder.decode(chunk, {stream: chunk !== undefined});
      if (chunk !== undefined) {
        this.#lines += countNewlines(chunk);
        this.#tail = tailOf(chunk, this.#tail);
      }
      return text;
    } catch {
      const line = this.#lines + (chunk === undefined ? 0 : newlinesBeforeFault(chunk, this.#tail));
      throw this.#wrongEncoding(
        `line ${line} is not UTF-8: it is probably Windows-1252 or another one-byte code page`,
      );
    }
  }

  /** Detected by its byte order mark or by NUL bytes: no CSV in UTF-8 contains the bytes FE, FF or 00. */
  #refuseUtf16(chunk: Buffer): void {
    const mark = chunk.toString('hex', 0, 2);
    if (this.#bytes === 0 && (mark === 'feff' || mark === 'fffe'))
      throw this.#wrongEncoding('it is UTF-16', 'UTF-16');
    if (chunk.includes(0))
      throw this.#wrongEncoding('it contains NUL bytes: it is UTF-16, or not text', 'UTF-16LE');
  }

  #wrongEncoding(what: string, encoding = 'WINDOWS-1252'): RemitError {
    if (/\.xls[xm]$/iu.test(this.#input.name))
      return new RemitError('CSV_INVALID', `${this.#input.path} is not an Excel workbook, or it is damaged`, {
        hint: 'open it in Excel, check the rows, and save it again as .xlsx',
      });
    return new RemitError('CSV_INVALID', `${this.#input.path}: ${what}`, {
      hint: `save the sheet as "CSV UTF-8" and use that file, or convert it: iconv -f ${encoding} -t UTF-8 old.csv > new.csv`,
    });
  }
}

function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) count++;
  return count;
}

const LONGEST_CHARACTER = 4;

/** The last bytes of the text `before` followed by `chunk`, up to the longest incomplete character. */
const tailOf = (chunk: Buffer, before: Buffer): Buffer =>
  (chunk.length >= LONGEST_CHARACTER ? chunk : Buffer.concat([before, chunk])).subarray(
    1 - LONGEST_CHARACTER,
  );

/**
 * Counts line ends in `chunk` before its first invalid UTF-8 byte, found by bisection because the decoder does not
 * report it.
 */
function newlinesBeforeFault(chunk: Buffer, before: Buffer): number {
  const start = before.findIndex((byte) => (byte & 0xc0) !== 0x80); // not in the middle of a character
  const tail = start < 0 ? Buffer.alloc(0) : before.subarray(start);
  const bytes = Buffer.concat([tail, chunk]);
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    try {
      new TextDecoder('utf-8', {fatal: true}).decode(bytes.subarray(0, middle), {stream: true});
      good = middle;
    } catch {
      bad = middle;
    }
  }
  return countNewlines(bytes.subarray(0, good)) - countNewlines(tail);
}

/** The hint for a file without a header or rows. */
export const startFrom =
  (template: readonly string[]): Hint =>
  (commands) =>
    `${commands.read(...template)} prints a file to start from`;
