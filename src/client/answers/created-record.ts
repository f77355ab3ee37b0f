import {minorUnitsIn} from '../../money/amount.ts';
import {RemitError} from '../../errors.ts';
import {isSameNumber} from '../../json/losses.ts';
import {
  ExactNumber,
  isList,
  isObject,
  type JsonFields,
  type Json,
  asObject,
  parseJson,
} from '../../narrow.ts';
import {plainValue} from '../../sanitize/plain-value.ts';
import type {Sanitizer} from '../../sanitize/sanitizer.ts';
import {type Difference, differencesInWords} from './difference.ts';

/** A create as it was requested and answered. */
export interface CreatedRecord {
  /** The kind, by the operation: the body may have fields of another one. */
  noun: 'payin' | 'payout' | 'move' | 'account transfer' | 'bank transaction';
  asked: JsonFields;
  record: JsonFields;
  /** Null if the operation has none. */
  idempotencyKey: string | null;
  /** No earlier request can have had this key, or the answer shows that the record is new. */
  isNew: boolean;
  /** The command that shows the record, if the caller has one. */
  next?: string | undefined;
  /** Removes secrets from the error; without it the caller does. */
  sanitizer?: Sanitizer | undefined;
}

/** A record beside the request that should have made it. */
export type ComparedRecord = Pick<CreatedRecord, 'noun' | 'asked' | 'record'>;

/**
 * Compares the record in the answer to a create with the request. A key that was used before returns its first
 * record, whatever the second request contains: if that were taken for success, the second one would never be made.
 * Only what the answer contains is compared. A rail alone proves nothing, see `railDifference`.
 * @throws {RemitError} KEY_REUSED with both sides of every difference
 */
export function checkAnswered(created: CreatedRecord): void {
  const {record, idempotencyKey, isNew, next, sanitizer} = created;
  const differences = differencesFrom(created);
  if (differences.length === 0) return;
  const {id, status} = record;
  const message = messageOf(created, differences);
  throw new RemitError('KEY_REUSED', sanitizer?.line(message) ?? message, {
    hint: next,
    details: {
      ...{id: id ?? null, status: status ?? null, idempotency_key: idempotencyKey, next: next ?? null},
      differences: sanitizer?.value(differences) ?? differences,
      record: sanitizer?.value(record) ?? record,
      ...(isNew ? {may_have_taken_effect: true} : {}), // the answer may be that of another request
    },
  });
}

function messageOf(
  {noun, record, idempotencyKey, isNew}: CreatedRecord,
  differences: readonly Difference[],
): string {
  const {id, status} = record;
  const seen = typeof status === 'string' ? ` (status: ${plainValue(status)})` : '';
  const named = `${plainValue(id)}${seen}`;
  const words = differencesInWords(differences);
  if (isNew)
    return `the service created ${noun} ${named}, but not as requested: ${words}. Check it before you create another one`;
  return differences.every(isUnread)
    ? `idempotency key ${idempotencyKey} belongs to ${noun} ${named}, whose amount cannot be read: ${words}. Check whether it is this ${noun}: with a new key it may be paid twice`
    : `idempotency key ${idempotencyKey} belongs to another ${noun}, ${named}: ${words}. Check it before you create this one with a new key`;
}

/** An amount in a form that remit cannot read may be the requested one. */
const isUnread = ({field, answered}: Difference): boolean =>
  field === AMOUNT && minorUnitsIn(answered) === undefined;

/** How the record in an answer differs from the requested one; empty if it is the same payment. */
export const differencesFrom = ({noun, asked, record}: ComparedRecord): Difference[] => [
  ...fieldsOf(noun).flatMap((field) => compare(withMainAccount(noun, asked), record, field)),
  ...sentMetadata(asked).flatMap((wanted) => metadataDifference(wanted, record)),
];

/** The fields of a request that its answer contains, so that they were compared. */
export const comparedFields = ({noun, asked, record}: ComparedRecord): string[] => [
  ...fieldsOf(noun).filter((field) => isStated(asked, field) && statedBy(record, field) !== undefined),
  ...(sentMetadata(asked).length > 0 && isObject(record['client_metadata']) ? ['client_metadata'] : []),
];

/** The fields of a request that its answer should repeat but does not contain, so that they were not compared. */
export const fieldsNotShown = (compared: ComparedRecord): string[] => {
  const {noun, asked} = compared;
  const shown = comparedFields(compared);
  const requested = [
    ...fieldsOf(noun).filter((field) => isStated(asked, field)),
    ...(sentMetadata(asked).some(hasEntries) ? ['client_metadata'] : []),
  ];
  return requested.filter((field) => !shown.includes(field));
};

/** The rail, if it is another one than requested: services use their own names for rails. */
export const railDifference = (asked: JsonFields, record: JsonFields): Difference | undefined =>
  compare(asked, record, 'rail')[0];

/**
 * The currency of a payin, if it is another one than requested: a payin answers with the currency of the destination
 * account (interface document, "Payin response fields"), so that is no other payin.
 */
export const payinCurrency = ({noun, asked, record}: ComparedRecord): Difference | undefined =>
  noun === 'payin' ? compare(asked, record, 'currency_code')[0] : undefined;

/**
 * Why a record, or a request, cannot be compared with the other one: it has no party or no amount, or one that cannot be
 * read. A clause such as `has no payee_id to compare`; undefined if it can.
 */
export function whyIncomparable(record: JsonFields, partyField: 'payee_id' | 'payer_id'): string | undefined {
  if ((statedBy(record, partyField) ?? undefined) === undefined) return `has no ${partyField} to compare`;
  const stated = amountsIn(record);
  if (stated.length === 0) return `has no ${AMOUNT} to compare`;
  const unread = stated.find(({minor}) => minor === undefined);
  if (unread !== undefined) return `has an amount that cannot be read: ${unread.text}`;
  return stated.every(({minor}) => minor === stated[0]?.minor)
    ? undefined
    : `has two amounts: ${stated.map(({text}) => text).join(', but ')}`;
}

/**
 * Why a record that an earlier request has made may be paid otherwise than requested: it does not show the same date or
 * payment method, or its metadata cannot be read. A clause, as in `whyIncomparable`; undefined if it may not.
 */
export function whyNotTakenOver(asked: JsonFields, record: JsonFields): string | undefined {
  const {client_metadata: metadata, scheduled_date: date} = record;
  if (
    sentMetadata(asked).some(hasEntries) &&
    metadata !== undefined &&
    !isNone(metadata) &&
    !isObject(metadata)
  )
    return 'has a client_metadata that cannot be read';
  if (isAskedOtherwise(asked['scheduled_date'], date)) return 'does not show the requested scheduled_date';
  const method = METHODS.map((name) => asked[name] ?? undefined).find((id) => id !== undefined);
  return isAskedOtherwise(method, methodIn(record))
    ? 'does not show the requested payment method'
    : undefined;
}

const isAskedOtherwise = (wanted: Json, shown: Json): boolean =>
  (wanted ?? undefined) !== undefined && !same(wanted, shown);

const METHODS = ['override_default_payment_method_id', 'payment_method_id'];

/** Interface document, "Payout response fields": the metadata of a payout names its payment method. */
function methodIn(record: JsonFields): Json {
  const {payout_metadata: ofPayout, payin_metadata: ofPayin} = record;
  const held = asObject(isObject(ofPayout) ? ofPayout : ofPayin);
  return asObject(held['payment_method'])['id'] ?? undefined;
}

/** The amounts that a record or request states, as minor units and as `amount_in_cents is 5`. */
function amountsIn(record: JsonFields): {minor: bigint | undefined; text: string}[] {
  return [AMOUNT, 'amount_in_cents'].flatMap((field) => {
    const value = record[field] ?? undefined;
    return value === undefined
      ? []
      : [{minor: minorUnitsIn(value), text: `${field} is ${plainValue(value)}`}];
  });
}

const AMOUNT = 'amount_in_minor_units';

/** The fields that distinguish one record from another; the service may fill in the rest. */
const FIELDS = [
  ...['payee_id', 'payer_id', AMOUNT, 'currency_code', 'subaccount_id'],
  ...['source_account_id', 'destination_account_id', 'source_subaccount_id', 'destination_subaccount_id'],
];

/** A payin answers with the currency of another account, see `payinCurrency`. */
const fieldsOf = (noun: CreatedRecord['noun']): string[] =>
  FIELDS.filter((field) => noun !== 'payin' || field !== 'currency_code');

const isStated = (asked: JsonFields, field: string): boolean =>
  (statedBy(asked, field) ?? undefined) !== undefined;

/** A payin or payout that names no subaccount uses the main account. */
const withMainAccount = (noun: CreatedRecord['noun'], asked: JsonFields): JsonFields =>
  noun === 'payin' || noun === 'payout' ? {...asked, subaccount_id: asked['subaccount_id'] ?? null} : asked;

/** Assumption 51: either name is accepted, so a body may have both. */
const sentMetadata = (asked: JsonFields): Json[] =>
  [asked['metadata'], asked['payout_metadata']].filter((metadata) => (metadata ?? undefined) !== undefined);

function compare(asked: JsonFields, record: JsonFields, field: string): Difference[] {
  const [wanted, answered] = [statedBy(asked, field), statedBy(record, field)];
  if (wanted === undefined || answered === undefined || same(wanted, answered)) return [];
  return [{field, asked: wanted, answered}];
}

/** Undefined if the record or request does not contain the field; a subaccount of null means the main account. */
function statedBy(record: JsonFields, field: string): Json {
  const value = Object.hasOwn(record, field) ? record[field] : undefined;
  if (field === 'subaccount_id') return value;
  if (field === AMOUNT) return value ?? record['amount_in_cents'] ?? undefined;
  return value ?? undefined;
}

const hasEntries = (metadata: Json): boolean => isObject(metadata) && Object.keys(metadata).length > 0;

/**
 * Every entry that was sent must be there; the service may add its own, and null means that there are none. Those of a
 * payin may be any JSON.
 */
function metadataDifference(wanted: Json, record: JsonFields): Difference[] {
  const {client_metadata: shown} = record;
  const got = isNone(shown) ? {} : shown;
  if (!isObject(wanted) || !isObject(got)) return [];
  const sent: Json = parseJson(JSON.stringify(wanted)); // without what JSON leaves out
  const differs =
    isObject(sent) &&
    Object.entries(sent).some(([key, value]) => !Object.hasOwn(got, key) || !sameJson(value, got[key]));
  return differs ? [{field: 'client_metadata', asked: wanted, answered: got}] : [];
}

/** Some services send an empty list where there is no metadata. */
const isNone = (metadata: Json): boolean => metadata === null || (isList(metadata) && metadata.length === 0);

/** Ids may be returned in another case, amounts as text. */
const same = (a: Json, b: Json): boolean => plainValue(a).toLowerCase() === plainValue(b).toLowerCase();

/** The order of names does not matter; a number may be an `ExactNumber` on one side. */
function sameJson(a: Json, b: Json): boolean {
  if (isList(a) && isList(b)) return a.length === b.length && a.every((item, at) => sameJson(item, b[at]));
  if (isObject(a) && isObject(b)) {
    const names = Object.keys(a);
    return (
      names.length === Object.keys(b).length &&
      names.every((name) => Object.hasOwn(b, name) && sameJson(a[name], b[name]))
    );
  }
  const [first, second] = [numberIn(a), numberIn(b)];
  return first !== undefined && second !== undefined ? isSameNumber(first, second) : a === b;
}

const numberIn = (value: Json): string | undefined =>
  typeof value === 'number' ? String(value) : value instanceof ExactNumber ? value.text : undefined;
