import {addCandidates, type MatchWork, RULE_OF_KIND, takePairs, takeSets} from './work.ts';

/** Posted lines with a token of a payment in the same direction, with and without its amount. */
const EQUAL = 'same = 1 and equal = 1 and pending = 0';
/** Hits of other kinds are those of `IS_UNSURE`. */
const PROVES = 'kind < 3';
const UNEQUAL = 'same = 1 and equal = 0 and pending = 0';
const IS_FREE = 'p not in (select p from found_payments)';
const IS_CLEAR = 'l not in (select l from w_crowded)';
const IS_CROWDED = 'l in (select l from w_crowded)';

/** Rules 1, 2, 2a and 2b: lines that have the id or a trace of a payment. */
export function matchProofs(work: MatchWork): void {
  findShared(work);
  findHits(work);
  findCrowded(work);
  takeEqual(work);
  takeDuplicates(work);
  suggestStated(work);
  takeCrowded(work);
  takeUnequal(work);
}

/** A token of two payments proves nothing. The two sides of a transfer count as one payment. */
function findShared({db, scope}: MatchWork): void {
  db.prepare(
    `insert into w_shared (token)
       select token from (select token, min(p) as low, max(p) as high from payment_tokens where scope = ?1 group by token) s
       where low <> high and exists (
         select 1 from payment_tokens o join payments q on q.p = o.p
         where o.scope = ?1 and o.token = s.token and q.owner <> (select owner from payments where p = s.low))`,
  ).run(scope);
}

/**
 * A token at the end of a text may be what a bank has left of a longer one: it is none if another payment has a token
 * that begins with it.
 */
const MAY_BE_CUT = `t.ends = 1 and exists (
  select 1 from payment_tokens o join payments r on r.p = o.p
  where o.scope = ?1 and o.token > t.token and o.token < t.token || char(1114111) and r.owner <> q.owner)`;

/** A line that two sources have is the first one's, with the texts of both. */
const LINE = 'coalesce((select twin from twins w where w.l = x.l), x.l)';

/** A line `x` of a statement that has little in common with the line of the service that it is paired with. */
const IS_UNSURE = `exists (select 1 from twins w where w.l = x.l and w.sure = 0)`;

/**
 * A reference may have been used for an earlier payment, too early to be in the book. A day is left for time zones. An id
 * is never used again.
 */
const MAY_BE_OLDER = `k.kind = 2 and x.day < date(q.day, '-1 day')`;

/** Whether the amounts can be compared. */
const IS_COMPARABLE = 'x.currency = q.currency and x.amount <> 0';

function findHits({db, scope}: MatchWork, where = IS_COMPARABLE): void {
  db.prepare(
    `insert into w_hits (l, p, kind, same, equal, pending)
       select ${LINE}, q.p, k.kind + 2 * ${IS_UNSURE}, (x.amount < 0) = (q.amount < 0),
         x.currency = q.currency and x.amount = iif((x.amount < 0) = (q.amount < 0), q.amount, -q.amount), x.pending
       from line_tokens t cross join payment_tokens k on k.scope = ?1 and k.token = t.token
       cross join lines x on x.l = t.l cross join payments q on q.p = k.p
       where x.scope = ?1 and x.gone = 0 and not (x.pending = 1 and (x.source = 'statement' or x.altered = 1)) and ${where}
         and (q.account is null or q.account = x.account)
         and ${LINE} not in (select l from found_lines)
         and not exists (select 1 from w_rejected r where r.l = ${LINE} and r.p = q.p)
         and t.token not in (select token from w_shared) and not (${MAY_BE_CUT}) and not (${MAY_BE_OLDER})
       on conflict (l, p) do update set kind = min(kind, excluded.kind)`,
  ).run(scope);
}

/**
 * Lines with tokens of several payments. A transfer between two accounts has one id for both sides, and a line is about
 * the side with its direction.
 */
function findCrowded({db}: MatchWork): void {
  db.exec(
    `delete from w_hits where same = 0 and exists (
       select 1 from w_hits o join payments q on q.p = o.p
       where o.l = w_hits.l and o.same = 1 and q.owner = (select owner from payments r where r.p = w_hits.p))`,
  );
  db.exec(`insert into w_crowded (l) select l from w_hits group by l having count(*) > 1`);
}

/** 1 and 2: the only line with its token and amount, and it has no token of another payment. */
function takeEqual(work: MatchWork): void {
  work.db.exec(
    `insert into w_pairs (l, p, rule) select l, p, ${RULE_OF_KIND} from (
       select p, l, kind from w_hits where ${EQUAL} and ${PROVES} and ${IS_FREE} group by p having count(*) = 1)
     where ${IS_CLEAR}`,
  );
  takePairs(work, {state: 'matched'});
}

/** 2b: several lines with its token and amount: a single one is taken by now. */
function takeDuplicates(work: MatchWork): void {
  work.db.exec(
    `insert into w_sets (m, l, p, rule) select s.m, h.l, s.p, ${RULE_OF_KIND} from (
       select p, min(l) as m from w_hits where ${EQUAL} and ${PROVES} and ${IS_FREE} group by p
       having sum(${IS_CROWDED}) = 0) s
     join w_hits h on h.p = s.p and ${EQUAL} and ${PROVES}`,
  );
  takeSets(work, {state: 'duplicate', line: 'duplicate'});
}

/** The only line with its amount, whose token only the statement has: a person decides. */
function suggestStated(work: MatchWork): void {
  work.db.exec(
    `insert into w_pairs (l, p, rule) select l, p, ${RULE_OF_KIND} from (
       select p, l, kind from w_hits where ${EQUAL} and ${IS_FREE} group by p having count(*) = 1)
     where ${IS_CLEAR}`,
  );
  takePairs(work, {state: 'suggested'});
}

/**
 * Lines with tokens of several payments, and the payments that have such a line with their amount, with all their lines:
 * those without one are taken by now.
 */
function takeCrowded(work: MatchWork): void {
  const {db} = work;
  const open = `${EQUAL} and ${IS_FREE}`;
  const lines = `from w_hits where pending = 0 and (${IS_CROWDED} or (${open}))`;
  addCandidates(work, `select l, p ${lines}`);
  db.exec(`insert or ignore into found_lines (l, state) select l, 'ambiguous' ${lines}`);
  db.exec(
    `insert or ignore into found_payments (p, state, days_open) select p, 'ambiguous', 0 from w_hits where ${open}`,
  );
}

/** 2a: only lines with its token and another amount. */
function takeUnequal(work: MatchWork): void {
  work.db.exec(
    `insert into w_sets (m, l, p, rule) select s.m, h.l, s.p, ${RULE_OF_KIND} from (
       select p, min(l) as m from w_hits where ${UNEQUAL} and ${IS_CLEAR} and ${IS_FREE} group by p) s
     join w_hits h on h.p = s.p and ${UNEQUAL} and h.${IS_CLEAR}`,
  );
  takeSets(work, {state: 'amount_differs', line: 'amount_differs'});
  // Only in lines with tokens of several payments, with another amount.
  work.db.exec(
    `insert or ignore into found_payments (p, state, days_open) select p, 'ambiguous', 0 from w_hits
     where ${UNEQUAL} and ${IS_FREE}`,
  );
}

const BACK = `w_hits h cross join found_payments f on f.p = h.p cross join lines d on d.l = f.m cross join lines x on x.l = h.l
  where h.same = 0 and h.equal = 1 and h.pending = 0 and h.${PROVES} and f.state = 'matched' and x.day >= d.day and h.${IS_CLEAR}
    and h.l not in (select l from found_lines)`;

/** 3: money that came back later, for a payment that is matched. In several lines: a person finds out which it is. */
export function matchReturns(work: MatchWork): void {
  const {db, scope} = work;
  db.exec(`insert into w_backs (p, l, lines) select f.p, h.l, count(*) from ${BACK} group by f.p`);
  const twice = 'f.p in (select p from w_backs where lines > 1)';
  addCandidates(work, `select h.l, f.p from ${BACK} and ${twice}`);
  db.exec(`insert into found_lines (l, state) select h.l, 'duplicate' from ${BACK} and ${twice}`);
  db.exec(`insert into found_lines (l, state, m) select l, 'returned', l from w_backs where lines = 1`);
  db.prepare(
    `insert into matches (m, scope, rule, state) select l, ?, 'return', 'returned' from w_backs where lines = 1`,
  ).run(scope);
  db.exec(
    `update found_payments set state = iif(b.lines = 1, 'returned', 'duplicate'), returned = iif(b.lines = 1, b.l, null)
     from w_backs b where b.p = found_payments.p`,
  );
  db.exec('delete from w_backs');
}

/** Lines with a token of a payment that are neither it nor its return: nothing else is looked for. */
export function nameOtherHits(work: MatchWork): void {
  const other = `from w_hits where l not in (select l from found_lines)`;
  addCandidates(work, `select l, p ${other}`);
  work.db.exec(
    `insert into found_lines (l, state) select distinct l, case
       when ${IS_CROWDED} then 'ambiguous'
       when pending = 1 and same = 1 and equal = 1 then 'matched'
       when equal = 0 then 'amount_differs'
       when same = 1 then 'duplicate'
       else 'unexplained' end ${other}`,
  );
}

/** Lines that no rule has explained, with a token of a payment, and no amount or one in another currency. */
export function nameOtherMoney(work: MatchWork): void {
  findHits(
    work,
    `t.l not in (select l from found_lines) and not (${IS_COMPARABLE}) and x.altered = 0 and q.kind <> 'transfer'`,
  );
  nameOtherHits(work);
}

/** Payments that only pending lines are known of. */
export function matchPending(work: MatchWork): void {
  const {db} = work;
  const pending = `same = 1 and equal = 1 and pending = 1 and ${IS_CLEAR} and ${IS_FREE}`;
  db.exec(
    `insert into w_sets (m, l, p, rule) select s.m, h.l, h.p, ${RULE_OF_KIND} from (
       select p, min(l) as m from w_hits where ${pending} group by p) s
     join w_hits h on h.p = s.p and h.same = 1 and h.equal = 1 and h.pending = 1 and h.${IS_CLEAR}`,
  );
  db.exec('delete from found_lines where l in (select l from w_sets)');
  takeSets(work, {state: 'tentative', line: 'matched'});
}
