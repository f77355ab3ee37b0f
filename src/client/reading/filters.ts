import {isSameId} from '../../contract/ids.ts';
import {TRANSFER_STATUSES} from '../../contract/lifecycle.ts';
import {recordFieldsOf} from '../../contract/operations/record-fields.ts';
import {fieldOrigin, requestFieldsOf} from '../../contract/origin/field-origins.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {RemitError} from '../../errors.ts';
import {isObject, objectsIn, type JsonFields, type Json} from '../../narrow.ts';
import type {Sanitizer} from '../../sanitize/sanitizer.ts';
import {assumedKey, type Assumption} from '../../service/file/assumption.ts';
import {operationOf} from '../../service/routes.ts';

/**
 * Compares the items of a page with the filters of the request. A service that ignores a filter returns records of
 * other parties, statuses or times. Only what an item states itself is compared; that none of them states it shows
 * nothing about the filter.
 * @throws {RemitError} FILTER_IGNORED for the first item that a filter excludes, and if no item states the field
 */
export function checkFilters(
  id: OperationId,
  query: JsonFields,
  {items, sanitizer}: {items: readonly Json[]; sanitizer: Sanitizer},
): void {
  for (const [filter, wanted] of Object.entries(query)) {
    if (typeof wanted !== 'string' || !Object.hasOwn(EXCLUDES, filter)) continue;
    const records = objectsIn(items);
    const excluded = records.find((item) => EXCLUDES[filter]?.(item, wanted, filter));
    if (excluded === undefined) {
      const unstated = unstatedField(id, filter, records);
      if (unstated !== undefined) throw unshown(id, {filter, wanted, field: unstated}, sanitizer);
      continue;
    }
    const stated = statedBy(filter, excluded);
    throw ignored(
      id,
      {filter, wanted, item: excluded},
      {
        sanitizer,
        why: `has ${stated === undefined ? 'other accounts' : sanitizer.line(stated)}: the service ignores this filter`,
      },
    );
  }
}

/**
 * Whether a record passes the filters that the service does not have. A record that does not state the field cannot be
 * judged.
 * @throws {RemitError} FILTER_IGNORED for such a record
 */
export function filterHere(
  id: OperationId,
  query: JsonFields,
  sanitizer: Sanitizer,
): (item: Json) => boolean {
  const filters = Object.entries(query).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return (item) =>
    isObject(item) &&
    filters.every(([filter, wanted]) => {
      if (filter === 'status' && typeof item['status'] === 'string')
        return item['status'].toLowerCase() === wanted.toLowerCase();
      const at = timeOf(item['created_at']);
      if (filter === 'created_from' && !Number.isNaN(at)) return at >= timeOf(wanted);
      if (filter === 'created_to' && !Number.isNaN(at)) return at <= timeOf(wanted);
      const isStated =
        !filter.startsWith('created_') && (statedBy(filter, item) !== undefined || isBetweenAccounts(item));
      const excludes = Object.hasOwn(EXCLUDES, filter) ? EXCLUDES[filter] : undefined;
      if (isStated && excludes !== undefined) return !excludes(item, wanted, filter);
      const why = 'does not state it, so remit cannot filter by it';
      const field = FIELDS[filter];
      const assumption = field === undefined ? undefined : fieldKey(id, field);
      throw ignored(id, {filter, wanted, item}, {sanitizer, why, assumption});
    });
}

/** Whether a filter excludes an item, by the name of the filter. */
type Excludes = (item: JsonFields, wanted: string, filter: string) => boolean;

const hasOtherId: Excludes = (item, wanted, filter) => {
  const id = item[filter];
  return typeof id === 'string' && id !== '' && !isSameId(id, wanted);
};

/** Timestamps of some services have no fraction of a second. */
const SLACK_MS = 1000;

/** Milliseconds since the epoch; a time without a zone could be any. */
export const timeOf = (value: Json): number =>
  typeof value === 'string' && /(z|[+-]\d\d:?\d\d)$/i.test(value) ? Date.parse(value) : Number.NaN;

const isBetweenAccounts = (item: JsonFields): boolean =>
  typeof item['source_account_id'] === 'string' && typeof item['destination_account_id'] === 'string';

const EXCLUDES: Readonly<Record<string, Excludes>> = {
  payee_id: hasOtherId,
  payer_id: hasOtherId,
  account_id: (item, wanted, filter) => {
    const [source, destination] = [item['source_account_id'], item['destination_account_id']];
    if (typeof source !== 'string' || typeof destination !== 'string')
      return hasOtherId(item, wanted, filter);
    return !isSameId(source, wanted) && !isSameId(destination, wanted);
  },
  status: ({status}, wanted) => isKnown(status) && status.toLowerCase() !== wanted.toLowerCase(),
  created_from: (item, wanted) => timeOf(item['created_at']) < timeOf(wanted) - SLACK_MS,
  created_to: (item, wanted) => timeOf(item['created_at']) > timeOf(wanted) + SLACK_MS,
};

/** A status of the service's own may be another word for the requested one. */
const isKnown = (status: Json): status is string =>
  typeof status === 'string' && TRANSFER_STATUSES.some((known) => known === status.toLowerCase());

/** What an item states about a filter. */
function statedBy(filter: string, item: JsonFields): string | undefined {
  const value = filter.startsWith('created_') ? item['created_at'] : item[filter];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function ignored(
  operation: OperationId,
  {filter, wanted, item}: {filter: string; wanted: string; item: JsonFields},
  {
    sanitizer,
    why,
    assumption = assumptionOf(operation, filter),
  }: {sanitizer: Sanitizer; why: string; assumption?: Assumption | undefined},
): RemitError {
  const stated = statedBy(filter, item);
  const id = typeof item['id'] === 'string' ? sanitizer.line(item['id']) : null;
  return new RemitError(
    'FILTER_IGNORED',
    `the list was requested with ${filter} ${sanitizer.line(wanted)}, but record ${id ?? '(without an id)'} ${why} (${assumption.text})`,
    {
      details: {
        ...{filter, requested: sanitizer.line(wanted), id},
        answered:
          stated === undefined ? (filter === 'account_id' ? 'other accounts' : null) : sanitizer.line(stated),
        assumption,
      },
    },
  );
}

/** The field of a record that a filter is about. */
const FIELDS: Readonly<Record<string, string>> = {
  ...{payee_id: 'payee_id', payer_id: 'payer_id', status: 'status', account_id: 'source_account_id'},
  ...{created_from: 'created_at', created_to: 'created_at'},
};

/** The field that a filter of the request is about, if every record of the list has it as a rule, and none of these. */
function unstatedField(id: OperationId, filter: string, records: readonly JsonFields[]): string | undefined {
  const [resource = ''] = id.split('.');
  const field = FIELDS[filter];
  if (field === undefined || records.length === 0 || !requestFieldsOf(id).includes(filter)) return undefined;
  if (!recordFieldsOf(resource).includes(field)) return undefined;
  return records.every((record) => (record[field] ?? null) === null) ? field : undefined;
}

function fieldKey(id: OperationId, field: string): Assumption {
  const [resource = ''] = id.split('.');
  return assumedKey(null, `fields.${resource}.${field}`, `the interface document gives ${field}`);
}

function unshown(
  id: OperationId,
  {filter, wanted, field}: {filter: string; wanted: string; field: string},
  sanitizer: Sanitizer,
): RemitError {
  const assumption = fieldKey(id, field);
  return new RemitError(
    'FILTER_IGNORED',
    `the list was requested with ${filter} ${sanitizer.line(wanted)}, but no record has ${field}, so nothing shows whether the service filtered them (${assumption.text})`,
    {details: {filter, requested: sanitizer.line(wanted), id: null, answered: null, assumption}},
  );
}

function assumptionOf(id: OperationId, filter: string) {
  const [resource = ''] = id.split('.');
  if (!requestFieldsOf(id).includes(filter)) return pathOf(id);
  const origin = fieldOrigin(id, filter);
  const row = origin.kind === 'assumed' ? origin.row : null;
  return assumedKey(
    row,
    `filters.${resource}.${filter}`,
    `the filter ${filter} is assumed; false makes remit filter the records itself`,
  );
}

/** A parameter in the path of the list selects the records. */
function pathOf(id: OperationId) {
  const {origin, prefix, path} = operationOf(id);
  const row = [origin, prefix?.origin].find((one) => one?.kind === 'assumed');
  const what = `the path ${path} must select the records`;
  return assumedKey(row?.kind === 'assumed' ? row.row : null, `routes.${id}`, what);
}
