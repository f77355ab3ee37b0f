import {fieldOrigin, requestFieldsOf} from '../../contract/origin/field-origins.ts';
import {SERVICE_ERRORS} from '../../contract/error-codes.ts';
import {TRANSFER_STATUSES} from '../../contract/lifecycle.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {TREASURY_PREFIX} from '../../contract/operations/treasury.ts';
import type {Origin} from '../../contract/origin/origin.ts';
import {recordFieldsOf} from '../../contract/operations/record-fields.ts';
import {isList, isObject, type Json, type JsonFields} from '../../narrow.ts';
import {firstPart, lastPart, objectIn} from '../paths.ts';
import {findOperation, operationOf, type Route} from '../routes.ts';
import {STATUSES_OF} from './schema.ts';
import {isAmountField} from '../units.ts';

/** The assumption that may explain a failure, and the key to set if it does. */
export interface Assumption {
  /** Row of docs/internals/assumptions.md; null if the interface document gives the fact. */
  readonly row: number | null;
  /** The key of the service file. */
  readonly key: string;
  /** One sentence for people, with the key. */
  readonly text: string;
}

/** The relevant parts of an answer. */
export interface Failure {
  readonly status: number;
  readonly errorCode?: string | undefined;
  readonly message?: string | undefined;
  readonly details?: Json;
  /** The body as received. */
  readonly json: Json;
}

/** The assumption that may explain why an operation failed; undefined if there is none. */
export function assumptionBehind(id: OperationId, route: Route, failure: Failure): Assumption | undefined {
  const {status, errorCode, json} = failure;
  if (status < 300) return unreadable(id, json);
  if (status === 405 || status === 501) return ofRoute(id, route);
  if (status === 404) {
    const missing = ofMissing(id, route, failure);
    if (missing !== undefined) return missing;
  }
  if (status === 415 && takesNoFields(id)) return ofBody(id);
  if (status === 400 || status === 422) {
    const named = ofRefusal(id, route, failure);
    if (named !== undefined) return named;
  }
  // A 429 or 5XX is handled by its status, so its code does not matter.
  const needsCode = status >= 400 && status < 500 && status !== 429;
  return needsCode && errorCode === undefined && hasKeys(json) ? errorShape() : undefined;
}

/** Undefined if the code says that the record does not exist. */
function ofMissing(id: OperationId, route: Route, {errorCode, json}: Failure): Assumption | undefined {
  const isDocumented = errorCode !== undefined && Object.hasOwn(SERVICE_ERRORS, errorCode);
  if (isDocumented && errorCode !== 'NOT_FOUND') return undefined;
  if (!operationOf(id).path.includes('{'))
    return isDocumented && NAMES_RECORDS.has(id) ? doubtful(ofRoute(id, route)) : ofRoute(id, route);
  if (isDocumented) return undefined;
  if (errorCode === undefined && hasKeys(json)) return errorShape();
  return doubtful(ofRoute(id, route), 'the record does not exist');
}

const hasKeys = (json: Json): boolean => isObject(json) && Object.keys(json).length > 0;

/** Requests whose body names records, so that the 404 may be about one of them. */
const NAMES_RECORDS: ReadonlySet<OperationId> = new Set([
  ...(['payouts.create', 'payins.create', 'moves.create', 'accountTransfers.create'] as const),
]);

const doubtful = (
  assumption: Assumption,
  unless = 'a record that the request names does not exist',
): Assumption => ({...assumption, text: `unless ${unless}, the route is wrong: ${assumption.text}`});

/** A 404 about a record that exists. */
export function missingRoute(id: OperationId, route: Route, record: string): Assumption {
  const {origin, prefix} = operationOf(id);
  const row = rowOf(origin) ?? (prefix === undefined ? null : rowOf(prefix.origin));
  const at = `${route.method} ${route.path}`;
  const what = row === null ? `the interface document gives ${at}` : `${at} is assumed`;
  const assumption = assumedKey(row, `routes.${id}`, what);
  // Row 20: a bank reports the first balance of an account later.
  if (id === 'treasury.balance')
    return doubtful(assumption, 'the bank has not reported a balance of this account yet');
  return {...assumption, text: `${record} exists, so the route is probably wrong: ${assumption.text}`};
}

/**
 * A 404 about a record whose list, at a path that names no record, is answered 404 as well. Undefined if it is no record
 * of the treasury, whose paths alone have a prefix of their own.
 */
export function missingPrefix(id: OperationId, route: Route, list: Route): Assumption | undefined {
  if (!operationOf(id).path.startsWith(`${TREASURY_PREFIX.path}/`)) return undefined;
  const what = `the prefix of ${route.method} ${route.path} is assumed`;
  const assumption = assumedKey(rowOf(TREASURY_PREFIX.origin), 'prefixes.treasury', what);
  const why = `${list.method} ${list.path} is answered 404 too`;
  return {...assumption, text: `${why}, so the prefix is probably wrong: ${assumption.text}`};
}

function ofRoute(id: OperationId, {method, path}: Route): Assumption {
  const {origin, prefix} = operationOf(id);
  const at = `${method} ${path}`;
  if (origin.kind === 'assumed') return assumedKey(origin.row, `routes.${id}`, `${at} is assumed`);
  if (prefix?.origin.kind === 'assumed')
    return assumedKey(prefix.origin.row, 'prefixes.treasury', `the prefix of ${at} is assumed`);
  return {
    row: null,
    key: `routes.${id}`,
    text: `the interface document gives ${at}; check the path of the base URL, or set routes.${id} in the service file`,
  };
}

function unreadable(id: OperationId, json: Json): Assumption {
  if (findOperation(id)?.pages === 'cursor')
    return assumedKey(39, 'envelopes.list', 'the envelope of a list is assumed');
  const [resource = ''] = id.split('.');
  const named = isObject(json) && isRecord(json, resource) ? ofRecord(resource, json) : undefined;
  if (named !== undefined) return named;
  const wrapper = isObject(json) ? objectIn(json, (inner) => isRecord(inner, resource)) : undefined;
  const {origin} = operationOf(id);
  const row = id === 'payins.get' || id === 'payouts.get' ? 6 : rowOf(origin);
  return {
    row,
    key: 'envelopes.record',
    text: sentence(
      row,
      'envelopes.record',
      wrapper === undefined
        ? 'the envelope of a record is assumed'
        : `the record is in ${wrapper
            .join('.')
            .replace(/[^\w.-]/g, '?')
            .slice(0, 80)}, not at the top of the answer`,
    ),
  };
}

/** Whether an object looks like a record of the resource: it has at least three of its fields. */
const isRecord = (json: JsonFields, resource: string): boolean =>
  Object.keys(json).filter((name) => recordFieldsOf(resource).includes(name)).length > 2;

/** Undefined if nothing about the record is odd: then it is the envelope. */
function ofRecord(resource: string, {id, status}: JsonFields): Assumption | undefined {
  const hasStatus = Object.hasOwn(STATUSES_OF, resource) && !resource.endsWith('PaymentMethods');
  if (id === undefined && (status !== undefined || !hasStatus))
    return given(`fields.${resource}.id`, 'the record has no id');
  if (!hasStatus) return undefined;
  if (typeof status !== 'string') return given(`fields.${resource}.status`, 'the record has no status');
  if (SHOWN.test(status) && (resource === 'payouts' || resource === 'payins'))
    return given(`fields.${resource}.client_metadata`, 'the record does not repeat its metadata');
  const shown = status.replace(/[^A-Za-z0-9_.-]/g, '?').slice(0, 40);
  return assumedKey(63, `statuses.${resource}`, `the status ${shown} is unknown to remit`);
}

/** Statuses that a payin or payout may have. */
const SHOWN = new RegExp(`^(${TRANSFER_STATUSES.join('|')})$`);

const given = (key: string, what: string): Assumption => ({row: null, key, text: sentence(null, key, what)});

/** Words that services use about a field that is not accepted, or missing. */
const REFUSING =
  /unknown|unrecogni[sz]ed|unexpected|not (a )?(allowed|permitted|recogni[sz]ed|known)|additional|extra|missing|required|must be|invalid/i;
/** Words about the name of a field, not its value. */
const NAMING =
  /unknown|unrecogni[sz]ed|unexpected|not (a )?(allowed|permitted|recogni[sz]ed|known)|additional|extra|missing|required/i;
/** Words about a field that is missing. */
const REQUIRING =
  /missing|required|must be (present|provided|given|set)|(can(no|')t|must not) be (blank|empty)/i;
/** Words about an id in the path, although the route has none: its last part was taken for one. */
const MALFORMED_ID = /\bid\b.{0,40}\b(malformed|invalid|uuid)\b|\b(malformed|invalid)\b.{0,40}\bid\b/i;
/** Words about the allowed values of a field. */
const BOUNDING = /at most|at least|max|between|less|greater|exceed|one of|must be|value/i;

function ofRefusal(id: OperationId, route: Route, {message = '', details}: Failure): Assumption | undefined {
  const words = `${message} ${wordsOf(details)}`;
  if (/idempotency.?key/i.test(words)) return ofKey(words);
  if (/\bbody\b/i.test(words) && takesNoFields(id)) return ofBody(id);
  if (MALFORMED_ID.test(words) && !operationOf(id).path.includes('{')) return ofRoute(id, route);
  if (!REFUSING.test(words)) return undefined;
  const names = (name: string) => new RegExp(`(?<![A-Za-z0-9_])${name}(?![A-Za-z0-9_])`).test(words);
  const header = /\bheader\b/i.exec(words);
  if (header !== null) return given('headers.send', 'the service requires a header that remit does not send');
  const page = findOperation(id)?.pages === 'cursor' ? ofPage(words, names) : undefined;
  if (page !== undefined) return page;
  const field = requestFieldsOf(id).find((name) => names(lastPart(name)));
  if (field === undefined) return ofRequired(id, {message, details});
  if (!NAMING.test(words)) return undefined;
  const [resource = ''] = id.split('.');
  const [key = '', ...unit] = keysOfField(resource, field);
  const row = rowOf(fieldOrigin(id, field, findOperation(id)));
  const what = `the name ${field} is ${row === null ? 'given by the interface document' : 'assumed'}`;
  return {row, key, text: sentence(row, [key, ...unit].join(' and '), what)};
}

const takesNoFields = (id: OperationId): boolean =>
  operationOf(id).method !== 'GET' && requestFieldsOf(id).length === 0;

const ofBody = (id: OperationId): Assumption =>
  given(`bodies.${id}`, 'the body of the request is not accepted');

/** Names that cannot be taken for words: `display_name`, `displayName`, and those in quotes. */
const NAMES = /["'`]([A-Za-z_][\w.]{0,63})["'`]|\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+|[a-z]+[A-Z][A-Za-z0-9]*)\b/g;

/** A required field that remit does not send: the service has another name for one of its fields. */
function ofRequired(id: OperationId, {message = '', details}: Pick<Failure, 'message' | 'details'>) {
  const texts = [message.slice(0, LONGEST_TEXT), ...textsIn(details)];
  if (requestFieldsOf(id).length === 0 || !texts.some((text) => REQUIRING.test(text))) return undefined;
  const names = texts.flatMap((text) =>
    [...text.matchAll(NAMES)].map(([, quoted, plain = '']) => quoted ?? plain),
  );
  const unknown = [...new Set(names)].filter((name) => !CODES.test(name)).slice(0, 5);
  if (unknown.length === 0) return undefined;
  return given(`fields.${id}`, `the service requires ${unknown.join(', ')}, which remit does not send`);
}

/** Words such as `missing_field`, which are codes and no names of fields. */
const CODES = /missing|required|invalid|error|^[A-Z_]+$/;
const LONGEST_TEXT = 500;
const MOST_TEXTS = 50;

/** All texts in the details of an error; the names of fields are in quotes. */
function textsIn(details: Json, depth = 0): string[] {
  if (typeof details === 'string') return [details.slice(0, LONGEST_TEXT)];
  if (depth > 4) return [];
  if (isList(details)) return details.slice(0, MOST_TEXTS).flatMap((one) => textsIn(one, depth + 1));
  if (!isObject(details)) return [];
  const entries = Object.entries(details).slice(0, MOST_TEXTS);
  return entries.flatMap(([key, value]) => {
    const isName = /^(field|param|parameter|property|name)$/.test(key) && typeof value === 'string';
    if (isName) return [`"${value.slice(0, LONGEST_TEXT)}"`];
    return [...(depth === 0 ? [`"${key}"`] : []), ...textsIn(value, depth + 1)]; // by field
  });
}

/** The keys of the service file for a field with another name; a renamed amount needs a unit too. */
export function keysOfField(resource: string, field: string): readonly string[] {
  const name = firstPart(field);
  if (resource === 'webhookEndpoints' && name === 'is_active') return ['webhooks.active'];
  const keys = [`fields.${resource}.${name}`];
  return isAmountField(name) ? [...keys, `units.${resource}.${name}`] : keys;
}

/** What a refused idempotency key points to: its length, its format, or its header. */
function ofKey(words: string): Assumption {
  if (/\blong|\blength|characters|at most|exceed/i.test(words))
    return assumedKey(45, 'keys.maxLength', 'the maximum length of idempotency keys is assumed');
  if (/uuid|guid|format|malformed|invalid/i.test(words))
    return assumedKey(45, 'keys.format', 'the format of idempotency keys is assumed');
  return assumedKey(45, 'keys.header', 'the header of idempotency keys is assumed');
}

/** A refused parameter of paging: its name, or its value. */
function ofPage(words: string, names: (name: string) => boolean): Assumption | undefined {
  const isName = NAMING.test(words) && !BOUNDING.test(words);
  if (names('limit'))
    return isName
      ? assumedKey(41, 'paging.limit', 'the parameter of the page size is assumed')
      : /at least|minimum|greater|too small/i.test(words)
        ? assumedKey(41, 'paging.min', 'the minimum page size is assumed')
        : assumedKey(41, 'paging.max', 'the maximum page size is assumed');
  if (names('order'))
    return isName
      ? assumedKey(40, 'paging.order.name', 'the parameter of the sort order is assumed')
      : assumedKey(40, 'paging.order', 'the sort order values are assumed');
  return isName && names('cursor')
    ? assumedKey(39, 'paging.cursor', 'the parameter of the cursor is assumed')
    : undefined; // a wrong cursor says nothing about its name
}

const wordsOf = (details: Json): string =>
  details === undefined ? '' : JSON.stringify(details).replaceAll('"', ' ').slice(0, 2000);

const errorShape = (): Assumption => assumedKey(42, 'errors.code', 'the shape of an error body is assumed');

const rowOf = (origin: Origin): number | null => (origin.kind === 'assumed' ? origin.row : null);

/** An assumption that the caller knows to be behind a failure. */
export const assumedKey = (row: number | null, key: string, what: string): Assumption => ({
  row,
  key,
  text: sentence(row, key, what),
});

const sentence = (row: number | null, key: string, what: string): string =>
  `${what}${row === null ? '' : ` (row ${row})`}; if this service differs, set ${key} in the service file`;
