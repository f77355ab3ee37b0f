import {counted} from '../../phrases.ts';

const STEPS = [
  {unit: 'second', ms: 1000, below: 60},
  {unit: 'minute', ms: 60_000, below: 60},
  {unit: 'hour', ms: 3_600_000, below: 24},
  {unit: 'day', ms: 86_400_000, below: 30},
] as const;

/**
 * `3 minutes ago`; after 30 days the date in UTC: `2024-01-01Z`. Future times are returned unchanged, and so is text
 * that is not a time: the sandbox's clock may be hours ahead of this machine's, and a new record must not appear as made
 * "in an hour".
 */
export function relativeTime(timestamp: string, nowMs: number): string {
  const at = Date.parse(timestamp);
  if (Number.isNaN(at)) return timestamp;
  const distance = nowMs - at;
  if (Math.abs(distance) < 5000) return 'just now';
  if (distance < 0) return timestamp;
  for (const {unit, ms, below} of STEPS) {
    const count = Math.floor(distance / ms);
    if (count >= below) continue;
    return `${counted(count, unit)} ago`;
  }
  return `${new Date(at).toISOString().slice(0, 10)}Z`;
}

/** `10:42:07Z`: the time of day in UTC, cached for the second: a busy listener asks thousands of times. */
export function clockTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== lastTime.second) lastTime = {second, text: `${new Date(ms).toISOString().slice(11, 19)}Z`};
  return lastTime.text;
}
let lastTime = {second: Number.NaN, text: ''};
