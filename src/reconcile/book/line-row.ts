import {ownJson} from '../../narrow.ts';
import type {SqlValue} from '../../store/port/port.ts';
import type {BankLine, LineText} from '../model/line.ts';

/** A line as its table has it. */
export interface LineRow {
  l: number;
  key: string;
  source: BankLine['source'];
  account: string;
  id: string | null;
  amount: number | bigint;
  currency: string;
  day: string;
  value_day: string | null;
  pending: number;
  return_code: string | null;
  texts: string;
}

/** What a decision is about: if any of this changes, a person decides again. */
export const aboutLine = (
  line: Pick<LineRow, 'amount' | 'currency' | 'account' | 'day'> &
    Partial<Record<'gone' | 'pending' | 'altered', number>>,
): string =>
  JSON.stringify([
    ...[String(line.amount), line.currency, line.account, line.day],
    ...(line.gone === 1 ? ['gone'] : line.pending === 1 && line.altered === 1 ? ['pending'] : []),
  ]);

/** JSON has no integers beyond 2^53. */
export type LineContent = Omit<LineRow, 'l' | 'key' | 'amount'> & {amount: string};

export const lineOfRow = (row: LineRow | (LineContent & {key: string})): BankLine => ({
  key: row.key,
  source: row.source,
  account: row.account,
  id: row.id ?? undefined,
  amount: BigInt(row.amount),
  currency: row.currency,
  bookingDay: row.day,
  valueDay: row.value_day ?? undefined,
  state: row.pending === 1 ? 'pending' : 'posted',
  returnCode: row.return_code ?? undefined,
  texts: textsOf(row.texts),
});

const textsOf = (json: string): LineText[] =>
  ownJson<[string, string][]>(json).map(([path, text]) => ({path, text})); // written by lineTextsJson below

export const LINE_COLUMNS = `x.l, x.key, x.source, x.account, x.id, x.amount, x.currency, x.day, x.value_day, x.pending,
  x.return_code, t.texts`;

export const LINE_FIELDS = [
  ...['key', 'source', 'account', 'id', 'amount', 'currency'],
  ...['day', 'value_day', 'pending', 'return_code'],
];

/** In the order of `LINE_FIELDS`. */
export const lineValues = (line: BankLine): SqlValue[] => [
  ...[line.key, line.source, line.account, line.id ?? null, line.amount, line.currency],
  ...[line.bookingDay, line.valueDay ?? null, line.state === 'pending' ? 1 : 0, line.returnCode ?? null],
];

export const lineTextsJson = ({texts}: BankLine): string =>
  JSON.stringify(texts.map(({path, text}) => [path, text]));

/** All of a line but its key, as JSON that `lineOfRow` reads. */
export const contentOf = (line: BankLine): string => {
  const {source, account, currency, bookingDay: day} = line;
  const row: LineContent = {
    ...{source, account, id: line.id ?? null, amount: String(line.amount), currency, day},
    ...{value_day: line.valueDay ?? null, pending: line.state === 'pending' ? 1 : 0},
    ...{return_code: line.returnCode ?? null, texts: lineTextsJson(line)},
  };
  return JSON.stringify(row);
};
