import {SERVICE_ERRORS} from '../../contract/error-codes.ts';
import {allOperations} from '../../contract/operations/operations.ts';
import {recordFieldsOf} from '../../contract/operations/record-fields.ts';
import {isList, isObject} from '../../narrow.ts';
import {STATUSES_OF} from './schema.ts';
import {isMethodParameter, READ_AS_METHOD} from './own-headers.ts';
import {cursorNameOf, orderOf} from '../paging.ts';
import {firstPart} from '../paths.ts';
import type {ServiceFile} from '../service-file.ts';
import type {SchemaIssue} from './validate.ts';

// What the values of a service file must not say together: two names for one place, or one name for two.

/** Names that every JavaScript object has; a value under them could be lost, or change the object itself. */
const BUILT_IN = new Set(['__proto__', 'constructor', 'prototype']);

/** Finds such a name anywhere in the file: as a key, or within a path. Free text is allowed. */
export function issueInNames(file: ServiceFile): SchemaIssue | undefined {
  return nameIn(file, []);
}

function nameIn(value: unknown, path: readonly string[]): SchemaIssue | undefined {
  const isText = path[0] === 'bodies' || (path[0] === 'headers' && path[1] === 'send');
  const odd = typeof value === 'string' && !isText ? value.split('.').find((name) => BUILT_IN.has(name)) : '';
  if (odd) return {path, allowed: `must not be or contain the name ${odd}`};
  const inner = isList(value) ? value.entries() : isObject(value) ? Object.entries(value) : [];
  for (const [name, one] of inner) {
    const at = typeof name === 'string' ? [...path, name] : path;
    const word = typeof name === 'string' ? name.split('.').find((part) => BUILT_IN.has(part)) : undefined;
    const issue =
      word === undefined ? nameIn(one, at) : {path: at, allowed: `must not be or contain the name ${word}`};
    if (issue !== undefined) return issue;
  }
  return undefined;
}

/** The key is the status at the service, the value the documented one. */
export function issueInStatuses({statuses = {}}: ServiceFile): SchemaIssue | undefined {
  for (const [resource, words] of Object.entries(statuses)) {
    const known = STATUSES_OF[resource];
    if (known === undefined && !recordFieldsOf(resource).includes('status'))
      return {path: ['statuses', resource], allowed: `cannot be set: ${resource} have no status`};
    const seen = new Map<string, string>();
    for (const [wire, status] of Object.entries(words)) {
      const allowed =
        (known === undefined ? undefined : wrongStatus(wire, status, known)) ??
        otherMeaning(status, seen.get(wire.toLowerCase()));
      if (allowed !== undefined) return {path: ['statuses', resource, wire], allowed};
      seen.set(wire.toLowerCase(), status);
    }
  }
  return undefined;
}

function wrongStatus(wire: string, status: string, known: readonly string[]): string | undefined {
  const own = known.find((one) => one.toLowerCase() === wire.toLowerCase());
  if (!known.includes(status))
    return own === undefined
      ? `must be one of ${known.join(', ')}: the status at the service comes first, then the status in remit`
      : `is the wrong way round: the status at the service comes first, then the status in remit; write "${status}": "${own}"`;
  // A settled payout that reads as failed would be paid again.
  return own === undefined || own === status
    ? undefined
    : `cannot be ${status}: ${own} is a documented status and keeps its meaning`;
}

const otherMeaning = (status: string, earlier: string | undefined): string | undefined =>
  earlier === undefined || earlier === status
    ? undefined
    : `is ${status}, but the same word in another case is ${earlier}`;

/** What the client takes for a code where no path names its place. */
const CODE = /^[A-Za-z][A-Za-z0-9_.-]{0,99}$/;

export function issueInErrors({
  errors: {code, message, details, codes = {}} = {},
}: ServiceFile): SchemaIssue | undefined {
  for (const [wire, documented] of Object.entries(codes)) {
    const path = ['errors', 'codes', wire];
    if (code === undefined && !CODE.test(wire))
      return {path, allowed: 'does not look like a code; set errors.code to its place'};
    if (Object.hasOwn(SERVICE_ERRORS, wire) && wire !== documented)
      return {path, allowed: `cannot be ${documented}: ${wire} is a documented code and keeps its meaning`};
  }
  return twice('errors', {code, message}) ?? twice('errors', {code, message, details}, {}, isSame);
}

/** The items of a list, and what leads to the next page. `data` and `next_cursor` are where they are if not set. */
export function issueInEnvelopes({
  envelopes = {},
  paging: {by = 'cursor'} = {},
}: ServiceFile): SchemaIssue | undefined {
  if (by !== 'cursor' && envelopes.next !== undefined)
    return {path: ['envelopes', 'next'], allowed: `cannot be set: paging.by is ${by}, so there is no cursor`};
  const {list, next, more, total} = envelopes;
  const places = {next, more, total};
  const usual = {list: 'data', next: 'next_cursor'};
  if (list === undefined || typeof list === 'string') return twice('envelopes', {list, ...places}, usual);
  for (const [holder, path] of Object.entries(list)) {
    const isOfList = LISTS.some((id) => id === holder || firstPart(id) === holder);
    if (!isOfList) return {path: ['envelopes', 'list', holder], allowed: 'is not a list'};
    const key = `list.${holder}`;
    const issue = twice('envelopes', {[key]: path, ...places}, {[key]: path, next: 'next_cursor'});
    if (issue !== undefined) return issue;
  }
  return undefined;
}

const LISTS = allOperations().flatMap(({id, operation}) =>
  operation.pages === 'cursor' || id === 'eventTypes.list' ? [id] : [],
);

/** Two parameters of one name would be sent as one. */
export function issueInPaging({paging = {}}: ServiceFile): SchemaIssue | undefined {
  const {by = 'cursor', cursor, limit, min = 1, max = Infinity, first} = paging;
  const order = orderOf(paging);
  if (min > max) return {path: ['paging', 'min'], allowed: `is larger than paging.max (${max})`};
  if (first !== undefined && by !== 'page')
    return {path: ['paging', 'first'], allowed: 'needs paging.by page: only pages have a first number'};
  const usual = {cursor: cursorNameOf({by}), limit: 'limit', 'order.name': 'order'};
  const issue = twice('paging', {cursor, limit, 'order.name': order.name}, usual, isSame);
  if (issue !== undefined) return issue;
  const names = Object.entries({cursor, limit, 'order.name': order.name});
  const [method] = names.find(([, name = '']) => isMethodParameter(name)) ?? [];
  if (method !== undefined) return {path: ['paging', ...method.split('.')], allowed: READ_AS_METHOD};
  const {asc = 'asc', desc = 'desc'} = order;
  const path = ['paging', 'order', order.desc === undefined ? 'asc' : 'desc'];
  return asc === desc ? {path, allowed: `cannot be ${desc} in both directions`} : undefined;
}

const isSame = (one: string, other: string): boolean => one === other;
const isWithin = (one: string, other: string): boolean => `${one}.`.startsWith(`${other}.`);
const areNested = (one: string, other: string): boolean => isWithin(one, other) || isWithin(other, one);

/** The first key whose place is taken by another one, whether that is set or usual. */
function twice(
  section: string,
  set: Readonly<Record<string, string | undefined>>,
  usual: Readonly<Record<string, string>> = {},
  collide: (one: string, other: string) => boolean = areNested,
): SchemaIssue | undefined {
  const places = Object.entries({...usual, ...defined(set)});
  for (const [key, place] of places.toReversed()) {
    if (set[key] === undefined) continue;
    const other = places.find(([name, taken]) => name !== key && collide(place, taken));
    if (other === undefined) continue;
    const what = other[1] === place ? 'is the same as' : 'overlaps with';
    return {path: [section, ...key.split('.')], allowed: `${what} ${section}.${other[0]} (${other[1]})`};
  }
  return undefined;
}

const defined = (set: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(set).flatMap(([key, place]) => (place === undefined ? [] : [[key, place]])),
  );
