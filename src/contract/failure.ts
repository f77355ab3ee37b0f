import {isObject, type JsonObject} from '../narrow.ts';

/** Where a record says why it failed: assumptions 24 and 58, and the plain fields that other services have. */
const PLACES = [
  (record: JsonObject) => inside(record['transfer_details']),
  (record: JsonObject) => inside(record['payin_metadata']),
  (record: JsonObject) => inside(record['payout_metadata']),
  (record: JsonObject) => record['failure'],
  (record: JsonObject) => ({code: record['failure_code'], message: record['failure_message']}),
  (record: JsonObject) => record['failure_reason'],
];

const inside = (details: unknown): unknown => (isObject(details) ? details['failure'] : undefined);

/** A reason code such as `R01`, and its text. */
export interface FailureReason {
  code: string | undefined;
  message: string | undefined;
}

/** Why a payin, payout or account transfer failed; undefined if the record does not say. */
export function failureOf(record: unknown): FailureReason | undefined {
  if (!isObject(record)) return undefined;
  for (const place of PLACES) {
    const found = place(record);
    const {code, message} = isObject(found) ? found : {code: undefined, message: found};
    const failure = {code: textOf(code), message: textOf(message)};
    if (failure.code !== undefined || failure.message !== undefined) return failure;
  }
  return undefined;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'number' ? String(value) : typeof value === 'string' && value !== '' ? value : undefined;
