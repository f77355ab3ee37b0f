import {isIdField, withTextIds} from '../../contract/ids.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {recordFieldsOf} from '../../contract/operations/record-fields.ts';
import {isList, isObject, type Json} from '../../narrow.ts';
import type {Answer} from './answer.ts';

const fieldsOf = new Map<string, readonly string[]>();

function idFields(operation: OperationId): readonly string[] {
  const resource = operation.slice(0, operation.indexOf('.'));
  let fields = fieldsOf.get(resource);
  if (fields === undefined) {
    const others = recordFieldsOf(resource).filter((name) => isIdField(name) && name !== 'id');
    fieldsOf.set(resource, (fields = ['id', ...others]));
  }
  return fields;
}

/** Turns ids that the service sends as JSON numbers into text: in a record, in its envelope, and in the items of a list. */
export function readNumberIds(operation: OperationId, answer: Answer<Json>): void {
  answer.json = withIds(answer.json, idFields(operation));
}

function withIds(json: Json, fields: readonly string[]): Json {
  if (isList(json)) return itemsWithIds(json, fields);
  if (!isObject(json)) return json;
  const own = withTextIds(json, fields) ?? json;
  const {data} = own;
  const inner = isList(data)
    ? itemsWithIds(data, fields)
    : isObject(data)
      ? (withTextIds(data, fields) ?? data)
      : data;
  return inner === data ? own : {...own, data: inner};
}

function itemsWithIds(items: readonly Json[], fields: readonly string[]): readonly Json[] {
  let changed = false;
  const all: Json[] = [];
  for (const item of items) {
    const found = isObject(item) ? (withTextIds(item, fields) ?? item) : item;
    changed ||= found !== item;
    all.push(found);
  }
  return changed ? all : items;
}
