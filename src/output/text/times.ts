import {counted} from '../../phrases.ts';

const STEPS = [
  {unit: 'second', ms: 1000, below: 60},
  {unit: 'minute', ms: 60_000, below: 60},
  {unit: 'hour', ms: 3_600_000, below: 24},
  {unit: 'day', ms: 86_400_000, below: 30},
] as const;

/**
 * `3 minutes ago`; the date after 30 days. Future times are returned unchanged, and so is text that is not a time:
 * the sandbox's clock may be hours ahead of this machine's, and a new record must not appear as made "in an hour".
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
  return new Date(at).toISOString().slice(0, 10);
}
