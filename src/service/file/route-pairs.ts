import {allOperations, type OperationId} from '../../contract/operations/operations.ts';
import {isObject, type Json} from '../../narrow.ts';
import {comparablePath} from '../comparable-path.ts';
import {isReadOperation, lenientForm, routeOf} from '../routes.ts';
import type {ServiceFile} from '../service-file.ts';

/**
 * Two operations with the same method and path whose bodies do not tell them apart. Some servers ignore any suffix of a
 * path, so for writes `/stop.do` is `/stop`.
 */
export function sameRequests(file: ServiceFile): readonly [OperationId, OperationId] | undefined {
  const seen = new Map<string, OperationId[]>();
  for (const {id} of allOperations()) {
    const {method, path} = routeOf(id, file);
    const template = comparablePath(path).replaceAll(/\{\w+\}/g, '{}');
    const read = isReadOperation(id) ? template : template.replace(/(?<=[a-z0-9_-])\.[a-z0-9]+$/, '');
    const form = `${method} ${read}`;
    const others = seen.get(form) ?? [];
    const other = others.find((one) => !areApart(one, id, file));
    if (other !== undefined) return [other, id];
    seen.set(form, [...others, id]);
  }
  return undefined;
}

/**
 * Two constant bodies with different values of one field; or one that is not empty, where the other operation is an
 * update: services may have `PATCH …/{id}` with `{"is_default": true}`.
 */
function areApart(a: OperationId, b: OperationId, {bodies = {}}: ServiceFile): boolean {
  const [one, other] = [bodies[a], bodies[b]];
  if (isObject(one) && isObject(other))
    return Object.keys(one).some(
      (name) => Object.hasOwn(other, name) && text(one[name]) !== text(other[name]),
    );
  const constant = isObject(one) ? one : other;
  const [plain, isFixed] = isObject(one) ? [b, a] : [a, b];
  return (
    isObject(constant) &&
    Object.keys(constant).length > 0 &&
    plain.endsWith('.update') &&
    !isGuarded(isFixed) &&
    resourceOf(a) === resourceOf(b)
  );
}

/** A service may ignore case. */
const text = (value: Json): string => JSON.stringify(value).toLowerCase();

/** Operations that move money, or stop it. */
const isGuarded = (id: OperationId): boolean => /\.(?:create|approve|cancel|simulateInboundCredit)$/.test(id);

/**
 * A write with the path of another operation: in the contract or with the prefixes of the file, even if the file gives
 * that operation another route. No path of another resource may be taken, whatever its method; within a resource, none of
 * a write that moves money, and no other write with the same method, except for an update.
 */
export function takenPath(file: ServiceFile): readonly [by: OperationId, other: OperationId] | undefined {
  const places = new Map<string, OtherRoute[]>();
  for (const {id: other} of allOperations()) {
    const usual = file.prefixes === undefined ? [{}] : [{}, {prefixes: file.prefixes}];
    for (const one of [...usual, file]) {
      const {method, path} = routeOf(other, one);
      const form = lenientForm(path);
      places.set(form, [...(places.get(form) ?? []), {other, method, isUsual: one !== file}]);
    }
  }
  for (const {id} of allOperations()) {
    if (isReadOperation(id)) continue;
    const {method, path} = routeOf(id, file);
    const taken = places.get(lenientForm(path))?.find((place) => isTaken(place, id, method));
    if (taken !== undefined) return [id, taken.other];
  }
  return undefined;
}

interface OtherRoute {
  other: OperationId;
  method: string;
  /** The place is that of the contract, or has the prefixes of the file. */
  isUsual: boolean;
}

function isTaken({other, method, isUsual}: OtherRoute, id: OperationId, own: string): boolean {
  if (other === id) return false;
  if (resourceOf(other) !== resourceOf(id)) return true;
  if (!isUsual || isReadOperation(other)) return false; // its own routes are compared with their bodies
  return isGuarded(id) || isGuarded(other) || (method === own && !other.endsWith('.update'));
}

const resourceOf = (id: OperationId): string => id.split('.', 1)[0] ?? '';
