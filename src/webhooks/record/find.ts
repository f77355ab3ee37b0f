import {RemitError} from '../../errors.ts';
import type {Delivery} from '../delivery.ts';
import type {Entry} from './entry.ts';
import {readRecord} from './reader.ts';
import {collect, type RecordedDelivery} from './state.ts';

/** A delivery of the record by its id. @throws {RemitError} NOT_FOUND */
export const findDelivery = (folder: string, id: string): Delivery => findRecorded(folder, id).delivery;

/** The same with what became of it at its targets. */
export function findRecorded(folder: string, id: string): RecordedDelivery {
  const recorded = collect(entriesOf(folder, id)).get(id);
  if (recorded !== undefined) return recorded;
  throw new RemitError('NOT_FOUND', `the record holds no delivery ${id}`, {
    hint: 'remit webhooks events list',
  });
}

function* entriesOf(folder: string, id: string): Generator<Entry> {
  for (const entry of readRecord(folder))
    if (id === (entry.kind === 'delivery' ? entry.delivery.id : entry.forward.delivery)) yield entry;
}
