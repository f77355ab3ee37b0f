import type {Operation} from '../contract/operations/operation.ts';
import {allOperations, OPERATIONS, type OperationId} from '../contract/operations/operations.ts';
import {RemitError} from '../errors.ts';
import {lenientPaths} from './comparable-path.ts';
import type {PrefixName, ServiceFile} from './service-file.ts';

export interface Route {
  readonly method: string;
  /** The path with its `{parameters}`. */
  readonly path: string;
}

const PREFIXES: readonly (readonly [name: PrefixName, path: string])[] = [
  ['webhookEndpoints', '/api/webhooks/endpoints'],
  ['treasury', '/api/treasury'],
  ['api', '/api'], // last, because it is a prefix of the others
];

const BY_RESOURCE: Readonly<Record<string, Readonly<Record<string, Operation>>>> = OPERATIONS;

/** The contract's declaration of an operation; undefined for an unknown id. */
export function findOperation(id: string): Operation | undefined {
  const [resource = '', verb = ''] = id.split('.');
  if (!Object.hasOwn(BY_RESOURCE, resource)) return undefined;
  const verbs = BY_RESOURCE[resource];
  return verbs !== undefined && Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
}

export function operationOf(id: OperationId): Operation {
  const found = findOperation(id);
  if (found === undefined) throw new RemitError('USAGE', `there is no operation ${id}`);
  return found;
}

/** Method and path of an operation at this service. */
export function routeOf(id: OperationId, {routes, prefixes}: ServiceFile): Route {
  const {method, path} = operationOf(id);
  const own = routes !== undefined && Object.hasOwn(routes, id) ? routes[id] : undefined;
  if (own !== undefined) {
    const [verb = method, route = ''] = own.startsWith('/') ? [method, own] : own.split(' '); // the schema requires both
    return {method: verb, path: route};
  }
  for (const [name, prefix] of PREFIXES) {
    const other = prefixes?.[name];
    if (other !== undefined && (path === prefix || path.startsWith(`${prefix}/`)))
      return {method, path: other + path.slice(prefix.length)};
  }
  return {method, path};
}

export const paramsOf = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));

/** Matches a path without its query; each parameter is a group. */
export const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);

/** Whether an operation only reads; service files cannot change that. */
export const isReadOperation = (id: OperationId): boolean => operationOf(id).method === 'GET';

/** The operation that a server may take a request for, by its path in the contract or in the service file. */
export function operationLike(method: string, path: string, file: ServiceFile): OperationId | undefined {
  const [route = ''] = path.split('?');
  const read = lenientPaths(route).map((one) => one.split('/'));
  const fits = (own: Route): boolean => {
    const template = lenientForm(own.path).split('/');
    return (
      own.method === method &&
      read.some(
        (parts) =>
          template.length === parts.length &&
          template.every((part, at) => part === '{}' || part === parts[at]),
      )
    );
  };
  return allOperations().find(({id, operation}) => fits(operation) || fits(routeOf(id, file)))?.id;
}

/** A template as `lenientPaths` reads it, with `{}` for each parameter. */
export const lenientForm = (path: string): string => lenientPaths(path)[1].replaceAll(/\{\w+\}/g, '{}');
