import type {Queries, SqlRow} from '../../store/port/port.ts';
import {big, int, text, textOrNull} from '../base/rows.ts';
import {ServiceError} from '../base/service-error.ts';
import {dayAt, type Day} from '../time/schedule.ts';

/** What a statement of an account contains, in any format. Amounts are minor units; money that left is negative. */
export interface StatementData {
  readonly accountId: string;
  readonly currency: string;
  /** Twelve digits, made from the id of the account. */
  readonly accountNumber: string;
  readonly writtenMs: number;
  /** Both included. */
  readonly from: Day;
  readonly to: Day;
  readonly opening: bigint;
  readonly closing: bigint;
  /** How many lines it has, and the sum of their amounts without signs. */
  readonly posted: number;
  readonly pending: number;
  readonly volume: bigint;
  /** The sum of the posted lines of each day that has lines, in order. */
  readonly days: ReadonlyMap<Day, bigint>;
  /** In the order of their days, page by page. */
  readonly lines: (which?: 'posted' | 'pending') => AsyncGenerator<StatementLine>;
}

export interface StatementLine {
  readonly reference: string;
  readonly amount: bigint;
  readonly day: Day;
  readonly text: string;
  readonly returnCode: string | undefined;
  readonly isPending: boolean;
}

interface Period {
  readonly from?: Day | undefined;
  readonly to?: Day | undefined;
}

/** Runs reads of the store, all of them in one snapshot or each in its own. */
export type StatementReads = <T>(work: (queries: Queries) => Promise<T>) => Promise<T>;

const REPORTED = 'from bank_transactions where account_id = ? and reported_ms is not null';
/** Sums in halves, because a sum may exceed 64 bits. */
const DAY_SUMS = `select value_date, status, direction, count(*) as number, sum(amount / 4294967296) as high,
  sum(amount % 4294967296) as low ${REPORTED} and value_date <= ? group by 1, 2, 3 order by 1`;

/**
 * What the bank has reported of a treasury account by now.
 * @throws {ServiceError} NOT_FOUND
 */
export async function statementData(
  read: StatementReads,
  id: string,
  {from: first, to: last, nowMs}: Period & {nowMs: number},
): Promise<StatementData> {
  const {account, rows, to} = await read(async (queries) => {
    const found = await queries.get('select * from treasury_accounts where id = ?', [id.toLowerCase()]);
    if (!found) throw new ServiceError('NOT_FOUND', `no treasury account ${id}`);
    const until = last ?? dayAt(nowMs);
    return {account: found, rows: await queries.all(DAY_SUMS, [text(found, 'id'), until]), to: until};
  });
  const from = first ?? dayAt(int(account, 'created_ms'));
  const accountId = text(account, 'id');
  let opening = big(account, 'opening');
  let [posted, pending, volume] = [0, 0, 0n];
  const days = new Map<Day, bigint>();
  for (const row of rows) {
    const day = text(row, 'value_date');
    const sum = (big(row, 'high') << 32n) + big(row, 'low');
    const isPending = text(row, 'status') === 'pending';
    const signed = isPending ? 0n : text(row, 'direction') === 'credit' ? sum : -sum;
    if (day < from) opening += signed;
    else {
      if (isPending) pending += int(row, 'number');
      else posted += int(row, 'number');
      volume += sum;
      days.set(day, (days.get(day) ?? 0n) + signed);
    }
  }
  return {
    ...{accountId, currency: text(account, 'currency_code'), accountNumber: numberOf(accountId)},
    ...{writtenMs: nowMs, from, to, opening, posted, pending, volume, days},
    closing: [...days.values()].reduce((sum, ofDay) => sum + ofDay, opening),
    lines: (which) => linesOf(read, {accountId, from, to}, which),
  };
}

const PAGE = 1000;

async function* linesOf(
  read: StatementReads,
  {accountId, from, to}: {accountId: string; from: Day; to: Day},
  which?: 'posted' | 'pending',
): AsyncGenerator<StatementLine> {
  const status = which === undefined ? '' : `and status = '${which}'`;
  const sql = `select * ${REPORTED} and value_date <= ? and (value_date, id) > (?, ?) ${status}
    order by value_date, id limit ${PAGE}`;
  let after: readonly [Day, string] = [from, ''];
  for (;;) {
    const rows = await read((queries) => queries.all(sql, [accountId, to, ...after]));
    yield* rows.map(toLine);
    const end = rows.at(-1);
    if (end === undefined || rows.length < PAGE) return;
    after = [text(end, 'value_date'), text(end, 'id')];
  }
}

function toLine(row: SqlRow): StatementLine {
  const amount = big(row, 'amount');
  return {
    reference: text(row, 'reference'),
    amount: text(row, 'direction') === 'credit' ? amount : -amount,
    day: text(row, 'value_date'),
    text: (textOrNull(row, 'description') ?? '').replaceAll(/\s+/g, ' ').trim(),
    returnCode: textOrNull(row, 'return_code') ?? undefined,
    isPending: text(row, 'status') === 'pending',
  };
}

const DIGITS = 12;

const numberOf = (id: string): string =>
  String(BigInt(`0x${id.replaceAll('-', '')}`) % 10n ** BigInt(DIGITS)).padStart(DIGITS, '0');

export const magnitude = (amount: bigint): bigint => (amount < 0n ? -amount : amount);
