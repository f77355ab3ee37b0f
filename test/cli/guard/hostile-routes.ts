import {allOperations, type OperationId} from '../../../src/contract/operations/operations.ts';
import {paramsOf} from '../../../src/service/routes.ts';
import type {BodyRule, ServiceFile} from '../../../src/service/service-file.ts';

export type Random = () => number;
export const pick = <T>(from: readonly T[], random: Random): T => from[Math.floor(random() * from.length)]!; // never empty

/** A record that no command names: a request with it in its path acts on the record of somebody else. */
export const VICTIM = '0192bbbb-cccc-7000-8000-dddddddddddd';
export const IN_LETTERS = 'abcdefghij';
const OPERATIONS = allOperations();
const WRITES = OPERATIONS.filter(({operation}) => operation.method !== 'GET');
const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'];
const CONSTANT: readonly BodyRule[] = [
  {},
  'none',
  {status: 'approved'},
  {status: 'canceled'},
  {state: 'x'},
  {status: 'canceled', then: 'approved'},
];

export interface HostileRoutes {
  routes: Record<string, string>;
  bodies: Record<string, BodyRule>;
}

/**
 * A write that is sent as another operation, usually one of its own resource. The other one may have moved, or have
 * taken the route of the first in return.
 */
export function swapped(
  random: Random,
  of: readonly OperationId[] = WRITES.map(({id}) => id),
): HostileRoutes {
  const id = pick(of, random);
  const own = OPERATIONS.find((one) => one.id === id)!; // an operation
  const [resource] = id.split('.');
  const near = WRITES.filter((one) => one.id !== id && one.id.startsWith(`${resource}.`));
  const other = near.length > 0 && random() < 0.6 ? pick(near, random) : pick(OPERATIONS, random);
  const routes: Record<string, string> = {};
  const bodies: Record<string, BodyRule> = {};
  if (random() < 0.5) routes[other.id] = `${other.operation.method} ${elsewhere(other, own, random)}`;
  const taken = random() < 0.7 ? other.operation.path : (routes[other.id]?.split(' ')[1] ?? '/v1/things');
  const method = random() < 0.7 ? other.operation.method : pick(METHODS, random);
  routes[id] = `${method} ${disguised(withPlaceholders(taken, own.operation.path), random)}`;
  for (const one of [id, other.id]) if (random() < 0.4) bodies[one] = pick(CONSTANT, random);
  return {routes, bodies};
}

type Declared = (typeof OPERATIONS)[number];

function elsewhere(moved: Declared, own: Declared, random: Random): string {
  const {path} = moved.operation;
  if (random() < 0.4) return withPlaceholders(own.operation.path, path);
  if (random() < 0.5)
    return path.replace(/(?<=\/)[a-z-]+$/, pick(['release', 'send', 'stop', 'items'], random));
  return withPlaceholders(`/v1/things/{id}/${pick(['release', 'send', 'stop'], random)}`, path);
}

/** A path with the placeholders of another one in their order; without those that it lacks. */
function withPlaceholders(path: string, like: string): string {
  const names = paramsOf(like);
  const filled = path.replaceAll(/\/\{\w+\}/g, () => (names.length > 0 ? `/{${names.shift()!}}` : '')); // not empty
  return names.reduce((whole, name) => `${whole}/{${name}}`, filled);
}

function disguised(path: string, random: Random): string {
  if (random() < 0.15) return path.replace('/p', '//p');
  if (random() < 0.15) return path.toUpperCase().replaceAll(/\{\w+\}/g, (own) => own.toLowerCase());
  return random() < 0.15 ? path + pick(['/', '.json', '.do', '/now'], random) : path;
}

/** A path that a hostile file may give to an operation: usually that of another one, in some disguise. */
export function hostilePath(random: Random): string {
  let path: string = pick(OPERATIONS, random).operation.path;
  const record = () => pick([VICTIM, IN_LETTERS, '{id}', '{payee_id}', ''], random);
  if (random() < 0.7) path = path.replaceAll(/\{\w+\}/g, (own) => (random() < 0.5 ? own : record()));
  if (random() < 0.2)
    path = pick(['/v2/tenants/acme', '/V1', '/x/../y', '/.', '/', `/${VICTIM}`], random) + path;
  if (random() < 0.15) path = path.replace('/p', '//p');
  if (random() < 0.15) path = path.replace('p', '%70');
  if (random() < 0.15) path = path.toUpperCase().replaceAll(/\{\w+\}/g, (own) => own.toLowerCase());
  if (random() < 0.15) path += pick(['/', '/.', '/approve', `/${VICTIM}`, '?x=1', '.json', ';a=b'], random);
  return path;
}

/** A service file as somebody would write it who wants commands to do something else. */
export function hostileFile(random: Random): ServiceFile {
  const {routes, bodies} = random() < 0.5 ? swapped(random) : scattered(random);
  const file: Record<string, unknown> = {routes};
  if (Object.keys(bodies).length > 0) file['bodies'] = bodies;
  if (random() < 0.2)
    file['prefixes'] = {[pick(['api', 'treasury', 'webhookEndpoints'], random)]: hostilePath(random)};
  if (random() < 0.1)
    file['headers'] = {send: {[pick(['X-HTTP-Method-Override', 'x-tenant'], random)]: 'POST'}};
  if (random() < 0.1) file['fields'] = {payouts: {payee_id: 'rail', rail: 'payee_id'}};
  return file; // not valid as a rule
}

function scattered(random: Random): HostileRoutes {
  const routes: Record<string, string> = {};
  const bodies: Record<string, BodyRule> = {};
  for (let n = 1 + Math.floor(random() * 3); n > 0; n--) {
    const {id, operation} = pick(OPERATIONS, random);
    const method = random() < 0.5 ? operation.method : pick(['GET', ...METHODS], random);
    routes[id] = `${method} ${random() < 0.3 ? operation.path : hostilePath(random)}`;
    if (random() < 0.3)
      bodies[id] = pick(['none', {payee_id: VICTIM, amount_in_minor_units: 1, auto_approve: true}], random);
  }
  return {routes, bodies};
}
