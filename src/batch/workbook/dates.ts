const DAY_MS = 86_400_000;
/** Day 0 of the two date systems, chosen so that the days that follow are right. */
const ZERO_1900 = Date.UTC(1899, 11, 30);
const ZERO_1904 = Date.UTC(1904, 0, 1);
/** Excel believes in 29 February 1900, so days before 1 March 1900 are off by one. */
const FIRST_RIGHT_1900 = 61;
/** 31 December 9999, the last day of Excel. */
const LAST_DAY = 2_958_465;

/** A cell's day number as YYYY-MM-DD; undefined if it has a time of day or is not a day. */
export function dayOf(stored: string, is1904: boolean): string | undefined {
  if (!/^\d+(?:\.0*)?$/u.test(stored)) return undefined;
  const day = Number(stored);
  if (day > LAST_DAY || (!is1904 && day < FIRST_RIGHT_1900)) return undefined;
  return new Date((is1904 ? ZERO_1904 : ZERO_1900) + day * DAY_MS).toISOString().slice(0, 10);
}

/** `2026-03-01T00:00:00` -> `2026-03-01`; undefined if it has another time of day. */
export const dayOfIso = (stored: string): string | undefined =>
  /^(\d{4}-\d{2}-\d{2})(?:T00:00(?::00(?:\.0+)?)?Z?)?$/u.exec(stored)?.[1];
