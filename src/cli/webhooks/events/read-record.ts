import {RecordReader} from '../../../webhooks/record/reader.ts';
import {collect, type RecordedDelivery} from '../../../webhooks/record/state.ts';
import type {LocalContext} from '../../core/context.ts';
import {recordFolder} from '../place.ts';

/** The whole record, oldest first; warns about damaged entries. */
export function readRecorded(local: LocalContext): RecordedDelivery[] {
  const reader = new RecordReader(recordFolder(local));
  const found = [...collect(reader.more()).values()];
  if (reader.damaged > 0) local.out.warn(`${reader.damaged} damaged entries of the record were skipped`);
  return found.sort((a, b) => (a.delivery.id < b.delivery.id ? -1 : 1));
}
