import type {MatchOptions} from '../model/options.ts';
import type {MatchWork} from './work.ts';

/** More are not counted: a payment is then open for a year. */
const MOST_DAYS = 250;

/** Writes `w_dues`: for each day and rail of payments, the days on which a line is expected, and how late it is. */
export function writeDues({db, scope}: MatchWork, options: MatchOptions): void {
  const {bankingDay, windows, otherWindow, today} = options;
  const days = db
    .prepare<{day: string; rail: string}>(
      `select distinct day, coalesce(rail, '') as rail from payments where scope = ?`,
    )
    .all(scope);
  const late = new Map<string, number>();
  for (const {day, rail} of days) {
    const [first, last] = (Object.hasOwn(windows, rail) ? windows[rail] : undefined) ?? otherWindow;
    const until = bankingDay(day, last);
    // The bank may book an instant payment on the day itself, also if that is no banking day.
    const from = first === 0 ? day : bankingDay(day, first);
    if (!late.has(until)) late.set(until, daysBetween(until, today, bankingDay));
    db.prepare('insert into w_dues (day, rail, first, last, open) values (?, ?, ?, ?, ?)').run(
      ...[day, rail, from, until, late.get(until) ?? 0],
    );
  }
}

/** Banking days after `day`, up to and including `today`. */
function daysBetween(day: string, today: string, bankingDay: MatchOptions['bankingDay']): number {
  let count = 0;
  while (count < MOST_DAYS && bankingDay(day, count + 1) <= today) count += 1;
  return count;
}
