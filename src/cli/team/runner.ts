import {counted} from '../../phrases.ts';
import type {Kind} from '../../batch/model/kinds.ts';
import type {Summary} from '../../batch/standing/summary.ts';
import {progressLine} from '../../batch/standing/progress.ts';
import type {TeamRunner, TeamSession} from '../../team/session.ts';

/** Who works on a shared batch, for its status. */
export interface SharedStatus {
  runners: TeamRunner[];
  /** Answers that arrived after the lease was lost. */
  late_outcomes: number;
}

/**
 * The runner of a batch, with the summary that it last published if it is alive: rows that it is sending are not in doubt.
 */
export async function sharedStatus(
  team: TeamSession,
  kind: Kind,
  id: string,
): Promise<{shared: SharedStatus; summary: Summary | undefined; note: string | undefined}> {
  const {runner, joined, status, late, references} = await team.runnerOf(kind, id);
  const shared = {runners: runner === undefined ? [] : [runner, ...joined], late_outcomes: late};
  const lateText =
    late === 0
      ? undefined
      : `${counted(late, 'answer')} arrived after another process had taken the batch over, such as ${references.join(', ')}. They changed nothing; if such a row is in doubt, they help to resolve it.`;
  if (runner === undefined) return {shared, summary: undefined, note: lateText};
  const {host, pid, purpose, last_word_s: age, lease} = runner;
  const doing =
    status?.activity === undefined ? '' : `: ${progressLine(status.phase, status.summary, status.activity)}`;
  const others = joined.map(
    ({pid: other, host: where, last_word_s: seen, requests = 0, sent = 0}) =>
      ` Process ${other} on ${where} sends for it: ${counted(requests, 'request')} in hand, ${sent} sent, last seen ${seen} s ago.`,
  );
  const text =
    lease === 'held'
      ? `Process ${pid} on ${host} has the batch (${purpose}), last seen ${age} s ago${doing}.${others.join('')}`
      : `Process ${pid} on ${host} (${purpose}) has not been heard of for ${age} s: the next run takes the batch over.`;
  const isRunning = lease === 'held' && status?.activity !== undefined;
  return {
    shared,
    summary: isRunning ? {...status.summary, posts: 0, next: null} : undefined,
    note: lateText === undefined ? text : `${text} ${lateText}`,
  };
}
