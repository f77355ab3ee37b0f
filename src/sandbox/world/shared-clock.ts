import type {Store} from '../../store/port/port.ts';
import {json} from '../base/rows.ts';
import type {ClockState, SandboxClock} from '../time/clock.ts';
import {loadClock, saveClock} from '../base/settings.ts';

/**
 * The clock belongs to the store, not to the process: if several sandboxes share a database, each checks before a
 * request whether another has moved it.
 */
interface StoredClock {
  store: Store;
  clock: SandboxClock;
}

/** The clock of the store; a new store uses `first`. */
export const foundClock = (store: Store, first: ClockState): Promise<ClockState> =>
  store.write(async (queries) => {
    const kept = await loadClock(queries);
    if (kept === undefined) await saveClock(queries, first);
    return kept ?? first;
  });

/** Sets the clock as another process left it; returns whether it changed. */
export async function followClock({store, clock}: StoredClock): Promise<boolean> {
  if (store.dialect === 'sqlite') return false; // a file has one process
  const [row] = await store.glance("select value from settings where name = 'clock'");
  return row !== undefined && clock.follow(json<ClockState>(row, 'value'));
}

/**
 * Changes the clock of the store, and this process's clock once that is committed. `change` gets a clock for
 * calculations, that of the store; it may run twice.
 */
export async function moveClock(
  {store, clock}: StoredClock,
  change: (clock: SandboxClock) => void,
): Promise<void> {
  const moved = await store.write(
    async (queries) => {
      const next = clock.fork(await loadClock(queries));
      change(next);
      await saveClock(queries, next.state);
      return next.state;
    },
    {alone: true},
  );
  clock.follow(moved);
}
