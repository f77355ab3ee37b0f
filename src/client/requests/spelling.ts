import type {OperationId} from '../../contract/operations/operations.ts';
import {RemitError} from '../../errors.ts';
import {plainValue} from '../../sanitize/plain-value.ts';
import {operationLike, operationOf, patternOf, routeOf} from '../../service/routes.ts';
import type {ServiceFile} from '../../service/service-file.ts';

/**
 * `/api//payouts/`, `/api/%70ayouts`: a service may route them to an operation that remit would have checked.
 * @param concerns the operations that are refused; default all
 * @throws {RemitError} GUARD_TARGET
 */
export function refuseOtherSpelling(
  {method, path}: {method: string; path: string},
  service: ServiceFile,
  concerns: (operation: OperationId) => boolean = () => true,
): void {
  const operation = operationLike(method, path, service);
  if (operation === undefined || !concerns(operation)) return;
  const [route = ''] = path.split('?');
  const usual = operationOf(operation).path;
  if (patternOf(usual).test(route)) throw refusedDocumented(operation, {method, path}, service);
  const [typed, known] = [route.split('/').filter((part) => part !== ''), usual.split('/').slice(1)];
  const ids = typed.length === known.length ? typed : [];
  const named = known.map((part, at) => (part.startsWith('{') ? (ids[at] ?? 'ID') : part)).join('/');
  throw new RemitError(
    'GUARD_TARGET',
    `refused ${method} ${plainValue(path)}: it may be another spelling of ${usual}, so its amount and its answer cannot be checked`,
    {hint: `write the path as /${plainValue(named)}`},
  );
}

/** A raw request with the documented path, where the service file has another route for the operation. */
function refusedDocumented(
  operation: OperationId,
  {method, path}: {method: string; path: string},
  service: ServiceFile,
): RemitError {
  const own = routeOf(operation, service);
  return new RemitError(
    'GUARD_TARGET',
    `refused ${method} ${plainValue(path)} as a raw request: the service file has ${operation} at ${own.method} ${own.path}`,
    {hint: `write the path as ${own.path}, or do not send it raw`},
  );
}
