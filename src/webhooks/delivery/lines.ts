import type * as z from 'zod';
import type {Delivery, ForwardResult} from './delivery.ts';
import type {JsonBody} from '../verify/event.ts';
import {must, type DeepReadonly} from '../../narrow.ts';
import type * as schemas from './line-schemas.ts';
import {readBody} from './losses.ts';

/**
 * The output of `listen -o ndjson`, one object per line: docs/reference/listen-lines.md. Times are ISO 8601 in UTC.
 */
export type ListenLine = DeepReadonly<z.output<typeof schemas.LINE>>;
export type ReadyLine = Extract<ListenLine, {type: 'ready'}>;
export type EventLine = Extract<ListenLine, {type: 'event'}>;
export type DuplicateLine = Extract<ListenLine, {type: 'duplicate'}>;
export type FilteredLine = Extract<ListenLine, {type: 'filtered'}>;
export type RejectedLine = Extract<ListenLine, {type: 'rejected'}>;
export type ObjectLine = Extract<ListenLine, {type: 'object'}>;
export type ForwardLine = Extract<ListenLine, {type: 'forward'}>;
export type EndpointLine = Extract<ListenLine, {type: 'endpoint'}>;
export type DroppedLine = Extract<ListenLine, {type: 'dropped'}>;
export type RefusedLine = Extract<ListenLine, {type: 'refused'}>;
export type SummaryLine = Extract<ListenLine, {type: 'summary'}>;

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
      type: 'rejected',
      delivery: id,
      reason: must(reason, 'reason of a rejection'),
      received_at: timeOf(delivery),
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
