import {hasArrived, type Delivery, type ForwardResult} from '../delivery.ts';
import type {Entry} from './entry.ts';

/** Where a delivery stands at one target. */
export interface TargetState {
  /** `dead`: no further attempts by itself. */
  state: 'waiting' | 'forwarded' | 'dead';
  attempts: number;
  last: ForwardResult | null;
}

/** A delivery with what became of it. */
export interface RecordedDelivery {
  delivery: Delivery;
  targets: Map<string, TargetState>;
}

/** Puts deliveries and their forward results together, in order of arrival. */
export function collect(entries: Iterable<Entry>): Map<string, RecordedDelivery> {
  const found = new Map<string, RecordedDelivery>();
  for (const entry of entries) addEntry(found, entry);
  return found;
}

export function addEntry(found: Map<string, RecordedDelivery>, entry: Entry): void {
  if (entry.kind === 'delivery') {
    const {delivery} = entry;
    const targets = delivery.targets.map((target): [string, TargetState] => [
      target,
      {state: 'waiting', attempts: 0, last: null},
    ]);
    found.set(delivery.id, {delivery, targets: new Map(targets)});
    return;
  }
  const {forward} = entry;
  const recorded = found.get(forward.delivery);
  if (recorded === undefined) return; // its delivery was pruned
  const before = recorded.targets.get(forward.target);
  const forwarded = before?.state === 'forwarded' || hasArrived(forward);
  recorded.targets.set(forward.target, {
    state: forwarded ? 'forwarded' : forward.gaveUp ? 'dead' : (before?.state ?? 'dead'),
    attempts: (before?.attempts ?? 0) + 1,
    last: forward,
  });
}

/** Whether it still has to be forwarded somewhere. */
export const isWaiting = ({targets}: RecordedDelivery): boolean =>
  [...targets.values()].some(({state}) => state === 'waiting');
