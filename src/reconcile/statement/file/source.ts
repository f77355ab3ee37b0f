import {closeSync, fstatSync, openSync, readSync} from 'node:fs';
import {nextTurn} from '../../../clock.ts';
import {codeOf, messageOf} from '../../../narrow.ts';
import type {Refuse} from './refusal.ts';
import type {StatementEncoding} from './statement.ts';

const HEAD_BYTES = 4096;
const CHUNK_BYTES = 16 * 1024;
/** No format has longer lines; a line of a statement has some hundred characters. */
const LONGEST_LINE = 1024 * 1024;

/** The bytes of a statement, which may be read once. */
export interface StatementBytes {
  readonly head: Buffer;
  chunks(): AsyncIterable<Buffer>;
  close(): void;
}

/** @throws RemitError if the file is missing or cannot be read */
export function openStatement(source: Buffer | string, refuse: Refuse): StatementBytes {
  if (typeof source !== 'string')
    return {head: source.subarray(0, HEAD_BYTES), chunks: () => slicesOf(source), close: () => undefined};
  const fd = opened(source, refuse);
  const read = (size: number, at: number): Buffer => {
    const piece = Buffer.alloc(size);
    return piece.subarray(0, readSync(fd, piece, 0, size, at));
  };
  return {head: read(HEAD_BYTES, 0), chunks: () => piecesOf(read), close: () => closeSync(fd)};
}

async function* piecesOf(read: (size: number, at: number) => Buffer): AsyncGenerator<Buffer> {
  let at = 0;
  for (let piece = read(CHUNK_BYTES, at); piece.length > 0; piece = read(CHUNK_BYTES, at)) {
    at += piece.length;
    yield piece;
    await nextTurn(); // a signal can only arrive between two turns
  }
}

function opened(path: string, refuse: Refuse): number {
  const hint = 'name a statement file that the bank has written';
  try {
    const fd = openSync(path, 'r');
    if (fstatSync(fd).isFile()) return fd;
    closeSync(fd);
  } catch (cause) {
    const why = codeOf(cause) === 'ENOENT' ? 'there is no such file' : `cannot be read: ${messageOf(cause)}`;
    throw refuse(undefined, why, hint, cause);
  }
  throw refuse(undefined, 'is not a regular file', hint);
}

async function* slicesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

/** The encoding of a file: its byte order mark, then the stated one, then what the file declares, then UTF-8. */
export function encodingOf(head: Buffer, stated: StatementEncoding | undefined, refuse: Refuse): string {
  const mark = head.toString('hex', 0, 3);
  if (mark === 'efbbbf') return 'utf-8';
  if (mark.startsWith('fffe')) return 'utf-16le';
  if (mark.startsWith('feff')) return 'utf-16be';
  return stated ?? declaredEncoding(head.toString('latin1'), refuse) ?? 'utf-8';
}

/** What an XML declaration, or the header of OFX 1, declares. */
function declaredEncoding(head: string, refuse: Refuse): string | undefined {
  const [, xml] = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.-]{1,40})["']/.exec(head) ?? [];
  if (xml !== undefined) return known(xml.toLowerCase(), refuse);
  if (!/^\s*OFXHEADER:/.test(head)) return undefined;
  const [, charset = 'NONE'] = /CHARSET:\s*([\w.-]+)/.exec(head) ?? [];
  const [, encoding = ''] = /ENCODING:\s*([\w.-]+)/.exec(head) ?? [];
  if (encoding === 'UTF-8' || charset === 'NONE') return 'utf-8';
  return known(charset === '1252' ? 'windows-1252' : charset.toLowerCase(), refuse);
}

function known(label: string, refuse: Refuse): string {
  const names = ['utf-8', 'us-ascii', 'iso-8859-1', 'iso-8859-15', 'windows-1252', '8859-1'];
  if (names.includes(label)) return label === '8859-1' ? 'iso-8859-1' : label;
  throw refuse(undefined, `declares the encoding ${label}, which is not supported`, CONVERT);
}

const CONVERT = 'convert it first: iconv -f ENCODING -t UTF-8 old > new, or use --encoding windows-1252';

/** The text of a file. @throws RemitError at the first byte that the encoding does not allow, and at a NUL. */
export async function* decodedText(
  bytes: AsyncIterable<Buffer>,
  encoding: string,
  refuse: Refuse,
): AsyncGenerator<string> {
  const strict = new TextDecoder(encoding, {fatal: true});
  const lenient = new TextDecoder(encoding);
  let lines = 1;
  for await (const chunk of withEnd(bytes)) {
    const stream = chunk !== undefined;
    const seen = lenient.decode(chunk, {stream});
    let text;
    try {
      text = strict.decode(chunk, {stream});
    } catch (cause) {
      const line = lines + newlinesIn(seen.slice(0, seen.indexOf('\uFFFD')));
      throw refuse({line}, `is not ${encoding.toUpperCase()}`, CONVERT, cause);
    }
    const nul = text.indexOf('\0');
    if (nul !== -1)
      throw refuse({line: lines + newlinesIn(text.slice(0, nul))}, 'has a NUL character', CONVERT);
    lines += newlinesIn(text);
    yield text;
  }
}

async function* withEnd(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer | undefined> {
  yield* bytes;
  yield undefined;
}

function newlinesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

export interface TextLine {
  /** 1 for the first line of the file. */
  readonly number: number;
  readonly text: string;
}

/** The lines of a text; CRLF, LF and CR end a line. */
export async function* linesOf(chunks: AsyncIterable<string>, refuse: Refuse): AsyncGenerator<TextLine> {
  let number = 0;
  let rest = '';
  for await (const chunk of chunks) {
    rest += chunk;
    const held = rest.endsWith('\r') ? 1 : 0; // the next chunk may begin with its LF
    const pieces = rest.slice(0, rest.length - held).split(/\r\n|\n|\r/);
    rest = (pieces.pop() ?? '') + rest.slice(rest.length - held);
    for (const text of pieces) yield {number: ++number, text};
    if (rest.length > LONGEST_LINE) throw refuse({line: number + 1}, 'the line does not end');
  }
  if (rest !== '') yield {number: number + 1, text: rest.replace(/\r$/, '')};
}
