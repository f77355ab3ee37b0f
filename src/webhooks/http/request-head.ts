import type {HeaderPairs} from '../delivery/delivery.ts';
import {trimmed} from '../verify/header-values.ts';

/** The first line and the headers of a request (RFC 9112, sections 3 to 6). */
export interface RequestHead {
  method: string;
  /** Path and query, as they were sent. */
  target: string;
  /** The headers in the order and case of their arrival. */
  headers: HeaderPairs;
  /** The size of the body that follows. */
  body: number | 'chunked';
  /** Whether the client may send another request on the connection. */
  keepsAlive: boolean;
  /** Whether it waits for `100 Continue` before it sends the body. */
  waits: boolean;
}

const FIRST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-~\x80-\xff]+) HTTP\/1\.([01])$/;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Control characters, and line ends other than CRLF: programs disagree about whether they end a line. */
const UNSAFE = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|(?<!\r)\n/;
const LENGTH = /^\d{1,15}$/;
const MOST_HEADERS = 200;

/** What the headers say about the message itself. */
interface Framing {
  hosts: number;
  lengths: string[];
  codings: string[];
  connection: string;
  expect: string;
}

/**
 * Strict if a request could be read in two ways: no folded lines, no space before a colon, at most one length.
 * @param text without the empty line at its end, one byte per character
 * @returns undefined for anything that is not a request
 */
export function parseHead(text: string): RequestHead | undefined {
  if (UNSAFE.test(text)) return undefined;
  const firstEnd = text.indexOf('\r\n');
  const [, method, target, minor] = FIRST_LINE.exec(firstEnd === -1 ? text : text.slice(0, firstEnd)) ?? [];
  if (method === undefined || target === undefined) return undefined;
  const framing: Framing = {hosts: 0, lengths: [], codings: [], connection: '', expect: ''};
  const headers = firstEnd === -1 ? [] : parseHeaders(text, firstEnd + 2, framing);
  if (headers === undefined) return undefined;
  const isOld = minor === '0';
  if (framing.hosts !== 1 && !(isOld && framing.hosts === 0)) return undefined;
  const body = bodyOf(framing, isOld);
  if (body === undefined) return undefined;
  const keepsAlive =
    !isOld && !(framing.connection !== '' && /(^|,)[ \t]*close[ \t]*(,|$)/i.test(framing.connection));
  return {method, target, headers, body, keepsAlive, waits: /^100-continue$/i.test(framing.expect) && !isOld};
}

function parseHeaders(text: string, from: number, framing: Framing): HeaderPairs | undefined {
  const headers: [string, string][] = [];
  for (let start = from; start < text.length;) {
    let end = text.indexOf('\r\n', start);
    if (end === -1) end = text.length;
    const colon = text.indexOf(':', start);
    if (colon === -1 || colon > end || headers.length === MOST_HEADERS) return undefined;
    const name = text.slice(start, colon);
    if (!NAME.test(name)) return undefined;
    const value = trimmed(text, colon + 1, end);
    headers.push([name, value]);
    note(framing, name, value);
    start = end + 2;
  }
  return headers;
}

/** Most names have another length. */
function note(framing: Framing, name: string, value: string): void {
  switch (name.length) {
    case 4:
      if (name.toLowerCase() === 'host') framing.hosts += 1;
      return;
    case 6:
      if (name.toLowerCase() === 'expect') framing.expect = value;
      return;
    case 10:
      if (name.toLowerCase() === 'connection') framing.connection += `,${value}`;
      return;
    case 14:
      if (name.toLowerCase() === 'content-length') framing.lengths.push(value);
      return;
    case 17:
      if (name.toLowerCase() === 'transfer-encoding') framing.codings.push(value);
  }
}

function bodyOf({lengths, codings}: Framing, isOld: boolean): RequestHead['body'] | undefined {
  if (codings.length > 0) {
    const isChunked = codings.length === 1 && /^chunked$/i.test(codings[0] ?? '');
    return isChunked && lengths.length === 0 && !isOld ? 'chunked' : undefined;
  }
  if (lengths.length === 0) return 0;
  return lengths.length === 1 && LENGTH.test(lengths[0] ?? '') ? Number(lengths[0]) : undefined;
}
