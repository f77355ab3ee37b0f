import {ASSUMED_FIELDS} from '../contract/assumed-fields.ts';
import type {Method, Operation} from '../contract/operation.ts';
import {OPERATIONS, type OperationId} from '../contract/operations.ts';
import {RemitError} from '../errors.ts';
import {isObject} from '../narrow.ts';

/** The assumptions that a profile may override. What the interface document specifies is fixed. */
export interface Overrides {
  /** By operation, such as `payouts.create`. */
  operations?: Readonly<Record<string, {method?: string; path?: string}>> | undefined;
  /** By operation and body or query field, such as `payouts.create.metadata`; the value is the name on the wire. */
  fields?: Readonly<Record<string, string>> | undefined;
}

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT'] as const satisfies readonly (Method | 'PUT')[];

/** The contract's declaration of an operation. */
export const operationOf = (id: OperationId): Operation => findOperation(id);

/** Ids are checked by type alone, unless a profile names them. */
function findOperation(id: string): Operation {
  const [resource = '', verb = ''] = id.split('.');
  const verbs = ownEntry<Readonly<Record<string, Operation>>>(OPERATIONS, resource);
  const found = ownEntry(verbs, verb);
  if (found === undefined) throw usage(`there is no operation ${id}`);
  return found;
}

/**
 * Method and path template of an operation, with the profile's override applied.
 *
 * @throws {RemitError} USAGE if a given route is overridden, or the override is invalid
 */
export const resolveRoute = (id: OperationId, overrides?: Overrides): Route => routeOf(id, overrides);

interface Route {
  method: string;
  path: string;
}

function routeOf(id: string, overrides?: Overrides): Route {
  const {method, path, origin, prefix} = findOperation(id);
  const override = ownEntry(overrides?.operations, id);
  if (override === undefined) return {method, path};
  if (origin.kind === 'given' && prefix !== undefined)
    return checkPrefix(id, {method, path}, prefix.path, override);
  if (origin.kind === 'given') {
    throw usage(
      `the route of ${id} is given by the interface document ("${origin.section}") and cannot be overridden`,
    );
  }
  return {
    method: override.method === undefined ? method : checkMethod(id, override.method),
    path: override.path === undefined ? path : checkPath(id, override.path, path),
  };
}

/** Checks every override when a profile is read, not when an operation happens to be called. */
export function checkOverrides(overrides: Overrides): void {
  for (const id of Object.keys(overrides.operations ?? {})) routeOf(id, overrides);
  for (const [name, to] of Object.entries(overrides.fields ?? {})) checkWireName(name, to);
}

/** Inserts URL-encoded values into a path template: `/api/payouts/{id}`. */
export function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  const unused = new Set(Object.keys(params));
  const filled = path.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    unused.delete(name);
    return encodeSegment(name, Object.hasOwn(params, name) ? params[name] : undefined);
  });
  if (unused.size > 0) throw usage(`${path} has no place for ${[...unused].join(', ')}`);
  return filled;
}

/** Checks a path typed by a person (`remit api`): one leading slash, so that it stays on the base URL's origin. */
export function checkRequestPath(path: string): string {
  const [route = ''] = path.split(/[?#]/, 1);
  if (!path.startsWith('/') || path.startsWith('//'))
    throw refusedPath(path, 'must begin with exactly one /');
  if (/[^\u0021-\u007e]|[\\#]/.test(path))
    throw refusedPath(path, 'must not contain spaces, backslashes, # or unencoded characters');
  const segments = route.split('/').map((segment) => segment.replace(/%2e/gi, '.'));
  if (segments.includes('.') || segments.includes('..'))
    throw refusedPath(path, 'must not contain . or .. segments');
  return path;
}

/**
 * The body or query, with assumed fields renamed as the profile specifies; a dotted name is a nested field. Returns
 * the same object if nothing is renamed.
 */
export function renameFields<T extends object>(
  id: OperationId,
  value: T,
  overrides?: Overrides,
): T | Readonly<Record<string, unknown>> {
  const names = Object.entries(overrides?.fields ?? {}).filter(([name]) => name.startsWith(`${id}.`));
  if (names.length === 0 || !isObject(value)) return value;
  let renamed: Readonly<Record<string, unknown>> = value;
  for (const [name, to] of names) {
    checkWireName(name, to);
    renamed = rename(renamed, name.slice(id.length + 1).split('.'), to, name);
  }
  return renamed;
}

function rename(
  value: Readonly<Record<string, unknown>>,
  path: readonly string[],
  to: string,
  name: string,
): Readonly<Record<string, unknown>> {
  const [first = '', ...rest] = path;
  if (!Object.hasOwn(value, first)) return value;
  const inner = value[first];
  if (rest.length > 0) {
    return isObject(inner) ? {...value, [first]: rename(inner, rest, to, name)} : value;
  }
  if (to !== first && Object.hasOwn(value, to))
    throw usage(`both ${first} and ${to} are given, and ${name} is to be sent as ${to}`);
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key === first ? to : key, held]));
}

function checkWireName(name: string, to: unknown): void {
  if (!Object.hasOwn(ASSUMED_FIELDS, name)) {
    throw usage(
      `${name} is not an assumed field: names that the interface document gives cannot be overridden`,
    );
  }
  if (typeof to !== 'string' || !/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(to))
    throw usage(`the name for ${name} is not a field name`);
}

function checkMethod(id: string, method: string): Method | 'PUT' {
  const upper = String(method).toUpperCase();
  const known = METHODS.find((one) => one === upper);
  if (known === undefined) throw usage(`the method for ${id} must be one of ${METHODS.join(', ')}`);
  return known;
}

function checkPath(id: string, path: string, declared: string): string {
  const wanted = paramsOf(declared);
  const plain = checkRequestPath(path.replace(/\{[a-z_]+\}/g, 'x'));
  if (plain.includes('?')) throw refusedPath(path, 'must not have a query');
  if (/[{}]/.test(plain) || paramsOf(path).join() !== wanted.join()) {
    throw usage(
      `the path for ${id} must contain ${wanted.length === 0 ? 'no {parameters}' : `exactly {${wanted.join('}, {')}}`}`,
    );
  }
  return path;
}

/** For a route that is given relative to an assumed prefix, only the prefix may be replaced. */
function checkPrefix(
  id: string,
  given: {method: string; path: string},
  prefix: string,
  override: {method?: string; path?: string},
): {method: string; path: string} {
  const rest = given.path.slice(prefix.length);
  const path = override.path ?? given.path;
  if ((override.method ?? given.method).toUpperCase() !== given.method || !path.endsWith(rest))
    throw usage(
      `the interface document gives ${given.method} …${rest} for ${id}; only the part before it can be overridden`,
    );
  return {method: given.method, path: checkPath(id, path, given.path)};
}

const paramsOf = (path: string) => [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => name).sort();

function encodeSegment(name: string, value: string | undefined): string {
  if (value === undefined || value === '') throw usage(`${name} is empty`);
  // A server or proxy may resolve these before it routes, and the request would reach another record.
  if (value === '.' || value === '..') throw usage(`${name} cannot be ${value}`);
  try {
    return encodeURIComponent(value);
  } catch (cause) {
    throw new RemitError('USAGE', `${name} is not well-formed text`, {cause}); // half of a surrogate pair
  }
}

function ownEntry<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

const usage = (message: string) => new RemitError('USAGE', message);
const refusedPath = (path: string, rule: string) =>
  new RemitError('GUARD_TARGET', `refused the path ${JSON.stringify(path)}: it ${rule}`);
