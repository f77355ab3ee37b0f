import type {Delivery, ForwardResult} from '../delivery.ts';
import {encodeFrame, type Frame, type Room} from './frame.ts';

/** What the record holds: deliveries, and what became of them at the targets. */
export type Entry = {kind: 'delivery'; delivery: Delivery} | {kind: 'forward'; forward: ForwardResult};

export function encodeEntry(entry: Entry, room?: Room): Buffer {
  if (entry.kind === 'forward')
    return encodeFrame({meta: {kind: 'forward', ...entry.forward}, body: NO_BYTES}, room);
  return encodeFrame({meta: metaOf(entry.delivery), body: entry.delivery.body}, room);
}

/** All of a delivery but its body. Named one by one: a copy with `...` takes far longer. */
const metaOf = (
  delivery: Delivery,
): {kind: 'delivery'} & Omit<Required<Delivery>, 'body' | 'bodyBytes'> & {bodyBytes: number | undefined} => ({
  kind: 'delivery',
  id: delivery.id,
  receivedAtMs: delivery.receivedAtMs,
  path: delivery.path,
  headers: delivery.headers,
  bodyBytes: delivery.bodyBytes,
  verdict: delivery.verdict,
  reason: delivery.reason,
  secret: delivery.secret,
  eventId: delivery.eventId,
  eventType: delivery.eventType,
  attempt: delivery.attempt,
  duplicateOf: delivery.duplicateOf,
  filtered: delivery.filtered,
  targets: delivery.targets,
});

const NO_BYTES = new Uint8Array(0);

/** Undefined for a kind of a later version. */
export function decodeEntry({meta, body}: Frame): Entry | undefined {
  const {kind, ...rest} = meta as {kind?: unknown}; // written by us, and its checksum is right
  if (kind === 'delivery') return {kind, delivery: {...(rest as unknown as Omit<Delivery, 'body'>), body}};
  if (kind === 'forward') return {kind, forward: rest as unknown as ForwardResult};
  return undefined;
}
