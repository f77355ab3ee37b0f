import {FIELD_TYPES} from '../../contract/operations/record-fields.ts';
import {isList, isObject, type Json, type JsonFields, RECEIVED} from '../../narrow.ts';
import {unwrapRecord} from './envelope.ts';

/** The types that `FIELD_TYPES` names. */
interface TypesByName {
  id: string;
  text: string;
  'text or null': string | null;
  flag: boolean;
  object: JsonFields;
  list: readonly Json[];
}

type Known = {
  readonly [Name in keyof typeof FIELD_TYPES]?: TypesByName[(typeof FIELD_TYPES)[Name]] | undefined;
};

/**
 * A record of the service, of any kind. A known field has its type or is undefined, whatever the service sent; the other
 * fields are as received, and so is everything that is printed or compared: see `asReceived`.
 */
export interface ServiceRecord extends Known, JsonFields {
  readonly [RECEIVED]?: Json;
}

const FITS: Readonly<Record<keyof TypesByName, (value: Json) => boolean>> = {
  id: (value) => typeof value === 'string',
  text: (value) => typeof value === 'string' && value !== '',
  'text or null': (value) => typeof value === 'string' || value === null,
  flag: (value) => typeof value === 'boolean',
  object: isObject,
  list: isList,
};

const TYPES = new Map<string, keyof TypesByName>(Object.entries(FIELD_TYPES));

function fits(name: string, value: Json): boolean {
  const type = TYPES.get(name);
  return type === undefined || value === undefined || FITS[type](value);
}

function isServiceRecord(record: JsonFields): record is ServiceRecord {
  for (const name of Object.keys(record)) if (!fits(name, record[name])) return false;
  return true;
}

/** The record in an answer, with or without its envelope. */
export const answeredRecord = (answer: Json): ServiceRecord => asRecord(unwrapRecord(answer));

/**
 * A value as a record. A known field with a value of another type is undefined in it, and what is no object is a record
 * without fields; both are printed as they were received.
 */
export function asRecord(received: Json): ServiceRecord {
  if (isObject(received) && isServiceRecord(received)) return received;
  const fields = isObject(received) ? Object.entries(received) : [];
  const known = Object.fromEntries(
    fields.map(([name, value]) => [name, fits(name, value) ? value : undefined]),
  );
  if (!isServiceRecord(known)) throw new Error('internal error: a field has another type than was checked');
  return {...known, [RECEIVED]: received};
}
