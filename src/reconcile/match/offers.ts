import {ownJson} from '../../narrow.ts';
import type {Rule} from '../model/finding.ts';
import {IS_MEMBER, MEMBERS} from './free.ts';
import {addCandidates, dropTaken, type MatchWork, takeSets} from './work.ts';

/**
 * An offer is an amount that a line may have, of a payment or of a group. Offers and free lines are compared by
 * currency, amount, account and day.
 */
const fits = (offer: string, line: string) =>
  `${offer}.currency = ${line}.currency and ${offer}.amount = ${line}.amount
   and (${offer}.account is null or ${offer}.account = ${line}.account)
   and ${line}.day between ${offer}.first and ${offer}.last
   and not exists (select 1 from w_rejected r where r.l = ${line}.l and r.p = coalesce(${offer}.p, -${offer}.g))`;
/** The lines of the offer `o`, and the offers of the line `x`. */
const LINES = `from w_lines n where ${fits('o', 'n')}`;
const OFFERS = `from w_offers n where ${fits('n', 'x')}`;

/** Two show that a choice is not unique; a thousand equal amounts must not become a million pairs. */
const ENOUGH = 2;
/** A person is shown no choice between more. */
const MOST_CANDIDATES = 100;

/** Writes `w_choices`: for each offer one or two lines, and for each line one or two offers. */
function writeChoices({db}: MatchWork): void {
  db.exec('delete from w_choices');
  db.exec(
    `insert into w_choices (o, l) select o.o, x.l from w_offers o cross join w_lines x
     on x.l in (select n.l ${LINES} limit ${ENOUGH})`,
  );
  db.exec(
    `insert or ignore into w_choices (o, l) select o.o, x.l from w_lines x cross join w_offers o
     on o.o in (select n.o ${OFFERS} limit ${ENOUGH})`,
  );
}

/** SQL for a choice `c` that is the only one of its offer and of its line. */
const IS_UNIQUE = `not exists (select 1 from w_choices d where d.o = c.o and d.l <> c.l)
  and not exists (select 1 from w_choices d where d.l = c.l and d.o <> c.o)`;
const CHOICES = 'from w_choices c join w_offers o on o.o = c.o';
const OF_GROUP = `join w_groups g on g.g = o.g cross join ${MEMBERS} where ${IS_MEMBER}`;

/**
 * 4: a line with the sum of a declared group, if no payment could be its own line. Any line may have that sum: only one
 * that states how many payments it has is matched, and a person decides about others.
 */
export function matchGroups(work: MatchWork): void {
  const {db, scope} = work;
  writeChoices(work);
  const members = `${CHOICES} ${OF_GROUP} and ${IS_UNIQUE}`;
  const isOnItsOwn = `exists (select 1 from w_offers e join w_choices d on d.o = e.o where e.p = m.p)`;
  db.prepare(`insert into w_sets (m, l, p, rule) select c.l, c.l, m.p, 'group' ${members}`).run(scope);
  db.prepare(`delete from w_sets where m in (select c.l ${members} and ${isOnItsOwn})`).run(scope);
  dropShared(work);
  const lines = db.prepare<{m: number; members: number}>(
    'select m, count(*) as members from w_sets group by m',
  );
  const others = lines.all().filter((line) => !statesMembers(work, line));
  takeSets(work, {state: 'matched', line: 'matched'});
  for (const {m} of others)
    for (const [table, key] of Object.entries({matches: 'm', found_lines: 'l', found_payments: 'm'}))
      db.prepare(`update ${table} set state = 'suggested' where ${key} = ?`).run(m);
  dropGroups(work);
}

const COUNT_FIELD = /(?:NbOfTxs|(?:^|[._])count)$/i;
const COUNT_TEXT =
  /(?<![\p{L}\p{N}.,-])(\d{1,7}) (?:entries|items|payments|transactions|credits|debits)(?![\p{L}\p{N}])/giu;

/** Whether the texts of a line state how many payments it has: `NbOfTxs`, or `ACH SETTLEMENT 3 ENTRIES`. */
function statesMembers({db}: MatchWork, {m, members}: {m: number; members: number}): boolean {
  const rows = db
    .prepare<{texts: string}>(
      `select texts from line_texts where l = ?1 or l in (select l from twins where twin = ?1 and sure = 1)`,
    )
    .all(m);
  return rows
    .flatMap(({texts}) => ownJson<[string, string][]>(texts)) // as stored lines are
    .some(
      ([path, text]) =>
        (COUNT_FIELD.test(path) && text === String(members)) ||
        [...text.matchAll(COUNT_TEXT)].some(([, count]) => Number(count) === members),
    );
}

/** A payment cannot be in two lines. */
function dropShared({db}: MatchWork): void {
  db.exec(
    `delete from w_sets where m in (
       select m from w_sets where p in (select p from w_sets group by p having count(*) > 1))`,
  );
}

function dropGroups(work: MatchWork): void {
  const {db, scope} = work;
  dropTaken(work);
  db.prepare(
    `delete from w_groups as g where exists (
       select 1 from ${MEMBERS} where ${IS_MEMBER} and m.p in (select p from found_payments))`,
  ).run(scope);
  db.exec('delete from w_offers where g is not null and g not in (select g from w_groups)');
}

/** 5 and 7: a line and a payment, or a group less a fee, that are each other's only choice. A person decides. */
export function suggestOffers(work: MatchWork, rule: Rule): void {
  const {db, scope} = work;
  writeChoices(work);
  db.prepare(
    `insert into w_sets (m, l, p, rule) select c.l, c.l, o.p, ? ${CHOICES} where o.p is not null and ${IS_UNIQUE}`,
  ).run(rule);
  if (rule === 'less_fee')
    db.prepare(
      `insert into w_sets (m, l, p, rule) select c.l, c.l, m.p, ?2 ${CHOICES} ${OF_GROUP} and ${IS_UNIQUE}`,
    ).run(scope, rule);
  dropShared(work);
  takeSets(work, {state: 'suggested', line: 'suggested'});
  dropTaken(work);
  nameAmbiguous(work);
}

/** Lines and offers that have choices, and not a unique one. */
function nameAmbiguous(work: MatchWork): void {
  const {db, scope} = work;
  addChoicesToShow(work);
  const state = `insert or ignore into found_payments (p, state, days_open)`;
  db.exec(`${state} select o.p, 'ambiguous', 0 ${CHOICES} where o.p is not null`);
  db.prepare(`${state} select m.p, 'ambiguous', 0 ${CHOICES} ${OF_GROUP}`).run(scope);
  db.exec(`insert or ignore into found_lines (l, state) select l, 'ambiguous' from w_choices`);
  dropGroups(work);
}

/** All choices of an offer or a line that has few of them: which ones of many would depend on their order. */
function addChoicesToShow(work: MatchWork): void {
  const isFew = (rows: string) =>
    `(select count(*) from (select 1 ${rows} limit ${MOST_CANDIDATES + 1})) between 1 and ${MOST_CANDIDATES}`;
  const offers = `with few as materialized (select o.o from w_offers o where ${isFew(LINES)})`;
  const lines = `with few as materialized (select x.l from w_lines x where ${isFew(OFFERS)})`;
  const ofOffers = `from few cross join w_offers o using (o) cross join w_lines x on ${fits('o', 'x')}`;
  const ofLines = `from few cross join w_lines x using (l) cross join w_offers o on ${fits('o', 'x')}`;
  for (const [few, rows] of [
    [offers, ofOffers],
    [lines, ofLines],
  ] as const) {
    addCandidates(work, `${few} select x.l, o.p ${rows} where o.p is not null`);
    addCandidates(
      work,
      `${few} select x.l, m.p ${rows} ${OF_GROUP} and g.members <= ${MOST_CANDIDATES}`,
      work.scope,
    );
  }
}
