import {formatMajor} from '../../money/amount.ts';
import {magnitude, postedLines, type StatementData, type StatementLine} from './statement-data.ts';

const LINE_LENGTH = 65;
const MOST_LINES = 6;

const shortDay = (day: string): string => day.slice(2).replaceAll('-', '');
const sumOf = (amount: bigint, currency: string): string => {
  const major = formatMajor(magnitude(amount), currency);
  return major.includes('.') ? major.replace('.', ',') : `${major},`;
};

/** MT940, the customer statement of SWIFT, without its envelope. */
export function mt940File(data: StatementData): string {
  const {accountNumber, currency, from, to, opening, closing} = data;
  return [
    ':20:STATEMENT',
    `:25:${accountNumber}`,
    ':28C:1/1',
    `:60F:${balance(opening, from, currency)}`,
    ...postedLines(data).flatMap((line) => transaction(line, currency)),
    `:62F:${balance(closing, to, currency)}`,
    '-',
    '',
  ].join('\r\n');
}

const balance = (amount: bigint, day: string, currency: string): string =>
  `${amount < 0n ? 'D' : 'C'}${shortDay(day)}${currency}${sumOf(amount, currency)}`;

function transaction({amount, day, reference, text, returnCode}: StatementLine, currency: string): string[] {
  const type = returnCode === undefined ? 'NTRF' : 'NRTI';
  const entry = shortDay(day).slice(2);
  const line = `:61:${shortDay(day)}${entry}${amount < 0n ? 'D' : 'C'}${sumOf(amount, currency)}${type}NONREF//${reference}`;
  const parts = text.match(new RegExp(`.{1,${LINE_LENGTH}}`, 'gsu'))?.slice(0, MOST_LINES) ?? [];
  const [first, ...others] = parts;
  // A line that begins like a tag or the end of a message would be read as one.
  return first === undefined
    ? [line]
    : [line, `:86:${first}`, ...others.map((part) => part.replace(/^[:-]/, '.'))];
}
