import {Sanitizer} from '../../sanitize/sanitizer.ts';
import {plainValue, moment, status, text, time, type Eye, type Field, type View} from '../view.ts';

interface Forward {
  target: string;
  state: string;
  attempts: number;
  status: number | null;
}

/** `200`, `500 (3 attempts)`, `waiting`: one for each target. */
const forwards: Field = {
  label: 'Forwarded',
  path: 'forwards',
  rank: 2,
  show: (value, _record, eye: Eye) =>
    Array.isArray(value) && value.length > 0
      ? (value as Forward[]).map((one) => forwardText(one, eye)).join(', ')
      : '-',
};

function forwardText({state, attempts, status: code}: Forward, {paint}: Eye): string {
  const shown = code === null ? state : String(code);
  const word = attempts > 1 ? `${shown} (${attempts} attempts)` : shown;
  return paint(state === 'forwarded' ? 'green' : state === 'dead' ? 'red' : 'yellow', word);
}

/** Deliveries of the listener's record. */
export const webhookEventView: View = {
  noun: 'delivery',
  plural: 'deliveries',
  card: [
    text('Delivery', 'delivery'),
    moment('Received', 'received_at'),
    text('Type', 'event_type'),
    text('Event', 'id'),
    status('Verdict', 'verdict'),
    text('Reason', 'reason'),
    text('Attempt', 'attempt'),
    text('Duplicate of', 'duplicate_of'),
    text('Path', 'path'),
    text('Secret', 'secret_fingerprint'),
    {...forwards, show: (value) => forwardList(value)},
    {
      label: 'Headers',
      path: 'headers',
      rank: 0,
      show: (value) =>
        Array.isArray(value)
          ? (value as [string, string][]).map(([name, one]) => plainValue(`${name}: ${one}`)).join('\n')
          : '-',
    },
    {
      label: 'Body',
      path: 'body_base64',
      rank: 0,
      show: (value) => bodyText(String(value)),
    },
  ],
  columns: [
    text('Delivery', 'delivery'),
    time('Received', 'received_at'),
    text('Type', 'event_type'),
    text('Event', 'id', 3),
    status('Verdict', 'verdict'),
    text('Attempt', 'attempt', 4),
    forwards,
  ],
};

function forwardList(value: unknown): string {
  if (!Array.isArray(value) || value.length === 0) return '-';
  return (value as (Forward & {error: string | null})[])
    .map(({target, state, attempts, status: code, error}) => {
      const last = code === null ? error : String(code);
      return plainValue(`${target}: ${state}, ${attempts} attempts${last === null ? '' : `, last ${last}`}`);
    })
    .join('\n');
}

/** Indented where it is JSON; its bytes are in the JSON output. */
function bodyText(base64: string): string {
  const text = Buffer.from(base64, 'base64').toString('utf8');
  const sanitizer = new Sanitizer(); // what the output cleans before is base64 here
  try {
    const json = JSON.parse(text) as unknown;
    sanitizer.learn(json);
    return JSON.stringify(sanitizer.value(json, 'line'), undefined, 2);
  } catch {
    return sanitizer.words(text);
  }
}
