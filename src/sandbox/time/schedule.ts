import {SCHEDULE} from '../../contract/limits.ts';

/** A calendar day in New York, YYYY-MM-DD. */
export type Day = string;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Hours whose offset is cached: asking Intl costs more than everything else. */
const KNOWN_MAX = 4096;

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
const known = new Map<number, number>();

/**
 * Milliseconds that New York's wall clock is ahead of UTC at `ms` (negative: behind). It changes only on full hours.
 */
function offsetAt(ms: number): number {
  const hour = Math.floor(ms / HOUR_MS);
  const kept = known.get(hour);
  if (kept !== undefined) return kept;
  const found = askOffset(hour * HOUR_MS);
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(hour, found);
  return found;
}

const FIELDS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const;

function askOffset(ms: number): number {
  const all = parts.formatToParts(ms);
  const [year = NaN, month = NaN, ...rest] = FIELDS.map((field) =>
    Number(all.find(({type}) => type === field)?.value),
  );
  const wall = Date.UTC(year, month - 1, ...rest);
  return wall - ms;
}

/**
 * When the wall clock in New York shows `hour`:`minute` on `day`, as milliseconds since the epoch. Not valid for the
 * hour before 03:00, which a clock change skips or repeats.
 */
export function timeOn(day: Day, hour: number, minute = 0): number {
  const wall = Date.parse(`${day}T00:00:00Z`) + hour * HOUR_MS + minute * 60_000;
  const close = wall - offsetAt(wall); // the offset some hours earlier
  return wall - offsetAt(close);
}

/** Interface document, "Payin", `scheduled_date`: 09:00 of that day in New York, as milliseconds since the epoch. */
export const releaseTime = (day: Day): number => timeOn(day, SCHEDULE.hour);

/** The calendar day in New York at `ms`. */
export function dayAt(ms: number): Day {
  return new Date(ms + offsetAt(ms)).toISOString().slice(0, 10);
}

/** The calendar day `count` days after `day`, or before it. */
export function addDays(day: Day, count: number): Day {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);
}
