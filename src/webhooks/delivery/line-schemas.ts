import * as z from 'zod';
import type {Json} from '../../narrow.ts';

const time = z.iso.datetime();
const delivery = z.string().regex(/^dlv_[0-9a-f]{24}$/);
const headers = z.array(z.tuple([z.string(), z.string()]));
const nullable = z.string().nullable();
const received = {delivery, received_at: time, headers, body_base64: z.base64()};
const event = {
  ...received,
  id: nullable,
  event_type: nullable,
  verdict: z.enum(['verified', 'unverified']),
  secret_fingerprint: nullable,
  attempt: z.int().min(1),
  body: z.unknown(),
  /** What a program does not see in `body`: numbers that a double cannot represent, names that occurred twice. */
  lost: z
    .array(
      z.strictObject({
        path: z.string(),
        kind: z.enum(['number', 'duplicate_key', 'too_deep']),
        sent: nullable,
      }),
    )
    .min(1)
    .optional(),
};
const count = z.int().min(0);

/** Every line of `listen -o ndjson`: docs/reference/listen-lines.md. Loads zod: import its types, or import it lazily. */
export const LINES = {
  ready: z.strictObject({
    type: z.literal('ready'),
    url: z.url(),
    path: z.string(),
    port: z.int(),
    endpoint_id: nullable,
    recorded: z.boolean(),
    ui_url: z.url().nullable(),
  }),
  event: z.strictObject({type: z.literal('event'), ...event}),
  /** An event that arrived before, in the same bytes. */
  duplicate: z.strictObject({type: z.literal('duplicate'), ...event, first_delivery: delivery}),
  /** A type that --events excludes. */
  filtered: z.strictObject({
    type: z.literal('filtered'),
    delivery,
    id: nullable,
    event_type: nullable,
    received_at: time,
  }),
  rejected: z.strictObject({
    type: z.literal('rejected'),
    reason: z.string(),
    ...received,
    /** The size of the body, if `body_base64` has only its start, or nothing (a large one that was rejected). */
    body_bytes: z.int().optional(),
  }),
  /** The object that a verified event is about with --expand, as it is shortly afterwards; null if it was not read. */
  object: z.strictObject({
    type: z.literal('object'),
    delivery,
    resource: z.enum(['payout', 'payin', 'subaccount']),
    id: z.string(),
    object: z.custom<Json>(),
    error: nullable,
  }),
  forward: z.strictObject({
    type: z.literal('forward'),
    delivery,
    target: z.url(),
    status: z.int().nullable(),
    latency_ms: z.number(),
    attempt: z.int().min(1),
    error: nullable,
    response: z.string().optional(),
  }),
  /** All attempts have failed: `webhooks events replay --failed` sends it again. */
  dead: z.strictObject({
    type: z.literal('dead'),
    delivery,
    target: z.url(),
    attempts: z.int().min(1),
    error: z.string(),
  }),
  target: z.strictObject({
    type: z.literal('target'),
    target: z.url(),
    state: z.enum(['up', 'down']),
    error: nullable,
  }),
  /**
   * The endpoint that --register created has changed at the service (`changed`: it has another URL, `unknown`: it could
   * not be read), or another endpoint has the same URL.
   */
  endpoint: z.strictObject({
    type: z.literal('endpoint'),
    endpoint_id: z.string(),
    state: z.enum(['active', 'disabled', 'changed', 'deleted', 'unknown']),
    error: nullable,
    same_url: z.array(z.string()),
  }),
  /**
   * An endpoint of --register is gone, and the deliveries that waited for it are not sent any more; null if they are not
   * known, because the service has no list of them or did not answer. `address`, `secret`, `second` and `deleted`: of a killed listener, which could not be used
   * again. `ended`: of this one.
   */
  dropped: z.strictObject({
    type: z.literal('dropped'),
    endpoint_id: z.string(),
    reason: z.enum(['address', 'secret', 'second', 'deleted', 'ended']),
    deliveries: z.array(z.string()).nullable(),
  }),
  /** Answered with 503, so that the service sends it again. */
  refused: z.strictObject({
    type: z.literal('refused'),
    reason: z.enum(['backlog', 'record', 'stopping']),
    received_at: time,
    detail: z.string(),
  }),
  expect: z.strictObject({
    type: z.literal('expect'),
    event_type: z.string(),
    matched: z.boolean(),
    delivery: delivery.nullable(),
  }),
  /** The reader of stdout stalled, and this many lines were omitted: the deliveries are in the record. */
  gap: z.strictObject({type: z.literal('gap'), lines: z.int().min(1)}),
  summary: z.strictObject({
    type: z.literal('summary'),
    received: count,
    verified: count,
    rejected: count,
    duplicates: count,
    forwarded: count,
    failed: count,
    /** Endpoints that --register created, or that replace them, and that still exist or may exist. */
    endpoints_left: z.array(z.string()),
    /** Deliveries of all lines `dropped`; null if one of them does not know its own. */
    deliveries_dropped: z.array(z.string()).nullable(),
  }),
} as const;

export const LINE = z.discriminatedUnion('type', [
  LINES.ready,
  LINES.event,
  LINES.duplicate,
  LINES.filtered,
  LINES.rejected,
  LINES.object,
  LINES.forward,
  LINES.dead,
  LINES.target,
  LINES.endpoint,
  LINES.dropped,
  LINES.refused,
  LINES.expect,
  LINES.gap,
  LINES.summary,
]);
