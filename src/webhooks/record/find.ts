import {RemitError} from '../../errors.ts';
import type {Delivery} from '../delivery/delivery.ts';
import type {Entry} from './entry.ts';
import {readRecord} from './reader.ts';
import {collect, type RecordedDelivery} from './state.ts';

/** A delivery by its id, or the last delivery of an event by the event's id. @throws {RemitError} NOT_FOUND */
export const findDelivery = (folder: string, id: string): Delivery => findRecorded(folder, id).delivery;

/** The same with its results at its targets. */
export function findRecorded(folder: string, id: string): RecordedDelivery {
  const recorded = [...collect(entriesOf(folder, id)).values()].at(-1);
  if (recorded !== undefined) return recorded;
  throw new RemitError('NOT_FOUND', `the record has no delivery or event ${id}`, {
    hint: 'remit webhooks events list',
  });
}

function* entriesOf(folder: string, id: string): Generator<Entry> {
  const deliveries = new Set<string>();
  for (const entry of readRecord(folder)) {
    if (entry.kind === 'delivery') {
      if (entry.delivery.id !== id && entry.delivery.eventId !== id) continue;
      deliveries.add(entry.delivery.id);
      yield entry;
    } else if (deliveries.has(entry.forward.delivery)) yield entry;
  }
}
