import {copyFileSync, existsSync, readFileSync, readdirSync, renameSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {RemitError} from '../errors.ts';
import {messageOf} from '../narrow.ts';
import {configPath, parseConfig, readConfig} from './config-file.ts';
import type {ConfigFile} from './profile.ts';
import {MOST_BYTES} from './trusted-file.ts';

/** Takes the lock of a file; implemented by the store's lock. */
export type TakeLock = (path: string) => Promise<{release(): Promise<void>}>;

/**
 * Changes config.json under a lock, so that two commands at once lose nothing. The file is written by conf, which replaces
 * it as one step, so that a reader never sees half of it; it is 0600 in a folder that the lock makes, 0700. `edit` gets
 * what is stored now, not what the caller read earlier; when it throws, nothing is written.
 * @throws RemitError STATE_DAMAGED or STATE, never with the contents of the file
 */
export async function editConfig(
  dir: string,
  takeLock: TakeLock,
  edit: (config: ConfigFile) => ConfigFile,
): Promise<ConfigFile> {
  const path = configPath(dir);
  const lock = await takeLock(`${path}.lock`);
  try {
    clearUp(dir);
    const next = edit(readConfig(dir));
    await write(dir, next);
    return next;
  } catch (error) {
    if (error instanceof RemitError) throw error;
    throw new RemitError('STATE', `${path} cannot be written: ${messageOf(error)}`, {cause: error});
  } finally {
    await lock.release();
  }
}

/** A copy of the file while it is replaced: conf does not notice a write that a full disk has cut short. */
const formerPath = (dir: string): string => `${configPath(dir)}.former`;

async function write(dir: string, next: ConfigFile): Promise<void> {
  const {default: Conf} = await import('conf');
  const [path, former] = [configPath(dir), formerPath(dir)];
  const text = `${JSON.stringify(next, undefined, 2)}\n`;
  if (Buffer.byteLength(text) > MOST_BYTES)
    throw new RemitError('STATE', `${path} would be larger than ${MOST_BYTES} bytes, and is left as it was`, {
      hint: 'the service files of the profiles are stored in it: make this one shorter',
    });
  const {SNAP: snap} = process.env;
  delete process.env['SNAP']; // within a snap, such as the terminal of an editor, conf would write into the file itself
  try {
    if (existsSync(path)) copyFileSync(path, former);
    const conf = new Conf({
      cwd: dir,
      configName: 'config',
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false, // a name is never a path
      deserialize: (stored) => ({...parseConfig(stored, path)}),
      serialize: () => text,
    });
    conf.store = {...next};
    if (readFileSync(path, 'utf8') !== text) {
      if (existsSync(former)) renameSync(former, path);
      else rmSync(path);
      throw new Error('the disk may be full. It is left as it was');
    }
  } finally {
    if (snap !== undefined) process.env['SNAP'] = snap;
    clearUp(dir);
  }
}

/**
 * Puts the former file back if its replacement cannot be read, and removes what a writer left that was killed, conf or an
 * earlier version of remit: it may contain keys. Nobody else writes while we hold the lock.
 */
function clearUp(dir: string): void {
  const former = formerPath(dir);
  if (existsSync(former) && isDamaged(dir)) renameSync(former, configPath(dir));
  for (const name of readdirSync(dir)) if (DRAFT.test(name)) rmSync(join(dir, name), {force: true});
}

function isDamaged(dir: string): boolean {
  try {
    readConfig(dir);
    return false;
  } catch (error) {
    return error instanceof RemitError && error.code === 'STATE_DAMAGED';
  }
}

const DRAFT = /^(?:config\.json\.(?:former|tmp-[0-9a-f]+)|\.config\.json\.\d+\.[0-9a-f]+\.tmp)$/;
