import {cleanLine} from '../../sanitize/harmful.ts';
import {guardedAmountText} from './amount-text.ts';
import type {Detail, WriteDetails, WriteFacts} from './facts.ts';

/** Width of the labels; the longest one is `destination`. */
const LABEL = 13;

/**
 * The facts shown before a live write: the operation, then one line for each fact.
 * @param routes where it is sent, if a service file changes that
 */
export function liveLines(
  facts: WriteFacts,
  details: WriteDetails | undefined,
  routes: readonly Detail[] = [],
): string[] {
  const {amountMinor, currency, unread, stated, rail, party} = facts;
  const who = details?.who ?? (party === undefined ? [] : [party]);
  const lines: Detail[] = [...who];
  if (unread !== undefined) lines.push(['amount', `unknown: ${unread.why}`]);
  if (amountMinor !== undefined)
    lines.push([
      'amount',
      `${guardedAmountText(amountMinor, currency)}${stated ? ', as stated with --amount' : ''}`,
    ]);
  if (rail !== undefined) lines.push(['rail', rail.value ?? 'not named; the service chooses it']);
  lines.push(...(details?.when ?? []), ...routes);
  return [
    `  ${facts.operation}`,
    ...lines.map(([label, text]) => `    ${label.padEnd(LABEL)}${cleanLine(text)}`),
  ];
}
