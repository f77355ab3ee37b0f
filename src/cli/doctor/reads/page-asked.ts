import type {OperationId} from '../../../contract/operations/operations.ts';
import {itemsIn} from '../survey/shapes.ts';
import type {ServiceReply} from '../survey/asker.ts';
import {isGood, resourceOf} from '../survey/survey.ts';
import {isList, isObject, type JsonFields} from '../../../narrow.ts';

/** The records of a page, in the service's form. */
export const itemsOf = (id: OperationId, reply: ServiceReply): readonly JsonFields[] =>
  (isGood(reply) ? itemsIn(reply.wire, resourceOf(id))?.items : undefined) ?? [];

/** The records of a list that was answered in a form that remit reads. */
export function recordsOf(reply: ServiceReply): JsonFields[] | undefined {
  if (!isGood(reply)) return undefined;
  const data = isObject(reply.json) ? reply.json['data'] : reply.json;
  return isList(data) ? data.filter(isObject) : undefined;
}

export const isSameRecord = (one: JsonFields | undefined, other: JsonFields | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
