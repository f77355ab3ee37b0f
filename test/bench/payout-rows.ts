import {closeSync, openSync, writeSync} from 'node:fs';

/** The rows of the benchmark, the same for both sides. */
export const reference = (n: number): string => `INV-2026-${String(n).padStart(8, '0')}`;
export const payee = (n: number): string => `018f0000-0000-7000-8000-${String(n).padStart(12, '0')}`;
export const currency = 'USD';

/** Writes a CSV of `rows` payouts, of 100.01 and a cent more each. */
export function writePayouts(file: string, rows: number): void {
  const fd = openSync(file, 'w');
  let text = 'reference,payee_id,amount,currency_code\n';
  for (let n = 1; n <= rows; n++) {
    const cents = 10_000 + n;
    text += `${reference(n)},${payee(n)},${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')},${currency}\n`;
    if (text.length > 1_000_000 || n === rows) {
      writeSync(fd, text);
      text = '';
    }
  }
  closeSync(fd);
}
