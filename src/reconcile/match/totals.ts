import {byName, keysOf} from '../../narrow.ts';
import type {LineState, PaymentState} from '../model/finding.ts';
import type {CountedSum, CurrencyTotals} from '../model/totals.ts';
import {IS_COUNTED, readBalances, sumOfHalves} from './balances.ts';
import type {MatchWork} from './work.ts';

interface StateRow {
  currency: string;
  state: string;
  count: number;
  high: number | bigint;
  low: number | bigint;
}

const LINE_STATES: Readonly<Record<LineState, 'matched' | 'returned' | 'internal' | 'unexplained'>> = {
  matched: 'matched',
  returned: 'returned',
  internal: 'internal',
  suggested: 'unexplained',
  ambiguous: 'unexplained',
  amount_differs: 'unexplained',
  duplicate: 'unexplained',
  statement_only: 'unexplained',
  unexplained: 'unexplained',
  ignored: 'unexplained',
  changed: 'unexplained',
};
const PAYMENT_STATES: readonly PaymentState[] = [
  ...(['expected', 'tentative', 'matched', 'suggested', 'ambiguous', 'amount_differs'] as const),
  ...(['duplicate', 'returned', 'overdue', 'contradicted'] as const),
];
const NOTHING: CountedSum = {count: 0, sum: 0n};

/** All lines and payments, by currency and state. */
export function readBookTotals(work: MatchWork): CurrencyTotals[] {
  const lines = read(work, `lines x join found_lines f on f.l = x.l where ${IS_COUNTED} and`, 'f.state');
  const pending = read(work, `lines x where x.pending = 1 and x.gone = 0 and`, `'pending'`);
  const payments = read(work, `payments x join found_payments f on f.p = x.p where`, 'f.state');
  const balances = readBalances(work);
  const currencies = new Set([...lines, ...pending, ...payments].map(({currency}) => currency));
  for (const currency of balances.keys()) currencies.add(currency);
  return [...currencies].sort().map((currency) => {
    const of = (rows: readonly StateRow[], states: readonly string[]) =>
      add(rows.filter((row) => row.currency === currency && states.includes(row.state)));
    const linesIn = (part: string) =>
      of(
        lines,
        keysOf<LineState>(LINE_STATES).filter((state) => LINE_STATES[state] === part),
      );
    const byState = <State extends string>(rows: readonly StateRow[], states: readonly State[]) =>
      byName(states, (state) => of(rows, [state]));
    const {opening, closing} = balances.get(currency) ?? {opening: undefined, closing: undefined};
    return {
      ...{currency, opening, closing},
      ...{matched: linesIn('matched'), returned: linesIn('returned')},
      ...{
        internal: linesIn('internal'),
        unexplained: linesIn('unexplained'),
        pending: of(pending, ['pending']),
      },
      lines: byState(lines, keysOf<LineState>(LINE_STATES)),
      planned: of(payments, PAYMENT_STATES),
      payments: byState(payments, PAYMENT_STATES),
    };
  });
}

/** Adds up row by row: a GROUP BY would first sort all rows in memory. */
function read({db, scope}: MatchWork, from: string, state: string): StateRow[] {
  db.exec('delete from w_sums');
  db.prepare(
    `insert into w_sums (currency, state, count, high, low)
       select x.currency, ${state}, 1, x.amount >> 32, x.amount & 4294967295 from ${from} x.scope = ?
     on conflict (currency, state) do update
       set count = count + 1, high = high + excluded.high, low = low + excluded.low`,
  ).run(scope);
  return db.prepare<StateRow>('select currency, state, count, high, low from w_sums').all();
}

const add = (rows: readonly StateRow[]): CountedSum =>
  rows.reduce((total, row) => ({count: total.count + row.count, sum: total.sum + sumOfHalves(row)}), NOTHING);
