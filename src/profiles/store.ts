import {RemitError} from '../errors.ts';
import {configPath, readConfig} from './config-file.ts';
import type {ConfigFile} from './profile.ts';

/** Takes the lock of a file; implemented by the store's lock. */
export type TakeLock = (path: string) => Promise<{release(): Promise<void>}>;

/**
 * Changes config.json under a lock, so that two commands at once lose nothing, and atomically, so that a reader never
 * sees half of it. The file is 0600 in a folder that the lock creates, 0700. `edit` gets the current contents, not
 * what the caller read earlier; if it throws, nothing is written.
 */
export async function editConfig(
  dir: string,
  takeLock: TakeLock,
  edit: (config: ConfigFile) => ConfigFile,
): Promise<ConfigFile> {
  const lock = await takeLock(`${configPath(dir)}.lock`);
  try {
    const next = edit(readConfig(dir));
    const {default: Conf} = await import('conf');
    const conf = new Conf({
      cwd: dir,
      configName: 'config',
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false, // a profile's name may hold what conf takes for a path
      serialize: (value) => `${JSON.stringify(value, undefined, 2)}\n`,
    });
    conf.store = {...next};
    return next;
  } catch (error) {
    if (error instanceof RemitError) throw error;
    throw new RemitError('STATE', `${configPath(dir)} cannot be written: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    await lock.release();
  }
}
