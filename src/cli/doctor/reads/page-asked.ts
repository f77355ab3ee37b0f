import type {OperationId} from '../../../contract/operations/operations.ts';
import {itemsIn, type Json} from '../survey/shapes.ts';
import type {Reply} from '../survey/asker.ts';
import {isGood, resourceOf} from '../survey/survey.ts';

/** The service refuses the values of the request. */
export const isRefused = ({status}: Reply): boolean => status === 400 || status === 422;

/** The records of a page, in the service's form. */
export const itemsOf = (id: OperationId, reply: Reply): readonly Json[] =>
  (isGood(reply) ? itemsIn(reply.wire, resourceOf(id))?.items : undefined) ?? [];

export const isSameRecord = (one: Json | undefined, other: Json | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
