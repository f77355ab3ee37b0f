import {hasArrived, type Delivery, type ForwardResult} from '../delivery.ts';
import type {Entry} from './entry.ts';

/** Where a delivery stands at one target. */
export interface TargetState {
  /** `dead`: no further attempts by itself. `returned`: the service was answered with the failure, and sends it again. */
  state: 'waiting' | 'forwarded' | 'dead' | 'returned';
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
  const early: Entry[] = [];
  for (const entry of entries) if (!addEntry(found, entry)) early.push(entry);
  // Two processes that began their segments in the same millisecond: a result may be read before its delivery.
  for (const entry of early) addEntry(found, entry);
  return found;
}

/** False for a result whose delivery is not there: not read yet, or pruned. */
export function addEntry(found: Map<string, RecordedDelivery>, entry: Entry): boolean {
  if (entry.kind === 'delivery') {
    const {delivery} = entry;
    const targets = delivery.targets.map((target): [string, TargetState] => [
      target,
      {state: 'waiting', attempts: 0, last: null},
    ]);
    found.set(delivery.id, {delivery, targets: new Map(targets)});
    return true;
  }
  const recorded = found.get(entry.forward.delivery);
  if (recorded !== undefined) addForward(recorded, entry.forward);
  return recorded !== undefined;
}

/** Results of several processes come in any order: the newest is the last one. */
export function addForward({targets}: RecordedDelivery, forward: ForwardResult): void {
  const before = targets.get(forward.target);
  const forwarded = before?.state === 'forwarded' || hasArrived(forward);
  const newer = before?.last == null || before.last.atMs <= forward.atMs;
  targets.set(forward.target, {
    state: forwarded ? 'forwarded' : forward.gaveUp ? endOf(forward) : (before?.state ?? 'dead'),
    attempts: (before?.attempts ?? 0) + 1,
    last: newer ? forward : before.last,
  });
}

const endOf = ({returned}: ForwardResult) => (returned ? 'returned' : 'dead');

/** Whether it still has to be forwarded somewhere. */
export const isWaiting = ({targets}: RecordedDelivery): boolean =>
  [...targets.values()].some(({state}) => state === 'waiting');

/** Where all attempts of the listener failed. A replay that failed at another address adds no dead letter there. */
export const deadTargets = ({delivery, targets}: RecordedDelivery): string[] =>
  delivery.targets.filter((target) => targets.get(target)?.state === 'dead');
