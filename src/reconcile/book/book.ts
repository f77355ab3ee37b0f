import {createHash} from 'node:crypto';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {type Hint, RemitError} from '../../errors.ts';
import {acquireLock, type Lock} from '../../store/locks/lock.ts';
import {migrate} from '../../store/port/migrate.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import {openSqlite} from '../../store/sqlite/sqlite.ts';
import {matchAll} from '../match/match.ts';
import type {AskedPeriod} from '../model/asked.ts';
import {NO_END} from '../model/day.ts';
import type {Decision, Match} from '../model/finding.ts';
import type {BankLine, StatedBalances} from '../model/line.ts';
import type {MatchOptions} from '../model/options.ts';
import type {ExpectedPayment} from '../model/payment.ts';
import type {ReconcileTotals} from '../model/totals.ts';
import {
  Findings,
  type FoundBankLine,
  type FoundPayment,
  type LineFilter,
  type PaymentFilter,
} from './findings.ts';
import {type FoundReturn, type MaybeReturn, readMaybeReturns, readOpposites, readReturns} from './returns.ts';
import {type MaskText, maskedLine} from './hidden-words.ts';
import {BOOK_MIGRATIONS} from './schema.ts';
import {StoredDecisions} from './stored-decisions.ts';
import {contentOf} from './line-row.ts';
import {LAST_READ, type LinesAdded, type LinesRead, StoredLines} from './stored-lines.ts';
import {StoredPayments} from './stored-payments.ts';
import {type ReadStatement, type StatementOrigin, StoredStatements} from './stored-statements.ts';
import {bookKey, bookScopeId, type BookScope, keepFees, keptFees} from './stored-scope.ts';

/** A million tokens are looked up in any order. The default of 6 MB would read most pages again. */
const CACHE_KIB = 64_000;
/** While a statement is read: its lines arrive in the order of their days, and most are new. */
const STATEMENT_CACHE_KIB = 24_000;

const setCache = (db: SqliteDatabase, kib: number): void => db.exec(`PRAGMA cache_size = -${kib}`);

const lockPath = (folder: string): string => join(folder, 'reconcile.lock');
export const bookPath = (folder: string): string => join(folder, 'reconcile.sqlite');

const TABLES = new Set(
  BOOK_MIGRATIONS.flatMap(({sql}) => [...sql.matchAll(/create table (\w+)/g)].map(([, name = '']) => name)),
);
TABLES.delete('balances'); // dropped by a later migration

/** @throws RemitError STATE_DAMAGED if a table is missing, or what tells the book from another one */
function requireWhole(db: SqliteDatabase, path: string): void {
  const found = db.prepare<{name: string}>(`select name from sqlite_master where type = 'table'`).all();
  const names = new Set(found.map(({name}) => name));
  const facts = `select count(*) as n from book_facts where name in ('id', 'key')`;
  const missing =
    [...TABLES].find((name) => !names.has(name)) ??
    (db.prepare<{n: number}>(facts).one().n === 2 ? undefined : 'its identity');
  if (missing === undefined) return;
  throw new RemitError('STATE_DAMAGED', `${path} is damaged: ${missing} is missing`, {
    hint: 'restore it from a backup, or move it away and reconcile again',
  });
}

/** What is known of a statement when it has been read. */
interface ReadFacts extends Pick<StatementOrigin, 'format' | 'number'> {
  days: Pick<LinesRead, 'from' | 'to'> | undefined;
  balances: readonly StatedBalances[];
}

/** How a statement is read into the book: each line as it is read. */
interface StatementReading {
  take: (line: BankLine) => void;
  /** See `StoredStatements.isOf`. */
  isKnown: (number: string, format: string) => boolean | undefined;
}

/** Which statement of which account is added. */
interface AddedStatement extends Omit<StatementOrigin, 'format' | 'number'> {
  account: string;
  /** A person has named the account number, so it may be a new one. */
  isNumberNamed: boolean;
  /** What of the texts is stored. */
  mask: MaskText;
}

export interface BookOptions {
  /** Other processes wait for one that only reads, and are refused while one writes. */
  write: boolean;
  breakLock?: boolean;
  hint?: Hint;
}

/** Bank lines, expected payments and decisions of one service, in `reconcile.sqlite` of a state folder. */
export class Book {
  readonly #db: SqliteDatabase;
  readonly #lock: Lock;
  readonly #scope: number;
  readonly #key: string;
  readonly #lines: StoredLines;
  readonly #payments: StoredPayments;
  readonly #decisions: StoredDecisions;
  readonly #statements: StoredStatements;
  readonly #findings: Findings;
  #remove: () => void = () => undefined;

  private constructor(db: SqliteDatabase, lock: Lock, scope: BookScope) {
    this.#db = db;
    this.#lock = lock;
    this.#scope = bookScopeId(db, scope);
    this.#key = bookKey(db);
    this.#lines = new StoredLines(db, this.#scope);
    this.#payments = new StoredPayments(db, this.#scope, this.#key);
    this.#decisions = new StoredDecisions(db, this.#scope);
    this.#statements = new StoredStatements(db, this.#scope);
    this.#findings = new Findings(db, this.#scope);
  }

  /** Whether anything was ever reconciled in this state folder. Opens nothing. */
  static isIn(folder: string): boolean {
    return existsSync(bookPath(folder));
  }

  /**
   * In a folder that cannot be written, a copy is read.
   * @throws RemitError LOCKED, STATE or STATE_DAMAGED
   */
  static async open(folder: string, scope: BookScope, options: BookOptions): Promise<Book> {
    try {
      return await Book.#open(folder, scope, options);
    } catch (error) {
      if (options.write || !Book.isIn(folder)) throw error;
      const {copyIfUnwritable} = await import('./book-copy.ts');
      const copy = await copyIfUnwritable(error, {file: bookPath(folder), lock: lockPath(folder)});
      try {
        const book = await Book.#open(copy.folder, scope, options);
        book.#remove = copy.remove;
        return book;
      } catch (failed) {
        copy.remove();
        throw failed;
      }
    }
  }

  static async #open(folder: string, scope: BookScope, {write, ...locking}: BookOptions): Promise<Book> {
    const purpose = write ? 'reconcile' : 'reading what reconcile found';
    const lock = await acquireLock(lockPath(folder), {purpose, brief: !write, ...locking});
    try {
      const db = await openSqlite(bookPath(folder), {durability: 'full'});
      try {
        setCache(db, CACHE_KIB);
        migrate(db, BOOK_MIGRATIONS);
        requireWhole(db, bookPath(folder));
        return new Book(db, lock, scope);
      } catch (error) {
        db.close();
        throw error;
      }
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** It tells this book from another one, and from an older copy of itself. */
  get identity(): {id: string; read: number} {
    return this.#db
      .prepare<{id: string; read: number}>(
        `select value as id, ${LAST_READ} as read from book_facts where name = 'id'`,
      )
      .one();
  }

  /** Those that were ever read. */
  get accounts(): string[] {
    return this.#db
      .prepare<{account: string}>('select distinct account from reads where scope = ? order by account')
      .all(this.#scope)
      .map(({account}) => account);
  }

  /** All of `lines` or, if reading them fails, none. */
  addLines(lines: Iterable<BankLine>, read: LinesRead): LinesAdded {
    this.#lock.assertHeld();
    return this.#lines.add(lines, read);
  }

  /**
   * The lines and balances of a statement of an account, from its first day to its last; all of it or, if it cannot be
   * read to its end or is of another account number, nothing.
   */
  async addStatement<Facts extends ReadFacts>(
    {account, isNumberNamed, mask, ...origin}: AddedStatement,
    read: (reading: StatementReading) => Promise<Facts>,
  ): Promise<Facts> {
    this.#lock.assertHeld();
    setCache(this.#db, STATEMENT_CACHE_KIB);
    const fingerprint = createHash('sha256');
    const isKnown = (number: string, format: string) => this.#statements.isOf(account, number, format);
    const facts = await this.#lines.addStatement(
      account,
      (put) => {
        const take = (read: BankLine) => {
          const line = maskedLine(read, this.#key, mask);
          fingerprint.update(`${contentOf(line)}\n`);
          put(line);
        };
        return read({take, isKnown});
      },
      ({format, number, days, balances}, added) => {
        const all = {...origin, format, number};
        this.#statements.refuseOther(account, all);
        if (!isNumberNamed) this.#statements.requireNumber(account, all);
        if (days === undefined) return; // an empty statement
        this.#statements.requireFormat(added, {account, ...days, ...all});
        for (const one of balances) this.#statements.addBalances({...one, account}, added);
        const rest = balances.map(({opening, closing, ...one}) => [one, String(opening), String(closing)]);
        const print = fingerprint.update(JSON.stringify([format, rest])).digest('hex');
        this.#statements.add(added, {account, ...days, fingerprint: print}, all);
      },
    );
    setCache(this.#db, CACHE_KIB);
    return facts;
  }

  /** Balances that no statement has stated. */
  addBalances(stated: StatedBalances): void {
    this.#lock.assertHeld();
    this.#statements.addBalances(stated, 0);
  }

  get statements(): Pick<StoredStatements, 'all' | 'about' | 'isOf' | 'requireNumber'> {
    return this.#statements;
  }

  /** See `StoredStatements.forget`; the next match follows it. */
  forget(id: string, how: Parameters<StoredStatements['forget']>[1]): ReadStatement {
    this.#lock.assertHeld();
    return this.#db.transaction(() => {
      const forgotten = this.#statements.forget(id, how);
      this.#lines.gone.compare({account: forgotten.account, from: '', to: NO_END});
      return forgotten;
    });
  }

  /** A payment whose key is known replaces what was known about it; see `StoredPayments` for rows in doubt. */
  addPayments(payments: Iterable<ExpectedPayment>): void {
    this.#lock.assertHeld();
    this.#payments.add(payments);
  }

  /**
   * Adds a decision; the next match follows it. Durable when it returns. See `StoredDecisions.add`.
   * @throws RemitError USAGE or LOCAL_VALIDATION
   */
  decide(decision: Decision, difference?: bigint): void {
    this.#lock.assertHeld();
    this.#decisions.add(decision, difference);
  }

  /** Ignores a line that is noted as a return, and that the book does not have. */
  ignoreNoted(decision: Decision): void {
    this.#lock.assertHeld();
    this.#decisions.insert(decision);
  }

  /** In the order in which they were made. */
  decisions(line?: string): Decision[] {
    return this.#decisions.all(line);
  }

  /** @param asked what the totals are of; everything by default */
  match(options: MatchOptions, asked?: AskedPeriod): ReconcileTotals {
    this.#lock.assertHeld();
    const work = {db: this.#db, scope: this.#scope};
    return this.#db.transaction(() => {
      const {fees = keptFees(work.db, work.scope)} = options;
      keepFees(work.db, work.scope, fees);
      return matchAll(work, {...options, fees}, asked);
    });
  }

  /** By key. */
  payments(filter: PaymentFilter = {}): Iterable<FoundPayment> {
    return this.#findings.payments(filter);
  }

  /** By key, those that are gone too. */
  lines(filter: LineFilter = {}): Iterable<FoundBankLine> {
    return this.#findings.lines(filter);
  }

  /** In the order of the keys of their first lines. */
  matches(): Iterable<Match> {
    return this.#findings.matches();
  }

  /** The returns of these records, by their ids. */
  returnsOf(recordIds: readonly string[]): Map<string, FoundReturn> {
    return readReturns(this.#db, this.#scope, recordIds);
  }

  /** Payments that may have come back: a line names them, and a person has to decide about it. */
  get maybeReturned(): MaybeReturn[] {
    return readMaybeReturns(this.#db, this.#scope);
  }

  /** The payments that a line may have taken back, by its amount; see `readOpposites`. */
  oppositesOf(line: BankLine): string[] {
    return readOpposites(this.#db, this.#scope, line);
  }

  async close(): Promise<void> {
    this.#db.close();
    await this.#lock.release();
    this.#remove();
  }
}
