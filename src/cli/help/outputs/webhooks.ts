import * as z from 'zod';
import type * as forms from './forms.ts';
import {
  anything,
  count,
  countOrNull,
  document,
  flag,
  lines,
  list,
  moment,
  object,
  text,
  textOrNull,
} from './forms.ts';

const headers = z.array(z.tuple([text, text])).describe('in their original order and case');
const lost = z
  .array(object({path: text, kind: z.enum(['number', 'duplicate_key', 'too_deep']), sent: textOrNull}))
  .describe('what body does not show');
const latency = z.number().min(0).nullable();
const event = {delivery: textOrNull, id: textOrNull, event_type: textOrNull, received_at: moment};

const forward = object({
  target: text,
  state: z.enum(['waiting', 'forwarded', 'dead', 'returned']),
  attempts: count,
  status: countOrNull,
  latency_ms: latency,
  error: textOrNull,
  replayed: flag,
  resigned: flag,
});

const recorded = {
  ...event,
  verdict: z.enum(['verified', 'unverified', 'rejected']),
  reason: textOrNull,
  attempt: count,
  duplicate_of: textOrNull,
  filtered: flag,
  forwards: z.array(forward),
  body: anything,
  lost: lost.optional(),
};
const Shown = object({
  ...recorded,
  path: text,
  secret_fingerprint: textOrNull,
  headers,
  body_base64: text,
  body_bytes: count.optional(),
});

const raw = {received_at: moment, headers, body_base64: text};
const arrived = {
  ...event,
  ...raw,
  verdict: z.enum(['verified', 'unverified']),
  attempt: count,
  body: anything,
  lost: lost.optional(),
};
const Event = object({type: z.literal('event'), ...arrived});
const Duplicate = object({type: z.literal('duplicate'), ...arrived, first_delivery: text});
const Rejected = object({
  type: z.literal('rejected'),
  reason: text,
  delivery: textOrNull,
  ...raw,
  body_bytes: count.optional(),
});
const Summary = object({
  type: z.literal('summary'),
  received: count,
  verified: count,
  rejected: count,
  duplicates: count,
  forwarded: count,
  failed: count,
});
const Line = z.discriminatedUnion('type', [
  object({
    type: z.literal('ready'),
    url: text,
    path: text,
    port: count,
    endpoint_id: textOrNull,
    recorded: flag,
    ui_url: textOrNull,
  }),
  Event,
  Duplicate,
  object({type: z.literal('filtered'), ...event}),
  Rejected,
  object({
    type: z.literal('object'),
    delivery: text,
    resource: text,
    id: text,
    object: anything,
    error: textOrNull,
  }),
  object({
    type: z.literal('forward'),
    delivery: textOrNull,
    target: text,
    status: countOrNull,
    latency_ms: latency,
    attempt: count,
    error: textOrNull,
    response: text.optional(),
  }),
  object({type: z.literal('dead'), delivery: textOrNull, target: text, attempts: count, error: textOrNull}),
  object({type: z.literal('target'), target: text, state: z.enum(['up', 'down']), error: textOrNull}),
  object({
    type: z.literal('refused'),
    reason: z.enum(['backlog', 'record', 'stopping']),
    received_at: moment,
    detail: textOrNull,
  }),
  object({type: z.literal('expect'), event_type: text, matched: flag, delivery: textOrNull}),
  object({type: z.literal('gap'), lines: count}),
  Summary,
]);

const Replayed = object({
  delivery: text,
  id: textOrNull,
  event_type: textOrNull,
  target: text,
  outcome: z.enum(['fixed', 'regressed', 'still_failing', 'still_passing', 'passing', 'failing']),
  status: countOrNull,
  latency_ms: latency,
  error: textOrNull,
  attempt: count,
  status_before: countOrNull,
  error_before: textOrNull,
  resigned: flag,
  replayed_at: moment,
  response: text.optional().describe('with --show-response'),
});

const signature = {
  timestamp: text,
  signature: text,
  secret_fingerprint: text,
  headers: z.record(z.string(), text),
};

/** With `--out`; without it the deliveries themselves are printed, always as lines. */
const Exported = object({file: text, deliveries: count});

const Verified = object({
  delivery: textOrNull,
  event_id: textOrNull,
  event_type: textOrNull,
  verdict: z.enum(['verified', 'rejected']),
  reason: textOrNull,
  matches_if: z.array(text),
  secret_fingerprint: textOrNull,
  age_seconds: z.int().nullable(),
  lost: lost.optional(),
});

export const WEBHOOKS: Readonly<Record<string, forms.Printed>> = {
  'webhooks:listen': lines(Line, Summary),
  'webhooks:verify': document(z.union([Verified, z.array(Verified)])),
  'webhooks:sign': document(object(signature)),
  'webhooks:send': document(
    object({url: text, status: count, latency_ms: latency, response: text, ...signature}),
  ),
  'webhooks:events:list': list(object(recorded)),
  'webhooks:events:show': document(Shown),
  'webhooks:events:tail': lines(object(recorded)),
  'webhooks:events:replay': list(Replayed),
  'webhooks:events:export': lines(
    z.union([z.discriminatedUnion('type', [Event, Duplicate, Rejected]), Exported]),
    Exported,
  ),
  'webhooks:events:inspect': lines(object({type: z.literal('ready'), ui_url: text})),
  'webhooks:events:prune': document(
    object({segments: count, deliveries: count, bytes: count, waiting: count}),
  ),
};
