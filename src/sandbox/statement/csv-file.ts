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

/** CSV with the columns that `remit reconcile` reads without a mapping. It states no balances. */
export function csvFile({accountNumber, currency, lines}: StatementData): string {
  const rows = lines.map(({reference, day, amount, isPending, returnCode, text}) => [
    ...[accountNumber, reference, day, day, formatMajor(amount, currency), currency],
    ...[isPending ? 'pending' : 'posted', returnCode ?? '', text],
  ]);
  return [HEADER, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
