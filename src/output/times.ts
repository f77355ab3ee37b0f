const STEPS = [
  {unit: 'second', ms: 1000, below: 60},
  {unit: 'minute', ms: 60_000, below: 60},
  {unit: 'hour', ms: 3_600_000, below: 24},
  {unit: 'day', ms: 86_400_000, below: 30},
] as const;

/** `3 minutes ago`, `in 2 hours`; beyond 30 days the day itself. Text that is no time comes back as it is. */
export function relativeTime(timestamp: string, nowMs: number): string {
  const at = Date.parse(timestamp);
  if (Number.isNaN(at)) return timestamp;
  const distance = Math.abs(nowMs - at);
  if (distance < 5000) return 'just now';
  for (const {unit, ms, below} of STEPS) {
    const count = Math.floor(distance / ms);
    if (count >= below) continue;
    const text = `${count} ${unit}${count === 1 ? '' : 's'}`;
    return at <= nowMs ? `${text} ago` : `in ${text}`;
  }
  return new Date(at).toISOString().slice(0, 10);
}
