import {readFileSync} from 'node:fs';
import {hostname} from 'node:os';
import {writeFileAtomic} from '../../store/atomic-file.ts';
import type {Activity} from './activity.ts';
import type {Summary} from './summary.ts';

/** What a runner publishes by rename, each second and before each prompt: while it runs, only it may open the journal. */
export interface StatusFile {
  version: 1;
  journal_id: string;
  host: string;
  pid: number;
  updated_at: string;
  /** Rows at rest in the running phase, and of how many. */
  phase: string;
  summary: Summary;
  /** While requests are being sent. */
  activity?: Activity;
}

/** The phase of a runner that waits for an answer at its terminal. */
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
  // After a power cut the journal tells; until then a rename is enough, and a sync each second would be felt.
  writeFileAtomic(path, `${JSON.stringify(file)}\n`, {durable: false});
}

/** The last status that a runner wrote; undefined when there is none, or it cannot be read as one. */
export function readStatus(path: string): StatusFile | undefined {
  try {
    const file = JSON.parse(readFileSync(path, 'utf8')) as StatusFile; // ours, by rename: whole or absent
    return file.version === 1 ? file : undefined;
  } catch {
    return undefined;
  }
}
