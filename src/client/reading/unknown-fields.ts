import {recordFieldsOf} from '../../contract/operations/record-fields.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {isObject, type Json, type JsonFields} from '../../narrow.ts';

/**
 * Gives the record of an answer its `unknownFields`: the fields that the contract does not have, read when they are
 * asked for. The property is not enumerable, so the record is printed, compared and copied as it arrived.
 */
export function nameUnknownFields(id: OperationId, answered: Json): void {
  const record = isObject(answered) && isObject(answered['data']) ? answered['data'] : answered;
  if (!isObject(record) || Array.isArray(record['data']) || Object.hasOwn(record, NAME)) return;
  Object.defineProperty(record, NAME, {configurable: true, get: () => unknownIn(id, record)});
}

const NAME = 'unknownFields';

function unknownIn(id: OperationId, record: JsonFields): JsonFields {
  const known = recordFieldsOf(id.slice(0, id.indexOf('.')));
  return Object.fromEntries(Object.entries(record).filter(([name]) => !known.includes(name)));
}
