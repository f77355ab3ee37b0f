import type {Delivery, ForwardResult} from '../../../src/webhooks/delivery/delivery.ts';
import {RecordWriter} from '../../../src/webhooks/record/writer.ts';
import type {RecordEntry} from '../../../src/webhooks/record/entry.ts';
import {systemClock} from '../../../src/clock.ts';

export const idOf = (number: number): string => `dlv_${String(number).padStart(24, '0')}`;

/** A recorded delivery of a test. */
export function delivery(number: number, changes: Partial<Delivery> = {}): Delivery {
  return {
    id: idOf(number),
    receivedAtMs: Date.UTC(2026, 0, 1) + number * 1000,
    path: '/',
    headers: [['Content-Type', 'application/json']],
    body: Buffer.from(`{"id":"e${number}","type":"payout.settled","data":{"payout_id":"p${number}"}}`),
    verdict: 'verified',
    reason: null,
    secret: '01234567',
    eventId: `e${number}`,
    eventType: 'payout.settled',
    attempt: 1,
    duplicateOf: null,
    filtered: false,
    targets: [],
    ...changes,
  };
}

export function forward(number: number, changes: Partial<ForwardResult> = {}): ForwardResult {
  return {
    delivery: idOf(number),
    target: 'http://localhost:3000/',
    attempt: 1,
    atMs: Date.UTC(2026, 0, 1),
    status: 200,
    latencyMs: 5,
    error: null,
    resigned: false,
    cause: 'forward',
    gaveUp: false,
    ...changes,
  };
}

/** Writes entries as a listener does. */
export async function record(
  folder: string,
  entries: readonly RecordEntry[],
  segmentBytes?: number,
): Promise<void> {
  const writer = new RecordWriter({folder, clock: systemClock, segmentBytes});
  for (const entry of entries) await writer.append(entry);
  await writer.close();
}
