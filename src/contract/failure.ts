import {isObject, type Json, type JsonFields, type Printable} from '../narrow.ts';

/** Where a record says why it failed: assumptions 24 and 58, and the plain fields that other services have. */
const PLACES = [
  (record: JsonFields) => inside(record['transfer_details']),
  (record: JsonFields) => inside(record['payin_metadata']),
  (record: JsonFields) => inside(record['payout_metadata']),
  (record: JsonFields) => record['failure'],
  (record: JsonFields) => ({code: record['failure_code'], message: record['failure_message']}),
  (record: JsonFields) => record['failure_reason'],
];

const inside = (details: Json): Json => (isObject(details) ? details['failure'] : undefined);

/** A reason code such as `R01`, and its text. */
export interface FailureReason {
  code: string | undefined;
  message: string | undefined;
}

/** Why a payin, payout or account transfer failed; undefined if the record does not say. */
export function failureOf(record: Printable): FailureReason | undefined {
  if (!isObject(record)) return undefined;
  for (const place of PLACES) {
    const found = place(record);
    const {code, message} = isObject(found) ? found : {code: undefined, message: found};
    const failure = {code: textOf(code), message: textOf(message)};
    if (failure.code !== undefined || failure.message !== undefined) return failure;
  }
  return undefined;
}

const textOf = (value: Json): string | undefined =>
  typeof value === 'number' ? String(value) : typeof value === 'string' && value !== '' ? value : undefined;
