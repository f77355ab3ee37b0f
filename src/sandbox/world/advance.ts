import {CLOCK_MAX_MS} from '../time/clock.ts';
import {invalid} from '../base/service-error.ts';

/** How far: a length of time, a moment, to whatever is next, or until nothing is left to happen. */
export type Advance = {ms: number} | {toMs: number} | {until: 'next' | 'idle'};

/** What lies ahead, and the way there. */
export interface Future {
  now: () => number;
  /** When the next thing is due, which may be overdue; undefined when nothing is. */
  nextDue: () => Promise<number | undefined>;
  /** When the last of the things known by now is due. */
  lastDue: () => Promise<number | undefined>;
  /**
   * Moves the clock forward, to a moment that is reckoned from the one at which it is moved (others may move it as well),
   * and lets happen what is due by then; how much that was. Where `to` throws, nothing is moved.
   */
  move: (to: (nowMs: number) => number) => Promise<number>;
}

/** Nothing that lies further ahead is waited for: ten years. */
const HORIZON_MS = 3653 * 86_400_000;

/**
 * Moves time forward, never back. What happens on the way happens in the order of its time.
 * @throws {ServiceError} VALIDATION_ERROR for a moment that has passed
 * @returns how many timers fired; `idle` with `until: 'idle'`: false when something lies beyond ten years, or
 *   beyond the end of time
 */
export async function advance(future: Future, by: Advance): Promise<{fired: number; idle?: boolean}> {
  if ('ms' in by) return {fired: await future.move((now) => now + by.ms)};
  if ('toMs' in by) return {fired: await future.move((now) => notBefore(now, by.toMs))};
  if (by.until === 'next') {
    const next = await future.nextDue();
    return {fired: next === undefined ? 0 : await future.move(() => next)};
  }
  const horizon = Math.min(future.now() + HORIZON_MS, CLOCK_MAX_MS); // what lies behind the end of time never comes
  let fired = 0;
  // To the last first: what is due before comes in its turn, and what that sets may lie behind.
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
  throw invalid('to', `has passed: in the sandbox it is ${now}, and its time never goes back`);
}
