import {EVENT_TYPE_NAMES} from '../../contract/events.ts';
import {typePattern, type TypePattern} from '../delivery/patterns.ts';
import type {LoggedDelivery} from './delivery-log.ts';

/** The filters that the page can request; anything else matches everything. */
const TYPE_CHOICES = ['payout.*', 'payin.*', ...EVENT_TYPE_NAMES] as const;
export const VERDICT_CHOICES = ['verified', 'unverified', 'rejected', 'duplicate', 'filtered'] as const;
/** Selects all undocumented types, and deliveries without a type. */
export const OTHER_TYPES = 'other';

/** The filter in the query of a list: `search`, `type`, `verdict`, `failed`. */
export function readFilter(query: URLSearchParams): (logged: LoggedDelivery) => boolean {
  const ofType = typeFilter(query.get('type') ?? '');
  const ofVerdict = verdictFilter(query.get('verdict') ?? '');
  const failed = query.get('failed') === 'yes';
  const search = (query.get('search') ?? '').trim().toLowerCase();
  return (logged) =>
    ofType(logged.delivery.eventType) &&
    ofVerdict(logged) &&
    (!failed || [...logged.targets.values()].some(({state}) => state === 'dead' || state === 'returned')) &&
    (search === '' || contains(logged, search));
}

function typeFilter(choice: string): TypePattern {
  if (choice === OTHER_TYPES)
    return (type) => type === null || !EVENT_TYPE_NAMES.some((known) => known === type);
  const known = TYPE_CHOICES.find((one) => one === choice);
  return known === undefined ? () => true : typePattern(known);
}

function verdictFilter(choice: string): (logged: LoggedDelivery) => boolean {
  if (choice === 'duplicate') return ({delivery}) => delivery.duplicateOf !== null;
  if (choice === 'filtered') return ({delivery}) => delivery.filtered;
  const known = VERDICT_CHOICES.find((one) => one === choice);
  return known === undefined ? () => true : ({delivery}) => delivery.verdict === known;
}

/** Searches ids, type and reason first, because a body is the longest; case-insensitive. */
function contains({delivery}: LoggedDelivery, search: string): boolean {
  const {id, eventId, eventType, reason, body} = delivery;
  if ([id, eventId, eventType, reason].some((text) => text?.toLowerCase().includes(search))) return true;
  return Buffer.from(body.buffer, body.byteOffset, body.length)
    .toString('utf8')
    .toLowerCase()
    .includes(search);
}
