import * as z from 'zod';
import type * as forms from './forms.ts';
import {LINE, LINES} from '../../../webhooks/delivery/line-schemas.ts';
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
  replayed: flag.describe('whether events replay sent the last attempt'),
  resigned: flag.describe('with a new signature'),
});

export const Recorded = object({
  ...event,
  verdict: z.enum(['verified', 'unverified', 'rejected']),
  reason: textOrNull,
  attempt: count,
  duplicate_of: textOrNull,
  filtered: flag,
  forwards: z.array(forward),
  body: anything,
  lost: lost.optional(),
});
const RecordedWhole = Recorded.extend({
  path: text,
  secret_fingerprint: textOrNull,
  headers,
  body_base64: text,
  body_bytes: count.optional(),
});

export const Replayed = object({
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

export const Signature = object({
  timestamp: text.describe('empty if the deliveries of the service have none'),
  signature: text,
  secret_fingerprint: text,
  headers: z.record(z.string(), text),
});
export const Sent = Signature.extend({url: text, status: count, latency_ms: latency, response: text});

/** The result with `--out`; without it the deliveries themselves are printed, always as lines. */
const Exported = object({file: text, deliveries: count});

export const Verified = object({
  delivery: textOrNull,
  event_id: textOrNull,
  event_type: textOrNull,
  verdict: z.enum(['verified', 'rejected']),
  reason: textOrNull,
  matches_if: z.array(text),
  diagnosis: z
    .array(object({code: text, matches_if: text, secret_position: count}))
    .describe('matches_if with codes, and the secret that each would match'),
  secret_fingerprint: textOrNull.describe('of the secret that the signature matches'),
  secret_position: countOrNull.describe('counted from 1'),
  secret_source: textOrNull.describe('file and line, variable or prompt'),
  secrets_tried: z
    .array(object({position: count, fingerprint: text, source: text}))
    .describe('empty if it was rejected before any secret was needed'),
  recorded_fingerprint: textOrNull.describe('fingerprint of the secret it verified with when it arrived'),
  age_seconds: z.int().nullable().describe('null if the signature does not match'),
  lost: lost.optional(),
  bytes_missing: count.optional().describe('of a body that is shorter than its Content-Length'),
});

export const WEBHOOKS: Readonly<Record<string, forms.Printed>> = {
  'webhooks:listen': lines(LINE, LINES.summary),
  'webhooks:verify': document(z.union([Verified, z.array(Verified)])),
  'webhooks:sign': document(Signature),
  'webhooks:send': document(Sent),
  'webhooks:events:list': list(Recorded),
  'webhooks:events:show': document(RecordedWhole),
  'webhooks:events:tail': lines(Recorded),
  'webhooks:events:replay': list(Replayed),
  'webhooks:events:export': lines(
    z.union([z.discriminatedUnion('type', [LINES.event, LINES.duplicate, LINES.rejected]), Exported]),
    Exported,
  ),
  'webhooks:events:inspect': lines(object({type: z.literal('ready'), ui_url: text})),
  'webhooks:events:prune': document(
    object({segments: count, deliveries: count, bytes: count, waiting: count}),
  ),
};
