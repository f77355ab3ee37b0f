import {RemitError} from '../../errors.ts';
import {groupMajor, majorIn} from '../../money/amount.ts';
import {ownJson} from '../../narrow.ts';
import {listed} from '../../phrases.ts';
import type {Decision} from '../model/finding.ts';
import {BookPart} from './book-part.ts';
import {aboutLine, type LineRow} from './line-row.ts';

interface DecisionRow {
  line: string;
  verb: Decision['verb'];
  payments: string;
  note: string;
  author: string;
  at: string;
}

/** What people decided, in one scope. Nothing is ever removed or changed. */
export class StoredDecisions extends BookPart {
  /**
   * @param difference between the line and its payments, minor units without a sign, as a person has stated it
   * @throws RemitError USAGE for a line or a payment that is not in the book, or that cannot be confirmed;
   * LOCAL_VALIDATION for amounts that differ and for a line that is confirmed for other payments
   */
  add({line, verb, payments, note, by, at}: Decision, difference = 0n): void {
    const row = this.db
      .prepare<LineRow & {gone: number}>('select * from lines where scope = ? and key = ?')
      .get(this.scope, line);
    if (row === undefined || (row.gone === 1 && verb !== 'ignore'))
      throw new RemitError('USAGE', `the bank lists no line ${line} any more`);
    const keys = [...new Set(payments)];
    const amounts = keys.map((key) => this.#amountOf(key, row));
    if (verb !== 'reject') this.#refuseConfirmed(row, payments);
    if (verb === 'confirm') {
      this.#checkConfirm(row, keys, amounts);
      requireSum(row, keys, {amounts, difference});
    }
    this.insert({line, verb, payments, note, by, at}, aboutLine(row));
  }

  /** @param about see the table; empty for a line that is noted as a return and that the book does not have */
  insert({line, verb, payments, note, by, at}: Decision, about = ''): void {
    this.db
      .prepare(
        `insert into decisions (scope, line, verb, payments, note, author, at, about) values (?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(this.scope, line, verb, JSON.stringify(payments), note, by, at, about);
  }

  #amountOf(key: string, line: LineRow): bigint {
    const payment = this.db
      .prepare<{amount: number | bigint; currency: string}>(
        'select amount, currency from payments where scope = ? and key = ?',
      )
      .get(this.scope, key);
    if (payment === undefined) throw new RemitError('USAGE', `no payment ${key} is expected`);
    if (payment.currency !== line.currency)
      throw new RemitError(
        'USAGE',
        `line ${line.key} is in ${line.currency}, and payment ${key} in ${payment.currency}`,
      );
    return BigInt(payment.amount);
  }

  #checkConfirm(row: LineRow, payments: readonly string[], amounts: readonly bigint[]): void {
    const line = row.key;
    if (payments.length === 0) throw new RemitError('USAGE', `name the payments that line ${line} is about`);
    if (new Set(amounts.map((amount) => amount < 0n)).size > 1)
      throw new RemitError('USAGE', `the payments of line ${line} go in different directions`);
    this.#refuseStatementOnly(line);
    const other = this.db
      .prepare<{line: string; key: string}>(
        `select x.key as line, q.key from json_each(?1) k cross join payments q on q.scope = ?2 and q.key = k.value
         cross join found_payments f on f.p = q.p cross join lines x on x.l in (f.m, f.returned)
         cross join lines y on y.scope = ?2 and y.key = ?3
         where f.state in ('matched', 'returned', 'contradicted') and x.key <> ?3
           and (x.amount < 0) = (y.amount < 0) limit 1`,
      )
      .get(JSON.stringify(payments), this.scope, line);
    if (other !== undefined)
      throw new RemitError('USAGE', `payment ${other.key} already has the line ${other.line}`, {
        hint: (commands) =>
          `reject that one first: ${commands.read('reconcile', 'reject', other.line, other.key, '--note', 'TEXT')}`,
      });
  }

  #refuseStatementOnly(line: string): void {
    const found = this.db
      .prepare(
        `select 1 from lines x join found_lines f on f.l = x.l
         where x.scope = ? and x.key = ? and f.state = 'statement_only'`,
      )
      .get(this.scope, line);
    if (found !== undefined)
      throw new RemitError(
        'LOCAL_VALIDATION',
        `only the statement has line ${line}; the service does not report it`,
      );
  }

  /** The newest decision is valid, so another one would silently drop what was confirmed. */
  #refuseConfirmed(row: LineRow, payments: readonly string[]): void {
    const last = this.db
      .prepare<DecisionRow>(
        'select * from decisions where scope = ? and line = ? and about = ? order by seq desc limit 1',
      )
      .get(this.scope, row.key, aboutLine(row));
    if (last?.verb !== 'confirm') return;
    const confirmed = ownJson<string[]>(last.payments); // as written above
    if ([...new Set(confirmed)].sort().join() === [...payments].sort().join()) return;
    throw new RemitError(
      'LOCAL_VALIDATION',
      `line ${row.key} is already confirmed for ${listed(confirmed)} (${last.author}, ${last.at}: ${last.note})`,
      {
        hint: (commands) =>
          `undo it first: ${commands.read('reconcile', 'reject', row.key, ...confirmed, '--note', 'TEXT')}`,
      },
    );
  }

  all(line?: string): Decision[] {
    return this.db
      .prepare<DecisionRow>(
        `select line, verb, payments, note, author, at from decisions where scope = ?1 and (?2 is null or line = ?2)
         order by seq`,
      )
      .all(this.scope, line ?? null)
      .map(({author, payments, ...rest}) => ({...rest, by: author, payments: ownJson<string[]>(payments)})); // as written above
  }
}

/** The line has the sum of its payments, or the opposite if it took them back, up to the difference that is stated. */
function requireSum(
  line: LineRow,
  payments: readonly string[],
  {amounts, difference}: {amounts: readonly bigint[]; difference: bigint},
): void {
  const [booked, owed] = [
    magnitude(BigInt(line.amount)),
    magnitude(amounts.reduce((sum, each) => sum + each, 0n)),
  ];
  const found = magnitude(booked - owed);
  if (found === magnitude(difference)) return;
  const money = (minor: bigint) => {
    const major = majorIn(minor, line.currency);
    return major === undefined
      ? `${minor} minor units ${line.currency}`
      : `${groupMajor(major)} ${line.currency}`;
  };
  const of = payments.length === 1 ? `payment ${payments[0]} is` : `its ${payments.length} payments are`;
  throw new RemitError(
    'LOCAL_VALIDATION',
    `line ${line.key} is ${money(booked)}, and ${of} ${money(owed)}: the difference is ${money(found)}` +
      (difference === 0n ? '' : `, not ${money(magnitude(difference))}`),
    {
      hint:
        found === 0n
          ? 'leave out --difference'
          : `check both amounts; if you can explain the difference, state it: --difference ${majorIn(found, line.currency) ?? found}`,
    },
  );
}

const magnitude = (amount: bigint): bigint => (amount < 0n ? -amount : amount);
