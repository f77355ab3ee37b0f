import {byName, keysOf} from '../../narrow.ts';
import type {AskedPeriod} from '../model/asked.ts';
import type {LineState, PeriodState} from '../model/finding.ts';
import type {CountedSum, CurrencyTotals} from '../model/totals.ts';
import {IS_COUNTED, type KnownBalances, readBalances, sumOfHalves} from './balances.ts';
import {countedDay, isAsked, periodParams, periodPayments} from './period.ts';
import type {MatchWork} from './work.ts';

interface StateRow {
  account: string;
  currency: string;
  state: string;
  count: number;
  high: number | bigint;
  low: number | bigint;
}

const LINE_STATES: Readonly<
  Record<LineState, 'matched' | 'returned' | 'internal' | 'ignored' | 'unexplained'>
> = {
  matched: 'matched',
  returned: 'returned',
  internal: 'internal',
  suggested: 'unexplained',
  ambiguous: 'unexplained',
  amount_differs: 'unexplained',
  duplicate: 'unexplained',
  statement_only: 'unexplained',
  unexplained: 'unexplained',
  ignored: 'ignored',
  changed: 'unexplained',
};
const PERIOD_STATES: readonly PeriodState[] = [
  ...(['expected', 'not_sent', 'tentative', 'matched', 'booked_later', 'suggested', 'ambiguous'] as const),
  ...(['amount_differs', 'duplicate', 'returned', 'overdue', 'contradicted'] as const),
];
const NOTHING: CountedSum = {count: 0, sum: 0n};
/** What the state of a payment that was sent before the period ends with. */
const EARLY = '/early';

const IN_PERIOD = `${countedDay('x')} between ?3 and ?4 and ${isAsked('x.account')}`;

/** The lines and payments of a period by account, currency and state; without a period, of all accounts together. */
export function readBookTotals(work: MatchWork, asked: AskedPeriod | undefined): CurrencyTotals[] {
  const account = asked === undefined ? `''` : 'x.account';
  const lines = read(work, asked, {
    from: `lines x join found_lines f on f.l = x.l where x.scope = ?1 and ${IS_COUNTED} and ${IN_PERIOD}`,
    ...{account, state: 'f.state'},
  });
  const pending = read(work, asked, {
    from: `lines x where x.scope = ?1 and x.pending = 1 and x.gone = 0 and ${IN_PERIOD}`,
    ...{account, state: `'pending'`},
  });
  const payments = read(work, asked, {
    from: `${periodPayments()} f join payments x on x.p = f.p where true`,
    ...{account: 'f.account', state: `iif(f.early, f.state || '${EARLY}', f.state)`},
  });
  const differences = readDifferences(work, asked);
  const balances = readBalances(work, asked);
  const tables = new Map<string, Pick<StateRow, 'account' | 'currency'>>();
  for (const {account: of, currency} of [...lines, ...pending, ...payments, ...balances])
    tables.set(`${of} ${currency}`, {account: of, currency});
  const named = [...tables].sort(([one], [other]) => (one < other ? -1 : 1));
  return named.map(([, {account: of, currency}]) => {
    const isOf = (one: Pick<StateRow, 'account' | 'currency'>) =>
      one.account === of && one.currency === currency;
    const [its, open, paid, fees] = [lines, pending, payments, differences].map((rows) => rows.filter(isOf));
    return tableOf(
      {account: of, currency},
      {lines: its ?? [], pending: open ?? [], payments: paid ?? [], differences: fees ?? []},
      balances.find(isOf),
    );
  });
}

function tableOf(
  {account, currency}: Pick<StateRow, 'account' | 'currency'>,
  {
    lines,
    pending,
    payments,
    differences,
  }: Record<'lines' | 'pending' | 'payments' | 'differences', StateRow[]>,
  known: KnownBalances | undefined,
): CurrencyTotals {
  const of = (rows: readonly StateRow[], isIn: (state: string) => boolean) =>
    add(rows.filter(({state}) => isIn(state)));
  const linesIn = (part: string) =>
    of(lines, (state) => keysOf(LINE_STATES).some((one) => one === state && LINE_STATES[one] === part));
  return {
    ...{account: account === '' ? undefined : account, currency},
    ...{opening: known?.opening, closing: known?.closing, balances: known?.origin ?? 'unknown'},
    openingDay: known?.openingDay,
    ...{matched: linesIn('matched'), returned: linesIn('returned'), internal: linesIn('internal')},
    ...{ignored: linesIn('ignored'), unexplained: linesIn('unexplained')},
    ...{differences: add(differences), pending: add(pending)},
    lines: byName(keysOf(LINE_STATES), (one) => of(lines, (state) => state === one)),
    planned: add(payments),
    carried: of(payments, (state) => state.endsWith(EARLY)),
    payments: byName(PERIOD_STATES, (one) => of(payments, (state) => state === one || state === one + EARLY)),
  };
}

/** Of each line that a person has confirmed with another amount than its payments have. Only such lines may differ. */
function readDifferences({db, scope}: MatchWork, asked: AskedPeriod | undefined): StateRow[] {
  const sum = (part: string) =>
    `(${part.replace('q', 'x')}) + iif(c.state = 'returned', 1, -1) * sum(${part})`;
  return db
    .prepare<StateRow>(
      `select ${asked === undefined ? `''` : 'x.account'} as account, x.currency, c.state, 1 as count,
         ${sum('q.amount >> 32')} as high, ${sum('q.amount & 4294967295')} as low
       from matches c cross join lines x on x.l = c.m
         cross join found_payments f on f.m = c.m and c.state = 'matched' or f.returned = c.m and c.state = 'returned'
         cross join payments q on q.p = f.p
       where c.scope = ?1 and c.rule = 'confirmed' and ${IS_COUNTED} and ${IN_PERIOD}
       group by c.m`,
    )
    .all(...periodParams(scope, asked))
    .filter((row) => sumOfHalves(row) !== 0n);
}

/** Adds up row by row: a GROUP BY would first sort all rows in memory. */
function read(
  {db, scope}: MatchWork,
  asked: AskedPeriod | undefined,
  {from, account, state}: Record<'from' | 'account' | 'state', string>,
): StateRow[] {
  db.exec('delete from w_sums');
  db.prepare(
    `insert into w_sums (account, currency, state, count, high, low)
       select ${account}, x.currency, ${state}, 1, x.amount >> 32, x.amount & 4294967295 from ${from}
     on conflict (account, currency, state) do update
       set count = count + 1, high = high + excluded.high, low = low + excluded.low`,
  ).run(...periodParams(scope, asked));
  return db.prepare<StateRow>('select account, currency, state, count, high, low from w_sums').all();
}

const add = (rows: readonly StateRow[]): CountedSum =>
  rows.reduce((total, row) => ({count: total.count + row.count, sum: total.sum + sumOfHalves(row)}), NOTHING);
