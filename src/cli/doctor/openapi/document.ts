import {resolve} from 'node:path';
import {isLocal} from '../../../network/local.ts';
import {DEFAULT_TIMEOUTS, TransportFailure} from '../../../client/transport/transport.ts';
import {RemitError} from '../../../errors.ts';
import {isList, isObject, messageOf, type JsonObject} from '../../../narrow.ts';
import {readSmallFile} from '../../../profiles/trusted-file.ts';
import type {Context} from '../../core/context.ts';

/** One operation of the service's OpenAPI document. */
export interface DocumentOperation {
  readonly method: string;
  /** Starts with the path of the server URL; has `{parameters}`. */
  readonly path: string;
  readonly operation: JsonObject;
}

/** An OpenAPI 3 document. */
export class OpenApiDocument {
  readonly operations: readonly DocumentOperation[];
  readonly #root: JsonObject;

  /** @throws RemitError LOCAL_VALIDATION naming what is wrong with it */
  constructor(root: unknown, source: string) {
    const version = isObject(root) ? root['openapi'] : undefined;
    if (!isObject(root) || typeof version !== 'string' || !version.startsWith('3.'))
      throw refused(source, 'it is not an OpenAPI 3 document (no "openapi": "3.…")');
    const {paths} = root;
    if (!isObject(paths) || Object.keys(paths).length === 0) throw refused(source, 'it has no paths');
    this.#root = root;
    const base = serverPath(root);
    this.operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(isObject(item) ? item : {}).flatMap(([method, operation]) =>
        METHODS.has(method) && isObject(operation)
          ? [
              {
                method: method.toUpperCase(),
                path: base + path,
                operation,
              },
            ]
          : [],
      ),
    );
    if (this.operations.length === 0) throw refused(source, 'its paths have no operations');
  }

  /** The value, or the target of its `$ref` in this document. */
  follow(value: unknown, depth = 0): JsonObject {
    if (!isObject(value)) return {};
    const {$ref: ref} = value;
    if (typeof ref !== 'string' || depth > 20) return value;
    if (!ref.startsWith('#/')) return {};
    let found: unknown = this.#root;
    for (const part of ref.slice(2).split('/')) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
    }
    return this.follow(found, depth + 1);
  }
}

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete']);

function serverPath({servers}: JsonObject): string {
  const [first] = isList(servers) ? servers : [];
  const url = isObject(first) ? first['url'] : undefined;
  if (typeof url !== 'string' || !URL.canParse(url, 'http://localhost')) return '';
  return new URL(url, 'http://localhost').pathname.replace(/\/$/, '');
}

/**
 * Reads a document from a file or an https address. The API key is not sent.
 * @throws RemitError LOCAL_VALIDATION or UNAVAILABLE
 */
export async function readDocument(source: string, context: Context): Promise<OpenApiDocument> {
  const text = /^https?:\/\//i.test(source) ? await fetched(source, context) : fromFile(source, context);
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    const {parse} = await import('yaml');
    try {
      root = parse(text, {maxAliasCount: 100});
    } catch (cause) {
      const [why = ''] = messageOf(cause).split('\n');
      throw refused(source, `it is neither JSON nor YAML: ${why}`, cause);
    }
  }
  return new OpenApiDocument(root, source);
}

function fromFile(source: string, {runtime}: Context): string {
  try {
    return readSmallFile(resolve(runtime.cwd, source)).text;
  } catch (cause) {
    throw refused(source, messageOf(cause), cause);
  }
}

async function fetched(source: string, {runtime, profile, transportFor, stop}: Context): Promise<string> {
  const url = new URL(source);
  if (url.protocol === 'http:' && !isLocal(url)) throw refused(source, 'an address must start with https');
  const own = new URL(profile.baseUrl);
  const isOwn = own.origin === url.origin && own.pathname === '/';
  const transport = await (isOwn ? transportFor('one-shot') : runtime.transport('one-shot', url.origin));
  try {
    const request = {method: 'GET', path: url.pathname + url.search, timeouts: DEFAULT_TIMEOUTS};
    const {status, body} = await transport.send({...request, headers: {accept: '*/*'}, signal: stop.signal});
    if (status !== 200) throw refused(source, `the server returned ${status}`);
    return body.toString('utf8');
  } catch (error) {
    if (!(error instanceof TransportFailure)) throw error;
    throw new RemitError('UNAVAILABLE', `${source} cannot be read: ${error.why}`, {cause: error});
  } finally {
    await transport.close();
  }
}

const refused = (source: string, why: string, cause?: unknown): RemitError =>
  new RemitError('LOCAL_VALIDATION', `${source} cannot be used: ${why}`, {cause});
