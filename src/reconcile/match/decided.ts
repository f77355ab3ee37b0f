import {ownJson} from '../../narrow.ts';
import type {Decision} from '../model/finding.ts';
import {addCandidates, type MatchWork, takeSets} from './work.ts';

interface DecidedLine {
  ignored: boolean;
  confirmed: readonly string[];
  rejected: ReadonlySet<string>;
}
const UNDECIDED: DecidedLine = {ignored: false, confirmed: [], rejected: new Set()};

/** The state of a line after one more decision: the newest one is valid, and rejections stay until they are confirmed. */
function decideNext(before: DecidedLine, {verb, payments}: Pick<Decision, 'verb' | 'payments'>): DecidedLine {
  const {rejected} = before;
  if (verb === 'ignore') return {ignored: true, confirmed: [], rejected};
  if (verb === 'confirm')
    return {
      ignored: false,
      confirmed: payments,
      rejected: new Set([...rejected].filter((key) => !payments.includes(key))),
    };
  return {ignored: false, confirmed: [], rejected: new Set([...rejected, ...payments])};
}

/**
 * What people decided comes first. A decision about a line that the bank has since changed, removed or listed again is
 * void, and a line that only the statement has cannot be confirmed.
 */
export function applyDecisions(work: MatchWork): void {
  for (const [l, line] of readDecided(work)) {
    for (const key of line.rejected) reject(work, l, key);
    if (line.ignored) ignore(work, l);
    else if (line.confirmed.length > 0) confirm(work, l, line.confirmed);
  }
  takeConfirmed(work);
}

/** The same as `aboutLine`. */
const ABOUT = 'cast(x.amount as text), x.currency, x.account, x.day';

/** By line, in the order of their keys: decisions that contradict each other then end alike on every machine. */
function readDecided({db, scope}: MatchWork): Map<number, DecidedLine> {
  const rows = db
    .prepare<{l: number; verb: Decision['verb']; payments: string}>(
      `select coalesce(w.twin, x.l) as l, d.verb, d.payments
       from decisions d join lines x on x.scope = d.scope and x.key = d.line left join twins w on w.l = x.l
       where d.scope = ? and d.about = case
         when x.gone = 1 then json_array(${ABOUT}, 'gone')
         when x.pending = 1 and x.altered = 1 then json_array(${ABOUT}, 'pending')
         else json_array(${ABOUT}) end
       order by d.line, d.seq`,
    )
    .all(scope);
  const decided = new Map<number, DecidedLine>();
  for (const {l, verb, payments} of rows)
    decided.set(l, decideNext(decided.get(l) ?? UNDECIDED, {verb, payments: ownJson<string[]>(payments)}));
  return decided;
}

function reject({db, scope}: MatchWork, l: number, key: string): void {
  db.prepare(
    `insert or ignore into w_rejected (l, p) select ?, p from payments where scope = ? and key = ?`,
  ).run(l, scope, key);
}

/** Only the totals count it, also if the service has no such line. */
function ignore({db}: MatchWork, l: number): void {
  db.prepare(`insert or replace into found_lines (l, state) values (?, 'ignored')`).run(l);
}

/** A line in the other direction than its payment is its return; a line of 0 has no direction. */
function confirm({db, scope}: MatchWork, l: number, keys: readonly string[]): void {
  for (const key of keys)
    db.prepare(
      `insert or ignore into w_sets (m, l, p, rule)
         select x.l, x.l, q.p, iif(min(x.amount, q.amount) < 0 and max(x.amount, q.amount) > 0, 'return', 'confirmed')
         from lines x cross join payments q where x.l = ? and q.scope = ? and q.key = ?
           and x.l not in (select l from found_lines)`,
    ).run(l, scope, key);
}

/** Makes matches of what is confirmed. A payment that is confirmed for two lines belongs to neither. */
function takeConfirmed(work: MatchWork): void {
  const {db} = work;
  const twice = `from w_sets s where exists (select 1 from w_sets o where o.p = s.p and o.rule = s.rule and o.l <> s.l)`;
  addCandidates(work, `select l, p ${twice}`);
  db.exec(`insert or ignore into found_lines (l, state) select l, 'duplicate' ${twice}`);
  db.exec(`insert or ignore into found_payments (p, state, days_open) select p, 'duplicate', 0 ${twice}`);
  db.exec('delete from w_sets where l in (select l from found_lines)');
  db.exec(`insert or ignore into w_returned (p, l) select p, l from w_sets where rule = 'return'`);
  db.exec(`delete from w_sets where rule = 'return'`);
  takeSets(work, {state: 'matched', line: 'matched'});
  takeReturned(work);
}

function takeReturned({db, scope}: MatchWork): void {
  db.exec(`insert or ignore into found_lines (l, state, m) select l, 'returned', l from w_returned`);
  db.prepare(
    `insert into matches (m, scope, rule, state) select distinct l, ?, 'confirmed', 'returned' from w_returned`,
  ).run(scope);
}

/** After the rules: the payments of lines that a person called their returns. */
export function returnConfirmed({db}: MatchWork): void {
  db.exec(
    `insert into found_payments (p, state, returned, days_open) select p, 'returned', l, 0 from w_returned where true
     on conflict (p) do update set state = excluded.state, returned = excluded.returned`,
  );
}
