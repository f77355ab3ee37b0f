import {statSync} from 'node:fs';
import {join} from 'node:path';
import type {Clock} from '../../clock.ts';
import {acquireLock, type Lock} from '../../store/locks/lock.ts';
import {migrate} from '../../store/port/migrate.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import {openSqlite} from '../../store/sqlite/sqlite.ts';
import {Notes} from './notes.ts';
import {type JournalCheck, readMissing} from './rebuild.ts';
import {REGISTRY_MIGRATIONS} from './schema.ts';

export const registryPath = (stateDir: string): string => join(stateDir, 'batches', 'registry.db');

/** The database of a state folder's registry, with its lock held and all notes sorted in. */
export interface RegistryDatabase {
  db: SqliteDatabase;
  lock: Lock;
  notes: Notes;
}

/** @throws RemitError LOCKED while a batch has the registry, STATE or STATE_DAMAGED if it cannot be read */
export async function openRegistry(options: {
  stateDir: string;
  purpose: string;
  hint?: string;
  breakLock?: boolean;
  /** Held only briefly. */
  brief?: boolean;
  /** Compares it with the journals first. Without this, it is used as it is: nothing is planned or sent. */
  check?: JournalCheck | undefined;
  clock: Clock;
}): Promise<RegistryDatabase> {
  const {stateDir, check, ...locking} = options;
  const lock = await acquireLock(join(stateDir, 'batches', 'registry.lock'), locking);
  try {
    const lockedAtMs = statSync(lock.path).mtimeMs;
    const db = await openSqlite(registryPath(stateDir), {durability: 'full'});
    try {
      migrate(db, REGISTRY_MIGRATIONS);
      const notes = new Notes(db);
      await notes.sortInByTurns(); // left by a run that was killed
      const {clock} = options;
      if (check !== undefined) await readMissing(db, {...check, stateDir, lockedAtMs, clock});
      return {db, lock, notes};
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    await lock.release();
    throw error;
  }
}
