import {fieldOrigin, requestFieldsOf} from '../contract/field-origins.ts';
import type {OperationId} from '../contract/operations.ts';
import type {Origin} from '../contract/origin.ts';
import {isObject} from '../narrow.ts';
import {findOperation, type Route} from './routes.ts';

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
  readonly details?: unknown;
  /** The body as received. */
  readonly json: unknown;
}

/** The assumption that may explain why an operation failed; undefined if there is none. */
export function assumptionBehind(id: OperationId, route: Route, failure: Failure): Assumption | undefined {
  const {status, errorCode, json} = failure;
  if (status < 300) return unreadable(id);
  if (status === 405 || status === 501 || (status === 404 && errorCode === undefined))
    return ofRoute(id, route);
  if (status === 400 || status === 422) {
    const named = ofRefusal(id, failure);
    if (named !== undefined) return named;
  }
  if (status >= 400 && errorCode === undefined && isObject(json) && Object.keys(json).length > 0)
    return assumed(42, 'errors.code', 'the shape of an error body is assumed');
  return undefined;
}

function ofRoute(id: OperationId, {method, path}: Route): Assumption {
  const {origin, prefix} = findOperation(id)!; // ids are checked by type
  const at = `${method} ${path}`;
  if (origin.kind === 'assumed') return assumed(origin.row, `routes.${id}`, `${at} is assumed`);
  if (prefix?.origin.kind === 'assumed')
    return assumed(prefix.origin.row, 'prefixes.treasury', `the prefix of ${at} is assumed`);
  return {
    row: null,
    key: `routes.${id}`,
    text: `the interface document gives ${at}; check the path of the base URL, or set routes.${id} in the service file`,
  };
}

function unreadable(id: OperationId): Assumption {
  if (findOperation(id)?.pages === 'cursor')
    return assumed(39, 'envelopes.list', 'the envelope of a list is assumed');
  const {origin} = findOperation(id)!; // ids are checked by type
  const row = id === 'payins.get' || id === 'payouts.get' ? 6 : rowOf(origin);
  return {
    row,
    key: 'envelopes.record',
    text: sentence(row, 'envelopes.record', 'the envelope of a record is assumed'),
  };
}

/** Words that services use about a field that is not accepted, or missing. */
const REFUSING =
  /unknown|unrecogni[sz]ed|unexpected|not (a )?(allowed|permitted|recogni[sz]ed|known)|additional|extra|missing|required|must be|invalid/i;
/** Words about the name of a field, not its value. */
const NAMING =
  /unknown|unrecogni[sz]ed|unexpected|not (a )?(allowed|permitted|recogni[sz]ed|known)|additional|extra|missing|required/i;

function ofRefusal(id: OperationId, {message = '', details}: Failure): Assumption | undefined {
  const words = `${message} ${wordsOf(details)}`;
  if (!REFUSING.test(words)) return undefined;
  const names = (name: string) => new RegExp(`(?<![A-Za-z0-9_])${name}(?![A-Za-z0-9_])`).test(words);
  if (/idempotency.?key/i.test(words))
    return assumed(45, 'keys', 'the header and format of idempotency keys are assumed');
  const isList = findOperation(id)?.pages === 'cursor';
  if (isList && names('limit')) return assumed(41, 'paging.max', 'the maximum page size is assumed');
  if (isList && names('order')) return assumed(40, 'paging.order', 'the sort order values are assumed');
  const field = requestFieldsOf(id).find((name) => names(name.split('.').at(-1)!)); // split gives one at least
  if (field === undefined || !NAMING.test(words)) return undefined;
  const [resource] = id.split('.');
  const key = `fields.${resource}.${field.split('.')[0]}`;
  const row = rowOf(fieldOrigin(id, field, findOperation(id)));
  return {
    row,
    key,
    text: sentence(
      row,
      key,
      `the name ${field} is ${row === null ? 'given by the interface document' : 'assumed'}`,
    ),
  };
}

const wordsOf = (details: unknown): string =>
  details === undefined ? '' : JSON.stringify(details).replaceAll('"', ' ').slice(0, 2000);

const rowOf = (origin: Origin): number | null => (origin.kind === 'assumed' ? origin.row : null);

const assumed = (row: number, key: string, what: string): Assumption => ({
  row,
  key,
  text: sentence(row, key, what),
});

const sentence = (row: number | null, key: string, what: string): string =>
  `${what}${row === null ? '' : ` (row ${row})`}; if this service differs, set ${key} in the service file`;
