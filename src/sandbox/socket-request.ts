import type {IncomingMessage} from 'node:http';
import {must} from '../narrow.ts';
import type {RequestHeaders, SandboxRequest} from './api/request.ts';
import {BODY_BYTES_MAX, DRAIN_BYTES_MAX, tooLarge} from './api/request-body.ts';
import {invalid} from './base/service-error.ts';

/** A request as it arrives at a socket. */
export class SocketRequest implements SandboxRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: RequestHeaders;
  readonly #text: Promise<string> | undefined;

  /** @throws {ServiceError} VALIDATION_ERROR without a usable Host or path */
  constructor(incoming: IncomingMessage) {
    const {method = 'GET', rawHeaders} = incoming;
    this.method = method;
    this.url = urlOf(incoming);
    this.headers = new SocketHeaders(rawHeaders);
    // It is read at once, so that a client that leaves after the last byte has sent the whole body.
    if (method !== 'GET' && method !== 'HEAD') this.#text = readText(incoming);
    this.#text?.catch(() => {}); // its text may never be read
  }

  async text(): Promise<string> {
    return this.#text ?? '';
  }
}

class SocketHeaders implements RequestHeaders {
  /** Names and values alternating, as sent. */
  readonly #raw: readonly string[];

  constructor(raw: readonly string[]) {
    this.#raw = raw;
  }

  get(name: string): string | null {
    let found: string | null = null;
    for (let at = 0; at < this.#raw.length; at += 2) {
      const given = this.#raw[at];
      if (given?.length !== name.length || given.toLowerCase() !== name) continue;
      const value = must(this.#raw[at + 1], 'value of a header');
      found = found === null ? value : `${found}${name === 'cookie' ? ';' : ','} ${value}`;
    }
    return found;
  }

  *[Symbol.iterator](): Iterator<[string, string]> {
    const names = new Set(this.#raw.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()));
    for (const name of names) yield [name, this.get(name) ?? ''];
  }
}

/** Almost every request. Pages and control calls compare the host themselves. */
const PLAIN_HOST = /^[a-z0-9.-]+(?::(?:[1-5]\d{3,4}|6[0-4]\d{3}|[6-9]\d{3}))?$/;
const PLAIN_TARGET = /^\/[!#$&-;=?-[\]_a-z~]*$/;
const DOT_SEGMENT = /\/\.\.?(?:[/?#]|$)/;

function urlOf({url: target = '', headers: {host = ''}}: IncomingMessage): string {
  if (PLAIN_HOST.test(host) && PLAIN_TARGET.test(target) && !DOT_SEGMENT.test(target))
    return `http://${host}${target}`;
  const isAbsolute = /^https?:\/\//.test(target);
  const [path = ''] = target.split('?', 1);
  if (path.includes('\\') || !(isAbsolute || path.startsWith('/'))) throw unreadable();
  const url = parsed(isAbsolute ? target : `http://${host}${target}`);
  // A host such as `localhost:4010@elsewhere` would be read as another one.
  if (!isAbsolute && url.host !== host.toLowerCase().replace(/:80$/, '')) throw unreadable();
  return url.href;
}

function parsed(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw unreadable();
  }
}

const unreadable = () => invalid('', 'the request cannot be read');

const decoder = new TextDecoder();

/**
 * Rejects if the body is too large. Everything is read up to a limit, because many clients read no answer before they
 * have sent everything.
 */
function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
      else if (bytes > DRAIN_BYTES_MAX) reject(tooLarge());
    });
    incoming.on('end', () => {
      if (bytes > BODY_BYTES_MAX) reject(tooLarge());
      else resolve(decoder.decode(joined(chunks)));
    });
    incoming.on('error', reject);
    incoming.on('close', () => {
      if (!incoming.readableEnded) reject(new Error('the body ended early'));
    });
  });
}

const joined = (chunks: readonly Buffer[]): Buffer =>
  chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
