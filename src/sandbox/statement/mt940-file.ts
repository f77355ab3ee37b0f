import {formatMajor} from '../../money/amount.ts';
import {magnitude, type StatementData, type StatementLine} from './statement-data.ts';

const LINE_LENGTH = 65;
const MOST_LINES = 6;

const shortDay = (day: string): string => day.slice(2).replaceAll('-', '');
const sumOf = (amount: bigint, currency: string): string => {
  const major = formatMajor(magnitude(amount), currency);
  return major.includes('.') ? major.replace('.', ',') : `${major},`;
};

/** MT940, the customer statement of SWIFT, without its envelope. */
export async function* mt940File(data: StatementData): AsyncGenerator<string> {
  const {accountNumber, currency, from, to, opening, closing} = data;
  yield `:20:STATEMENT\r\n:25:${accountNumber}\r\n:28C:1/1\r\n:60F:${balance(opening, from, currency)}\r\n`;
  for await (const line of data.lines('posted'))
    for (const text of transaction(line, currency)) yield `${text}\r\n`;
  yield `:62F:${balance(closing, to, currency)}\r\n-\r\n`;
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
