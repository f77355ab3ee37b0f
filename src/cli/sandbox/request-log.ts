import type {Output} from '../../output/output.ts';
import type {RequestEntry} from '../../sandbox/exchange.ts';

/** `10:42:07  POST   /api/payouts  201  3.1 ms  req_00002a`: one line a request, in local time. */
export function requestLine(entry: RequestEntry, paint: Output['paint']): string {
  const time = new Date(entry.at).toTimeString().slice(0, 8);
  const {status} = entry;
  const shown = status === null ? 'reset' : String(status);
  const style = status === null || status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green';
  const parts = [
    paint('dim', time),
    entry.method.padEnd(6),
    entry.path,
    paint(style, shown),
    paint('dim', `${entry.elapsed_ms} ms`),
    paint('dim', entry.request_id),
  ];
  if (entry.mode === 'live') parts.push('live');
  if (entry.fault !== undefined) parts.push(paint('yellow', `fault: ${entry.fault}`));
  return parts.join('  ');
}

/** Shows requests as they are answered: lines for people, NDJSON events, nothing in the other formats. */
export function requestLog(out: Output): (entry: RequestEntry) => void {
  if (out.settings.format === 'ndjson') return (entry) => void out.event(entry);
  if (!out.forPeople || out.settings.quiet) return () => undefined;
  return (entry) => out.text(requestLine(entry, out.paint));
}
