import {formatMajor} from '../../money/amount.ts';
import type {StatementData} from './statement-data.ts';

const HEADER = [
  'account',
  'id',
  'booking_date',
  'value_date',
  'amount',
  'currency_code',
  'status',
  'return_code',
  'description',
];

const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;

const rowText = (row: readonly string[]): string => `${row.map(cell).join(',')}\r\n`;

/** CSV with the columns that `remit reconcile` reads without a mapping. It states no balances. */
export async function* csvFile({accountNumber, currency, lines}: StatementData): AsyncGenerator<string> {
  yield rowText(HEADER);
  for await (const {reference, day, amount, isPending, returnCode, text} of lines())
    yield rowText([
      ...[accountNumber, reference, day, day, formatMajor(amount, currency), currency],
      ...[isPending ? 'pending' : 'posted', returnCode ?? '', text],
    ]);
}
