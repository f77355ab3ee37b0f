import {RemitError} from '../../errors.ts';
import type {Delivery} from '../delivery.ts';
import {readRecord} from './reader.ts';
import {addEntry, type RecordedDelivery} from './state.ts';

/** A delivery of the record by its id. @throws {RemitError} NOT_FOUND */
export const findDelivery = (folder: string, id: string): Delivery => findRecorded(folder, id).delivery;

/** The same with what became of it at its targets. */
export function findRecorded(folder: string, id: string): RecordedDelivery {
  const found = new Map<string, RecordedDelivery>();
  for (const entry of readRecord(folder)) {
    const of = entry.kind === 'delivery' ? entry.delivery.id : entry.forward.delivery;
    if (of === id) addEntry(found, entry);
  }
  const recorded = found.get(id);
  if (recorded !== undefined) return recorded;
  throw new RemitError('NOT_FOUND', `the record holds no delivery ${id}`, {
    hint: 'remit webhooks events list',
  });
}
