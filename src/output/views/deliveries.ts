import {cleanLine} from '../../sanitize/harmful.ts';
import {field, moment, plainValue, text, time, type View} from '../records/view.ts';

const state = field('State', 'state', (value, _record, {paint}) => {
  const style =
    value === 'delivered' ? 'green' : value === 'pending' || value === 'sending' ? 'yellow' : 'red';
  return paint(style, plainValue(value));
});

type Attempt = {
  n: number;
  at: string;
  status: number | null;
  error: string | null;
  elapsed_ms: number;
  response: string;
  fault: string | null;
  by_hand: boolean;
};

/** `1. 2026-03-02T15:00:05.000Z  500 in 12 ms: oh no`: one line per attempt. */
const attempts = field(
  'Attempts',
  'attempts',
  (value) =>
    ((value ?? []) as readonly Attempt[])
      .map(({n, at, status, error, elapsed_ms, response, fault, by_hand}) => {
        const said = status === null ? (error ?? 'not sent') : `${status} in ${elapsed_ms} ms`;
        const body = response === '' ? '' : `: ${response}`;
        const notes = [...(fault === null ? [] : [`fault ${fault}`]), ...(by_hand ? ['by hand'] : [])];
        return cleanLine(`${n}. ${at}  ${said}${body}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`);
      })
      .join('\n') || 'none yet',
);

/** `sandbox deliveries`: what was sent to webhook endpoints, and the answers. */
export const deliveryView: View = {
  noun: 'delivery',
  plural: 'deliveries',
  card: [
    text('ID', 'id'),
    text('Event type', 'event_type'),
    text('Event ID', 'event_id'),
    state,
    text('Endpoint', 'endpoint_id'),
    text('URL', 'url'),
    text('Mode', 'mode'),
    moment('Created', 'created_at'),
    moment('Next attempt', 'next_attempt_at'),
    text('Last status', 'last_status'),
    text('Last error', 'last_error'),
    text('Sent', 'sent'),
    attempts,
    text('Payload', 'payload'),
  ],
  columns: [
    text('ID', 'id'),
    text('Event type', 'event_type'),
    state,
    text('Sent', 'sent', 2),
    text('Last status', 'last_status', 2),
    text('Last error', 'last_error', 3),
    time('Next attempt', 'next_attempt_at', 3),
    time('Created', 'created_at', 1),
  ],
};
