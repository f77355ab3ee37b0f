import {cleanLine} from '../../../sanitize/harmful.ts';
import {clockTime} from '../../../output/text/times.ts';
import type {Output} from '../../../output/output.ts';
import type {RequestEntry} from '../../../sandbox/api/exchange.ts';
import type {DeliveryEntry} from '../../../sandbox/webhooks/delivery-log.ts';

/**
 * `10:42:07Z  201  POST    /api/payouts  3.1ms  req_00002a`: one line per request, in UTC. The most important
 * parts come first: at 80 columns, a path with an id leaves no space for the rest.
 */
export function requestLine(entry: RequestEntry, paint: Output['paint']): string {
  const time = clockTime(Date.parse(entry.at));
  const {status} = entry;
  const shown = status === null ? 'reset' : String(status);
  const style = status === null || status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green';
  const parts = [
    paint('dim', time),
    paint(style, shown.padEnd(3)),
    entry.method.padEnd(6),
    cleanLine(entry.path),
    paint('dim', `${entry.elapsed_ms}ms`),
    paint('dim', entry.request_id),
  ];
  if (entry.mode === 'live') parts.push('live');
  if (entry.fault !== undefined) parts.push(paint('yellow', `fault: ${entry.fault}`));
  return parts.join('  ');
}

/** `10:42:09Z  payout.settled  to https://localhost:4600/hook  200  12ms`: one line per attempt, in UTC. */
export function loggedDeliveryLine(entry: DeliveryEntry, paint: Output['paint']): string {
  const {state, status, next_attempt_at: next} = entry;
  if (state === 'dropped') return droppedLine(entry, paint);
  const arrived = status !== null && status >= 200 && status < 300;
  const parts = [
    paint('dim', clockTime(Date.parse(entry.at))),
    entry.event_type,
    `to ${cleanLine(entry.url)}`,
    paint(arrived ? 'green' : 'red', status === null ? cleanLine(entry.error ?? 'not sent') : String(status)),
    paint('dim', `${entry.elapsed_ms}ms`),
  ];
  if (entry.by_hand) parts.push('by hand');
  else if (!arrived || entry.attempt > 1) parts.push(`attempt ${entry.attempt}`);
  if (next !== null) parts.push(paint('dim', `next at ${next}`));
  else if (state !== null && state !== 'delivered') parts.push(paint('red', state));
  if (entry.mode === 'live') parts.push('live');
  if (entry.fault !== undefined) parts.push(paint('yellow', `fault: ${entry.fault}`));
  return parts.join('  ');
}

/** `10:42:09Z  payout.settled  to https://localhost:4600/hook  not sent  fault: drop` */
const droppedLine = ({at, event_type, url, mode}: DeliveryEntry, paint: Output['paint']): string =>
  [
    paint('dim', clockTime(Date.parse(at))),
    event_type,
    `to ${cleanLine(url)}`,
    paint('red', 'not sent'),
    ...(mode === 'live' ? ['live'] : []),
    paint('yellow', 'fault: drop'),
  ].join('  ');

/**
 * Shows requests and deliveries as they are answered: lines for people, NDJSON events, nothing in the other formats.
 */
export function requestLog(out: Output): (entry: RequestEntry | DeliveryEntry) => void {
  if (out.settings.format === 'ndjson') return (entry) => void out.event(entry);
  if (!out.forPeople || out.settings.quiet) return () => undefined;
  return (entry) =>
    out.text(entry.type === 'request' ? requestLine(entry, out.paint) : loggedDeliveryLine(entry, out.paint));
}
