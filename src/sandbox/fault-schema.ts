import * as z from 'zod';
import {allOperations} from '../contract/operations.ts';

const operationIds = allOperations().map(({id}) => id);

/**
 * What a fault does. `before` strikes instead of handling the request; `after` handles and commits it, and then spoils
 * the answer: the case for which idempotency keys exist.
 */
export const Effect = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('latency'),
    ms: z.int().min(0).max(600_000),
    /** Up to this much more, at random. */
    jitter_ms: z.int().min(0).max(600_000).optional(),
  }),
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(400).max(599),
    when: z.enum(['before', 'after']).default('before'),
    /** Seconds, or an HTTP date. */
    retry_after: z.union([z.int().min(0), z.string()]).optional(),
    error_code: z.string().optional(),
  }),
  /** The connection is reset without an answer. */
  z.strictObject({kind: z.literal('reset'), when: z.enum(['before', 'after'])}),
  /** The answer begins and breaks off in the middle of its body. */
  z.strictObject({kind: z.literal('cut')}),
  z.strictObject({kind: z.literal('non_json')}),
  z.strictObject({kind: z.literal('empty')}),
  z.strictObject({kind: z.literal('missing_fields'), fields: z.array(z.string()).min(1)}),
  z.strictObject({kind: z.literal('unknown_status'), value: z.string().default('under_review')}),
]);

export const FaultRule = z.strictObject({
  match: z
    .strictObject({
      method: z.enum(['GET', 'POST', 'PATCH', 'DELETE']).optional(),
      /** How the path begins. */
      path: z.string().startsWith('/').optional(),
      operation: z.enum(operationIds).optional(),
      /** Only the n-th request that matches otherwise, counted from 1. */
      nth: z.int().positive().optional(),
    })
    .default({}),
  /** At most so often. */
  times: z.int().positive().optional(),
  probability: z.number().min(0).max(1).optional(),
  effect: Effect,
});

export type Effect = z.output<typeof Effect>;
export type FaultRule = z.output<typeof FaultRule>;
export type FaultRuleInput = z.input<typeof FaultRule>;
