import {counted} from '../../phrases.ts';
import {jsonAsSent} from '../../sanitize/json-as-sent.ts';
import {Sanitizer} from '../../sanitize/sanitizer.ts';
import {
  field,
  plainValue,
  moment,
  status,
  text,
  time,
  yesNo,
  type Eye,
  type Field,
  type View,
} from '../records/view.ts';
import type {Style} from '../text/colour.ts';
import {selectedValue} from '../records/select.ts';
import {failureReasonText} from './failure.ts';
import {stringOf, type Json} from '../../narrow.ts';

interface Forward {
  target: string;
  state: string;
  attempts: number;
  status: number | null;
}

interface ForwardFacts extends Forward {
  error: string | null;
  replayed: boolean;
  resigned: boolean;
}

/** Lists in our own results have items of one type. */
const isListOf = <Item>(value: unknown): value is readonly Item[] => Array.isArray(value);

/** `200`, `500 (3 attempts)`, `waiting`: one for each target. */
const forwards = field(
  'Forwards',
  'forwards',
  (value, _record, eye) =>
    isListOf<Forward>(value) && value.length > 0 ? value.map((one) => forwardText(one, eye)).join(', ') : '-',
  2,
);

function forwardText({state, attempts, status: code}: Forward, {paint}: Eye): string {
  const shown = code === null ? stateText(state) : String(code);
  const word = attempts > 1 ? `${shown} (${counted(attempts, 'attempt')})` : shown;
  return paint(state === 'forwarded' ? 'green' : state === 'dead' ? 'red' : 'yellow', word);
}

/** The words that `listen` prints; JSON has the name of the state. */
const stateText = (state: string): string => (state === 'dead' ? 'gave up' : state);

/** Why the payin or payout of an event failed, if the event says so: data has the fields of its record, or some of them. */
const failureOfEvent = (body: Json): string | undefined => failureReasonText(selectedValue(body, 'data'));

/** Why a delivery was rejected, or why the payin or payout of its event failed. */
const reason: Field = {
  ...field(
    'Reason',
    'body',
    (body, record) => plainValue(selectedValue(record, 'reason') ?? failureOfEvent(body)),
    1,
  ),
  optional: true,
};

/** A line for each item of a list. */
function lines<Item>(label: string, path: string, lineOf: (item: Item) => string): Field {
  return field(label, path, (value) => (isListOf<Item>(value) ? value.map(lineOf).join('\n') : '-'));
}

/** Deliveries recorded by the listener. */
export const webhookEventView: View = {
  noun: 'delivery',
  plural: 'deliveries',
  card: [
    text('Delivery', 'delivery'),
    moment('Received', 'received_at'),
    text('Event type', 'event_type'),
    text('Event', 'id'),
    status('Verdict', 'verdict'),
    text('Reason', 'reason'),
    field('Failure', 'body', (body) => plainValue(failureOfEvent(body))),
    text('Attempt', 'attempt'),
    text('Duplicate of', 'duplicate_of'),
    yesNo('Filtered', 'filtered'),
    text('Path', 'path'),
    text('Secret fingerprint', 'secret_fingerprint'),
    {...forwards, show: forwardList},
    lines<Lost>('Lost in JSON', 'lost', lostText),
    lines<[string, string]>('Headers', 'headers', ([name, one]) => plainValue(`${name}: ${one}`)),
    text('Body bytes', 'body_bytes'),
    field('Body', 'body_base64', (value, _record, {terminal}) => bodyText(stringOf(value), terminal)),
  ],
  columns: [
    text('Delivery', 'delivery'),
    time('Received', 'received_at'),
    text('Event type', 'event_type'),
    text('Event', 'id', 3),
    status('Verdict', 'verdict'),
    text('Attempt', 'attempt', 4),
    forwards,
    reason,
  ],
};

interface Lost {
  path: string;
  kind: string;
  sent: string | null;
}

/** `data.amount: sent as 9007199254740993`. */
function lostText({path, kind, sent}: Lost): string {
  if (kind === 'number') return plainValue(`${path}: sent as ${sent}`);
  return plainValue(kind === 'duplicate_key' ? `${path}: present more than once` : 'nested too deeply');
}

function forwardList(value: Json): string {
  if (!isListOf<ForwardFacts>(value) || value.length === 0) return '-';
  return value
    .map(({target, state, attempts, status: code, error, replayed, resigned}) => {
      const how = [...(replayed ? ['replayed'] : []), ...(resigned ? ['signed again'] : [])];
      const last = [code === null ? error : String(code), how.length > 0 ? `(${how.join(', ')})` : null]
        .filter((part) => part !== null)
        .join(' ');
      return plainValue(
        `${target}: ${stateText(state)}, ${counted(attempts, 'attempt')}${last === '' ? '' : `, last ${last}`}`,
      );
    })
    .join('\n');
}

/** JSON as it was sent, with one value per line for people; any other text with its lines. JSON output has the bytes. */
function bodyText(base64: string, isIndented: boolean): string {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length === 0) return '-';
  const text = utf8Text(bytes);
  if (text === undefined) return `${counted(bytes.length, 'byte')}, not UTF-8 (\`--raw\` writes them)`;
  const json = jsonAsSent(text, isIndented);
  if (json !== undefined) return json;
  const sanitizer = new Sanitizer(); // text sanitized earlier is base64 here
  return text
    .replace(/\r?\n$/, '')
    .split('\n')
    .map((line) => sanitizer.words(line))
    .join('\n');
}

/** The text without a byte order mark; undefined if it is not UTF-8. */
function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes);
  } catch {
    return undefined;
  }
}

const OUTCOME_STYLES: Readonly<Record<string, Style>> = {
  fixed: 'green',
  still_passing: 'green',
  passing: 'green',
  regressed: 'red',
  still_failing: 'yellow',
  failing: 'red',
};

const outcome = field('Outcome', 'outcome', (value, _record, {paint}) => {
  const word = plainValue(value);
  const style = OUTCOME_STYLES[word];
  const shown = word.replace('_', ' ');
  return style === undefined ? shown : paint(style, shown);
});

/** The status, or why there is none. */
const answer = (label: string, path: string, error: string, rank = 0): Field =>
  field(label, path, (value, record) => plainValue(value ?? selectedValue(record, error)), rank);

/** One recorded delivery that was sent again. */
export const webhookReplayView: View = {
  noun: 'replay',
  plural: 'deliveries to replay',
  card: [],
  columns: [
    text('Delivery', 'delivery', 1),
    text('Event type', 'event_type'),
    outcome,
    answer('Answer', 'status', 'error'),
    answer('Before', 'status_before', 'error_before', 2),
    {...text('ms', 'latency_ms', 4), align: 'right'},
    text('Target', 'target', 3),
  ],
};
