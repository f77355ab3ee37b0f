import {allOperations, type OperationId} from '../../contract/operations/operations.ts';
import {requestFieldsOf} from '../../contract/origin/field-origins.ts';
import {keysOf} from '../../narrow.ts';
import {comparablePath, isReadOperation, operationOf, paramsOf, routeOf, sameRoutes} from '../routes.ts';
import type {ServiceFile} from '../service-file.ts';
import type {Issue} from './validate.ts';

/**
 * Rules for routes that no schema covers; the schema also requires that a read is a GET. A route decides what a request
 * does, so a write must name the record that its command names, and no other one.
 */
export function issueInRoutes(file: ServiceFile): Issue | undefined {
  return issueInEach(file) ?? issueInBodies(file) ?? issueInPrefixes(file) ?? issueInPairs(file);
}

function issueInEach(file: ServiceFile): Issue | undefined {
  for (const id of keysOf<OperationId>(file.routes ?? {})) {
    const {path} = routeOf(id, file);
    const wrong = wrongPlaceholder(id, path);
    if (wrong !== undefined) return {path: ['routes', id], allowed: wrong};
    if (path.startsWith('//') || hasDots(path))
      return {
        path: ['routes', id],
        allowed: 'must begin with exactly one / and have no . or .. segments',
      };
  }
  for (const {id} of allOperations()) {
    const wrong = isReadOperation(id) ? undefined : wrongConstant(routeOf(id, file).path);
    if (wrong !== undefined) return {path: ownerOf(id, file), allowed: wrong};
  }
  return undefined;
}

/** What sets the route of an operation: its own entry, or a prefix. */
const ownerOf = (id: OperationId, {routes}: ServiceFile): readonly string[] =>
  routes?.[id] === undefined ? ['prefixes'] : ['routes', id];

function wrongPlaceholder(id: OperationId, path: string): string | undefined {
  const known = paramsOf(operationOf(id).path);
  if (/[{}]/.test(path.replaceAll(/\{\w+\}/g, ''))) return 'has a { or } that is not closed';
  const names = paramsOf(path);
  const other = names.find((name) => !known.includes(name));
  const listed = `{${known.join('}, {')}}`;
  if (other !== undefined)
    return `has the placeholder {${other}}, but may have ${known.length === 0 ? 'no {parameter}' : listed}`;
  if (names.length !== new Set(names).size) return `may have ${listed}, each once`;
  if (/\}\{/.test(path)) return 'has two placeholders with nothing between them';
  if (isReadOperation(id)) return undefined;
  const left = known.find((name) => !names.includes(name));
  return left === undefined ? undefined : `must have {${left}}: a write names its record in its path`;
}

/** Words of the contract that stand before an id, and usual ones of other services. */
let nouns: ReadonlySet<string> | undefined;
const knownNouns = (): ReadonlySet<string> =>
  (nouns ??= new Set([
    ...allOperations().flatMap(({id, operation}) =>
      isReadOperation(id) ? operation.path.split('/').map(nounOf) : [],
    ),
    ...['payment', 'transfer', 'disbursement', 'recipient', 'beneficiary', 'customer'],
  ]));

/** `payment_methods` is `payment-method`; empty for what is no noun. */
function nounOf(part: string): string {
  const word = part.toLowerCase().replaceAll('_', '-').replace(/s$/, '');
  return word === 'api' || part.startsWith('{') ? '' : word;
}

const isNoun = (part: string): boolean => nounOf(part) !== '' && knownNouns().has(nounOf(part));
const isPlaceholder = (part: string | undefined): boolean => part?.startsWith('{') === true;
/** Without digits, so that it is no id. */
const PLAIN_WORD = /^[a-z]{1,30}(?:[-_.][a-z]{1,30}){0,4}$/i;
const UUID_LIKE = /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}/i;

/**
 * Constant segments, such as a version or a tenant, stand before the first noun of a resource. After it there may be
 * nouns, placeholders, a word in front of a placeholder, and one word at the end: anything else could be an id, so
 * that the command would write to that record instead of its own.
 */
function wrongConstant(path: string): string | undefined {
  const parts = path.split('/').slice(1);
  const first = firstNounIn(parts);
  const concrete = (part: string) => `has the constant segment ${part}`;
  for (const [at, part] of parts.entries()) {
    if (isPlaceholder(part) || part === '') continue;
    if (at <= first && !UUID_LIKE.test(part)) continue;
    const isWordInPlace =
      isNoun(part) || isPlaceholder(parts[at + 1]) || at === parts.length - 1 || isPlaceholder(parts[at - 1]);
    if (PLAIN_WORD.test(part) && isWordInPlace) continue;
    return `${concrete(part)}, which may be an id; constant segments stand before the first noun of a resource, or in the base URL`;
  }
  return undefined;
}

/** A word in front of a placeholder is a noun too; a path without either begins with its noun, as far as remit knows. */
function firstNounIn(parts: readonly string[]): number {
  const known = parts.findIndex(isNoun);
  if (known >= 0) return known;
  const placeholder = parts.findIndex(isPlaceholder);
  return placeholder >= 0 ? placeholder - 1 : parts.findIndex((part) => !/^(?:v?\d{1,2}|api)$/i.test(part));
}

/** Segments that clients and servers resolve, so that another path would be requested. */
const hasDots = (path: string): boolean => path.split('/').some((part) => part === '.' || part === '..');

function issueInBodies(file: ServiceFile): Issue | undefined {
  for (const {id} of allOperations()) {
    if (file.bodies?.[id] === undefined) continue;
    const path = ['bodies', id];
    if (requestFieldsOf(id).length > 0) return {path, allowed: `cannot be set: ${id} has fields of its own`};
    if (isReadOperation(id)) return {path, allowed: 'cannot be set: a GET has no body'};
  }
  return undefined;
}

function issueInPrefixes({prefixes = {}}: ServiceFile): Issue | undefined {
  for (const [name, prefix] of Object.entries(prefixes))
    if (hasDots(prefix)) return {path: ['prefixes', name], allowed: 'must have no . or .. segments'};
  if (prefixes.webhookEndpoints === '')
    return {
      path: ['prefixes', 'webhookEndpoints'],
      allowed: 'must not be empty: it is the whole path of a list',
    };
  return undefined;
}

function issueInPairs(file: ServiceFile): Issue | undefined {
  const same = sameRoutes(file);
  if (same !== undefined) {
    const [first, second] = same;
    const at = file.routes?.[second] !== undefined ? second : first;
    return {path: ownerOf(at, file), allowed: `makes ${first} and ${second} the same request`};
  }
  for (const id of keysOf<OperationId>(file.routes ?? {})) {
    const other = isReadOperation(id) ? undefined : takenFrom(id, file);
    if (other !== undefined)
      return {path: ['routes', id], allowed: `is the path of ${other}, which is another write`};
  }
  return undefined;
}

/** The write of another resource that has this path in the contract, even if the file gives that one another route. */
function takenFrom(id: OperationId, file: ServiceFile): OperationId | undefined {
  const path = formOf(routeOf(id, file).path);
  const prefixed: ServiceFile = {prefixes: file.prefixes ?? {}};
  return allOperations().find(
    ({id: other}) =>
      !isReadOperation(other) &&
      resourceOf(other) !== resourceOf(id) &&
      [routeOf(other, {}), routeOf(other, prefixed)].some((route) => formOf(route.path) === path),
  )?.id;
}

const resourceOf = (id: OperationId): string => id.split('.', 1)[0] ?? '';
const formOf = (path: string): string => comparablePath(path).replaceAll(/\{\w+\}/g, '{}');
