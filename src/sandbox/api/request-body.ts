import {isList, isObject, type Json, type JsonFields, type JsonValue, parseJson} from '../../narrow.ts';
import {ServiceError, invalid} from '../base/service-error.ts';
import type {SandboxRequest} from './request.ts';

/** Maximum size of a body; the largest documented one is far below it. */
export const BODY_BYTES_MAX = 1024 * 1024;

/** A body is read and discarded up to this size, so that its sender receives the refusal. */
export const DRAIN_BYTES_MAX = 16 * BODY_BYTES_MAX;

const JSON_TYPE = /^application\/json\s*(;|$)/i;

export const isJson = (request: SandboxRequest): boolean =>
  JSON_TYPE.test(request.headers.get('content-type') ?? '');

/**
 * The JSON body of a request.
 * @param mayBeEmpty an empty body is the same as `{}`, whatever its type
 * @throws {ServiceError} VALIDATION_ERROR for another content type, a body that is too large, or invalid JSON.
 */
export async function readJsonBody(request: SandboxRequest, mayBeEmpty = false): Promise<JsonValue> {
  const type = request.headers.get('content-type') ?? '';
  if (mayBeEmpty && type === '') {
    if ((await readText(request)) === '') return {};
    throw invalid('', 'content-type must be application/json');
  }
  if (!JSON_TYPE.test(type)) throw invalid('', 'content-type must be application/json');
  const text = await readText(request);
  if (mayBeEmpty && text === '') return {};
  const value = parsed(text);
  if (MAY_BE_BROKEN.test(text)) refuseBrokenText(value);
  return value;
}

function parsed(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch {
    throw invalid(
      '',
      text === ''
        ? 'a JSON body is expected; send {} if there is nothing to set'
        : 'the body is not valid JSON',
    );
  }
}

/** An escape of half a surrogate pair. UTF-8 has none, so only bodies with such escapes are searched. */
const MAY_BE_BROKEN = /\\u[dD][89a-fA-F]/;
const LONE_SURROGATE = /[\ud800-\udfff]/u;
/** Number of path steps in a message, the innermost ones. */
const PATH_MAX = 20;

interface OpenValue {
  value: readonly Json[] | JsonFields;
  /** The name of `value` within its parent; the body itself has no name and no parent. */
  name: string;
  above: OpenValue | undefined;
}

/**
 * Half a surrogate pair is not text: a database stores U+FFFD instead, and the record would differ from what was
 * sent. Not recursive, because a body may be nested deeper than any stack.
 * @throws {ServiceError} VALIDATION_ERROR
 */
function refuseBrokenText(body: JsonValue): void {
  const open: OpenValue[] = [];
  const look = (value: Json, name: string, above: OpenValue | undefined) => {
    if (typeof value === 'string' && LONE_SURROGATE.test(value)) throw brokenText(above, name);
    if (isObject(value) || isList(value)) open.push({value, name, above});
  };
  look(body, '', undefined);
  for (let place = open.pop(); place !== undefined; place = open.pop())
    for (const [name, inner] of Object.entries(place.value)) {
      if (LONE_SURROGATE.test(name)) throw brokenText(place.above, place.name);
      look(inner, name, place);
    }
}

function brokenText(above: OpenValue | undefined, name: string): ServiceError {
  const path = [name];
  for (let place = above; place !== undefined && path.length < PATH_MAX; place = place.above)
    path.unshift(place.name);
  return invalid(
    path.join('.').replace(/^\./, ''),
    'contains half of a surrogate pair, which is not a character',
  );
}

async function readText(request: SandboxRequest): Promise<string> {
  const declared = request.headers.get('content-length');
  if (declared !== null && Number(declared) > BODY_BYTES_MAX) throw tooLarge();
  try {
    // The HTTP parser enforces the declared length.
    if (declared !== null || request.body === undefined) return await request.text();
    return await readUndeclared(request.body);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw invalid('', 'the body ended early'); // the client may be gone
  }
}

export const tooLarge = (): ServiceError => invalid('', `the body is larger than ${BODY_BYTES_MAX} bytes`);

async function readUndeclared(body: SandboxRequest['body']): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > DRAIN_BYTES_MAX) throw tooLarge();
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
  }
  if (bytes > BODY_BYTES_MAX) throw tooLarge();
  return Buffer.concat(chunks).toString('utf8');
}
