import type {ZodType} from 'zod';
import {operationOf} from '../../src/service/routes.ts';
import type {OperationId} from '../../src/contract/operations/operations.ts';
import {SCHEMAS} from '../../src/contract/schemas/registry.ts';

/** Fields without a flag: the deprecated alias, the second name of one field, and what enable and disable switch. */
export const WITHOUT_FLAG: ReadonlySet<string> = new Set(['amount_in_cents', 'payout_metadata', 'is_active']);

type Shape = {
  def: {
    type: string;
    shape?: Record<string, ZodType>;
    options?: ZodType[];
    innerType?: ZodType;
    out?: ZodType;
  };
};

/** Field names of an object schema, of every branch of a union; an object inside is opened. */
function fieldsOf(schema: ZodType, prefix = ''): string[] {
  const {def} = schema as unknown as Shape; // zod's own description of a schema
  if (def.options) return def.options.flatMap((branch) => fieldsOf(branch, prefix));
  if (def.innerType) return fieldsOf(def.innerType, prefix);
  if (!def.shape) return [];
  return Object.entries(def.shape).flatMap(([name, field]) => {
    const inner = fieldsOf(field, `${prefix}${name}.`);
    return inner.length > 0 ? inner : [`${prefix}${name}`];
  });
}

/** The fields of an operation's body or query: `rail`, `card.number`. */
export function requestFields(operation: OperationId): string[] {
  const {body, query} = operationOf(operation);
  const name = body ?? query;
  return name === undefined ? [] : [...new Set(fieldsOf(SCHEMAS[name]))];
}
