import {createHmac} from 'node:crypto';
import {RemitError} from '../../errors.ts';
import {must} from '../../narrow.ts';
import {counted} from '../../phrases.ts';
import type {StatedBalances} from '../model/line.ts';
import {BookPart} from './book-part.ts';
import type {DaysRead} from './gone-lines.ts';
import {bookKey} from './stored-scope.ts';

/** A statement that was read, as it is listed. */
export interface ReadStatement {
  /** It stays the same, and is smaller than that of every later one. */
  id: string;
  account: string;
  /** The name of its file. */
  name: string;
  format: string;
  /** `YYYY-MM-DD`, both included. */
  from: string;
  to: string;
  lines: number;
  /** The last four characters of the account number that it states. */
  ending: string | undefined;
  by: string;
  /** ISO 8601, UTC. */
  at: string;
  forgotten: {by: string; at: string; note: string} | undefined;
}

/** What the book keeps about a statement beside its lines and balances. */
export interface StatementOrigin {
  name: string;
  format: string;
  /** The account number that it states; only its end and a keyed hash are stored. */
  number: string | undefined;
  by: string;
  at: string;
}

/** A decision about a line that no other statement has. */
interface LostDecision {
  line: string;
  verb: string;
  note: string;
}

type StatementRow = {
  read: number;
  account: string;
  name: string;
  format: string;
  first: string;
  last: string;
  lines: number;
  ending: string | null;
  author: string;
  at: string;
} & ({forgotten_at: null} | {forgotten_at: string; forgotten_by: string; forgotten_note: string});

/** The statements of one scope. None is ever removed; one that is forgotten is only listed. */
export class StoredStatements extends BookPart {
  /** Adds a statement whose lines were added as `read`. If it is the one that was read last, only that one is kept. */
  add(
    read: number,
    {account, from, to, fingerprint}: {account: string; from: string; to: string; fingerprint: string},
    {name, format, number, by, at}: StatementOrigin,
  ): void {
    const before = this.db
      .prepare<{read: number; fingerprint: string; number_hash: string | null}>(
        `select s.read, s.fingerprint, s.number_hash from statements s join reads r on r.read = s.read
         where s.scope = ? and s.account = ? order by s.read desc limit 1`,
      )
      .get(this.scope, account);
    const numberHash = number === undefined ? null : this.#hashOf(number);
    if (before?.fingerprint === fingerprint && before.number_hash === numberHash) {
      this.#dropRead(read);
      this.db
        .prepare('update statements set name = ?, author = ?, at = ? where read = ?')
        .run(name, by, at, before.read);
      return;
    }
    this.db
      .prepare(
        `insert into statements (read, scope, account, first, last, name, format, fingerprint, ending, number_hash, author, at)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        ...[read, this.scope, account, from, to, name, format, fingerprint],
        ...[number?.slice(-4) ?? null, numberHash, by, at],
      );
  }

  /** Balances of a later statement of the same account, currency and days replace these. */
  addBalances({account, currency, from, to, opening, closing}: StatedBalances, read: number): void {
    this.db
      .prepare(
        `insert or replace into stated_balances (scope, account, currency, first, last, read, opening, closing)
         values (?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(this.scope, account, currency, from, to, read, opening, closing);
  }

  /** The newest first. */
  all(): ReadStatement[] {
    return this.db
      .prepare<StatementRow>(
        `select s.*, (select count(*) from statement_lines m where m.read = s.read) as lines
         from statements s where s.scope = ? order by s.read desc`,
      )
      .all(this.scope)
      .map(statementOfRow);
  }

  /** Ids of the statements that cover the day of a line, the newest first; `has`: only those that have it. */
  about(line: string, {has}: {has: boolean}): string[] {
    return this.db
      .prepare<{read: number}>(
        `select s.read from lines x join statements s on s.scope = x.scope and s.account = x.account
         where x.scope = ?1 and x.key = ?2 and s.forgotten_at is null and x.day between s.first and s.last
           and (?3 = 0 or exists (select 1 from statement_lines m where m.read = s.read and m.l = x.l))
         order by s.read desc`,
      )
      .all(this.scope, line, Number(has))
      .map(({read}) => String(read));
  }

  /** Whether a statement with this account number is one of the account; undefined if none was read. */
  isOf(account: string, number: string, format: string): boolean | undefined {
    const known = this.#known(account);
    if (known.length === 0) return undefined;
    const hash = this.#hashOf(number);
    const isOther = (one: {format: string; ending: string}) =>
      one.format !== format && one.ending === number.slice(-4);
    // Formats write one account in different ways: as an IBAN, or with the code of the bank.
    return known.some((one) => one.number_hash === hash || isOther(one));
  }

  /** @throws RemitError LOCAL_VALIDATION if the number is that of another account: no two accounts have the same one */
  refuseOther(account: string, {name, number}: Pick<StatementOrigin, 'name' | 'number'>): void {
    if (number === undefined) return;
    const other = this.db
      .prepare<{read: number; account: string; name: string}>(
        `select read, account, name from statements where scope = ? and account <> ? and number_hash = ?
           and forgotten_at is null order by read desc limit 1`,
      )
      .get(this.scope, account, this.#hashOf(number));
    if (other === undefined) return;
    throw new RemitError(
      'LOCAL_VALIDATION',
      `${name} is of the account …${number.slice(-4)}, which is account ${other.account} according to ${other.name}, not ${account}`,
      {
        hint: (commands) =>
          `read it for that account: ${commands.read('reconcile', '--account', other.account, '--statement', 'FILE')}; if ${other.name} was the wrong one: ${commands.read('reconcile', 'forget', String(other.read), '--note', 'TEXT')}`,
      },
    );
  }

  /** @throws RemitError LOCAL_VALIDATION if the statements of the account that were read have another number */
  requireNumber(
    account: string,
    {name, number, format}: Pick<StatementOrigin, 'name' | 'number' | 'format'>,
  ): void {
    if (number === undefined || this.isOf(account, number, format) !== false) return;
    const known = must(this.#known(account)[0], 'statements of an account');
    const ending = `…${number.slice(-4)}`;
    throw new RemitError(
      'LOCAL_VALIDATION',
      `${name} is of the account ${ending}, and the statements of account ${account} so far are of …${known.ending}`,
      {
        hint: (commands) =>
          `if ${known.name} was the wrong one: ${commands.read('reconcile', 'forget', String(known.read), '--note', 'TEXT')}; if the account also has the number ${ending}, add --account-number ${number.slice(-4)}`,
      },
    );
  }

  /**
   * Formats cut texts at different lengths and give lines other ids, so equal lines of two formats cannot be told from
   * edited ones: of each day only one format is read.
   * @param read has the lines of the statement already
   * @throws RemitError LOCAL_VALIDATION
   */
  requireFormat(
    read: number,
    {account, from, to, name, format}: DaysRead & Pick<StatementOrigin, 'name' | 'format'>,
  ): void {
    const other = this.db
      .prepare<{read: number; name: string; format: string; day: string}>(
        `select s.read, s.name, s.format, min(x.day) as day from statements s
           join statement_lines m on m.read in (s.read, ?1) join lines x on x.l = m.l
         where s.scope = ?2 and s.account = ?3 and s.forgotten_at is null and s.format not in (?4, 'unknown')
           and x.day between max(s.first, ?5) and min(s.last, ?6)
         group by s.read order by s.read desc limit 1`,
      )
      .get(read, this.scope, account, format, from, to);
    if (other === undefined) return;
    throw new RemitError(
      'LOCAL_VALIDATION',
      `${name} is ${format}, and ${other.day} was already read as ${other.format}, from ${other.name}; each day is read in one format only`,
      {
        hint: (commands) =>
          `to read ${name} instead: ${commands.read('reconcile', 'forget', String(other.read), '--note', 'TEXT')}`,
      },
    );
  }

  #known(
    account: string,
  ): {read: number; name: string; format: string; ending: string; number_hash: string}[] {
    return this.db
      .prepare<{read: number; name: string; format: string; ending: string; number_hash: string}>(
        `select read, name, format, ending, number_hash from statements
         where scope = ? and account = ? and forgotten_at is null and ending is not null order by read desc`,
      )
      .all(this.scope, account);
  }

  /** A plain hash of so few digits could be reversed. */
  #hashOf(number: string): string {
    return createHmac('sha256', bookKey(this.db)).update(number).digest('hex');
  }

  /**
   * Removes what only this statement has: its lines, their texts, and its balances. Who forgot it, when and why is kept.
   * @throws RemitError NOT_FOUND, or LOCAL_VALIDATION for decisions about its lines unless `withDecisions` is set
   */
  forget(
    id: string,
    {by, at, note, withDecisions}: {by: string; at: string; note: string; withDecisions: boolean},
  ): ReadStatement {
    const found = this.all().find((one) => one.id === id);
    if (found === undefined || found.forgotten !== undefined)
      throw new RemitError(
        'NOT_FOUND',
        found === undefined ? `no statement ${id} was read` : `statement ${id} is forgotten already`,
        {hint: (commands) => commands.read('reconcile', 'statements')},
      );
    const same = `select s.read from statements s where s.scope = ?1 and s.forgotten_at is null
      and (s.account, s.fingerprint, coalesce(s.number_hash, '')) = (
        select account, fingerprint, coalesce(number_hash, '') from statements where read = ?2)`;
    const only = `select m.l from statement_lines m where m.read in (${same})
      and not exists (select 1 from statement_lines o where o.l = m.l and o.read not in (${same}))`;
    const decisions = this.db
      .prepare<LostDecision>(
        `select d.line, d.verb, d.note from decisions d join lines x on x.scope = d.scope and x.key = d.line
         where x.l in (${only}) order by d.seq`,
      )
      .all(this.scope, Number(id));
    if (decisions.length > 0 && !withDecisions) throw decided(id, decisions);
    const reads = this.db.prepare<{read: number}>(same).all(this.scope, Number(id));
    for (const name of ['found_lines', 'candidates', 'twins', 'line_texts', 'line_tokens', 'lines'])
      this.db.prepare(`delete from ${name} where l in (${only})`).run(this.scope, Number(id));
    for (const {read} of reads) {
      this.#dropRead(read);
      this.db
        .prepare(
          `update statements set forgotten_by = ?, forgotten_at = ?, forgotten_note = ? where read = ?`,
        )
        .run(by, at, note, read);
    }
    return {...found, forgotten: {by, at, note}};
  }

  #dropRead(read: number): void {
    for (const table of ['reads', 'statement_lines', 'stated_balances'])
      this.db.prepare(`delete from ${table} where read = ?`).run(read);
  }
}

const decided = (id: string, decisions: readonly LostDecision[]): RemitError =>
  new RemitError(
    'LOCAL_VALIDATION',
    `${counted(decisions.length, 'decision')} about lines that only statement ${id} has: ${decisions
      .map(({verb, line, note}) => `${verb} ${line} (${note})`)
      .join('; ')}`,
    {
      hint: (commands) =>
        `to drop them too: ${commands.read('reconcile', 'forget', id, '--with-decisions', '--note', 'TEXT')}`,
    },
  );

const statementOfRow = (row: StatementRow): ReadStatement => ({
  ...{
    id: String(row.read),
    account: row.account,
    name: row.name,
    format: row.format,
    from: row.first,
    to: row.last,
  },
  ...{lines: row.lines, ending: row.ending ?? undefined, by: row.author, at: row.at},
  forgotten:
    row.forgotten_at === null
      ? undefined
      : {by: row.forgotten_by, at: row.forgotten_at, note: row.forgotten_note},
});
