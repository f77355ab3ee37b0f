import {ExactNumber} from '../../narrow.ts';
import type {Book} from '../book/book.ts';
import type {AskedPeriod} from '../model/asked.ts';
import type {Match} from '../model/finding.ts';

/** A row of a CSV. Rows of different files are joined by the keys of payments and lines. */
export type ExportRow = Readonly<Record<string, string | number | boolean | ExactNumber | null>>;

/** Every payment of a period with what the bank says about it. */
export function* paymentRows(book: Book, within: AskedPeriod): Generator<ExportRow> {
  for (const one of book.payments({within})) {
    const {payment, state, isCarried, match, returned, candidates, bankingDaysOpen} = one;
    const {key, kind, row, status, amount, currency, rail, day, account} = payment;
    yield {
      ...{payment: key, kind, batch: row?.batch ?? null, reference: row?.reference ?? null},
      ...{state, status: status ?? null, amount_in_minor_units: minor(amount), currency_code: currency},
      ...{rail: rail ?? null, day, account: account ?? null},
      ...{line: joined(match?.lines), rule: match?.rule ?? null, proof: match?.proof?.token ?? null},
      difference_in_minor_units: match === undefined ? null : minor(match.difference),
      ...{return_line: joined(returned?.lines), return_code: returned?.returnCode ?? null},
      ...{candidates: joined(candidates), banking_days_overdue: bankingDaysOpen, carried_over: isCarried},
    };
  }
}

/** Every bank line of a period with the payments that it belongs to. The counted ones add up to the totals. */
export function* lineRows(book: Book, within: AskedPeriod): Generator<ExportRow> {
  for (const {line, state, match, candidates, twin, isCounted} of book.lines({within})) {
    const {key, source, account, id, amount, currency, bookingDay, valueDay, returnCode, texts} = line;
    yield {
      ...{line: key, twin: twin ?? null, source, account, id: id ?? null, state, posting: line.state},
      counted: isCounted,
      ...{amount_in_minor_units: minor(amount), currency_code: currency, booking_day: bookingDay},
      ...{value_day: valueDay ?? null, payments: joined(match?.payments), rule: match?.rule ?? null},
      ...{return_code: returnCode ?? match?.returnCode ?? null, candidates: joined(candidates)},
      text: texts.map(({text}) => text).join(' | '),
    };
  }
}

/** Every match of a line of a period, with its rule and the text that proves it. */
export function* matchRows(book: Book, within: AskedPeriod): Generator<ExportRow> {
  for (const {line, match} of book.lines({within})) {
    if (match === undefined || match.lines[0] !== line.key) continue;
    const {rule, state, lines, payments, proof, difference, returnCode} = match;
    yield {
      ...{rule, state, lines: joined(lines), payments: joined(payments)},
      ...{proof: proof?.token ?? null, proof_path: proof?.path ?? null, proof_text: proof?.text ?? null},
      ...{difference_in_minor_units: minor(difference), currency_code: line.currency},
      return_code: returnCode ?? null,
    };
  }
}

const joined = (keys: Match['lines'] | undefined): string | null =>
  keys === undefined || keys.length === 0 ? null : keys.join(' ');

/** A number in JSON and in CSV, exact at any size. */
const minor = (amount: bigint): number | ExactNumber =>
  Number.isSafeInteger(Number(amount)) ? Number(amount) : new ExactNumber(String(amount));
