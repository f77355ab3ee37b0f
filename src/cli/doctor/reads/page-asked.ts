import type {OperationId} from '../../../contract/operations/operations.ts';
import {itemsIn} from '../survey/shapes.ts';
import type {ServiceReply} from '../survey/asker.ts';
import {isGood, resourceOf} from '../survey/survey.ts';
import type {JsonFields} from '../../../narrow.ts';

/** The service refuses the values of the request. */
export const isRefused = ({status}: ServiceReply): boolean => status === 400 || status === 422;

/** The records of a page, in the service's form. */
export const itemsOf = (id: OperationId, reply: ServiceReply): readonly JsonFields[] =>
  (isGood(reply) ? itemsIn(reply.wire, resourceOf(id))?.items : undefined) ?? [];

export const isSameRecord = (one: JsonFields | undefined, other: JsonFields | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
