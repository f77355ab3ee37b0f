import {ownJson} from '../../narrow.ts';
import {counted} from '../../phrases.ts';
import type {AskedPeriod} from '../model/asked.ts';
import type {MatchOptions} from '../model/options.ts';
import {countedDay, isAsked, periodParams} from './period.ts';
import {IS_LIVE, type MatchWork} from './work.ts';

/** Lines read at a time. */
const PAGE = 1000;

/** The states of payments and lines that no rule has found anything for, and those that follow from what was found. */
export function writeRest(work: MatchWork, {isInternal}: Pick<MatchOptions, 'isInternal'>): void {
  writePayments(work);
  contradictFailed(work);
  writeLines(work);
  if (isInternal !== undefined) markInternal(work, isInternal);
}

/** A payment whose window is over is overdue; if the service calls it settled, the bank contradicts that. */
function writePayments({db, scope}: MatchWork): void {
  const dues = "w_dues d where d.day = q.day and d.rail = coalesce(q.rail, '')";
  db.prepare(
    `insert into found_payments (p, state, days_open)
       select q.p, case when d.open = 0 or not ${IS_LIVE} then 'expected'
         when q.status = 'settled' then 'contradicted' else 'overdue' end, iif(${IS_LIVE}, d.open, 0)
       from payments q join ${dues} and q.scope = ? and q.p not in (select p from found_payments)`,
  ).run(scope);
  db.prepare(
    `update found_payments set days_open = (select d.open from payments q join ${dues} and q.p = found_payments.p)
     where state in ('suggested', 'ambiguous', 'tentative') and p in (select p from payments where scope = ?)`,
  ).run(scope);
}

/** The bank has paid what the service calls failed, and nothing has come back. */
function contradictFailed({db, scope}: MatchWork): void {
  db.prepare(
    `update found_payments set state = 'contradicted' where state = 'matched' and p in (
       select q.p from payments q where q.scope = ? and q.status in ('failed', 'canceled'))`,
  ).run(scope);
}

function writeLines({db, scope}: MatchWork): void {
  // Money between two of the owner's accounts.
  db.prepare(
    `update found_lines set state = 'internal' where state = 'matched' and m in (
       select f.m from payments q join found_payments f on f.p = q.p where q.scope = ? and q.kind = 'transfer' and f.m is not null)`,
  ).run(scope);
  db.prepare(
    `update found_lines set state = 'changed' where state = 'unexplained' and l in (
       select l from lines where scope = ? and altered = 1)`,
  ).run(scope);
  db.prepare(
    `insert into found_lines (l, state)
       select x.l, iif((x.gone = 1 and x.pending = 0) or x.altered = 1, 'changed', 'unexplained') from lines x
       where x.scope = ? and x.l not in (select l from found_lines)
         and not exists (select 1 from twins w where w.l = x.l)`,
  ).run(scope);
}

/** The lines of the service that it lists no longer, or not as before: they may have proven a payment or a return. */
export function changedLines({db, scope}: MatchWork, asked: AskedPeriod | undefined): string[] {
  const rows = db
    .prepare<{account: string; count: number; first: string}>(
      `select x.account, count(*) as count, min(x.day) as first from found_lines f join lines x on x.l = f.l
       where x.scope = ?1 and f.state = 'changed' and x.source = 'service'
         and ${countedDay('x')} <= ?4 and (x.gone + x.pending = 0 or ${countedDay('x')} >= ?3) and ${isAsked('x.account')} group by x.account order by x.account`,
    )
    .all(...periodParams(scope, asked));
  return rows.map(
    ({account, count, first}) =>
      `account ${account}: ${counted(count, 'line')} that the service listed before ${count === 1 ? 'is' : 'are'} gone or altered, from ${first} on`,
  );
}

/** The owner's own money, by the text of a line. */
function markInternal({db, scope}: MatchWork, isInternal: NonNullable<MatchOptions['isInternal']>): void {
  const page = db.prepare<{l: number; texts: string}>(
    `select f.l, t.texts from found_lines f join lines x on x.l = f.l join line_texts t on t.l = f.l
     where f.l > ? and x.scope = ? and f.state = 'unexplained' order by f.l limit ${PAGE}`,
  );
  for (let rows = page.all(0, scope); rows.length > 0; rows = page.all(rows.at(-1)?.l ?? 0, scope))
    for (const {l, texts} of rows) {
      const named = ownJson<[string, string][]>(texts).map(([path, text]) => ({path, text})); // as stored lines are
      if (isInternal({texts: named}))
        db.prepare(`update found_lines set state = 'internal' where l = ?`).run(l);
    }
}
