import {RemitError} from '../../errors.ts';
import {minorUnitsIn} from '../../money/amount.ts';
import type {BalanceDay} from '../../output/pages/balance-days.ts';
import {bars} from '../../output/records/bars.ts';
import {selectedValue} from '../../output/records/select.ts';
import {money, text, type View} from '../../output/records/view.ts';
import {isUtf8} from '../../output/text/charset.ts';
import type {Context} from '../core/context.ts';
import {pageFile} from './balance-page.ts';
import {readRecord, warnOf} from './reads.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';
import type {Json} from '../../narrow.ts';

const DAY_MS = 86_400_000;
/** A year that has days before it. */
const YEAR = /^[12]\d{3}-/;
/** Older transactions in a row after which no newer one is expected, if the list is newest first. */
const OLDER_IN_A_ROW = 100;
/**
 * In a list that is newest first, for each transaction that is newer than the one before it, at least this many are
 * older: banks post a few out of order.
 */
const FALLS_FOR_A_RISE = 4;

interface DaySums {
  credits: number;
  debits: number;
  transactions: number;
}

/**
 * The balance of a treasury account by day: the latest reported one, and backwards from it what the bank has posted.
 * Only the sums of the days are kept.
 * @throws RemitError UNAVAILABLE if the balance or a transaction cannot be read: a gap would make every earlier day wrong
 */
export async function showHistory(
  context: Context,
  accountId: string,
  {days, html}: {days: number; html?: string | undefined},
): Promise<void> {
  const {client, out, stop, runtime} = context;
  const page = html === undefined ? undefined : pageFile(context, accountId, html);
  const {
    current_balance_in_minor_units: current,
    currency_code: currency,
    as_of: asOf,
  } = await readRecord(context, 'treasury.balance', {account_id: accountId});
  const endMs = asOf !== undefined && YEAR.test(asOf) ? Date.parse(asOf) : Number.NaN;
  const balance = safeMinor(current);
  if (balance === undefined || currency === undefined || Number.isNaN(endMs))
    throw unreadable('the balance has no readable amount, currency or time');
  const first = dayOf(endMs - (days - 1) * DAY_MS);
  const listing = client.records(
    'treasury.transactions',
    {account_id: accountId, order: 'desc'},
    {all: true, pageSize: 100, onWarning: warnOf(context), signal: stop.signal},
  );
  const sums = await sumsByDay(listing, {first, endMs, currency});
  const rows = balancesOf(sums, {current: balance, currency, endMs, days});
  await page?.write({currency, asOf: new Date(endMs).toISOString(), days: rows});
  await out.list(rows.toReversed(), historyView(rows, out.isTerminal, isUtf8(runtime.env)));
  out.note('Days are in UTC. Calculated from the latest balance and the posted transactions.');
  if (page !== undefined) out.note(`Page: ${page.path}`);
}

/**
 * Not every service lists newest first (assumption 40). Such a list is read to its end, since the sums do not depend on
 * the order.
 */
async function sumsByDay(
  transactions: AsyncIterable<ServiceRecord>,
  {first, endMs, currency}: {first: string; endMs: number; currency: string},
): Promise<Map<string, DaySums>> {
  const sums = new Map<string, DaySums>();
  let run = NO_RUN;
  for await (const transaction of transactions) {
    const {posted_at: postedAt, direction, amount_in_minor_units: amount, currency_code: own} = transaction;
    if (postedAt === null || transaction.status === 'pending') continue; // not part of the balance
    const at = Date.parse(postedAt ?? '');
    if (at > endMs) continue; // after the reported balance
    const minor = safeMinor(amount);
    if (
      Number.isNaN(at) ||
      minor === undefined ||
      own !== currency ||
      (direction !== 'credit' && direction !== 'debit')
    )
      throw unreadable('a transaction has no readable time, direction or amount');
    const day = dayOf(at);
    if (day < first) {
      run = longer(run, at);
      if (run.length >= OLDER_IN_A_ROW && run.falls > FALLS_FOR_A_RISE * run.rises) break;
      continue;
    }
    run = NO_RUN;
    const sum = sums.get(day) ?? {credits: 0, debits: 0, transactions: 0};
    sums.set(day, sum);
    sum.transactions += 1;
    sum[direction === 'credit' ? 'credits' : 'debits'] += minor;
    if (!Number.isSafeInteger(sum.credits) || !Number.isSafeInteger(sum.debits)) throw tooLarge();
  }
  return sums;
}

/** Transactions in a row before the first day, and how many are older or newer than the one before them. */
interface OlderRun {
  length: number;
  falls: number;
  rises: number;
  lastMs: number;
}
const NO_RUN: OlderRun = {length: 0, falls: 0, rises: 0, lastMs: Number.NaN};

const longer = ({length, falls, rises, lastMs}: OlderRun, atMs: number): OlderRun => ({
  length: length + 1,
  falls: falls + (atMs < lastMs ? 1 : 0),
  rises: rises + (atMs > lastMs ? 1 : 0),
  lastMs: atMs,
});

/** The newest day first. */
function balancesOf(
  sums: ReadonlyMap<string, DaySums>,
  {current, currency, endMs, days}: {current: number; currency: string; endMs: number; days: number},
): BalanceDay[] {
  let balance = current;
  return Array.from({length: days}, (_, back) => {
    const day = dayOf(endMs - back * DAY_MS);
    const {credits = 0, debits = 0, transactions = 0} = sums.get(day) ?? {};
    const row = {
      ...{day, currency_code: currency, balance_in_minor_units: balance},
      ...{credits_in_minor_units: credits, debits_in_minor_units: debits, transactions},
    };
    balance += debits - credits;
    if (!Number.isSafeInteger(balance)) throw tooLarge();
    return row;
  });
}

function historyView(rows: readonly BalanceDay[], terminal: boolean, utf8: boolean): View {
  const highest = Math.max(1, ...rows.map((row) => row.balance_in_minor_units));
  const share = (row: Json) => Number(selectedValue(row, 'balance_in_minor_units')) / highest;
  const columns = [
    text('Day', 'day'),
    money('Balance', 'balance_in_minor_units'),
    {...money('Credits', 'credits_in_minor_units'), rank: 2},
    {...money('Debits', 'debits_in_minor_units'), rank: 2},
  ];
  return {
    noun: 'day',
    plural: 'days',
    card: [],
    columns: terminal ? [...columns, bars(share, utf8)] : columns,
  };
}

/** Minor units as a number, which is exact. */
function safeMinor(value: Json): number | undefined {
  const minor = Number(minorUnitsIn(value));
  return Number.isSafeInteger(minor) ? minor : undefined;
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** A sum that a JSON number no longer holds exactly. */
const tooLarge = (): RemitError => unreadable('the transactions add up to more than 2^53 - 1 minor units');

const unreadable = (why: string): RemitError =>
  new RemitError('UNAVAILABLE', `${why}, so the balance of earlier days is unknown`, {
    hint: (commands) => commands.read('doctor'),
  });
