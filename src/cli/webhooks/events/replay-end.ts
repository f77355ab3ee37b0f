import {counted} from '../../../phrases.ts';
import {EXIT, type ExitCode} from '../../../errors.ts';
import type {Output} from '../../../output/output.ts';
import type {Replay, ReplayOutcome} from '../../../webhooks/record/replay.ts';

/** The command that was typed, with more words. */
export type Again = (...add: string[]) => string;

/** The arguments that selected the deliveries and their targets. */
export interface Chosen {
  ids: readonly string[];
  failed?: boolean | undefined;
  'forward-to'?: readonly string[] | undefined;
}

/** With more ids the command would be too long to read; then it sends all again, also what was accepted. */
const MAX_IDS = 5;

/** 8 if a delivery was not accepted, also if it was not accepted before. */
export const exitOfReplays = (done: readonly Replay[]): ExitCode =>
  done.some(({outcome}) => FAILED.has(outcome)) ? EXIT.PARTIAL : EXIT.OK;

/** Counts; then each target that still fails with its last answer, and the command that tries again. */
export function showReplayEnd(out: Output, done: readonly Replay[], chosen: Chosen, again: Again): void {
  if (done.length === 0) return;
  out.note(countsText(done));
  const failing = done.filter(({outcome}) => FAILED.has(outcome));
  if (failing.length === 0) return;
  out.warn(`${counted(failing.length, 'delivery', 'deliveries')} not accepted: ${targetsText(failing)}`);
  out.hint(`when the receiver works again: ${again(...narrowed(done, failing, chosen))}`);
}

const FAILED: ReadonlySet<ReplayOutcome> = new Set(['still_failing', 'failing', 'regressed']);

/** `2 at http://localhost:3000/hook (answered 500)`: the answer is the last one. */
function targetsText(failing: readonly Replay[]): string {
  const targets = new Map<string, {count: number; why: string}>();
  for (const {result} of failing) {
    const count = (targets.get(result.target)?.count ?? 0) + 1;
    targets.set(result.target, {count, why: result.error ?? `answered ${result.status}`});
  }
  return [...targets].map(([target, {count, why}]) => `${count} at ${target} (${why})`).join('; ');
}

/**
 * The ids of those that failed, if the same command would also send accepted deliveries again. With --forward-to, --failed
 * still finds deliveries that were accepted there.
 */
function narrowed(
  done: readonly Replay[],
  failing: readonly Replay[],
  {ids, failed, 'forward-to': targets}: Chosen,
): string[] {
  if (failing.length === done.length || ids.length > 0 || (failed && targets === undefined)) return [];
  const failingIds = [...new Set(failing.map(({delivery}) => delivery.id))];
  return failingIds.length > MAX_IDS ? [] : failingIds;
}

/** `3 replayed: 2 fixed, 1 regressed`. */
function countsText(done: readonly Replay[]): string {
  const counts = new Map<ReplayOutcome, number>();
  for (const {outcome} of done) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const parts = [...counts].map(([outcome, count]) => `${count} ${outcome.replace('_', ' ')}`);
  return `${done.length} replayed: ${parts.join(', ')}`;
}
