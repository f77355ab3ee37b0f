import {RemitError} from '../../errors.ts';
import {ownJson} from '../../narrow.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import type {Decision} from '../model/finding.ts';
import {aboutLine, type LineRow} from './stored-lines.ts';

interface DecisionRow {
  line: string;
  verb: Decision['verb'];
  payments: string;
  note: string;
  author: string;
  at: string;
}

/** What people decided, in one scope. Nothing is ever removed or changed. */
export class StoredDecisions {
  readonly #db: SqliteDatabase;
  readonly #scope: number;

  constructor(db: SqliteDatabase, scope: number) {
    this.#db = db;
    this.#scope = scope;
  }

  /** @throws RemitError USAGE for a line or a payment that is not in the book, or that cannot be confirmed */
  add({line, verb, payments, note, by, at}: Decision): void {
    const row = this.#db
      .prepare<LineRow>('select * from lines where scope = ? and key = ? and gone = 0')
      .get(this.#scope, line);
    if (row === undefined) throw new RemitError('USAGE', `the bank lists no line ${line}`);
    const directions = payments.map((key) => this.#isOut(key, row));
    if (verb === 'confirm') this.#checkConfirm(line, payments, directions);
    this.#db
      .prepare(
        `insert into decisions (scope, line, verb, payments, note, author, at, about) values (?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(this.#scope, line, verb, JSON.stringify(payments), note, by, at, aboutLine(row));
  }

  /** Whether a payment leaves the account. */
  #isOut(key: string, line: LineRow): boolean {
    const payment = this.#db
      .prepare<{amount: number | bigint; currency: string}>(
        'select amount, currency from payments where scope = ? and key = ?',
      )
      .get(this.#scope, key);
    if (payment === undefined) throw new RemitError('USAGE', `no payment ${key} is expected`);
    if (payment.currency !== line.currency)
      throw new RemitError(
        'USAGE',
        `line ${line.key} is in ${line.currency}, and payment ${key} in ${payment.currency}`,
      );
    return payment.amount < 0;
  }

  #checkConfirm(line: string, payments: readonly string[], directions: readonly boolean[]): void {
    if (payments.length === 0) throw new RemitError('USAGE', `name the payments that line ${line} is about`);
    if (new Set(directions).size > 1)
      throw new RemitError('USAGE', `the payments of line ${line} go in different directions`);
    this.#refuseStatementOnly(line);
    const other = this.#db
      .prepare<{line: string; key: string}>(
        `select x.key as line, q.key from json_each(?1) k cross join payments q on q.scope = ?2 and q.key = k.value
         cross join found_payments f on f.p = q.p cross join matches m on m.m = f.m cross join lines x on x.l = f.m
         cross join lines y on y.scope = ?2 and y.key = ?3
         where f.state in ('matched', 'returned', 'contradicted') and x.key <> ?3
           and (x.amount < 0) = (y.amount < 0) limit 1`,
      )
      .get(JSON.stringify(payments), this.#scope, line);
    if (other !== undefined)
      throw new RemitError(
        'USAGE',
        `payment ${other.key} already has the line ${other.line}; reject that one first`,
      );
  }

  #refuseStatementOnly(line: string): void {
    const found = this.#db
      .prepare(
        `select 1 from lines x join found_lines f on f.l = x.l
         where x.scope = ? and x.key = ? and f.state = 'statement_only'`,
      )
      .get(this.#scope, line);
    if (found !== undefined)
      throw new RemitError(
        'LOCAL_VALIDATION',
        `only the statement has line ${line}; the service does not report it`,
      );
  }

  all(line?: string): Decision[] {
    return this.#db
      .prepare<DecisionRow>(
        `select line, verb, payments, note, author, at from decisions where scope = ?1 and (?2 is null or line = ?2)
         order by seq`,
      )
      .all(this.#scope, line ?? null)
      .map(({author, payments, ...rest}) => ({...rest, by: author, payments: ownJson<string[]>(payments)})); // as written above
  }
}
