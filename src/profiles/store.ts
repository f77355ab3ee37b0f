import {readdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {RemitError} from '../errors.ts';
import {messageOf} from '../narrow.ts';
import {configPath, readConfig} from './config-file.ts';
import type {ConfigFile} from './profile.ts';
import {MOST_BYTES} from './trusted-file.ts';

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
    const text = `${JSON.stringify(next, undefined, 2)}\n`;
    if (Buffer.byteLength(text) > MOST_BYTES)
      throw new RemitError(
        'STATE',
        `${path} would be larger than ${MOST_BYTES} bytes, and is left as it was`,
        {
          hint: 'the service files of the profiles are stored in it: make this one shorter',
        },
      );
    write(path, text);
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
