import type {SqliteDatabase} from '../../store/port/port.ts';
import type {LineState, PaymentState, Rule} from '../model/finding.ts';

/** What the rules share: the tables of the book, and those whose names begin with `w_`. */
export interface MatchWork {
  db: SqliteDatabase;
  scope: number;
}

const WORKING = [
  ...[
    'dues',
    'twins',
    'twin_pairs',
    'shared',
    'rejected',
    'hits',
    'crowded',
    'pairs',
    'sets',
    'backs',
    'returned',
    'lines',
    'payments',
  ],
  ...['groups', 'offers', 'choices', 'solutions', 'sums'],
];

export function clearWork({db}: MatchWork): void {
  for (const name of WORKING) db.exec(`delete from w_${name}`);
}

/** Removes what the last match found. */
export function clearFindings({db, scope}: MatchWork): void {
  const lines = 'l in (select l from lines where scope = ?)';
  const payments = 'p in (select p from payments where scope = ?)';
  db.prepare('delete from matches where scope = ?').run(scope);
  for (const table of ['found_lines', 'candidates', 'twins'])
    db.prepare(`delete from ${table} where ${lines}`).run(scope);
  db.prepare(`delete from found_payments where ${payments}`).run(scope);
}

/** SQL for a posted or pending line `x` that the bank still lists, once if two sources do. */
export const IS_ACTIVE = 'x.gone = 0 and not exists (select 1 from twins w where w.l = x.l)';

/** Makes matches of the pairs in `w_pairs`, and empties it. */
export function takePairs(
  {db, scope}: MatchWork,
  {state, line = state}: {state: 'matched' | 'suggested' | 'amount_differs'; line?: LineState},
): void {
  db.prepare('insert into matches (m, scope, rule, state) select l, ?, rule, ? from w_pairs').run(
    scope,
    state,
  );
  db.prepare('insert into found_lines (l, state, m) select l, ?, l from w_pairs').run(line);
  db.prepare('insert into found_payments (p, state, m, days_open) select p, ?, l, 0 from w_pairs').run(state);
  db.exec('delete from w_pairs');
}

/** Makes matches of the sets in `w_sets`, which have several lines or several payments, and empties it. */
export function takeSets(
  {db, scope}: MatchWork,
  {state, line}: {state: PaymentState; line: LineState},
): void {
  db.prepare(
    'insert into matches (m, scope, rule, state) select m, ?, min(rule), ? from w_sets group by m',
  ).run(scope, state);
  db.prepare('insert or ignore into found_lines (l, state, m) select l, ?, m from w_sets').run(line);
  db.prepare(
    'insert or ignore into found_payments (p, state, m, days_open) select p, ?, m, 0 from w_sets',
  ).run(state);
  db.exec('delete from w_sets');
}

/** Makes candidates of `select`, which returns lines `l` and payments `p`. */
export function addCandidates({db}: MatchWork, select: string, ...params: number[]): void {
  db.prepare(`insert or ignore into candidates (l, p) ${select}`).run(...params);
}

/** The payments and lines that a rule has taken are no longer free. */
export function dropTaken({db}: MatchWork): void {
  db.exec('delete from w_lines where l in (select l from found_lines)');
  db.exec('delete from w_payments where p in (select p from found_payments)');
  db.exec('delete from w_offers where p is not null and p not in (select p from w_payments)');
}

/** SQL for a payment `q` that a line is expected for: it is approved and has not failed, as far as is known. */
export const IS_LIVE = `coalesce(q.status, '') not in ('created', 'failed', 'canceled')`;

/** SQL for a sum of 64-bit integers that is exact, and for whether it has no more than 64 bits. */
export const exactSum = (amount: string) =>
  ({
    sum: `(((${high(amount)} + (${low(amount)} >> 32)) << 32) | (${low(amount)} & 4294967295))`,
    fits: `${high(amount)} + (${low(amount)} >> 32) between -2147483648 and 2147483647`,
  }) as const;
const high = (amount: string) => `sum(${amount} >> 32)`;
const low = (amount: string) => `sum(${amount} & 4294967295)`;

export const RULE_OF_KIND = `iif(kind in (1, 3), 'id', 'trace')` satisfies `${string}${Rule}${string}`;
