import type {OperationId} from '../../contract/operations/operations.ts';
import {isObject} from '../../narrow.ts';
import {operationOf, routeOf} from '../../service/routes.ts';
import type {ServiceFile} from '../../service/service-file.ts';
import type {Detail} from './facts.ts';

/**
 * The requests of a live write that the service file has changed: a person should see where they go, and the body that
 * is always sent.
 */
export function routeLines(operations: readonly OperationId[], service: ServiceFile): Detail[] {
  return [...new Set(operations)].flatMap((id): Detail[] => {
    const usual = operationOf(id);
    const {method, path} = routeOf(id, service);
    const body = service.bodies?.[id];
    if (method === usual.method && path === usual.path && !isObject(body)) return [];
    return [['sent as', `${method} ${path}${isObject(body) ? ` with ${JSON.stringify(body)}` : ''}`]];
  });
}
