import {rmSync} from 'node:fs';
import {fileFailure} from '../../store/failures.ts';
import {readEntries, readRecord} from './reader.ts';
import {listSegments, type Segment} from './segments.ts';
import {collect, isWaiting} from './state.ts';

export interface Bounds {
  maxBytes: number;
  maxAgeMs: number;
}
export const DEFAULT_BOUNDS: Bounds = {maxBytes: 256 * 1_048_576, maxAgeMs: 30 * 86_400_000};

export interface Pruned {
  segments: number;
  deliveries: number;
  bytes: number;
  /** Deliveries in segments beyond the bounds that stay because they wait to be forwarded. */
  waiting: number;
}

/**
 * Removes whole segments, oldest first, until the record is within its bounds. A segment that holds a delivery which waits to
 * be forwarded stays.
 * @param waiting ids of the deliveries that wait, where the caller knows them; otherwise the whole record is read
 */
export function pruneRecord(
  folder: string,
  nowMs: number,
  bounds: Bounds,
  waiting: ReadonlySet<string> = waitingIn(folder),
): Pruned {
  const pruned: Pruned = {segments: 0, deliveries: 0, bytes: 0, waiting: 0};
  const doomed = beyondBounds(listSegments(folder), nowMs, bounds);
  if (doomed.length === 0) return pruned;
  for (const {file, bytes} of doomed) {
    const ids = [...readEntries(file)].flatMap((entry) =>
      entry.kind === 'delivery' ? [entry.delivery.id] : [],
    );
    const held = ids.filter((id) => waiting.has(id)).length;
    pruned.waiting += held;
    if (held > 0) continue;
    try {
      rmSync(file, {force: true});
    } catch (error) {
      throw fileFailure(error, 'remove', file);
    }
    pruned.segments += 1;
    pruned.bytes += bytes;
    pruned.deliveries += ids.length;
  }
  return pruned;
}

const waitingIn = (folder: string): Set<string> =>
  new Set([...collect(readRecord(folder))].filter(([, one]) => isWaiting(one)).map(([id]) => id));

function beyondBounds(segments: readonly Segment[], nowMs: number, {maxBytes, maxAgeMs}: Bounds): Segment[] {
  let total = segments.reduce((sum, {bytes}) => sum + bytes, 0);
  return segments.filter(({bytes, changedMs}) => {
    if (total <= maxBytes && nowMs - changedMs <= maxAgeMs) return false;
    total -= bytes;
    return true;
  });
}
