import {CLOCK_MAX_MS} from '../time/clock.ts';
import {invalid} from '../base/service-error.ts';

/** How far: a duration, a time, to the next event, or until nothing is scheduled. */
export type Advance = {ms: number} | {toMs: number} | {until: 'next' | 'idle'};

/** What is scheduled, and how to get there. */
export interface Future {
  now: () => number;
  /** When the next step is due, which may be overdue; undefined if there is none. */
  nextDue: () => Promise<number | undefined>;
  /** When the last of the steps scheduled by now is due. */
  lastDue: () => Promise<number | undefined>;
  /**
   * Moves the clock forward, to a time calculated from the one at which it is moved (others may move it as well), and
   * performs what is due by then; returns how much that was. If `to` throws, nothing is moved.
   */
  move: (to: (nowMs: number) => number) => Promise<number>;
}

/** Steps further ahead than ten years are not waited for. */
const HORIZON_MS = 3653 * 86_400_000;

/**
 * Moves time forward, never back. What happens on the way happens in chronological order.
 * @throws {ServiceError} VALIDATION_ERROR for a time in the past
 * @returns how many timers fired; `idle` with `until: 'idle'`: false if something is scheduled beyond ten years, or
 *   beyond the latest supported time
 */
export async function advance(future: Future, by: Advance): Promise<{fired: number; idle?: boolean}> {
  if ('ms' in by) return {fired: await future.move((now) => now + by.ms)};
  if ('toMs' in by) return {fired: await future.move((now) => notBefore(now, by.toMs))};
  if (by.until === 'next') {
    const next = await future.nextDue();
    return {fired: next === undefined ? 0 : await future.move(() => next)};
  }
  const horizon = Math.min(future.now() + HORIZON_MS, CLOCK_MAX_MS); // what is scheduled after the latest supported time never happens
  let fired = 0;
  // To the last one first: what is due earlier happens in its order, and what it schedules may come later.
  for (;;) {
    const last = await future.lastDue();
    if (last === undefined) return {fired, idle: true};
    const target = last <= horizon ? last : await future.nextDue();
    if (target === undefined || target > horizon) return {fired, idle: target === undefined};
    fired += await future.move(() => target);
  }
}

function notBefore(nowMs: number, ms: number): number {
  if (ms >= nowMs) return ms;
  const now = new Date(nowMs).toISOString();
  throw invalid('to', `is in the past: the sandbox clock is at ${now} and never goes back`);
}
