import {readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {normaliseBaseUrl} from '../../../client/transport/base-url.ts';
import {ownJson} from '../../../narrow.ts';
import {withLoopback} from '../../../network/local.ts';
import {writeFileAtomic} from '../../../store/files/atomic-file.ts';

export {makeFolder} from '../../../store/files/folder.ts';

/** The profile that `sandbox start` writes. */
export const PROFILE = 'sandbox';

/** Sandboxes listen on 127.0.0.1 and use that name; other names of this machine are equivalent. */
export const sandboxUrl = (text: string): string => withLoopback(normaliseBaseUrl(text));

/** The files of the sandbox of a state folder: its store, and how other commands find it while it runs. */
export interface SandboxPlace {
  folder: string;
  /** Whether it is the default sandbox of the state folder, not an additional one. */
  isKept: boolean;
  store: string;
  /** Address and process of the running sandbox. */
  record: string;
  /** The control token, 0600. */
  token: string;
  /** Output of a detached sandbox, 0600: its first line contains keys. */
  log: string;
}

export interface RunningRecord {
  base_url: string;
  control_url: string;
  pid: number;
  started_at: string;
  store: string;
}

/** The place of the default sandbox: the one that commands use unless another is named. */
export const sandboxPlace = (stateDir: string): SandboxPlace => placeIn(join(stateDir, 'sandbox'), true);

/** The place of a sandbox in any folder. */
export function placeIn(folder: string, isKept = false): SandboxPlace {
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

/** The last recorded sandbox; its process may be gone. */
export function readPlace(place: SandboxPlace): RunningRecord | undefined {
  try {
    return ownJson(readFileSync(place.record, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Undefined without a token file: the sandbox has ended. */
export function readToken({token}: SandboxPlace): string | undefined {
  try {
    return readFileSync(token, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Both are only useful while the process runs, so nothing waits until they are on the disk. */
export function writeRecord(place: SandboxPlace, record: RunningRecord, token: string): void {
  writeFileAtomic(place.token, `${token}\n`, {durable: false});
  writeFileAtomic(place.record, `${JSON.stringify(record, undefined, 2)}\n`, {durable: false});
}

/** Removes the record, unless another process has written its own since. */
export function removeRecord(place: SandboxPlace, {pid, base_url: url}: RunningRecord): void {
  const found = readPlace(place);
  if (found?.pid !== pid || found.base_url !== url) return;
  rmSync(place.record, {force: true});
  rmSync(place.token, {force: true});
}
