import {isSameId} from '../../contract/ids.ts';
import {TRANSFER_STATUSES} from '../../contract/lifecycle.ts';
import {RemitError} from '../../errors.ts';
import {isObject} from '../../narrow.ts';
import type {Sanitizer} from '../../sanitize/sanitizer.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * Compares the items of a page with the filters of the request. A service that ignores a filter returns records of
 * other parties, statuses or times. Only what an item states itself is compared.
 * @throws {RemitError} FILTER_IGNORED for the first item that a filter excludes
 */
export function checkFilters(query: Json, items: readonly unknown[], sanitizer: Sanitizer): void {
  for (const [filter, wanted] of Object.entries(query)) {
    if (typeof wanted !== 'string' || !Object.hasOwn(EXCLUDES, filter)) continue;
    const excluded = items.filter(isObject).find((item) => EXCLUDES[filter]?.(item, wanted, filter));
    if (excluded !== undefined) throw ignored(filter, wanted, excluded, sanitizer);
  }
}

/** Whether a filter excludes an item, by the name of the filter. */
type Excludes = (item: Json, wanted: string, filter: string) => boolean;

const hasOtherId: Excludes = (item, wanted, filter) => {
  const id = item[filter];
  return typeof id === 'string' && id !== '' && !isSameId(id, wanted);
};

/** Timestamps of some services have no fraction of a second. */
const SLACK_MS = 1000;

/** Milliseconds since the epoch; a time without a zone could be any. */
const timeOf = (value: unknown): number =>
  typeof value === 'string' && /(z|[+-]\d\d:?\d\d)$/i.test(value) ? Date.parse(value) : Number.NaN;

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
const isKnown = (status: unknown): status is string =>
  typeof status === 'string' && TRANSFER_STATUSES.some((known) => known === status.toLowerCase());

function ignored(filter: string, wanted: string, item: Json, sanitizer: Sanitizer): RemitError {
  const answered = filter.startsWith('created_') ? item['created_at'] : item[filter];
  const stated = typeof answered === 'string' ? sanitizer.line(answered) : 'other accounts';
  const id = typeof item['id'] === 'string' ? sanitizer.line(item['id']) : null;
  return new RemitError(
    'FILTER_IGNORED',
    `the list was requested with ${filter} ${sanitizer.line(wanted)}, but record ${id ?? '(without an id)'} has ${stated}: the service ignores this filter`,
    {details: {filter, requested: sanitizer.line(wanted), answered: stated, id}},
  );
}
