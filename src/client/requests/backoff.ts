/**
 * Full jitter: a uniform share of an exponentially growing, capped wait. It spreads clients best, because no two stay
 * in step.
 *
 * @param attempt retries made before this one, from 0
 * @param random uniform in [0, 1)
 * @returns milliseconds, at least 0 and below `min(capMs, baseMs * 2^attempt)`
 */
export function fullJitter(options: {
  attempt: number;
  baseMs: number;
  capMs: number;
  random: () => number;
}): number {
  const {attempt, baseMs, capMs, random} = options;
  return random() * Math.min(capMs, baseMs * 2 ** Math.min(attempt, 50)); // without its limit, 0 * Infinity would be NaN
}
