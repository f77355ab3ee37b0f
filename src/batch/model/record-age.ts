import {type Answer, isSuccess, readHttpDate} from '../../client/answers/answer.ts';
import {isObject} from '../../narrow.ts';
import type {ServiceClock} from './service-clock.ts';

/** Interface document: ISO 8601, UTC. A date without a time is too coarse. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;
/** A request may be delayed by this before the service performs it. */
const LONG_AFTER_MS = 10 * 60_000;
/** Maximum difference between created_at and a Date in whole seconds for a record that was just created. */
export const CLOCK_SLACK_MS = 5000;
/** Down to tens of seconds. */
const TEN_SECONDS = '2026-01-01T00:00:0'.length;

const HTTP_DATE = 'Sun, 06 Nov 1994 08:49:37 GMT'.length;

/**
 * Determines by our own clock when a record in an answer was created. It compares the two times sent by the service
 * with each other, so a wrong clock on either side does not matter.
 */
export class RecordAges {
  /**
   * The last Date that was read, and the prefix of timestamps within the same ten seconds: nearly every record is
   * new.
   */
  #date: string | undefined;
  #answeredAt: number | undefined;
  #now = '';
  readonly #clock: ServiceClock | undefined;

  /** @param clock of the service, over all runs */
  constructor(clock?: ServiceClock) {
    this.#clock = clock;
  }

  /**
   * Undefined if the answer has no times, or the record was created within seconds of the answer.
   * @param nowMs wall clock, milliseconds since the epoch; used if the service sends no Date
   */
  madeAt({status, json, date}: Answer, nowMs: number): number | undefined {
    if (!isSuccess(status) || !isObject(json)) return undefined;
    const text = json['created_at'];
    if (typeof text !== 'string') return undefined;
    this.#read(date, nowMs);
    if (text.startsWith(this.#now) && text.endsWith('Z')) return undefined;
    return this.#byOurClock(text, nowMs);
  }

  /**
   * Whether the record was created long after this time, when a request with its key was not answered: the service may
   * have forgotten the key, and have paid before. If either clock was set in between, the time of that request by the clock
   * of the service counts. False if the answer has no time.
   */
  isMadeLongAfter(sinceMs: number, {json, date}: Answer, nowMs: number): boolean {
    const text = isObject(json) ? json['created_at'] : undefined;
    if (typeof text !== 'string') return false;
    this.#read(date, nowMs);
    const ahead = this.#clock?.aheadSince(sinceMs);
    const madeAt = timeOf(text);
    if (ahead === undefined || madeAt === undefined || Math.abs(ahead.now - ahead.then) <= LONG_AFTER_MS)
      return (this.#byOurClock(text, nowMs) ?? -Infinity) - sinceMs > LONG_AFTER_MS;
    // A clock that was set back hides how long it took.
    return Math.abs(madeAt - (sinceMs + ahead.then)) > LONG_AFTER_MS;
  }

  #byOurClock(text: string, nowMs: number): number | undefined {
    const madeAt = timeOf(text);
    if (madeAt === undefined) return undefined;
    return nowMs - Math.max(0, (this.#answeredAt ?? nowMs) - madeAt);
  }

  #read(date: string | undefined, nowMs: number): void {
    if (date === this.#date && this.#now !== '') return;
    this.#date = date;
    this.#answeredAt = date === undefined ? undefined : readHttpDate(date.slice(0, HTTP_DATE)); // the first of several
    this.#now =
      this.#answeredAt === undefined
        ? 'never'
        : new Date(this.#answeredAt).toISOString().slice(0, TEN_SECONDS);
    if (this.#answeredAt !== undefined) this.#clock?.read(this.#answeredAt, nowMs);
  }
}

/** A timestamp of the service; undefined if it is none. */
function timeOf(text: string): number | undefined {
  const found = TIMESTAMP.exec(text);
  if (found === null) return undefined;
  const [time, zone] = found;
  const at = Date.parse(zone === undefined ? `${time}Z` : time);
  return Number.isNaN(at) ? undefined : at;
}

/** How long an earlier request may keep its key in use; until then, a 409 is expected to go away by itself. */
export const KEY_IN_USE_MS = 15 * 60_000;

/** If the clock was set back by more than this, the age of earlier times is unknown. */
export const CLOCK_AHEAD_MS = 10 * 60_000;

/** Whether the service may have forgotten a key that it may first have seen at this wall clock time. */
export const isPastHorizon = (sinceMs: number, nowMs: number, horizonMs: number): boolean =>
  nowMs - sinceMs > horizonMs || sinceMs - nowMs > CLOCK_AHEAD_MS;
