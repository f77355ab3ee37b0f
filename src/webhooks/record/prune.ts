import {rmSync} from 'node:fs';
import {fileFailure} from '../../store/files/failures.ts';
import {readEntries, readAllEntries} from './reader.ts';
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
  /** Deliveries in segments beyond the limits that are kept because they wait to be forwarded. */
  waiting: number;
}

/**
 * Removes whole segments, oldest first, until the record is within its limits. A segment with a delivery that waits
 * to be forwarded is kept.
 */
export function pruneRecord(folder: string, nowMs: number, bounds: Bounds): Pruned {
  const pruned: Pruned = {segments: 0, deliveries: 0, bytes: 0, waiting: 0};
  const doomed = beyondBounds(listSegments(folder), nowMs, bounds);
  if (doomed.length === 0) return pruned;
  const waiting = waitingIn(folder);
  for (const {file, bytes} of doomed) {
    const ids = deliveriesIn(file);
    const held = ids.filter((id) => waiting.has(id)).length;
    pruned.waiting += held;
    if (held > 0) continue;
    remove(file);
    pruned.segments += 1;
    pruned.bytes += bytes;
    pruned.deliveries += ids.length;
  }
  return pruned;
}

/**
 * Prunes for a listener, which knows which deliveries wait. It reads no segment if none does, because reading one
 * delays every answer.
 * @param waiting ids of deliveries
 */
export function pruneBehind(
  folder: string,
  nowMs: number,
  bounds: Bounds,
  waiting: Pick<ReadonlyMap<string, unknown>, 'size' | 'has'>,
): void {
  for (const {file} of beyondBounds(listSegments(folder), nowMs, bounds))
    if (waiting.size === 0 || !deliveriesIn(file).some((id) => waiting.has(id))) remove(file);
}

const deliveriesIn = (file: string): string[] =>
  [...readEntries(file)].flatMap((entry) => (entry.kind === 'delivery' ? [entry.delivery.id] : []));

function remove(file: string): void {
  try {
    rmSync(file, {force: true});
  } catch (error) {
    throw fileFailure(error, 'remove', file);
  }
}

const waitingIn = (folder: string): Set<string> =>
  new Set([...collect(readAllEntries(folder))].filter(([, one]) => isWaiting(one)).map(([id]) => id));

function beyondBounds(segments: readonly Segment[], nowMs: number, {maxBytes, maxAgeMs}: Bounds): Segment[] {
  let total = segments.reduce((sum, {bytes}) => sum + bytes, 0);
  return segments.filter(({bytes, changedMs}) => {
    if (total <= maxBytes && nowMs - changedMs <= maxAgeMs) return false;
    total -= bytes;
    return true;
  });
}
