import {type Answer, isObject, isSuccess, readHttpDate} from '../client/answer.ts';

/** Interface document: ISO 8601, UTC. A mere day would say too little. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

/**
 * When the record in an answer was made, by our own clock; undefined where the answer does not say. The service's two
 * times are compared with each other, so that a wrong clock on either side does not matter.
 * @param nowMs wall clock, milliseconds since the epoch; stands in for the Date of a service that sends none
 */
export function recordMadeAt({status, json, date}: Answer, nowMs: number): number | undefined {
  if (!isSuccess(status) || !isObject(json)) return undefined;
  const text = json['created_at'];
  const found = typeof text === 'string' ? TIMESTAMP.exec(text) : null;
  if (found === null) return undefined;
  const [time, zone] = found;
  const madeAt = Date.parse(zone === undefined ? `${time}Z` : time);
  if (Number.isNaN(madeAt)) return undefined;
  const answeredAt = (date === undefined ? undefined : readHttpDate(date)) ?? nowMs;
  return nowMs - Math.max(0, answeredAt - madeAt);
}
