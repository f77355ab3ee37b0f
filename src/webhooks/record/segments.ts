import {readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {codeOf} from '../../narrow.ts';
import {fileFailure} from '../../store/files/failures.ts';

/** `<time>-<process>.segment`: unique without a lock, and in order of time. */
const NAME = /^([0-9a-f]{12})-[0-9a-f]{8}\.segment$/;

export interface Segment {
  file: string;
  startedMs: number;
  changedMs: number;
  bytes: number;
}

export const segmentName = (nowMs: number, random: string): string =>
  `${nowMs.toString(16).padStart(12, '0')}-${random}.segment`;

/** Oldest first; none if the folder does not exist. Throws RemitError STATE. */
export function listSegments(folder: string): Segment[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw fileFailure(error, 'read', folder);
  }
  return names.sort().flatMap((name) => {
    const [, started] = NAME.exec(name) ?? [];
    if (started === undefined) return [];
    const file = join(folder, name);
    const facts = statSync(file, {throwIfNoEntry: false});
    if (facts === undefined) return []; // pruned in between
    return [{file, startedMs: Number.parseInt(started, 16), changedMs: facts.mtimeMs, bytes: facts.size}];
  });
}
