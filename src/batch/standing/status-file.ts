import {readFileSync} from 'node:fs';
import {hostname} from 'node:os';
import {ownJson} from '../../narrow.ts';
import {writeFileAtomic} from '../../store/files/atomic-file.ts';
import type {Activity} from './activity.ts';
import type {Summary} from './summary.ts';

/**
 * Published by rename every second and before each prompt: while a batch runs, only its own process may open the
 * journal.
 */
export interface StatusFile {
  version: 1;
  journal_id: string;
  host: string;
  pid: number;
  updated_at: string;
  /** Finished rows of the current phase, and their total. */
  phase: string;
  summary: Summary;
  /** Present while requests are being sent. */
  activity?: Activity;
}

/** The phase of a process that waits for an answer at its terminal. */
export const ASKING = 'waiting to be confirmed';

export function writeStatus(
  path: string,
  journalId: string,
  phase: string,
  summary: Summary,
  nowMs: number,
  activity?: Activity,
): void {
  const file: StatusFile = {
    version: 1,
    journal_id: journalId,
    host: hostname(),
    pid: process.pid,
    updated_at: new Date(nowMs).toISOString(),
    phase,
    summary,
    ...(activity === undefined ? {} : {activity}),
  };
  // After a power cut the journal has the state; otherwise a rename is sufficient, and a sync every second would cost
  // time.
  writeFileAtomic(path, `${JSON.stringify(file)}\n`, {durable: false});
}

/** The last status that a run wrote; undefined if there is none or it is not readable. */
export function readStatus(path: string): StatusFile | undefined {
  try {
    const file = ownJson<StatusFile>(readFileSync(path, 'utf8')); // written by us, by rename: complete or absent
    return file.version === 1 ? file : undefined;
  } catch {
    return undefined;
  }
}
