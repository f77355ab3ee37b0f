import type {Queries, SqlRow} from '../../store/port/port.ts';
import {big, int, text, textOrNull} from '../base/rows.ts';
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
  readonly lines: readonly StatementLine[];
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

/** Reads what the bank has reported of a treasury account by now. */
export async function statementData(
  queries: Queries,
  account: SqlRow,
  {from = dayAt(int(account, 'created_ms')), to, nowMs}: Period & {nowMs: number},
): Promise<StatementData> {
  const accountId = text(account, 'id');
  const last = to ?? dayAt(nowMs);
  const rows = await queries.all(
    `select * from bank_transactions where account_id = ? and reported_ms is not null and value_date <= ?
     order by value_date, id`,
    [accountId, last],
  );
  const lines = rows.map(toLine);
  const sum = (of: readonly StatementLine[]): bigint =>
    of.reduce((total, {amount, isPending}) => (isPending ? total : total + amount), 0n);
  const opening = big(account, 'opening') + sum(lines.filter(({day}) => day < from));
  const within = lines.filter(({day}) => day >= from);
  return {
    accountId,
    currency: text(account, 'currency_code'),
    accountNumber: numberOf(accountId),
    writtenMs: nowMs,
    ...{from, to: last, opening},
    closing: opening + sum(within),
    lines: within,
  };
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

/** The posted lines, for formats that have no pending ones. */
export const postedLines = ({lines}: StatementData): StatementLine[] =>
  lines.filter(({isPending}) => !isPending);

export const magnitude = (amount: bigint): bigint => (amount < 0n ? -amount : amount);
