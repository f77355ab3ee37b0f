import {iso} from '../base/rows.ts';
import {magnitude, postedLines, type StatementData, type StatementLine} from './statement-data.ts';

/** Type codes: miscellaneous credit and debit, and the return of an item that was sent by ACH. */
const CODES = {credit: '399', debit: '699', returnedCredit: '257', returnedDebit: '557'} as const;

const shortDay = (day: string): string => day.slice(2).replaceAll('-', '');

/** A level of the file: its lines, the sum of its amounts as written, and how many parts it has. */
interface Level {
  readonly records: readonly string[];
  readonly sum: bigint;
}

/** BAI2: one group for each day, because a group states the day of all its transactions. */
export function bai2File(data: StatementData): string {
  const {from, to, writtenMs} = data;
  const lines = postedLines(data);
  const days = [...new Set([from, ...lines.map(({day}) => day), to])].sort();
  const byDay = new Map(days.map((day): [string, StatementLine[]] => [day, []]));
  for (const line of lines) byDay.get(line.day)?.push(line);
  let balance = data.opening;
  const groups = [...byDay].map(([day, ofDay]) => {
    const opening = balance;
    balance = ofDay.reduce((sum, {amount}) => sum + amount, opening);
    return group(data, day, {lines: ofDay, opening, closing: balance});
  });
  const records = groups.flatMap((level) => level.records);
  const sum = groups.reduce((total, level) => total + level.sum, 0n);
  const time = iso(writtenMs).slice(11, 16).replace(':', '');
  return [
    `01,SANDBOX,REMIT,${shortDay(to)},${time},1,,,2/`,
    ...records,
    `99,${sum},${groups.length},${records.length + 2}/`,
    '',
  ].join('\r\n');
}

interface DayOfAccount {
  readonly lines: readonly StatementLine[];
  readonly opening: bigint;
  readonly closing: bigint;
}

function group(
  {accountNumber, currency}: StatementData,
  day: string,
  {lines, opening, closing}: DayOfAccount,
): Level {
  const sum = opening + closing + lines.reduce((total, {amount}) => total + magnitude(amount), 0n);
  const account = [
    `03,${accountNumber},${currency},010,${opening},,,015,${closing},,/`,
    ...lines.map(transaction),
    `49,${sum},${lines.length + 2}/`,
  ];
  const records = [
    `02,REMIT,SANDBOX,1,${shortDay(day)},2359,${currency},2/`,
    ...account,
    `98,${sum},1,${account.length + 2}/`,
  ];
  return {records, sum};
}

function transaction({amount, reference, text, returnCode}: StatementLine): string {
  const direction = amount < 0n ? 'debit' : 'credit';
  const code =
    returnCode === undefined ? CODES[direction] : CODES[amount < 0n ? 'returnedDebit' : 'returnedCredit'];
  return `16,${code},${magnitude(amount)},,${reference},,${text === '' ? '/' : text}`;
}
