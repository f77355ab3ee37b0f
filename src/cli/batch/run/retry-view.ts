import type {RetryRow, RetryWay} from '../../../batch/repair/retry.ts';
import {addRow, emptyPart, type Part} from '../../../batch/model/part.ts';
import {formatMajor, groupMajor} from '../../../money/amount.ts';

const SHOWN = 20;

const WAYS: Readonly<Record<RetryWay, string>> = {
  'new-key': 'with a new key',
  'same-key': 'with the same key',
  replay: 'with the same key',
  release: 'released again',
};

const amountText = ({row: {amount, currency}}: RetryRow): string =>
  `${groupMajor(formatMajor(BigInt(amount), currency))} ${currency}`;

/** Shows the rows that a retry sends again, with their amounts, before it prompts. */
export function retryText(rows: readonly RetryRow[]): string[] {
  if (rows.length === 0) return [];
  const shown = rows.slice(0, SHOWN).map((due) => ({...due, amount: amountText(due)}));
  const wide = Math.max(...shown.map(({row}) => row.reference.length));
  const long = Math.max(...shown.map(({amount}) => amount.length));
  const lines = shown.map(
    ({row, way, why, amount}) =>
      `  ${row.reference.padEnd(wide)}  ${amount.padStart(long)}  ${WAYS[way]}: ${why}`,
  );
  return [
    'To be sent again:',
    ...lines,
    ...(rows.length > SHOWN ? [`  … and ${rows.length - SHOWN} more`] : []),
  ];
}

export function partOf(rows: readonly RetryRow[]): Part {
  const part = emptyPart();
  for (const {row} of rows) addRow(part, row);
  return part;
}
