import {addDays, type Day} from './schedule.ts';

/** Holidays on the same date every year: month, day. */
const FIXED = [
  [1, 1], // New Year's Day
  [6, 19], // Juneteenth, since 2022
  [7, 4], // Independence Day
  [11, 11], // Veterans Day
  [12, 25], // Christmas Day
] as const;
/** Month, weekday (0 is Sunday), occurrence in the month; -1 is the last. */
const FLOATING = [
  [1, 1, 3], // Birthday of Martin Luther King, Jr.
  [2, 1, 3], // Washington's Birthday
  [5, 1, -1], // Memorial Day
  [9, 1, 1], // Labor Day
  [10, 1, 2], // Columbus Day
  [11, 4, 4], // Thanksgiving Day
] as const;
const FIRST_JUNETEENTH = 2022;

const dayOf = (year: number, month: number, date: number): Day =>
  new Date(Date.UTC(year, month - 1, date)).toISOString().slice(0, 10);
const weekdayOf = (day: Day): number => new Date(`${day}T00:00:00Z`).getUTCDay();

/**
 * Weekdays on which the Federal Reserve Banks are closed, in order. For a holiday on a Sunday they close on the
 * Monday after it; for one on a Saturday they are open on the Friday before.
 */
export function closuresOf(year: number): readonly Day[] {
  const fixed = FIXED.filter(([month]) => month !== 6 || year >= FIRST_JUNETEENTH).flatMap(
    ([month, date]) => {
      const day = dayOf(year, month, date);
      const weekday = weekdayOf(day);
      return weekday === 6 ? [] : [weekday === 0 ? addDays(day, 1) : day];
    },
  );
  return [...fixed, ...FLOATING.map((rule) => floating(year, rule))].sort();
}

function floating(year: number, [month, weekday, which]: readonly [number, number, number]): Day {
  if (which === -1) {
    const last = dayOf(year, month + 1, 0); // the day before the first of the next month
    return addDays(last, -((weekdayOf(last) - weekday + 7) % 7));
  }
  const first = dayOf(year, month, 1);
  return addDays(first, ((weekday - weekdayOf(first) + 7) % 7) + (which - 1) * 7);
}

const years = new Map<number, ReadonlySet<Day>>();

/** Whether the Federal Reserve Banks settle on that day. */
export function isBankingDay(day: Day): boolean {
  const weekday = weekdayOf(day);
  if (weekday === 0 || weekday === 6) return false;
  const year = Number(day.slice(0, 4));
  let closed = years.get(year);
  if (!closed) years.set(year, (closed = new Set(closuresOf(year))));
  return !closed.has(day);
}

/**
 * The first banking day on or after `day`, plus `count` banking days.
 * @throws {RangeError} for an invalid day, for which the search would never end
 */
export function bankingDay(day: Day, count = 0): Day {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(day)))
    throw new RangeError(`${day} is not a valid day`);
  let at = day;
  for (let left = count; ; at = addDays(at, 1)) {
    if (!isBankingDay(at)) continue;
    if (left === 0) return at;
    left -= 1;
  }
}
