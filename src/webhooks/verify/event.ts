import {EVENT_TYPES, type EventTypeName} from '../../contract/events.ts';
import {idText, withTextIds} from '../../contract/ids.ts';
import {isObject, type Json, type JsonValue, parseJson} from '../../narrow.ts';

/** Fields of an event's data that the contract does not have. */
export interface UnknownEventFields {
  /** The fields by name, as they arrived. Not enumerable: the fields themselves stay in the data. */
  readonly unknownFields: Readonly<Record<string, unknown>>;
}

/** The data of a payout event. Fetch the payout for everything else. */
export interface PayoutEventData extends UnknownEventFields {
  payout_id: string;
}
export interface PayinEventData extends UnknownEventFields {
  payin_id: string;
}
export interface SubaccountCreditEventData extends UnknownEventFields {
  subaccount_id: string;
  amount_in_minor_units: number;
  /** Legacy; the same value. */
  amount_cents: number;
}

interface EventOf<Type, Data> {
  /** Every attempt and every copy has this id: process each id only once. */
  id: string;
  type: Type;
  data: Data;
}

/** Interface document, "Event types": one member for each type. */
export type KnownWebhookEvent =
  | EventOf<'payout.debited', PayoutEventData>
  | EventOf<'payout.settled', PayoutEventData>
  | EventOf<'payout.failed', PayoutEventData>
  | EventOf<'payin.settled', PayinEventData>
  | EventOf<'payin.failed', PayinEventData>
  | EventOf<'subaccount.credit_received', SubaccountCreditEventData>;

declare const unknownType: unique symbol;
/**
 * Any other text: `String(event.type)`. If it were typed as `string`, it would remain a candidate in the branches of
 * a `switch` that name a known type.
 */
// eslint-disable-next-line @typescript-eslint/no-wrapper-object-types -- an interface that no literal is comparable to
export interface UnknownEventType extends String {
  readonly [unknownType]: true;
}
/** An event of a type that did not exist when this version was written. */
export type UnknownWebhookEvent = EventOf<UnknownEventType, Record<string, unknown>>;

/** A `switch` over `type` narrows it; its `default` branch has the unknown types. */
export type WebhookEvent = KnownWebhookEvent | UnknownWebhookEvent;

/** Ids in the data of events; a service may send them as numbers. */
const DATA_IDS = ['payout_id', 'payin_id', 'subaccount_id'] as const;

/** The fields that the contract has, by the name of the data. */
const KNOWN_FIELDS: {[Name in (typeof EVENT_TYPES)[EventTypeName]['data']]: readonly string[]} = {
  PayoutEventData: ['payout_id'],
  PayinEventData: ['payin_id'],
  SubaccountCreditEventData: ['subaccount_id', 'amount_in_minor_units', 'amount_cents'],
};

const decoder = new TextDecoder('utf-8', {fatal: true});

/**
 * The event in a body that was already verified; undefined if the body is not a JSON object with `id`, `type` and
 * `data`. A delivery without a readable event is still a delivery: answer it with 2XX, or it will be sent again.
 */
export function parseEvent(body: Uint8Array): WebhookEvent | undefined {
  const value = parseBody(body);
  if (!isObject(value)) return undefined;
  const {id, type, data} = value;
  const eventId = idText(id);
  if (eventId === undefined || typeof type !== 'string') return undefined;
  if (!isObject(data)) return undefined;
  const named = withTextIds(data, DATA_IDS);
  if (named === undefined) return undefined;
  nameUnknownFields(type, named);
  return {...value, id: eventId, type, data: named} as unknown as WebhookEvent; // the fields of data are as documented, not checked
}

/** Unknown fields are read when they are asked for, as in records of the client, and are not part of a copy. */
function nameUnknownFields(type: string, data: object): void {
  if (!isEventType(type) || Object.hasOwn(data, 'unknownFields')) return;
  const known = KNOWN_FIELDS[EVENT_TYPES[type].data];
  const unknown = () => Object.fromEntries(Object.entries(data).filter(([name]) => !known.includes(name)));
  Object.defineProperty(data, 'unknownFields', {configurable: true, get: unknown});
}

const isEventType = (type: string): type is EventTypeName => Object.hasOwn(EVENT_TYPES, type);

/** A body as text, and its JSON value. */
export interface JsonBody {
  text: string;
  value: JsonValue;
}

/** The body as JSON (a leading byte order mark is ignored); undefined if it is not JSON in UTF-8. */
export function readJson(body: Uint8Array): JsonBody | undefined {
  try {
    const text = decoder.decode(body);
    return {text, value: parseJson(text)};
  } catch {
    return undefined;
  }
}

/** The body as JSON, without its text. */
export const parseBody = (body: Uint8Array): Json => readJson(body)?.value;
