import type {SqliteDatabase} from '../../store/port/port.ts';
import type {LinesRead} from './stored-lines.ts';

/** The lines of one scope. */
interface ScopedBook {
  db: SqliteDatabase;
  scope: number;
}

/**
 * A line of an earlier read of the service, of the same account and days, that this read did not return is gone.
 * @returns how many are gone since the read before
 */
export const markGone = (
  {db, scope}: ScopedBook,
  {account, from, to}: Omit<LinesRead, 'source'>,
  read: number,
): number =>
  db
    .prepare(
      `update lines set gone = 1 where scope = ? and source = 'service' and account = ? and day between ? and ?
         and read <> ? and gone = 0`,
    )
    .run(scope, account, from, to, read);

const readsOf = (line: string, which: 'min' | 'max') =>
  `(select ${which}(m.read) from statement_lines m where m.l = ${line}.l)`;
const STATED = `where lines.scope = ? and lines.source = 'statement' and lines.account = ? and lines.day between ? and ?`;

/** A later statement of its day lacks it. */
const IS_LACKED = `exists (select 1 from reads r where r.scope = lines.scope and r.account = lines.account
  and r.source = 'statement' and lines.day between r.first and r.last and r.read > ${readsOf('lines', 'max')})`;

/** Came with a later statement in the place of a line that is gone, with the same money. */
const IS_REPLACEMENT = `exists (select 1 from lines y where y.scope = lines.scope and y.account = lines.account
  and y.currency = lines.currency and y.amount = lines.amount and y.day = lines.day and y.gone = 1
  and y.source = 'statement' and y.pending = 0 and ${readsOf('y', 'max')} < ${readsOf('lines', 'min')})`;

/**
 * A line of a statement is gone if a later statement of its day lacks it. A line that came with a later statement in
 * its place, with the same money and another text, is gone too: a file can be edited. So neither of the two proves
 * anything, until one of the statements is forgotten.
 * @returns how many are gone now
 */
export function compareStatements(
  {db, scope}: ScopedBook,
  {account, from, to}: Omit<LinesRead, 'source'>,
): number {
  const params = [scope, account, from, to];
  db.prepare(`update lines set gone = 1 - gone ${STATED} and gone <> ${IS_LACKED}`).run(...params);
  db.prepare(`update lines set gone = 1 ${STATED} and gone = 0 and ${IS_REPLACEMENT}`).run(...params);
  return db.prepare<{n: number}>(`select count(*) as n from lines ${STATED} and gone = 1`).one(...params).n;
}
