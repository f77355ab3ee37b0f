import {readFileSync, readdirSync, renameSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {RemitError} from '../errors.ts';
import {messageOf} from '../narrow.ts';
import {configPath, readConfig} from './config-file.ts';
import type {ConfigFile} from './profile.ts';
import {MOST_BYTES} from './trusted-file.ts';

/** The store's lock, and its way to make a renamed file durable. */
export interface FileWork {
  takeLock: (path: string) => Promise<{release(): Promise<void>}>;
  syncFolder: (path: string) => void;
}

/**
 * Changes config.json under a lock, so that two commands at once lose nothing, and as one step, so that a reader never sees
 * half of it. The file is 0600 in a folder that the lock makes, 0700. `edit` gets what is stored now, not what the caller
 * read earlier; when it throws, nothing is written.
 * @throws RemitError STATE_DAMAGED or STATE, never with the contents of the file
 */
export async function editConfig(
  dir: string,
  {takeLock, syncFolder}: FileWork,
  edit: (config: ConfigFile) => ConfigFile,
): Promise<ConfigFile> {
  const path = configPath(dir);
  const lock = await takeLock(`${path}.lock`);
  try {
    removeDrafts(dir);
    const next = edit(readConfig(dir));
    await replace(dir, next);
    syncFolder(dir);
    return next;
  } catch (error) {
    removeDrafts(dir);
    if (error instanceof RemitError) throw error;
    throw new RemitError('STATE', `${path} cannot be written: ${messageOf(error)}`, {cause: error});
  } finally {
    await lock.release();
  }
}

/**
 * conf writes the new file beside the old one, which is replaced when all of it was read back: conf does not notice a write
 * that a full disk has cut short, and it would follow a link.
 */
async function replace(dir: string, next: ConfigFile): Promise<void> {
  const {default: Conf} = await import('conf');
  const path = configPath(dir);
  const text = `${JSON.stringify(next, undefined, 2)}\n`;
  if (Buffer.byteLength(text) > MOST_BYTES)
    throw new RemitError('STATE', `${path} would be larger than ${MOST_BYTES} bytes, and is left as it was`, {
      hint: 'the service files of the profiles are stored in it: make this one shorter',
    });
  const draft = new Conf({
    cwd: dir,
    configName: 'config.next',
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false, // a name is never a path
    serialize: () => text,
  });
  draft.store = {...next};
  if (readFileSync(draft.path, 'utf8') !== text)
    throw new Error('the disk may be full. The file is left as it was');
  renameSync(draft.path, path);
}

/**
 * Removes what a writer left that was killed, or one of an earlier version. It may contain keys. Nobody else writes while we
 * hold the lock.
 */
function removeDrafts(dir: string): void {
  for (const name of readdirSync(dir)) if (DRAFT.test(name)) rmSync(join(dir, name), {force: true});
}

const DRAFT = /^(?:config\.next\.json(?:\.tmp-[0-9a-f]+)?|\.config\.json\.\d+\.[0-9a-f]+\.tmp)$/;
