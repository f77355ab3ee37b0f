import {must} from '../../narrow.ts';
import {addCandidates, dropTaken, type MatchWork, takeSets} from './work.ts';

/** 4096 sets are compared with the lines; one more payment doubles them. */
const MOST_PAYMENTS = 12;

interface Pool {
  currency: string;
  rail: string;
  day: string;
  account: string | null;
  negative: number;
  first: string;
  last: string;
}
interface PoolPayment {
  p: number;
  amount: number | bigint;
}

/**
 * 6: a line whose amount is that of exactly one set of the open payments of one rail and day, which are in no other
 * such set. A person decides.
 */
export function suggestSubsets(work: MatchWork): void {
  const {db} = work;
  let solutions = 0;
  if (db.prepare('select 1 from w_lines limit 1').get() === undefined) return;
  for (const pool of poolsOf(work)) {
    const payments = paymentsOf(work, pool);
    const sets = setsBySum(payments.map(({amount}) => BigInt(amount)));
    for (const {l, amount} of linesOf(work, pool, [...sets.keys()])) {
      solutions += 1;
      const {mask, many} = must(sets.get(BigInt(amount)), 'sets of a sum');
      for (const [index, {p}] of payments.entries())
        if ((mask & (1 << index)) !== 0)
          db.prepare('insert into w_solutions (l, s, p, many) values (?, ?, ?, ?)').run(
            ...[l, solutions, p, many ? 1 : 0],
          );
    }
  }
  takeSolutions(work);
}

const poolsOf = ({db}: MatchWork): Pool[] =>
  db
    .prepare<Pool>(
      `select currency, rail, day, account, amount < 0 as negative, first, last
       from w_payments group by currency, rail, day, account, amount < 0 having count(*) between 2 and ${MOST_PAYMENTS}`,
    )
    .all();

const paymentsOf = ({db}: MatchWork, {currency, rail, day, account, negative}: Pool): PoolPayment[] =>
  db
    .prepare<PoolPayment>(
      `select p, amount from w_payments where currency = ? and rail = ? and day = ? and account is ? and (amount < 0) = ?`,
    )
    .all(currency, rail, day, account, negative);

/** The sums of sets of at least two of the amounts. If several have one sum, `mask` has the members of all of them. */
function setsBySum(amounts: readonly bigint[]): Map<bigint, {mask: number; many: boolean}> {
  const sums: bigint[] = [0n];
  const sets = new Map<bigint, {mask: number; many: boolean}>();
  for (let mask = 1; mask < 1 << amounts.length; mask += 1) {
    const lowest = 31 - Math.clz32(mask & -mask);
    const sum = (sums[mask & (mask - 1)] ?? 0n) + (amounts[lowest] ?? 0n);
    sums.push(sum);
    if ((mask & (mask - 1)) === 0) continue;
    const other = sets.get(sum);
    sets.set(sum, {mask: mask | (other?.mask ?? 0), many: other !== undefined});
  }
  return sets;
}

/** Without lines for which a person has rejected a payment of the pool. */
function linesOf(
  {db}: MatchWork,
  pool: Pool,
  sums: readonly bigint[],
): {l: number; amount: number | bigint}[] {
  const {currency, rail, day, account, first, last} = pool;
  return db
    .prepare<{l: number; amount: number | bigint}>(
      `select x.l, x.amount from json_each(?1) s cross join w_lines x on x.currency = ?2 and x.amount = s.value
         and x.day between ?3 and ?4 and (?5 is null or x.account = ?5)
         and not exists (
           select 1 from w_rejected r join w_payments q on q.p = r.p where r.l = x.l and q.rail = ?6 and q.day = ?7)`,
    )
    .all(`[${sums.filter(is64Bit).join(',')}]`, currency, first, last, account, rail, day);
}

const is64Bit = (sum: bigint) => BigInt.asIntN(64, sum) === sum;

function takeSolutions(work: MatchWork): void {
  const {db} = work;
  db.exec(
    `insert into w_sets (m, l, p, rule) select l, l, p, 'subset' from w_solutions where l in (
       select l from w_solutions s group by l having min(s) = max(s) and max(many) = 0 and max(exists (
         select 1 from w_solutions o where o.p = s.p and o.l <> s.l)) = 0)`,
  );
  takeSets(work, {state: 'suggested', line: 'suggested'});
  addCandidates(work, 'select l, p from w_solutions where l not in (select l from found_lines)');
  db.exec(
    `insert or ignore into found_payments (p, state, days_open) select p, 'ambiguous', 0 from w_solutions
     where l not in (select l from found_lines)`,
  );
  db.exec(`insert or ignore into found_lines (l, state) select l, 'ambiguous' from w_solutions`);
  dropTaken(work);
}
