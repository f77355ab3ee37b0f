import {hasFailed} from '../../../contract/lifecycle.ts';
import {minorUnitsIn} from '../../../money/amount.ts';
import {isObject, type Json} from '../../../narrow.ts';
import {cleanLine} from '../../../sanitize/harmful.ts';
import type {LedText, Output} from '../../../output/output.ts';
import type {Style} from '../../../output/text/colour.ts';
import {clockTime} from '../../../output/text/times.ts';
import {cellWidth, cutTo} from '../../../output/text/width.ts';
import {majorOf, plainValue} from '../../../output/records/view.ts';
import {failureReasonText} from '../../../output/views/failure.ts';
import type {Delivery, ForwardResult} from '../../../webhooks/delivery/delivery.ts';
import {hasArrived} from '../../../webhooks/delivery/delivery.ts';
import {subjectOf} from '../../../webhooks/delivery/subject.ts';
import {readJson} from '../../../webhooks/verify/event.ts';
import type {ObjectLine} from '../../../webhooks/delivery/lines.ts';
import type {Loss} from '../../../json/losses.ts';
import {lossText} from '../../../webhooks/delivery/losses.ts';
import {asRecord} from '../../../client/answers/record.ts';

type Screen = Pick<Output, 'paint' | 'columns' | 'isTerminal'>;

/** Lines below a delivery begin below its type. */
export const BELOW = ' '.repeat(11);

/** The longest of the documented types is `subaccount.credit_received`. */
const TYPE_CELLS = 26;

/**
 * `10:42:07Z  payout.settled              verified  #1  019b76da-…  payout 5f0c6d3e-…`: one line per delivery, in
 * UTC. The most important parts come first; at 80 columns the line is cut, not wrapped.
 */
export function deliveryText(
  delivery: Delivery,
  {paint, columns, isTerminal}: Screen,
  json = readJson(delivery.body),
): LedText {
  const {verdict, reason, duplicateOf} = delivery;
  const word = duplicateOf !== null ? 'duplicate' : verdict;
  const style = verdict === 'verified' ? (duplicateOf === null ? 'green' : 'yellow') : 'red';
  const type = cutTo(cleanLine(delivery.eventType ?? '-'), TYPE_CELLS).padEnd(TYPE_CELLS);
  const rejected = hasIdBelow(delivery, {columns, isTerminal}) ? reason : `${reason}  ${delivery.id}`;
  const rest = reason === null ? `#${delivery.attempt}  ${about(delivery, json?.value)}` : String(rejected);
  const room = roomOf(columns);
  return {
    lead: paint('dim', clockTime(delivery.receivedAtMs)),
    text: `  ${type}  ${paint(style, word.padEnd(10))}  ${isTerminal ? cutTo(rest, room) : rest}`.trimEnd(),
  };
}

const roomOf = (columns: number): number => Math.max(10, columns - TYPE_CELLS - 25);

/** Whether a rejected delivery has its id, which commands take, in a line of its own, so that it is whole. */
const hasIdBelow = ({reason, id}: Delivery, {columns, isTerminal}: Omit<Screen, 'paint'>): boolean =>
  isTerminal && reason !== null && cellWidth(`${reason}  ${id}`) > roomOf(columns);

/** The line below a rejected delivery whose own has no room for its id. */
export const idLines = (delivery: Delivery, screen: Screen): string[] =>
  hasIdBelow(delivery, screen) ? [`${BELOW}${screen.paint('dim', delivery.id)}`] : [];

/** The object that the event is about, or its amount, then the event's id. */
function about({eventId, id}: Delivery, event: Json): string {
  const data = isObject(event) && isObject(event['data']) ? event['data'] : {};
  const amount = minorUnitsIn(data['amount_in_minor_units']);
  const parts = [
    amount === undefined ? undefined : `${amount} minor units`,
    subjectOf(event),
    `event ${eventId ?? id}`,
  ];
  return cleanLine(parts.filter((part) => part !== undefined).join('  '));
}

/** What the parsed body does not show; printed below its delivery. */
export function lossLine(loss: Loss, {paint, columns, isTerminal}: Screen): string {
  const text = lossText(loss);
  return `${BELOW}${paint('yellow', isTerminal ? cutTo(text, columns - BELOW.length) : text)}`;
}

/** The object of an event, below its delivery: `           payout 5f0c…  settled  1,500.75 USD  wire`. */
export function objectText(
  {resource, id, object, error}: ObjectLine,
  {paint, columns, isTerminal}: Screen,
): string {
  const record = asRecord(object);
  const {status, name, rail, currency_code: currency} = record;
  const amount = record['amount_in_minor_units'] ?? record['balance_in_minor_units'];
  const why = hasFailed(status) ? failureReasonText(object) : undefined;
  const facts = [
    plainValue(status),
    ...(amount === undefined ? [] : [majorOf(amount, currency)]),
    ...(name === undefined ? [] : [plainValue(name)]),
    ...(rail === undefined ? [] : [plainValue(rail)]),
    ...(why === undefined ? [] : [plainValue(why)]),
  ];
  const text = cleanLine(`${resource} ${id}  ${error === null ? facts.join('  ') : `not read: ${error}`}`);
  return `${BELOW}${paint(error === null ? 'dim' : 'yellow', isTerminal ? cutTo(text, columns - BELOW.length) : text)}`;
}

/** The result of forwarding, below its delivery: `           -> http://localhost:3000/  200  12 ms`. */
export function forwardText(result: ForwardResult, {paint, columns, isTerminal}: Screen): string {
  const arrived = hasArrived(result);
  const facts: [Style, string][] = [
    [arrived ? 'green' : 'red', cleanLine(String(result.status ?? result.error))],
    ['dim', `${result.latencyMs} ms`],
  ];
  if (result.attempt > 1) facts.push(['dim', `attempt ${result.attempt}`]);
  if (result.gaveUp && !arrived) facts.push(['red', result.returned ? 'returned' : 'gave up']);
  const cells = facts.reduce((sum, [, text]) => sum + 2 + cellWidth(text), BELOW.length + 3);
  const target = cleanLine(result.target);
  const shown = isTerminal ? cutTo(target, Math.max(10, columns - cells)) : target;
  return `${BELOW}-> ${shown}${facts.map(([style, text]) => `  ${paint(style, text)}`).join('')}`;
}
