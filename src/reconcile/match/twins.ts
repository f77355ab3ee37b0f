import {counted} from '../../phrases.ts';
import type {AskedPeriod} from '../model/asked.ts';
import {inMajor} from './balances.ts';
import {isAsked, periodParams} from './period.ts';
import type {MatchWork} from './work.ts';

/** A statement in another time zone may have another day. */
const DAYS_APART = 3;

/**
 * The service's lines and a statement are two witnesses of the same money: each line of one is paired with its line of
 * the other, and from then on the two are one line with the texts of both. A file can be edited, so the text of a
 * statement proves nothing if the pair has only its amount and day in common.
 * @returns what one of them has and the other has not, although both were read for that day
 */
export function pairSources(work: MatchWork, asked: AskedPeriod | undefined): string[] {
  writeLinesOfBoth(work);
  for (const pairs of SURE_PAIRS) takeTwins(work, pairs, 1);
  for (const pairs of OTHER_PAIRS) takeTwins(work, pairs, 0);
  takeStatementOnly(work);
  return unpaired(work, asked);
}

function writeLinesOfBoth({db, scope}: MatchWork): void {
  db.prepare(
    `insert into w_twins (l, key, id, stated, account, currency, amount, day, named)
       select x.l, x.key, x.id, x.source = 'statement', x.account, x.currency, x.amount, x.day, exists (
         select 1 from line_tokens t join payment_tokens k on k.scope = ?1 and k.token = t.token where t.l = x.l)
       from lines x where x.scope = ?1 and x.gone = 0 and x.pending = 0 and x.account in (
         select account from reads where scope = ?1 group by account having count(distinct source) = 2)`,
  ).run(scope);
}

const BOTH = `min(iif(stated = 0, l, null)) as a, min(iif(stated = 1, l, null)) as b`;
const ONE_OF_EACH = `having count(*) = 2 and sum(stated) = 1`;
const MONEY = 'account, currency, amount';

/** Two texts may have a word, a day or the amount in common without being about the same payment. */
const BARE = ['-', '.', ',', '/', ':'].reduce((sql, sign) => `replace(${sql}, '${sign}', '')`, 'token');
const IS_REFERENCE = `instr(token, ' ') = 0 and length(${BARE}) >= 8 and ${BARE} glob '*[0-9]*'
  and ltrim(${BARE}, '0') <> cast(abs(amount) as text)
  and not ${BARE} glob '[12][09][0-9][0-9][01][0-9][0-3][0-9]'
  and not ${BARE} glob '[0-3][0-9][0-3][0-9][12][09][0-9][0-9]'`;
const byToken = (which: string) =>
  `select distinct ${BOTH} from w_twins join line_tokens using (l) where ${which}
   group by ${MONEY}, day, token ${ONE_OF_EACH}`;

/** Queries for a line `a` of the service and a line `b` of a statement that share an id or a reference. */
const SURE_PAIRS = [
  `select ${BOTH} from w_twins where id is not null group by ${MONEY}, id ${ONE_OF_EACH}`,
  byToken(IS_REFERENCE),
];
/** The same for lines that have little more in common than their amount and day, the surest first. */
const OTHER_PAIRS = [
  byToken('true'),
  `select ${BOTH} from w_twins group by ${MONEY}, day ${ONE_OF_EACH}`,
  // Equal lines, as many in both. Only one side names payments, so it does not matter which line has which twin.
  `select ${BOTH} from (
     select *, row_number() over (partition by ${MONEY}, day, stated order by key) as n from w_twins)
   where (${MONEY}, day) in (
     select ${MONEY}, day from w_twins group by ${MONEY}, day
     having 2 * sum(stated) = count(*) and (max(named * stated) = 0 or max(named * (1 - stated)) = 0))
   group by ${MONEY}, day, n`,
  `select a.l as a, b.l as b from w_twins a join w_twins b using (${MONEY})
   where a.stated = 0 and b.stated = 1 and abs(julianday(a.day) - julianday(b.day)) <= ${DAYS_APART}`,
];

/** Pairs what the query finds, unless a line is in two of its pairs. The line of the service counts. */
function takeTwins({db}: MatchWork, pairs: string, sure: 0 | 1): void {
  db.exec(`insert or ignore into w_twin_pairs (a, b) ${pairs}`);
  db.exec(
    `insert into twins (l, twin, sure) select b, a, ${sure} from w_twin_pairs p
     where not exists (select 1 from w_twin_pairs o where o.a = p.a and o.b <> p.b)
       and not exists (select 1 from w_twin_pairs o where o.b = p.b and o.a <> p.a)`,
  );
  db.exec('delete from w_twins where l in (select l from twins) or l in (select twin from twins)');
  db.exec('delete from w_twin_pairs');
}

/** SQL for a line `w` without a twin, on a day that the other source was read for. */
const IS_LONE = `exists (
  select 1 from reads r where r.scope = ?1 and r.account = w.account and w.day between r.first and r.last
    and r.source = iif(w.stated = 1, 'service', 'statement'))`;

/**
 * A file can be edited, so a line that only the statement has proves nothing, on no day: no rule compares it with
 * payments.
 */
function takeStatementOnly({db}: MatchWork): void {
  db.exec(`insert into found_lines (l, state) select l, 'statement_only' from w_twins where stated = 1`);
}

function unpaired({db, scope}: MatchWork, asked: AskedPeriod | undefined): string[] {
  const rows = db
    .prepare<{
      account: string;
      stated: number;
      count: number;
      first: string;
      currency: string;
      amount: string;
    }>(
      `select w.account, w.stated, count(*) as count, min(w.day) as first, w.currency, cast(w.amount as text) as amount
       from w_twins w where ${IS_LONE} and w.day between ?3 and ?4 and ${isAsked('w.account')}
       group by w.account, w.stated order by w.account, w.stated`,
    )
    .all(...periodParams(scope, asked));
  return rows.map(({account, stated, count, first, currency, amount}) => {
    const [has, lacks] = stated === 1 ? ['statement', 'service'] : ['service', 'statement'];
    const which = count === 1 ? `: ${inMajor(BigInt(amount), currency)} on ${first}` : `, from ${first} on`;
    return `account ${account}: the ${lacks} does not have ${counted(count, 'line')} of the ${has}${which}`;
  });
}
