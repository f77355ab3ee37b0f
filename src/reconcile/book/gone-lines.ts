import {BookPart} from './book-part.ts';

/** The account and days of a read, both included. */
export interface DaysRead {
  account: string;
  from: string;
  to: string;
}

const readsOf = (line: string, which: 'min' | 'max') =>
  `(select ${which}(m.read) from statement_lines m where m.l = ${line}.l)`;
const STATED = `where lines.scope = ? and lines.source = 'statement' and lines.account = ? and lines.day between ? and ?`;

/**
 * A statement of its day lacks it. The last day of a statement may not have been over when the bank wrote it, so a line of
 * that day may be new in one that goes on for longer.
 */
const IS_LACKED = `(exists (select 1 from reads r where r.scope = lines.scope and r.account = lines.account
    and r.source = 'statement' and lines.day between r.first and r.last and r.read > ${readsOf('lines', 'max')})
  or exists (select 1 from statements s where s.scope = lines.scope and s.account = lines.account
    and s.forgotten_at is null and s.format <> 'unknown' and lines.day between s.first and s.last
    and not exists (select 1 from statement_lines m where m.read = s.read and m.l = lines.l)
    and (lines.day < s.last or s.last >= (select max(o.last) from statement_lines m
      join statements o on o.read = m.read where m.l = lines.l))))`;

/** Came with a later statement in the place of a line that is gone, with the same money. */
const IS_REPLACEMENT = `exists (select 1 from lines y where y.scope = lines.scope and y.account = lines.account
  and y.currency = lines.currency and y.amount = lines.amount and y.day = lines.day and y.gone = 1
  and y.source = 'statement' and y.pending = 0 and ${readsOf('y', 'max')} < ${readsOf('lines', 'min')})`;

/** Which lines are gone. */
export class GoneLines extends BookPart {
  /**
   * A line of an earlier read of the service, of the same account and days, that this read did not return is gone.
   * @returns how many are gone since the read before
   */
  mark({account, from, to}: DaysRead, read: number): number {
    return this.db
      .prepare(
        `update lines set gone = 1 where scope = ? and source = 'service' and account = ? and day between ? and ?
           and read <> ? and gone = 0`,
      )
      .run(this.scope, account, from, to, read);
  }

  /**
   * A line of a statement is gone if another statement of its day lacks it. A line that came with a later statement in
   * its place, with the same money and another text, is gone too: a file can be edited. So neither of the two proves
   * anything, until one of the statements is forgotten.
   * @returns how many are gone now
   */
  compare({account, from, to}: DaysRead): number {
    const params = [this.scope, account, from, to];
    this.db.prepare(`update lines set gone = 1 - gone ${STATED} and gone <> ${IS_LACKED}`).run(...params);
    this.db.prepare(`update lines set gone = 1 ${STATED} and gone = 0 and ${IS_REPLACEMENT}`).run(...params);
    return this.db
      .prepare<{n: number}>(`select count(*) as n from lines ${STATED} and gone = 1`)
      .one(...params).n;
  }
}
