import {iso} from '../base/rows.ts';
import {magnitude, type StatementData, type StatementLine} from './statement-data.ts';

/** Type codes: miscellaneous credit and debit, and the return of an item that was sent by ACH. */
const CODES = {credit: '399', debit: '699', returnedCredit: '257', returnedDebit: '557'} as const;

const shortDay = (day: string): string => day.slice(2).replaceAll('-', '');

/** BAI2: one group for each day, because a group states the day of all its transactions. */
export async function* bai2File(data: StatementData): AsyncGenerator<string> {
  const {accountNumber, currency, from, to, writtenMs} = data;
  const time = iso(writtenMs).slice(11, 16).replace(':', '');
  yield `01,SANDBOX,REMIT,${shortDay(to)},${time},1,,,2/\r\n`;
  const days = [...new Set([from, ...data.days.keys(), to])].sort();
  const lines = data.lines('posted');
  let next = await lines.next();
  let opening = data.opening;
  let [total, records] = [0n, 0];
  for (const day of days) {
    const closing = opening + (data.days.get(day) ?? 0n);
    yield `02,REMIT,SANDBOX,1,${shortDay(day)},2359,${currency},2/\r\n`;
    yield `03,${accountNumber},${currency},010,${opening},,,015,${closing},,/\r\n`;
    let [sum, count] = [opening + closing, 2];
    for (; next.done !== true && next.value.day === day; next = await lines.next()) {
      yield `${transaction(next.value)}\r\n`;
      sum += magnitude(next.value.amount);
      count += 1;
    }
    yield `49,${sum},${count}/\r\n98,${sum},1,${count + 2}/\r\n`;
    opening = closing;
    total += sum;
    records += count + 2;
  }
  yield `99,${total},${days.length},${records + 2}/\r\n`;
}

function transaction({amount, reference, text, returnCode}: StatementLine): string {
  const direction = amount < 0n ? 'debit' : 'credit';
  const code =
    returnCode === undefined ? CODES[direction] : CODES[amount < 0n ? 'returnedDebit' : 'returnedCredit'];
  return `16,${code},${magnitude(amount)},,${reference},,${text === '' ? '/' : text}`;
}
