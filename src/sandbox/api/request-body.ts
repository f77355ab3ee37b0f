import {ServiceError, invalid} from '../base/service-error.ts';

/** A body may be this long; the largest documented one is far below. */
const BODY_BYTES_MAX = 1024 * 1024;

/** A chunked body is read and thrown away up to here, so that its sender gets to see the refusal. */
const DRAIN_BYTES_MAX = 16 * BODY_BYTES_MAX;

const JSON_TYPE = /^application\/json\s*(;|$)/i;

export const isJson = (request: Request): boolean =>
  JSON_TYPE.test(request.headers.get('content-type') ?? '');

/**
 * The JSON body of a request.
 * @param mayBeEmpty a body without a single byte stands for `{}`, whatever its type
 * @throws {ServiceError} VALIDATION_ERROR for another content type, a body that is too large, or broken JSON.
 */
export async function readJsonBody(request: Request, mayBeEmpty = false): Promise<unknown> {
  const type = request.headers.get('content-type') ?? '';
  if (mayBeEmpty && type === '') {
    if ((await readText(request)) === '') return {};
    throw invalid('', 'content-type must be application/json');
  }
  if (!JSON_TYPE.test(type)) throw invalid('', 'content-type must be application/json');
  const text = await readText(request);
  if (mayBeEmpty && text === '') return {};
  const value = parseJson(text);
  if (MAY_BE_BROKEN.test(text)) refuseBrokenText(value);
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(
      '',
      text === ''
        ? 'a JSON body is expected; send {} if there is nothing to set'
        : 'the body is not valid JSON',
    );
  }
}

/** An escape of half a surrogate pair, of which there should be two: UTF-8 has none, so only bodies with such escapes are searched. */
const MAY_BE_BROKEN = /\\u[dD][89a-fA-F]/;
const LONE_SURROGATE = /[\ud800-\udfff]/u;
/** So many steps of a path are told, the innermost. */
const PATH_MAX = 20;

interface Place {
  value: object;
  /** Of `value` in what holds it; the body itself has no name and nothing above it. */
  name: string;
  above: Place | undefined;
}

/**
 * Half a surrogate pair is no text: a database keeps U+FFFD in its place, and the record would not be what was sent.
 * Not by recursion: a body may be nested so deep that no stack would do.
 * @throws {ServiceError} VALIDATION_ERROR
 */
function refuseBrokenText(body: unknown): void {
  const open: Place[] = [];
  const look = (value: unknown, name: string, above: Place | undefined) => {
    if (typeof value === 'string' && LONE_SURROGATE.test(value)) throw brokenText(above, name);
    if (typeof value === 'object' && value !== null) open.push({value, name, above});
  };
  look(body, '', undefined);
  for (let place = open.pop(); place !== undefined; place = open.pop())
    for (const [name, inner] of Object.entries(place.value)) {
      if (LONE_SURROGATE.test(name)) throw brokenText(place.above, place.name);
      look(inner, name, place);
    }
}

function brokenText(above: Place | undefined, name: string): ServiceError {
  const path = [name];
  for (let place = above; place !== undefined && path.length < PATH_MAX; place = place.above)
    path.unshift(place.name);
  return invalid(path.join('.').replace(/^\./, ''), 'holds half of a surrogate pair, which is no character');
}

async function readText(request: Request): Promise<string> {
  const declared = request.headers.get('content-length');
  if (declared !== null && Number(declared) > BODY_BYTES_MAX) throw tooLarge();
  try {
    // The HTTP parser holds a sender to the length it declared.
    return declared === null ? await readUndeclared(request) : await request.text();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw invalid('', 'the body broke off'); // the client may be gone
  }
}

const tooLarge = () => invalid('', `the body is larger than ${BODY_BYTES_MAX} bytes`);

async function readUndeclared(request: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // The stream's type leaves its chunks open; a request's body comes in bytes.
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > DRAIN_BYTES_MAX) throw tooLarge();
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
  }
  if (bytes > BODY_BYTES_MAX) throw tooLarge();
  return Buffer.concat(chunks).toString('utf8');
}
