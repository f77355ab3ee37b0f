import {isIdField, withTextIds} from '../../contract/ids.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {recordFieldsOf} from '../../contract/operations/record-fields.ts';
import {isObject} from '../../narrow.ts';
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

/**
 * Turns ids that the service sends as JSON numbers into text: in a record, in its envelope, and in the items of a list.
 * If one of them was rounded when it was read, the answer is not readable.
 */
export function readNumberIds(operation: OperationId, answer: Answer, bytes: number): void {
  const {json} = answer;
  const found = withIds(json, idFields(operation));
  if (found !== ROUNDED) {
    answer.json = found;
    return;
  }
  answer.json = undefined;
  answer.unreadable = {
    what: 'JSON with an id that is a number of 2^53 or more, which cannot be read exactly',
    bytes,
  };
}

const ROUNDED = Symbol('an id was rounded');

function withIds(json: unknown, fields: readonly string[]): unknown {
  if (Array.isArray(json)) return itemsWithIds(json, fields);
  if (!isObject(json)) return json;
  const own = withTextIds(json, fields);
  if (own === undefined) return ROUNDED;
  const {data} = own;
  const inner = Array.isArray(data)
    ? itemsWithIds(data, fields)
    : isObject(data)
      ? (withTextIds(data, fields) ?? ROUNDED)
      : data;
  if (inner === ROUNDED) return ROUNDED;
  return inner === data ? own : {...own, data: inner};
}

function itemsWithIds(items: readonly unknown[], fields: readonly string[]): unknown {
  let changed = false;
  const all: unknown[] = [];
  for (const item of items) {
    const found = isObject(item) ? withTextIds(item, fields) : item;
    if (found === undefined && item !== undefined) return ROUNDED;
    changed ||= found !== item;
    all.push(found);
  }
  return changed ? all : items;
}
