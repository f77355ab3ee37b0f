import {readdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {RemitError} from '../errors.ts';
import {messageOf} from '../narrow.ts';
import {configPath, readConfig} from './config-file.ts';
import type {ConfigFile} from './profile.ts';

/** The store's lock and its way to replace a file. */
export interface FileWork {
  takeLock: (path: string) => Promise<{release(): Promise<void>}>;
  /** Replaces the file as one step, 0600. */
  write: (path: string, text: string) => void;
}

/**
 * Changes config.json under a lock, so that two commands at once lose nothing, and atomically, so that a reader never
 * sees half of it. The file is 0600 in a folder that the lock makes, 0700. `edit` gets what is stored now, not what the
 * caller read earlier; when it throws, nothing is written.
 */
export async function editConfig(
  dir: string,
  {takeLock, write}: FileWork,
  edit: (config: ConfigFile) => ConfigFile,
): Promise<ConfigFile> {
  const path = configPath(dir);
  const lock = await takeLock(`${path}.lock`);
  try {
    removeDrafts(dir);
    const next = edit(readConfig(dir));
    write(path, `${JSON.stringify(next, undefined, 2)}\n`);
    return next;
  } catch (error) {
    if (error instanceof RemitError) throw error;
    throw new RemitError('STATE', `${path} cannot be written: ${messageOf(error)}`, {cause: error});
  } finally {
    await lock.release();
  }
}

/** What a writer that was killed has left; it may hold keys. Nobody else writes while we hold the lock. */
function removeDrafts(dir: string): void {
  for (const name of readdirSync(dir))
    if (/^\.config\.json\.\d+\.[0-9a-f]+\.tmp$/.test(name)) rmSync(join(dir, name), {force: true});
}
