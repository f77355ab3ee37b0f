import {allOperations, type OperationId} from '../contract/operations/operations.ts';
import {RemitError} from '../errors.ts';
import {isObject, type Json, type JsonFields} from '../narrow.ts';
import {Dialect, type PlainRequest} from './dialect.ts';
import {Unwritable} from './mapping.ts';
import {operationOf, patternOf} from './routes.ts';
import {isEmptyService, type ServiceFile} from './service-file.ts';

/** A request that was named by its path, as remit reads it. */
export interface ReadRequest {
  /** The operation of the contract; undefined if there is none. */
  operation: OperationId | undefined;
  /** The canonical path and body: what the guard reads. */
  path: string;
  body: Json;
  /** Typed as the service itself has it: it is sent as it is. */
  isRaw: boolean;
  /** Part of the body has no place in its canonical form, so it cannot be read in full. */
  isPartly: boolean;
}

/**
 * Finds the operation of a request that is named by its path. The path is that of the contract, or the one that a service file gives instead.
 * @param isRaw the path is that of the service, also where the contract has the same one for something else
 */
export function readRequest(
  typed: {method: string; path: string; body: Json; isRaw: boolean},
  service: ServiceFile,
): ReadRequest {
  const {method, path, body} = typed;
  const own = {path, body, isPartly: false};
  const canonical = typed.isRaw ? undefined : operationAt(method, path);
  if (canonical !== undefined || isEmptyService(service))
    return {...own, operation: canonical ?? operationAt(method, path), isRaw: typed.isRaw};
  const [route = '', query = ''] = path.split('?');
  const dialect = new Dialect(service);
  const operation = dialect.operationOnWire(method, route, body);
  if (operation === undefined) return {...own, operation, isRaw: true};
  const wire = {method, path: route, query: new URLSearchParams(query), body};
  const read = dialect.requestFromWire(operation, wire);
  const search = read.query.size === 0 ? '' : `?${read.query.toString()}`;
  const isPartly = !hasSameKeys(body, writtenAgain(dialect, operation, read));
  return {operation, path: read.path + search, body: read.body, isRaw: true, isPartly};
}

/**
 * The body of a request that makes a payment. One in a list, or with fields in the query, would be compared with nothing,
 * and a service may read both.
 * @throws {RemitError} LOCAL_VALIDATION
 */
export function paymentBody({path, body}: Pick<ReadRequest, 'path' | 'body'>): JsonFields {
  if (path.includes('?')) throw unclear('has a query: put every field into the body');
  if (!isObject(body)) throw unclear('must have a JSON object as its body');
  return body;
}

const unclear = (why: string): RemitError =>
  new RemitError('LOCAL_VALIDATION', `a request that makes a payment ${why}; nothing was sent`);

function writtenAgain(dialect: Dialect, operation: OperationId, read: PlainRequest): Json {
  try {
    return dialect.requestToWire(operation, read).body;
  } catch (error) {
    if (error instanceof Unwritable) return undefined;
    throw error;
  }
}

function hasSameKeys(a: Json, b: Json): boolean {
  if (!isObject(a) || !isObject(b)) return isObject(a) === isObject(b);
  const [keys, others] = [Object.keys(a), Object.keys(b)];
  return (
    keys.length === others.length && keys.every((key) => Object.hasOwn(b, key) && hasSameKeys(a[key], b[key]))
  );
}

/** The operation of the contract with this canonical path. */
function operationAt(method: string, path: string): OperationId | undefined {
  const [route = ''] = path.split('?');
  return allOperations().find(
    ({operation}) => operation.method === method && patternOf(operation.path).test(route),
  )?.id;
}

/** The path parameters of a canonical path that `operationAt` has found, decoded. */
export function paramsAt(id: OperationId, path: string): Record<string, string> {
  const [route = ''] = path.split('?');
  const {groups = {}} = patternOf(operationOf(id).path).exec(route) ?? {};
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeSegment(value)]));
}

/** One segment of a path as a service reads it; unchanged if it is not well-formed. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
