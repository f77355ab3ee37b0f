import {readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {writeFileAtomic} from '../../store/atomic-file.ts';

export {makeFolder} from '../../store/folder.ts';

/** Where the sandbox of a state folder lives: its store, and how other commands find it while it runs. */
export interface Place {
  folder: string;
  /** Whether it is the one of the state folder, not one beside it. */
  isKept: boolean;
  store: string;
  /** Address and process of the running sandbox. */
  record: string;
  /** The control token, 0600. */
  token: string;
  /** Output of a detached sandbox, 0600: its first line holds keys. */
  log: string;
}

export interface RunningRecord {
  base_url: string;
  control_url: string;
  pid: number;
  started_at: string;
  store: string;
}

/** The place of the kept sandbox: the one that commands use when nothing says otherwise. */
export const sandboxPlace = (stateDir: string): Place => placeIn(join(stateDir, 'sandbox'), true);

/** The place of a sandbox in any folder. */
export function placeIn(folder: string, isKept = false): Place {
  const file = (name: string) => join(folder, name);
  return {
    folder,
    isKept,
    store: file('sandbox.db'),
    record: file('running.json'),
    token: file('control-token'),
    log: file('sandbox.log'),
  };
}

/** What was last said to be running; the process may be gone. */
export function readRecord(place: Place): RunningRecord | undefined {
  try {
    return JSON.parse(readFileSync(place.record, 'utf8')) as RunningRecord; // written by us, atomically
  } catch {
    return undefined;
  }
}

export function writeRecord(place: Place, record: RunningRecord, token: string): void {
  writeFileAtomic(place.token, `${token}\n`);
  writeFileAtomic(place.record, `${JSON.stringify(record, undefined, 2)}\n`);
}

/** Takes the record away, unless another process has written its own since. */
export function removeRecord(place: Place, {pid, base_url: url}: RunningRecord): void {
  const found = readRecord(place);
  if (found?.pid !== pid || found.base_url !== url) return;
  rmSync(place.record, {force: true});
  rmSync(place.token, {force: true});
}
