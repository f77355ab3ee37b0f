import {exactJson} from '../../json/exact.ts';
import {minorUnitsIn} from '../../money/amount.ts';
import {asReceived, isList, isObject, must, type JsonFields, type Json} from '../../narrow.ts';
import {plainValue} from '../../output/records/view.ts';
import {moneyTrace} from './money-trace.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';

/** An amount, as far as it can be read. `absent`: there is none in any form. */
export type AmountRead =
  | {kind: 'read'; minor: bigint; currency: string | undefined}
  | {kind: 'absent'}
  | {kind: 'unreadable'; why: string};

/** What the interface document calls the amount: the field and its deprecated alias. */
const AMOUNT_FIELDS: readonly string[] = ['amount_in_minor_units', 'amount_in_cents'];
const CURRENCY_FIELD = 'currency_code';

const unreadable = (why: string): AmountRead => ({kind: 'unreadable', why});

/**
 * The amount of a record from the service. Only the documented fields are read, as a whole number or as a string of
 * digits. Any other trace of money makes the record unreadable, because its unit is unknown.
 * @param id of the requested record
 */
export function amountOfRecord(read: ServiceRecord, id: string): AmountRead {
  const record = asReceived(read);
  if (!isObject(record)) return unreadable('the service did not answer with a record');
  const named = record['id'];
  if (named !== undefined && plainValue(named).toLowerCase() !== id.toLowerCase())
    return unreadable(`the service answered with another record, ${plainValue(named)}`);
  const fields = AMOUNT_FIELDS.filter((field) => isSet(record, field));
  if (fields.length > 0)
    return readFields(record, fields, {digitsAsText: true, currencyField: CURRENCY_FIELD});
  const trace = moneyTrace(record, {strict: false});
  if (trace !== undefined)
    return unreadable(`the record has ${trace}, which remit cannot read as its amount`);
  return {kind: 'absent'};
}

/**
 * The amount of a typed request body. It must be a whole number under a name that remit knows, and nothing
 * else in the body may be an amount: a service may read what remit does not.
 */
export function amountOfBody(body: Json): AmountRead {
  if (body === undefined) return {kind: 'absent'};
  if (!isObject(body)) return unreadable('the body is not a JSON object');
  const fields = AMOUNT_FIELDS.filter((field) => isSet(body, field));
  const trace = moneyTrace(body, {strict: true, except: AMOUNT_FIELDS});
  if (trace !== undefined) return unreadable(`the body has ${trace}, which may be an amount`);
  if (fields.length === 0) return {kind: 'absent'};
  return readFields(body, fields, {digitsAsText: false, currencyField: CURRENCY_FIELD});
}

/** Whether a body has a documented amount. */
export const hasAmount = (body: Json): boolean =>
  isObject(body) && AMOUNT_FIELDS.some((field) => isSet(body, field));

function readFields(
  record: JsonFields,
  fields: readonly string[],
  {digitsAsText, currencyField}: {digitsAsText: boolean; currencyField: string},
): AmountRead {
  const amounts: bigint[] = [];
  for (const field of fields) {
    const minor = wholeNumber(record[field], digitsAsText);
    if (minor === undefined)
      return unreadable(`${field} is ${shown(record[field])}, not a positive whole number of minor units`);
    amounts.push(minor);
  }
  const [minor, ...others] = amounts;
  if (others.some((other) => other !== minor))
    return unreadable(fields.map((field) => `${field} is ${shown(record[field])}`).join(', but '));
  const currency = Object.hasOwn(record, currencyField) ? record[currencyField] : undefined;
  const isCode = typeof currency === 'string' && /^[A-Z]{3}$/.test(currency);
  return {kind: 'read', minor: must(minor, 'amount field'), currency: isCode ? currency : undefined};
}

function wholeNumber(value: Json, digitsAsText: boolean): bigint | undefined {
  const minor = typeof value === 'string' && !digitsAsText ? undefined : minorUnitsIn(value);
  return minor !== undefined && minor > 0n ? minor : undefined;
}

const isSet = (record: JsonFields, field: string): boolean =>
  Object.hasOwn(record, field) && record[field] !== null;

function shown(value: Json): string {
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (isList(value)) return 'a list';
  return isObject(value) ? 'an object' : plainValue(exactJson(value)).slice(0, 60);
}
