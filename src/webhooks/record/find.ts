import {RemitError} from '../../errors.ts';
import type {RecordEntry} from './entry.ts';
import {readAllEntries} from './reader.ts';
import {collect, type RecordedDelivery} from './state.ts';

/**
 * A delivery by its id, or the last delivery of an event by the event's id, with its results at its targets.
 * @throws {RemitError} NOT_FOUND
 */
export function findRecorded(folder: string, id: string): RecordedDelivery {
  const recorded = lastRecorded(folder, id);
  if (recorded !== undefined) return recorded;
  throw new RemitError('NOT_FOUND', `the record has no delivery or event ${id}`, {
    hint: 'remit webhooks events list',
  });
}

/** The delivery; undefined if nothing recorded has this id. */
export const lastRecorded = (folder: string, id: string): RecordedDelivery | undefined =>
  [...collect(entriesOf(folder, id)).values()].sort(byId).at(-1);

/** Ids begin with the time of receipt; segments of two processes are read in any order. */
const byId = (a: RecordedDelivery, b: RecordedDelivery): number => (a.delivery.id < b.delivery.id ? -1 : 1);

function* entriesOf(folder: string, id: string): Generator<RecordEntry> {
  const deliveries = new Set<string>();
  for (const entry of readAllEntries(folder)) {
    if (entry.kind === 'delivery') {
      if (entry.delivery.id !== id && entry.delivery.eventId !== id) continue;
      deliveries.add(entry.delivery.id);
      yield entry;
    } else if (deliveries.has(entry.forward.delivery)) yield entry;
  }
}
