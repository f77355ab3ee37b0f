import type {Delivery, ForwardResult, HeaderPairs, ListenReason} from './delivery.ts';
import type {JsonBody} from '../verify/event.ts';
import {must} from '../../narrow.ts';
import type {Loss} from '../../json/losses.ts';
import {readBody} from './losses.ts';

/**
 * The output of `listen -o ndjson`, one object per line: docs/reference/listen-lines.md. Times are ISO 8601 in UTC.
 */
export type ListenLine =
  | ReadyLine
  | EventLine
  | DuplicateLine
  | FilteredLine
  | RejectedLine
  | ObjectLine
  | ForwardLine
  | DeadLine
  | TargetLine
  | EndpointLine
  | RefusedLine
  | ExpectLine
  | GapLine
  | SummaryLine;

export interface ReadyLine {
  type: 'ready';
  url: string;
  path: string;
  port: number;
  /** The endpoint that --register created. */
  endpoint_id: string | null;
  /** False with --no-record: deliveries are lost when this process ends. */
  recorded: boolean;
  /** The address of the page that --ui serves, with the token that opens it. */
  ui_url: string | null;
}

interface Received {
  delivery: string;
  received_at: string;
  headers: HeaderPairs;
  body_base64: string;
}
interface ReceivedEvent extends Received {
  /** The event's own id and type; null if the body has none. */
  id: string | null;
  event_type: string | null;
  verdict: 'verified' | 'unverified';
  /** Of the secret that matched; null if it is unverified. */
  secret_fingerprint: string | null;
  attempt: number;
  /** The body as JSON; null if it is not JSON. */
  body: unknown;
  /** What `body` does not show: numbers that it changes, names that occurred twice. */
  lost?: readonly Loss[];
}
export interface EventLine extends ReceivedEvent {
  type: 'event';
}
/** The same event again, in the same bytes. */
export interface DuplicateLine extends ReceivedEvent {
  type: 'duplicate';
  /** The delivery that was shown as `event`. */
  first_delivery: string;
}
/** A type that --events excludes. */
export interface FilteredLine {
  type: 'filtered';
  delivery: string;
  id: string | null;
  event_type: string | null;
  received_at: string;
}
export interface RejectedLine extends Received {
  type: 'rejected';
  reason: ListenReason;
  /**
   * Present if `body_base64` has only the start of the body, or nothing (a large one that was rejected): the size of
   * the body.
   */
  body_bytes?: number;
}
/** With --expand: the object that a verified event is about, as it is shortly afterwards. */
export interface ObjectLine {
  type: 'object';
  delivery: string;
  resource: 'payout' | 'payin' | 'subaccount';
  id: string;
  /** The record as the service answered it; null if it could not be read. */
  object: unknown;
  error: string | null;
}
export interface ForwardLine {
  type: 'forward';
  delivery: string;
  target: string;
  status: number | null;
  latency_ms: number;
  attempt: number;
  error: string | null;
  /** Only with --show-response: the first bytes of the answer. */
  response?: string;
}
/** All attempts have failed: `webhooks events replay --failed` sends it again. */
export interface DeadLine {
  type: 'dead';
  delivery: string;
  target: string;
  attempts: number;
  error: string;
}
export interface TargetLine {
  type: 'target';
  target: string;
  state: 'up' | 'down';
  error: string | null;
}
/** The endpoint that --register created has changed at the service, or another endpoint has the same URL. */
export interface EndpointLine {
  type: 'endpoint';
  endpoint_id: string;
  /** `changed`: it has another URL. `unknown`: it could not be read, see `error`. */
  state: 'active' | 'disabled' | 'changed' | 'deleted' | 'unknown';
  error: string | null;
  /** Other endpoints with the URL of this listener; looked for if this one is gone, or a delivery does not match. */
  same_url: readonly string[];
}
/** Answered with 503, so that the service sends it again. */
export interface RefusedLine {
  type: 'refused';
  reason: 'backlog' | 'record' | 'stopping';
  received_at: string;
  detail: string;
}
export interface ExpectLine {
  type: 'expect';
  event_type: string;
  matched: boolean;
  delivery: string | null;
}
/** The reader of stdout stalled, and this many lines were omitted: the deliveries are in the record. */
export interface GapLine {
  type: 'gap';
  lines: number;
}
export interface SummaryLine {
  type: 'summary';
  received: number;
  verified: number;
  rejected: number;
  duplicates: number;
  forwarded: number;
  failed: number;
  /** Endpoints that --register created, or that replace them, and that still exist or may exist. */
  endpoints_left: readonly string[];
}

const timeOf = ({receivedAtMs}: Delivery): string => new Date(receivedAtMs).toISOString();

/**
 * The line that shows a delivery for the first time.
 * @param json its body, if it was read before
 */
export function deliveryLine(
  delivery: Delivery,
  json?: JsonBody,
): EventLine | DuplicateLine | FilteredLine | RejectedLine {
  const {id, headers, reason, eventId, eventType, verdict, secret, attempt, duplicateOf} = delivery;
  if (delivery.filtered)
    return {
      type: 'filtered',
      delivery: id,
      id: eventId,
      event_type: eventType,
      received_at: timeOf(delivery),
    };
  const received = {headers, body_base64: Buffer.from(delivery.body).toString('base64')};
  if (verdict === 'rejected')
    return {
      ...{
        type: 'rejected',
        delivery: id,
        reason: must(reason, 'reason of a rejection'),
        received_at: timeOf(delivery),
      },
      ...received,
      ...(delivery.bodyBytes === undefined ? {} : {body_bytes: delivery.bodyBytes}),
    };
  const {body, lost} = readBody(delivery.body, json);
  const shown = {
    ...{delivery: id, id: eventId, event_type: eventType, verdict, secret_fingerprint: secret, attempt},
    ...{received_at: timeOf(delivery), ...received, body},
    ...(lost.length === 0 ? {} : {lost}),
  };
  return duplicateOf === null
    ? {type: 'event', ...shown}
    : {type: 'duplicate', ...shown, first_delivery: duplicateOf};
}

export const forwardLine = (
  {delivery, target, status, latencyMs, attempt, error}: ForwardResult,
  response?: string,
): ForwardLine => ({
  ...{type: 'forward', delivery, target, status, latency_ms: latencyMs, attempt, error},
  ...(response === undefined ? {} : {response}),
});
