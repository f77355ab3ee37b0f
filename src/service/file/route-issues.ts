import {allOperations, type OperationId} from '../../contract/operations/operations.ts';
import {requestFieldsOf} from '../../contract/origin/field-origins.ts';
import {keysOf} from '../../narrow.ts';
import {wordOfAnother} from '../route-words.ts';
import {isReadOperation, lenientForm, operationOf, paramsOf, routeOf} from '../routes.ts';
import type {ServiceFile} from '../service-file.ts';
import {sameRequests, takenPath} from './route-pairs.ts';
import {paymentPartIn} from './constant-bodies.ts';
import type {SchemaIssue} from './validate.ts';

/**
 * Rules for routes that no schema covers; the schema also requires that a read is a GET. A route decides what a request
 * does, so a write must name the record that its command names, and no other one.
 */
export function issueInRoutes(file: ServiceFile): SchemaIssue | undefined {
  return issueInEach(file) ?? issueInBodies(file) ?? issueInPrefixes(file) ?? issueInPairs(file);
}

function issueInEach(file: ServiceFile): SchemaIssue | undefined {
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
  for (const {id, operation} of allOperations()) {
    const {path} = routeOf(id, file);
    if (path === operation.path && file.bodies?.[id] === undefined) continue;
    const wrong = wrongConstant(path) ?? paymentIn(id, path);
    if (wrong !== undefined) return {path: ownerOf(id, file), allowed: wrong};
    const word = wordOfAnother(id, file);
    if (word !== undefined)
      return {
        path: ownerOfWord(id, file),
        allowed: `has the word ${word}, which is another action than ${id}`,
      };
  }
  return undefined;
}

/** What sets the route of an operation: its own entry, or a prefix. */
const ownerOf = (id: OperationId, {routes}: ServiceFile): readonly string[] =>
  routes?.[id] === undefined ? ['prefixes'] : ['routes', id];

/** A word that is not in the route is in the body. */
const ownerOfWord = (id: OperationId, file: ServiceFile): readonly string[] =>
  wordOfAnother(id, {...file, bodies: {}}) === undefined ? ['bodies', id] : ownerOf(id, file);

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

/** `payment_methods` and `payment-methods` are `paymentmethod`; empty for what is no noun. */
function nounOf(part: string): string {
  const word = part.toLowerCase().replaceAll(/[_-]/g, '').replace(/s$/, '');
  return word === 'api' || part.startsWith('{') ? '' : word;
}

const isNoun = (part: string): boolean => nounOf(part) !== '' && knownNouns().has(nounOf(part));
const isPlaceholder = (part: string | undefined): boolean => part?.startsWith('{') === true;
/** A segment without digits, so that it is no id. */
const PLAIN_WORD = /^[a-z]{1,30}(?:[-_.][a-z]{1,30}){0,4}$/i;
/** `v2`, `1.1`, `2024-01`, and words such as `oauth2`. */
const VERSION = /^(?:v\d{1,2}(?:\.\d{1,2})?|\d{4}-\d\d(?:-\d\d)?|[a-z]{2,20}\d)$/i;
const BARE_VERSION = /^\d{1,2}(?:\.\d{1,2})?$/;

/** Digits are an id rather than a version: `po_123`, or a number that does not begin the path. */
const hasOtherDigits = (part: string, before: string | undefined): boolean =>
  /\d/.test(part) &&
  !VERSION.test(part) &&
  !(BARE_VERSION.test(part) && (before === undefined || before === 'api'));

/**
 * Constant segments, such as a version or a tenant, stand before the first noun of a resource. After it there may be
 * nouns, placeholders, a word in front of a placeholder, and one word at the end: anything else could be an id, so
 * that the command would read or change that record instead of its own: a service may approve a payout by a GET. So could a segment with digits, wherever it is.
 */
function wrongConstant(path: string): string | undefined {
  const parts = path.split('/').slice(1);
  const first = firstNounIn(parts);
  for (const [at, part] of parts.entries()) {
    if (isPlaceholder(part) || part === '') continue;
    if (at <= first && !hasOtherDigits(part, parts[at - 1])) continue;
    const isWordInPlace =
      isNoun(part) || isPlaceholder(parts[at + 1]) || at === parts.length - 1 || isPlaceholder(parts[at - 1]);
    if (PLAIN_WORD.test(part) && isWordInPlace) continue;
    return `has the constant segment ${part}, which may be an id; constant segments stand before the first noun of a resource, and those with digits in the base URL`;
  }
  return undefined;
}

const PAYMENTS: ReadonlySet<string> = new Set(['payin', 'payout', 'move', 'account-transfer'].map(nounOf));
/** Services also name something in front of other records so: `/payments/contacts`. */
const GENERAL = new Set(['payment', 'transfer', 'disbursement']);
const OF_PAYMENTS = /^(?:payins|payouts|moves|accountTransfers)\.|\.simulateInboundCredit$/;

/**
 * A payment whose record the write of another resource would change or create: `DELETE /v1/payouts/{id}`. A read of one may
 * have the general names that services use for other records too.
 */
function paymentIn(id: OperationId, path: string): string | undefined {
  if (OF_PAYMENTS.test(id)) return undefined;
  const parts = lenientForm(path).split('/').slice(1);
  const last = parts.findLast(isNoun);
  const isRead = isReadOperation(id);
  const isGeneral = (part: string, at: number) =>
    GENERAL.has(nounOf(part)) && (at === parts.length - 1 || isPlaceholder(parts[at + 1]));
  const noun = last !== undefined && isPayment(last) ? last : isRead ? undefined : parts.find(isGeneral);
  return noun === undefined
    ? undefined
    : `is a path of ${noun}, which ${id} does not ${isRead ? 'read' : 'change'}`;
}

const isPayment = (part: string): boolean => PAYMENTS.has(nounOf(part));

/** A word in front of a placeholder is a noun too; a path without either begins with its noun, as far as remit knows. */
function firstNounIn(parts: readonly string[]): number {
  const known = parts.findIndex(isNoun);
  if (known >= 0) return known;
  const placeholder = parts.findIndex(isPlaceholder);
  return placeholder >= 0 ? placeholder - 1 : parts.findIndex((part) => !/^(?:v?\d{1,2}|api)$/i.test(part));
}

/** Segments that clients and servers resolve, so that another path would be requested. */
const hasDots = (path: string): boolean => path.split('/').some((part) => part === '.' || part === '..');

function issueInBodies(file: ServiceFile): SchemaIssue | undefined {
  for (const {id} of allOperations()) {
    if (file.bodies?.[id] === undefined) continue;
    const path = ['bodies', id];
    if (requestFieldsOf(id).length > 0) return {path, allowed: `cannot be set: ${id} has fields of its own`};
    if (isReadOperation(id)) return {path, allowed: 'cannot be set: a GET has no body'};
    const part = paymentPartIn(id, file);
    if (part !== undefined)
      return {path, allowed: `has ${part}: the amount and the parties of a payment are those of its record`};
  }
  return undefined;
}

function issueInPrefixes({prefixes = {}}: ServiceFile): SchemaIssue | undefined {
  for (const [name, prefix] of Object.entries(prefixes)) {
    if (hasDots(prefix)) return {path: ['prefixes', name], allowed: 'must have no . or .. segments'};
    const payment = name === 'api' ? undefined : prefix.split('/').find(isPayment);
    if (payment !== undefined)
      return {
        path: ['prefixes', name],
        allowed: `is a path of ${payment}, which belongs to their operations`,
      };
  }
  if (prefixes.webhookEndpoints === '')
    return {
      path: ['prefixes', 'webhookEndpoints'],
      allowed: 'must not be empty: it is the whole path of a list',
    };
  return undefined;
}

function issueInPairs(file: ServiceFile): SchemaIssue | undefined {
  if (file.routes === undefined && file.prefixes === undefined) return undefined; // all are those of the contract
  const same = sameRequests(file);
  if (same !== undefined) {
    const [first, second] = same;
    return {path: ownerOfPair(second, first, file), allowed: `makes ${first} and ${second} the same request`};
  }
  const taken = takenPath(file);
  if (taken === undefined) return undefined;
  const [by, other] = taken;
  const path = ownerOfPair(by, other, file);
  return {path, allowed: `is the path of ${path.at(-1) === other ? by : other}, which is another operation`};
}

const ownerOfPair = (first: OperationId, second: OperationId, file: ServiceFile): readonly string[] =>
  ownerOf(file.routes?.[first] === undefined && file.routes?.[second] !== undefined ? second : first, file);
