import {randomBytes} from 'node:crypto';
import type {RejectReason} from '../verify/signature.ts';

/** Names and values in the order and case in which they arrived. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** Why the listener did not accept a request: the verifier's reasons, and those about the request itself. */
export type ListenReason = RejectReason | 'body_too_large';

/** One POST that reached the listener, as it is recorded and shown. */
export interface Delivery {
  /** Unique; sorts by time of receipt. */
  id: string;
  receivedAtMs: number;
  path: string;
  headers: HeaderPairs;
  body: Uint8Array;
  /**
   * Present if only part of the body was kept (a large one that was rejected): its announced size, or the size
   * received.
   */
  bodyBytes?: number;
  verdict: 'verified' | 'unverified' | 'rejected';
  /** Only for rejected deliveries. */
  reason: ListenReason | null;
  /** The fingerprint of the secret that matched. */
  secret: string | null;
  /** `id` and `type` of the event, if the body has them. */
  eventId: string | null;
  eventType: string | null;
  /** Number of times this event has arrived, including this one. */
  attempt: number;
  /** The first delivery of the same event; null for the first. */
  duplicateOf: string | null;
  /** Whether --events excludes it: recorded, not shown, not forwarded. */
  filtered: boolean;
  /** Where it has to be forwarded. */
  targets: readonly string[];
}

/** Whether its body was not kept, or only the start of it. */
export const isCut = ({reason, bodyBytes}: Pick<Delivery, 'reason' | 'bodyBytes'>): boolean =>
  bodyBytes !== undefined || reason === 'body_too_large';

/** One attempt to forward a delivery; `gave_up` is the last attempt for this target. */
export interface ForwardResult {
  delivery: string;
  target: string;
  attempt: number;
  atMs: number;
  status: number | null;
  latencyMs: number;
  error: string | null;
  /** Re-signed with a new timestamp. */
  resigned: boolean;
  /** `replay` if sent by `events replay`. */
  cause: 'forward' | 'replay';
  gaveUp: boolean;
  /** Present with `gaveUp`: the failure was returned to the service, which sends the delivery again. */
  returned?: boolean;
}

export const hasArrived = ({status}: Pick<ForwardResult, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300;

/**
 * Ids of one process: 12 hex digits of time, 4 of a counter within it, and 8 that count from a random number. They sort
 * by time, and their ends, which is what narrow tables show, differ.
 */
export function deliveryIds(start = randomBytes(4).readUInt32BE()): (nowMs: number) => string {
  let serial = start;
  let last = 0;
  let time = '';
  let counter = 0;
  return (nowMs) => {
    counter = nowMs > last ? 0 : counter + 1;
    if (nowMs > last || counter > 0xffff) {
      last = Math.max(nowMs, last + 1);
      time = last.toString(16).padStart(12, '0');
      counter = 0;
    }
    serial = (serial + 1) >>> 0;
    return `dlv_${time}${counter.toString(16).padStart(4, '0')}${serial.toString(16).padStart(8, '0')}`;
  };
}

export const DELIVERY_ID = /^dlv_[0-9a-f]{24}$/;
