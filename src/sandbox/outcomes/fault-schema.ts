import * as z from 'zod';
import {EVENT_TYPE_NAMES} from '../../contract/events.ts';
import {allOperations} from '../../contract/operations/operations.ts';

/** Characters allowed in a header: Node refuses the others, and the answer with them. */
const HeaderValue = z
  .string()
  .max(200)
  .regex(/^[\t\x20-\x7e]*$/, 'is not a valid header value');
const operationIds = allOperations().map(({id}) => id);

/** Maximum time that an answer is held back. */
const LATENCY_MAX_MS = 600_000;

/** What a fault does to a delivery. */
export const DeliveryEffect = z.discriminatedUnion('kind', [
  z.strictObject({kind: z.literal('drop').describe('a delivery is never sent')}),
  z.strictObject({
    kind: z.literal('duplicate').describe('a delivery is sent twice: same event, bytes and id'),
  }),
  z.strictObject({
    kind: z
      .literal('reorder')
      .describe('a delivery is sent after the next one to its endpoint, or after `ms` if none follows'),
    ms: z.int().min(0).max(86_400_000).default(5000),
  }),
  z.strictObject({
    kind: z.literal('delay').describe('a delivery is sent `ms` later'),
    ms: z.int().min(0).max(86_400_000),
    /** Up to this much additional random time. */
    jitter_ms: z.int().min(0).max(86_400_000).optional(),
  }),
  z.strictObject({kind: z.literal('bad_signature').describe('a delivery is signed with another secret')}),
  z.strictObject({
    kind: z.literal('stale_timestamp').describe('a delivery is signed correctly, but `age_ms` ago'),
    age_ms: z.int().min(0).max(31_536_000_000).default(3_600_000),
  }),
]);

/**
 * What a fault does to a request. `before` replaces the handling; `after` handles and commits it, and then changes
 * the answer: the case for which idempotency keys exist.
 */
export const RequestEffect = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('latency').describe('the answer is sent later'),
    ms: z.int().min(0).max(LATENCY_MAX_MS),
    /** Up to this much additional random time. */
    jitter_ms: z.int().min(0).max(LATENCY_MAX_MS).optional(),
  }),
  z.strictObject({
    kind: z.literal('status').describe('the answer has another status; `after`: the request took effect'),
    status: z.int().min(400).max(599),
    when: z.enum(['before', 'after']).default('before'),
    /** Seconds, or an HTTP date. */
    retry_after: z.union([z.int().min(0), HeaderValue]).optional(),
    error_code: z.string().optional(),
  }),
  z.strictObject({
    kind: z
      .literal('reset')
      .describe('the connection is reset before the answer; `after`: the request took effect'),
    when: z.enum(['before', 'after']),
  }),
  z.strictObject({kind: z.literal('cut').describe('the answer is cut off in the middle of its body')}),
  z.strictObject({
    kind: z.literal('slow').describe('the answer begins at once and is complete only after `ms`'),
    ms: z.int().min(1).max(600_000),
  }),
  z.strictObject({kind: z.literal('non_json').describe('the answer is not JSON')}),
  z.strictObject({
    kind: z.literal('wrong_type').describe('the right body under another content type'),
    type: HeaderValue.default('text/plain'),
  }),
  z.strictObject({kind: z.literal('empty').describe('the answer has no body')}),
  z.strictObject({
    kind: z.literal('missing_fields').describe('the answer lacks `fields`'),
    fields: z.array(z.string()).min(1),
  }),
  z.strictObject({
    kind: z.literal('unknown_status').describe('the record has an unknown status'),
    value: z.string().default('under_review'),
  }),
  z.strictObject({
    kind: z.literal('unknown_value').describe('a field of each record has an unknown value'),
    field: z.string().min(1),
    value: z.string().default('unheard_of'),
  }),
]);

const deliveryKinds: readonly string[] = DeliveryEffect.options.map((option) => option.shape.kind.value);
/** Whether a rule is about deliveries; all others are about requests. */
export const isDeliveryEffect = (effect: {kind: string}): effect is DeliveryEffect =>
  deliveryKinds.includes(effect.kind);

export const FaultRule = z
  .strictObject({
    match: z
      .strictObject({
        method: z.enum(['GET', 'POST', 'PATCH', 'DELETE']).optional(),
        path: z.string().startsWith('/').optional().describe('only paths with this prefix'),
        operation: z.enum(operationIds).optional().describe('only this operation, such as `payouts.create`'),
        mode: z.enum(['test', 'live']).optional().describe('only keys, or deliveries, of this mode'),
        event: z.enum(EVENT_TYPE_NAMES).optional().describe('deliveries: only this event type'),
        endpoint: z.uuid().optional().describe('deliveries: only to this endpoint'),
        nth: z.int().positive().optional().describe('only the n-th request or attempt that matches, from 1'),
        after_reads: z
          .int()
          .positive()
          .max(1_000_000)
          .optional()
          .describe('only GETs after the first N of the same path'),
      })
      .default({})
      .describe('which requests or deliveries (default: all)'),
    times: z.int().positive().optional().describe('stop after N matches'),
    probability: z.number().min(0).max(1).optional().describe('0 to 1 (default 1)'),
    effect: z.discriminatedUnion('kind', [RequestEffect, DeliveryEffect]),
  })
  .check(({value, issues}) => {
    const {match, effect} = value;
    const [useless, about] = isDeliveryEffect(effect)
      ? ([['method', 'path', 'operation', 'after_reads'], 'deliveries'] as const)
      : ([['event', 'endpoint'], 'requests'] as const);
    for (const name of useless)
      if (match[name] !== undefined)
        issues.push({
          code: 'custom',
          path: ['match', name],
          message: `has no effect: ${effect.kind} applies to ${about}`,
          input: value,
        });
    if (match.after_reads !== undefined && match.method !== undefined && match.method !== 'GET')
      issues.push({
        code: 'custom',
        path: ['match', 'after_reads'],
        message: `has no effect: ${match.method} is not a read`,
        input: value,
      });
  });

export type RequestEffect = z.output<typeof RequestEffect>;
export type DeliveryEffect = z.output<typeof DeliveryEffect>;
export type FaultRule = z.output<typeof FaultRule>;
