import {SCHEDULE} from '../contract/limits.ts';

const parts = new Intl.DateTimeFormat('en-CA', {
  timeZone: SCHEDULE.timeZone,
  calendar: 'gregory',
  numberingSystem: 'latn',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** Milliseconds that New York's wall clock is ahead of UTC at `ms` (negative: it is behind). */
function offsetAt(ms: number): number {
  const field = Object.fromEntries(parts.formatToParts(ms).map(({type, value}) => [type, Number(value)]));
  const wall = Date.UTC(
    field['year']!,
    field['month']! - 1,
    field['day'],
    field['hour'],
    field['minute'],
    field['second'],
  );
  return wall - Math.floor(ms / 1000) * 1000;
}

/** Interface document, "Payin", `scheduled_date`: 09:00 of that day in New York, as milliseconds since the epoch. */
export function releaseTime(day: string): number {
  const wall = Date.parse(`${day}T${String(SCHEDULE.hour).padStart(2, '0')}:00:00Z`);
  return wall - offsetAt(wall); // 09:00 UTC is past 02:00 in New York, so a clock change of this day is behind it
}

/** The calendar day in New York at `ms`, YYYY-MM-DD. */
export function dayAt(ms: number): string {
  return new Date(ms + offsetAt(ms)).toISOString().slice(0, 10);
}
