import type {FeeRule} from '../model/options.ts';
import {IS_ACTIVE, IS_LIVE, type MatchWork, exactSum} from './work.ts';

/** Posted lines that no rule has taken and that name no payment. */
export function writeFreeLines({db, scope}: MatchWork): void {
  db.prepare(
    `insert into w_lines (l, currency, account, amount, day) select l, currency, account, amount, day from lines x
     where scope = ? and pending = 0 and amount <> 0 and ${IS_ACTIVE}
       and l not in (select l from found_lines) and not exists (select 1 from w_hits h where h.l = x.l)`,
  ).run(scope);
}

/** Payments that no rule has taken and that a line is expected for. */
export function writeFreePayments({db, scope}: MatchWork): void {
  db.prepare(
    `insert into w_payments (p, currency, account, amount, rail, day, first, last)
       select q.p, q.currency, q.account, q.amount, coalesce(q.rail, ''), q.day, d.first, d.last
       from payments q join w_dues d on d.day = q.day and d.rail = coalesce(q.rail, '')
       where q.scope = ? and q.p not in (select p from found_payments) and ${IS_LIVE}`,
  ).run(scope);
}

/**
 * Declared groups of at least two payments of which no rule has taken one. Payments that failed may or may not be in
 * the line of their group, so there are two sums. One payment alone has only its amount to show.
 */
export function writeFreeGroups({db, scope}: MatchWork): void {
  const all = exactSum('q.amount');
  const live = exactSum(`iif(${IS_LIVE}, q.amount, 0)`);
  const members = `from payment_groups m cross join payments q on q.p = m.p
    cross join w_dues d on d.day = q.day and d.rail = coalesce(q.rail, '') where m.scope = ? group by m.name`;
  const head =
    'insert into w_groups (name, whole, members, low, high, currency, account, rail, amount, first, last) select m.name';
  const same = `min(q.currency), min(q.account), iif(min(d.rail) = max(d.rail), min(d.rail), null)`;
  const isTaken = '(q.p in (select p from found_payments))';
  db.prepare(
    `${head}, 1, count(*), min(q.p), max(q.p), ${same}, ${all.sum}, max(d.first), min(d.last) ${members}
     having count(*) > 1 and max(${isTaken}) = 0 and ${all.fits}`,
  ).run(scope);
  db.prepare(
    `${head}, 0, sum(${IS_LIVE}), min(iif(${IS_LIVE}, q.p, null)), max(iif(${IS_LIVE}, q.p, null)), ${same}, ${live.sum},
       max(iif(${IS_LIVE}, d.first, '')), min(iif(${IS_LIVE}, d.last, '9')) ${members}
     having sum(${IS_LIVE}) > 1 and sum(${IS_LIVE}) < count(*) and max(${IS_LIVE} and ${isTaken}) = 0 and ${live.fits}`,
  ).run(scope);
  forgetRepeated({db, scope});
  // A group is not offered to a line that a person has rejected one of its members for.
  db.prepare(
    `insert or ignore into w_rejected (l, p)
       select r.l, -g.g from w_rejected r cross join w_groups g cross join ${MEMBERS} where ${IS_MEMBER} and m.p = r.p`,
  ).run(scope);
}

/** SQL for the members `m` of a group `g`. */
export const MEMBERS = `payment_groups m join payments q on q.p = m.p and (g.whole = 1 or ${IS_LIVE})`;
export const IS_MEMBER = 'm.scope = ?1 and m.name = g.name';

/** Of groups with the same members, such as a batch that is one file, one is enough. */
function forgetRepeated({db, scope}: MatchWork): void {
  db.prepare(
    `delete from w_groups as g where exists (
       select 1 from w_groups o where o.currency = g.currency and o.amount = g.amount and o.members = g.members
         and o.low = g.low and o.high = g.high and o.g < g.g and not exists (
           select 1 from ${MEMBERS} where ${IS_MEMBER} and not exists (
             select 1 from payment_groups n where n.scope = ?1 and n.name = o.name and n.p = m.p)))`,
  ).run(scope);
}

/** A percentage of a larger amount would not fit into 64 bits. */
const LARGEST_SHARED = 900_000_000_000_000;
const SHARE = 'iif(f.amount < 0, -f.amount, f.amount) * ?1';

/** SQL for a fee, with `?1` for its amount or percentage, and for the currencies and amounts that have one. */
const FEES = {
  amount: {sql: '?1', where: 'f.currency = ?2'},
  basisPoints: {
    sql: `((${SHARE} + 5000) / 10000)`,
    where: `?2 is null and f.amount between -${LARGEST_SHARED} and ${LARGEST_SHARED} and ${SHARE} >= 5000`,
  },
} as const;

/** Writes `w_offers`: the amounts of free payments and groups, less a fee. */
export function writeOffers({db}: MatchWork, rule?: FeeRule): void {
  for (const [from, name] of [
    ['w_payments', 'p'],
    ['w_groups', 'g'],
  ] as const) {
    const head = `insert into w_offers (${name}, currency, account, amount, first, last)
      select ${name}, currency, account`;
    if (rule === undefined) {
      db.exec(`${head}, amount, first, last from ${from}`);
      continue;
    }
    const {rail = null, fee} = rule;
    const isAmount = 'amount' in fee;
    const {sql, where} = FEES[isAmount ? 'amount' : 'basisPoints'];
    db.prepare(
      `${head}, amount - ${sql}, first, last from ${from} f where ${where} and (?3 is null or f.rail = ?3)
         and f.amount not between 0 and ${sql}
         and not exists (select 1 from w_offers o where o.${name} = f.${name} and o.amount = f.amount - ${sql})`,
    ).run(isAmount ? fee.amount : fee.basisPoints, isAmount ? fee.currency : null, rail);
  }
}
