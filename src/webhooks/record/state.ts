import {hasArrived, type Delivery, type ForwardResult} from '../delivery/delivery.ts';
import type {RecordEntry} from './entry.ts';

/** The state of a delivery at one target. */
export interface TargetState {
  /**
   * `dead`: no further automatic attempts. `returned`: the failure was returned to the service, which sends it again.
   */
  state: 'waiting' | 'forwarded' | 'dead' | 'returned';
  attempts: number;
  last: ForwardResult | null;
}

/** A delivery with its results. */
export interface RecordedDelivery {
  delivery: Delivery;
  targets: Map<string, TargetState>;
}

/** Combines deliveries and their forward results, in order of arrival. */
export function collect(entries: Iterable<RecordEntry>): Map<string, RecordedDelivery> {
  const found = new Map<string, RecordedDelivery>();
  const early: RecordEntry[] = [];
  for (const entry of entries) if (!addEntry(found, entry)) early.push(entry);
  // If two processes began their segments in the same millisecond, a result may be read before its delivery.
  for (const entry of early) addEntry(found, entry);
  return found;
}

/** False for a result whose delivery is missing: not read yet, or pruned. */
export function addEntry(found: Map<string, RecordedDelivery>, entry: RecordEntry): boolean {
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

/** Results of several processes arrive in any order; the newest one counts. */
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

/** Whether it still has to be forwarded to some target. */
export const isWaiting = ({targets}: RecordedDelivery): boolean =>
  [...targets.values()].some(({state}) => state === 'waiting');

/** The targets where all attempts of the listener failed, or replays to an address that the listener does not have. */
export const deadTargets = ({targets}: RecordedDelivery): string[] =>
  [...targets].flatMap(([target, {state}]) => (state === 'dead' ? [target] : []));
