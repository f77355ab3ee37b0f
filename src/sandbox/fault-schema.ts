import * as z from 'zod';
import {EVENT_TYPE_NAMES} from '../contract/events.ts';
import {allOperations} from '../contract/operations.ts';

/** What a header may hold: Node refuses the rest, and the answer with it. */
const HeaderValue = z
  .string()
  .max(200)
  .regex(/^[\t\x20-\x7e]*$/, 'is no value of a header');
const operationIds = allOperations().map(({id}) => id);

/** No answer is held back for longer. */
export const LATENCY_MAX_MS = 600_000;

/** What a fault does to a delivery. */
export const DeliveryEffect = z.discriminatedUnion('kind', [
  /** It is never sent, and nobody tries again: the event is lost. */
  z.strictObject({kind: z.literal('drop')}),
  /** It is sent twice: the same event, bytes and id. */
  z.strictObject({kind: z.literal('duplicate')}),
  /** It comes after the next one to its endpoint, or after `ms` when none follows. */
  z.strictObject({kind: z.literal('reorder'), ms: z.int().min(0).max(86_400_000).default(5000)}),
  z.strictObject({
    kind: z.literal('delay'),
    ms: z.int().min(0).max(86_400_000),
    /** Up to this much more, at random. */
    jitter_ms: z.int().min(0).max(86_400_000).optional(),
  }),
  /** Signed with another secret. */
  z.strictObject({kind: z.literal('bad_signature')}),
  /** Signed well, so long ago. */
  z.strictObject({
    kind: z.literal('stale_timestamp'),
    age_ms: z.int().min(0).max(31_536_000_000).default(3_600_000),
  }),
]);

/**
 * What a fault does to a request. `before` strikes instead of handling it; `after` handles and commits it, and then
 * spoils the answer: the case for which idempotency keys exist.
 */
export const RequestEffect = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('latency'),
    ms: z.int().min(0).max(LATENCY_MAX_MS),
    /** Up to this much more, at random. */
    jitter_ms: z.int().min(0).max(LATENCY_MAX_MS).optional(),
    /**
     * Log-normal, as real services are: half of the answers come sooner than `ms`, a few much later. This is the standard
     * deviation of its logarithm; 0.5 makes one answer in a hundred three times as late. Never above ten minutes.
     */
    sigma: z.number().positive('must be above 0').max(3).optional(),
  }),
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(400).max(599),
    when: z.enum(['before', 'after']).default('before'),
    /** Seconds, or an HTTP date. */
    retry_after: z.union([z.int().min(0), HeaderValue]).optional(),
    error_code: z.string().optional(),
  }),
  /** The connection is reset without an answer. */
  z.strictObject({kind: z.literal('reset'), when: z.enum(['before', 'after'])}),
  /** The answer begins and breaks off in the middle of its body. */
  z.strictObject({kind: z.literal('cut')}),
  /** The answer begins at once and drips, so that it is whole only after `ms`. */
  z.strictObject({kind: z.literal('slow'), ms: z.int().min(1).max(600_000)}),
  z.strictObject({kind: z.literal('non_json')}),
  /** The right body under a content type that says otherwise. */
  z.strictObject({kind: z.literal('wrong_type'), type: HeaderValue.default('text/plain')}),
  z.strictObject({kind: z.literal('empty')}),
  z.strictObject({kind: z.literal('missing_fields'), fields: z.array(z.string()).min(1)}),
  z.strictObject({kind: z.literal('unknown_status'), value: z.string().default('under_review')}),
  /** A field of the answer holds a value that nobody has heard of; in a list, of each record. */
  z.strictObject({
    kind: z.literal('unknown_value'),
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
        /** How the path begins. */
        path: z.string().startsWith('/').optional(),
        operation: z.enum(operationIds).optional(),
        /** Only requests with keys of this mode. */
        mode: z.enum(['test', 'live']).optional(),
        /** Deliveries: only events of this type. */
        event: z.enum(EVENT_TYPE_NAMES).optional(),
        /** Deliveries: only those to this endpoint. */
        endpoint: z.uuid().optional(),
        /** Only the n-th request or attempt that matches otherwise, counted from 1. */
        nth: z.int().positive().optional(),
        /** Requests: only reads (GET) of a path that was read so often before; each path counts for itself. */
        after_reads: z.int().positive().max(1_000_000).optional(),
      })
      .default({}),
    /** At most so often. */
    times: z.int().positive().optional(),
    probability: z.number().min(0).max(1).optional(),
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
          message: `is of no use: ${effect.kind} is about ${about}`,
          input: value,
        });
    if (match.after_reads !== undefined && match.method !== undefined && match.method !== 'GET')
      issues.push({
        code: 'custom',
        path: ['match', 'after_reads'],
        message: `is of no use: ${match.method} is no read`,
        input: value,
      });
    if (effect.kind === 'latency' && effect.sigma !== undefined && effect.jitter_ms !== undefined)
      issues.push({
        code: 'custom',
        path: ['effect', 'sigma'],
        message: 'and jitter_ms are two ways to be random; say one',
        input: value,
      });
  });

export type RequestEffect = z.output<typeof RequestEffect>;
export type DeliveryEffect = z.output<typeof DeliveryEffect>;
export type FaultRule = z.output<typeof FaultRule>;
export type FaultRuleInput = z.input<typeof FaultRule>;
