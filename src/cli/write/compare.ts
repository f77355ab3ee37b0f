import {
  checkAnswered,
  type ComparedRecord,
  fieldsNotShown,
  payinCurrency,
  railDifference,
} from '../../client/answers/created-record.ts';
import {type Difference, differencesInWords} from '../../client/answers/difference.ts';
import {isUsableId, otherIdIn} from '../../client/answers/readable.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';
import type {Result} from '../../client/requests/resource.ts';
import {isIdField} from '../../contract/ids.ts';
import {endedAs, hasFailed, wasCanceled, type Lifecycle} from '../../contract/lifecycle.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {minorUnitsIn} from '../../money/amount.ts';
import {exponentOf} from '../../money/currencies.ts';
import {asReceived, isList, isObject, type Json, type JsonFields, receivedFields} from '../../narrow.ts';
import {plainValue} from '../../output/records/view.ts';
import {listed} from '../../phrases.ts';
import {assumedKey, keysOfField} from '../../service/file/assumption.ts';
import {firstPart} from '../../service/paths.ts';
import type {Context} from '../core/context.ts';
import {type Tracked, unknownStatus} from '../core/unknown-status.ts';
import {withDoctor} from '../core/next-step.ts';
import type {Payment} from '../doubts/payment.ts';
import {amountOfRecord, hasAmount} from '../guard/amount-read.ts';
import {guardedAmountText} from '../guard/amount-text.ts';
import type {WriteFacts} from '../guard/facts.ts';

/** What a write says about the record that its answer should show. */
export interface ComparedWrite {
  operation: OperationId;
  /** The kind of record, such as `webhook endpoint`. */
  noun: string;
  /** The id of the record it changes; absent for a create, whose answer contains it. */
  id?: string;
  body?: JsonFields;
  /** The values that the record has afterwards; if it shows others, or not all of them, the command exits with 8. */
  leaves?: JsonFields;
  /** The same for the record that a create makes, but what its answer with this status leaves out is not missed. */
  shows?: (status: number) => JsonFields;
  /** A create that moves money or leads to it. */
  payment?: Payment;
  /** The operation takes an idempotency key: here the one that was typed. */
  key?: {given: string | undefined};
}

type Noted = Pick<Context, 'out' | 'commands' | 'effects'>;

/**
 * Compares the answer to a write with its request. What differs, or cannot be compared, is a warning, and the command
 * exits with 8.
 * @param answer.next the command that shows the record
 * @throws {RemitError} KEY_REUSED if a create without an idempotency key made another payment
 */
export function compareAnswer(
  context: Context,
  asked: ComparedWrite,
  answer: {record: ServiceRecord; status: number; facts: WriteFacts; next: string},
): void {
  const {operation, noun, id, body = {}, payment, key} = asked;
  const {record, next} = answer;
  if (id !== undefined && changesStatus(operation)) noteAmount(context, {...answer, noun, id});
  noteValues(context, asked, answer);
  if (payment === undefined || Object.keys(receivedFields(record)).length === 0) return;
  const created = {noun: payment.kind, asked: body, record: receivedFields(record)};
  if (key === undefined) checkAnswered({...created, idempotencyKey: null, isNew: true, next});
  noteCreated(context, {...created, resource: operation, next});
}

export const changesStatus = (operation: OperationId): boolean => /\.(approve|cancel)$/.test(operation);

/** The record with this id in an answer; one with a status but no id is accepted too. */
export function recordWithId(record: ServiceRecord, id: string): ServiceRecord | undefined {
  if (record.id !== undefined) return record.id.toLowerCase() === id.toLowerCase() ? record : undefined;
  const hasOtherId = otherIdIn(asReceived(record), id) !== undefined; // one of another type
  return record.status === undefined || hasOtherId ? undefined : {...record, id};
}

/** Warns if a record other than the requested one was approved or canceled, according to the answer. */
export function noteOther({out, effects}: Noted, noun: string, id: string, answer: ServiceRecord): void {
  const other = otherIdIn(asReceived(answer), id);
  if (other === undefined) return;
  const named = isUsableId(other, out.sanitizer) ? ` (its id: ${other})` : '';
  out.warn(`the service answered with another record${named} than ${noun} ${id}; check both`);
  effects.tookPartly();
}

/**
 * Warns if the answer to an approval or cancellation has another amount than the guard has read, or than was stated. If
 * either amount is missing, nothing is compared.
 */
function noteAmount(
  {out, effects}: Noted,
  {
    noun,
    id,
    facts,
    record,
    next,
  }: {noun: string; id: string; facts: WriteFacts; record: ServiceRecord; next: string},
): void {
  const {amountMinor, currency, operation} = facts;
  const answered = recordWithId(record, id);
  if (amountMinor === undefined || answered === undefined || !hasAmount(answered)) return;
  const read = amountOfRecord(answered, id);
  const did = `${noun} ${id} was ${operation.startsWith('cancel') ? 'canceled' : 'approved'}, but`;
  if (read.kind === 'read') {
    const isOther = currency !== undefined && read.currency !== undefined && read.currency !== currency;
    if (read.minor === amountMinor && !isOther) return;
    const shown = guardedAmountText(read.minor, read.currency ?? currency);
    out.warn(`${did} the amount in the answer is ${shown}, not ${guardedAmountText(amountMinor, currency)}`);
  } else if (read.kind === 'unreadable')
    out.warn(`${did} the amount in the answer is unreadable: ${read.why}`);
  out.hint(next);
  effects.tookPartly();
}

function noteValues(
  context: Noted,
  {operation, noun, id, leaves: left, shows}: ComparedWrite,
  {record, status, next}: {record: ServiceRecord; status: number; next: string},
): void {
  const {out, effects} = context;
  const leaves = status === 202 || left === undefined ? {} : left;
  const named = `${noun} ${id ?? record.id ?? null}`;
  const differences = [
    ...changedOtherwise(leaves, record),
    // The interface document does not show the fields of a new record, so null is no value.
    ...changedOtherwise(shows?.(status) ?? {}, record).filter(({answered}) => answered !== null),
  ];
  if (differences.length > 0) {
    out.warn(`${named} is not as requested: ${differencesInWords(differences)}`);
    if (!effects.isPartial) out.hint(next);
    effects.tookPartly();
  }
  const received = receivedFields(record);
  const fields = Object.entries(leaves).flatMap(([field, asked]) =>
    asked === undefined || field === 'description' || received[field] !== undefined ? [] : [field],
  );
  noteNotShown(context, {named, resource: operation, fields, next});
}

/** How the record after a change differs from the request. Only fields that the record contains are compared. */
export const changedOtherwise = (requested: JsonFields, record: ServiceRecord): Difference[] =>
  Object.entries(requested).flatMap(([field, asked]) => {
    const answered = receivedFields(record)[field];
    const isSame = asked === undefined || answered === undefined || isEqual(field, answered, asked);
    return isSame ? [] : [{field, asked, answered}];
  });

/** Ids and codes may be returned in another case. */
function isEqual(field: string, a: Json, b: Json): boolean {
  const [one, other] = [normal(a), normal(b)];
  if (!isIdField(field) && !field.endsWith('_code')) return one === other;
  return one.toLowerCase() === other.toLowerCase();
}

/** Services may trim texts, reorder lists and keys, write URLs in their canonical form and store an empty text as null. */
function normal(value: Json): string {
  if (isList(value)) return JSON.stringify([...new Set(value.map(normal))].sort());
  if (isObject(value))
    return JSON.stringify(
      Object.entries(value)
        .map(([key, inner]) => [key, normal(inner)])
        .sort(),
    );
  const text =
    value === null || value === '' ? '' : plainValue(value).normalize('NFC').replaceAll(/\s+/g, ' ').trim();
  return URL.canParse(text) ? new URL(text).href : text;
}

/**
 * Reports what differs between a created record and its request without making it another record, and what could not be
 * compared.
 */
export function noteCreated(
  context: Noted,
  {resource, next, ...compared}: ComparedRecord & {resource: string; next: string | undefined},
): void {
  const {out} = context;
  const {noun, asked, record} = compared;
  const named = `${noun} ${plainValue(record['id'])}`;
  const rail = railDifference(asked, record);
  if (rail !== undefined)
    out.warn(`the rail of ${named} is ${plainValue(rail.answered)}, requested ${plainValue(rail.asked)}`);
  const currency = payinCurrency(compared);
  if (currency !== undefined) noteCurrency(context, {named, currency, minor: asked['amount_in_minor_units']});
  noteNotShown(context, {named, resource, fields: fieldsNotShown(compared), next});
}

const PAYIN_CURRENCY = 'fields.payins.currency_code';

/** The answer has the same number of minor units, which is another amount if the two currencies divide differently. */
function noteCurrency(
  {out, effects}: Noted,
  {named, currency: {asked, answered}, minor}: {named: string; currency: Difference; minor: Json},
): void {
  const [shown, requested] = [plainValue(answered), plainValue(asked)];
  const what = `${named} is shown in ${shown}, the currency of the destination account; requested in ${requested}`;
  const amount = minorUnitsIn(minor);
  if (amount === undefined || exponentOf(shown) === exponentOf(requested)) {
    out.note(`${assumedKey(null, PAYIN_CURRENCY, what).text}.`);
    return;
  }
  const [as, instead] = [guardedAmountText(amount, shown), guardedAmountText(amount, requested)];
  const check = `${what}. As shown it is ${as}, not ${instead}: check what is collected`;
  out.warn(assumedKey(null, PAYIN_CURRENCY, check).text);
  effects.tookPartly();
}

/**
 * Warns if an answer lacks fields. After a write, whether the service did what was requested is unknown then.
 * @param named what was written: `payout 0192…`; undefined after a read
 * @param resource its name in a service file, or an operation on it
 */
export function noteNotShown(
  {out, effects, commands}: Noted,
  {
    named,
    resource,
    fields,
    next,
  }: {named: string | undefined; resource: string; fields: readonly string[]; next: string | undefined},
): void {
  if (fields.length === 0) return;
  const keys = fields.flatMap((field) => keysOfField(firstPart(resource), field));
  const unknown = named === undefined ? '' : `whether ${named} is as requested is unknown: `;
  out.warn(
    `${unknown}the answer does not show ${listed(fields)}; if this service differs, set ${listed(keys)} in the service file`,
  );
  if (!effects.isPartial) out.hint(withDoctor(next, commands));
  effects.tookPartly();
}

/** The intended effect of a write on a record that has a lifecycle. */
export type Meant = 'created' | 'approved' | 'canceled';

/** The record of a write, and the HTTP status; with 202 the service continues, so the record's own may still change. */
type Answered = Pick<Result<ServiceRecord>, 'data' | 'status'>;

/** Whether an approval left a record as it was created. */
export const isStillCreated = (meant: Meant, {initial}: Lifecycle, {data, status}: Answered): boolean =>
  meant === 'approved' && status !== 202 && data.status === initial;

/**
 * How the status in the answer to a write differs from the intended one; undefined if it does not. A status that is
 * missing or unknown proves neither an approval nor a cancellation, and a missing one not even that a new record waits
 * for an approval.
 * @param isNew no earlier request can have approved the record
 */
export function unintendedStatus(
  meant: Meant,
  {noun, isNew, ...tracked}: Tracked & {noun: string; isNew: boolean},
  {data: record, status: http}: Answered,
): string | undefined {
  const {status} = record;
  if (isContinuing(http, status)) return undefined;
  const known = status !== undefined && Object.hasOwn(tracked.lifecycle.next, status);
  if (meant === 'canceled')
    return status !== undefined && /^cancell?ed$/i.test(status)
      ? undefined
      : `the ${noun} was not canceled: its status is ${status === undefined ? 'unknown' : plainValue(status)}`;
  if (hasFailed(status) || wasCanceled(status)) return `the ${noun} ${endedAs(status)}`;
  const without = () => unknownStatus(tracked, record) ?? 'has no status that can be read';
  if (meant === 'approved')
    return known ? undefined : `whether the ${noun} was approved is unknown: it ${without()}`;
  if (status === undefined)
    return `the ${noun} was created, but whether it needs an approval is unknown: it ${without()}`;
  return isNew && known && status !== tracked.lifecycle.initial
    ? `the ${noun} is ${status}, although no approval was requested: the service approved it by itself`
    : undefined;
}

/** With 202 the service continues, so that any status may be right; a missing one is still unknown. */
export const isContinuing = (http: number, status: string | undefined): boolean =>
  http === 202 && status !== undefined;
