import {hash} from 'node:crypto';
import {ownJson} from '../../narrow.ts';
import type {SqliteDatabase, SqlValue} from '../../store/port/port.ts';
import type {BankLine, LineText} from '../model/line.ts';
import {tokensOf} from '../model/tokens.ts';
import {BookPart} from './book-part.ts';
import {HeldInsert} from './held-insert.ts';

/** Which lines a read returned: all that this source has of the account from one day to another, both included. */
export interface LinesRead {
  source: BankLine['source'];
  account: string;
  from: string;
  to: string;
}

/** How the lines of a read differ from those of the reads before it. */
export interface LinesAdded {
  added: number;
  /** With the same content as before. */
  known: number;
  /** With other content than before. */
  changed: number;
  /** No longer there. */
  gone: number;
}

export interface LineRow {
  l: number;
  key: string;
  source: BankLine['source'];
  account: string;
  id: string | null;
  amount: number | bigint;
  currency: string;
  day: string;
  value_day: string | null;
  pending: number;
  return_code: string | null;
  texts: string;
}

/** What a decision is about: if any of this changes, a person decides again. */
export const aboutLine = (
  line: Pick<LineRow, 'amount' | 'currency' | 'account' | 'day'> & {gone?: number},
): string =>
  JSON.stringify([
    ...[String(line.amount), line.currency, line.account, line.day],
    ...(line.gone === 1 ? ['gone'] : []),
  ]);

export const lineOfRow = (row: LineRow): BankLine => ({
  key: row.key,
  source: row.source,
  account: row.account,
  id: row.id ?? undefined,
  amount: BigInt(row.amount),
  currency: row.currency,
  bookingDay: row.day,
  valueDay: row.value_day ?? undefined,
  state: row.pending === 1 ? 'pending' : 'posted',
  returnCode: row.return_code ?? undefined,
  texts: textsOf(row.texts),
});

const textsOf = (json: string): LineText[] =>
  ownJson<[string, string][]>(json).map(([path, text]) => ({path, text})); // written by jsonOf below

export const LINE_COLUMNS = `x.l, x.key, x.source, x.account, x.id, x.amount, x.currency, x.day, x.value_day, x.pending,
  x.return_code, t.texts`;

/** New lines that are inserted together. */
const HELD = 256;
const COLUMNS = [
  ...['key', 'source', 'account', 'id', 'amount', 'currency'],
  ...['day', 'value_day', 'pending', 'return_code'],
];

/** The lines of one scope. */
export class StoredLines extends BookPart {
  readonly #lines: HeldInsert;
  readonly #texts: HeldInsert;
  readonly #tokens: HeldInsert;
  /** Which statements have a line. */
  readonly #members: HeldInsert;
  /** Keys of lines that are not inserted yet. */
  readonly #held = new Set<string>();
  #last = 0;

  constructor(db: SqliteDatabase, scope: number) {
    super(db, scope);
    this.#lines = new HeldInsert(db, 'lines', ['l', 'scope', 'read', ...COLUMNS]);
    this.#texts = new HeldInsert(db, 'line_texts', ['l', 'texts']);
    this.#tokens = new HeldInsert(db, 'line_tokens', ['l', 'token', 'ends']);
    this.#members = new HeldInsert(db, 'statement_lines', ['read', 'l'], 'on conflict do nothing');
  }

  get #tables(): HeldInsert[] {
    return [this.#lines, this.#texts, this.#tokens, this.#members];
  }

  /**
   * Adds what a read returned, in one change. A line of an earlier read of the same source, account and days that it
   * did not return is gone.
   * @param after runs in the same change, with the number of the read
   */
  add(lines: Iterable<BankLine>, read: LinesRead, after?: (read: number) => void): LinesAdded {
    const counts = {added: 0, known: 0, changed: 0, gone: 0};
    const {source, account, from, to} = read;
    this.db.transaction(() => {
      const number = this.#newRead([source, account, from, to]);
      this.#startHolding();
      for (const line of lines)
        counts[source === 'statement' ? this.#putStated(line, number) : this.#put(line, number)] += 1;
      this.#writeHeld();
      counts.gone = source === 'statement' ? this.compareStatements(read) : this.#markGone(read, number);
      after?.(number);
    });
    return counts;
  }

  #markGone({source, account, from, to}: LinesRead, read: number): number {
    return this.db
      .prepare(
        `update lines set gone = 1 where scope = ? and source = ? and account = ? and day between ? and ?
           and read <> ? and gone = 0`,
      )
      .run(this.scope, source, account, from, to, read);
  }

  /**
   * A line of a statement is gone if a later statement of its day lacks it. A line that came with a later statement in
   * its place, with the same money and another text, is gone too: a file can be edited. So neither of the two proves
   * anything, until one of the statements is forgotten.
   * @returns how many are gone now
   */
  compareStatements({account, from, to}: Pick<LinesRead, 'account' | 'from' | 'to'>): number {
    const reads = (of: string, which: 'min' | 'max') =>
      `(select ${which}(m.read) from statement_lines m where m.l = ${of}.l)`;
    const where = `where lines.scope = ? and lines.source = 'statement' and lines.account = ? and lines.day between ? and ?`;
    const params = [this.scope, account, from, to];
    this.db
      .prepare(
        `update lines set gone = exists (select 1 from reads r where r.scope = lines.scope and r.source = 'statement'
           and r.account = lines.account and lines.day between r.first and r.last and r.read > ${reads('lines', 'max')})
         ${where}`,
      )
      .run(...params);
    this.db
      .prepare(
        `update lines set gone = 1 ${where} and gone = 0 and exists (select 1 from lines y
           where y.scope = lines.scope and y.account = lines.account and y.source = 'statement' and y.day = lines.day
             and y.currency = lines.currency and y.amount = lines.amount and y.gone = 1 and y.pending = 0
             and ${reads('y', 'max')} < ${reads('lines', 'min')})`,
      )
      .run(...params);
    return this.db
      .prepare<{n: number}>(`select count(*) as n from lines ${where} and gone = 1`)
      .one(...params).n;
  }

  #newRead(read: readonly string[]): number {
    this.db
      .prepare('insert into reads (scope, source, account, first, last) values (?, ?, ?, ?, ?)')
      .run(this.scope, ...read);
    return this.db.prepare<{read: number}>('select max(read) as read from reads').one().read;
  }

  #startHolding(): void {
    for (const table of this.#tables) table.clear(); // of a read that failed
    this.#held.clear();
    this.#last = this.db.prepare<{l: number}>('select coalesce(max(l), 0) as l from lines').one().l;
  }

  #writeHeld(): void {
    for (const table of this.#tables) table.write();
    this.#held.clear();
  }

  /** A line with the key of another one is a line of its own: what an earlier statement said is kept. */
  #putStated(line: BankLine, read: number): 'added' | 'known' | 'changed' {
    const content = contentOf(line);
    const before = this.#find(line.key);
    if (before === undefined) this.#insert(line, read);
    else if (contentOf(lineOfRow(before)) === content) this.#members.hold(read, before.l);
    else {
      const key = `${line.key}/${hash('sha256', content, 'hex').slice(0, 8)}`;
      const same = this.#find(key);
      if (same === undefined) this.#insert({...line, key}, read);
      else this.#members.hold(read, same.l);
      return same === undefined ? 'changed' : 'known';
    }
    return before === undefined ? 'added' : 'known';
  }

  #find(key: string): LineRow | undefined {
    if (this.#held.size >= HELD || this.#held.has(key)) this.#writeHeld();
    return this.db
      .prepare<LineRow>(
        `select ${LINE_COLUMNS} from lines x join line_texts t on t.l = x.l where x.scope = ? and x.key = ?`,
      )
      .get(this.scope, key);
  }

  #put(line: BankLine, read: number): 'added' | 'known' | 'changed' {
    const before = this.#find(line.key);
    if (before === undefined) {
      this.#insert(line, read);
      return 'added';
    }
    const isSame = contentOf(line) === contentOf(lineOfRow(before));
    if (isSame) this.db.prepare('update lines set read = ?, gone = 0 where l = ?').run(read, before.l);
    else this.#replace(line, before, read);
    return isSame ? 'known' : 'changed';
  }

  #insert(line: BankLine, read: number): void {
    const l = (this.#last += 1);
    this.#held.add(line.key);
    this.#lines.hold(l, this.scope, read, ...columnsOf(line));
    if (line.source === 'statement') this.#members.hold(read, l);
    this.#texts.hold(l, jsonOf(line));
    this.#holdTokens(l, line);
  }

  #replace(line: BankLine, before: LineRow, read: number): void {
    const {amount, currency, account, bookingDay: day} = line;
    const isAltered =
      before.pending === 0 && aboutLine({amount, currency, account, day}) !== aboutLine(before);
    this.db
      .prepare(
        `update lines set read = ?, gone = 0, altered = max(altered, ?), ${COLUMNS.map((name) => `${name} = ?`).join(', ')}
         where l = ?`,
      )
      .run(read, isAltered ? 1 : 0, ...columnsOf(line), before.l);
    this.db.prepare('update line_texts set texts = ? where l = ?').run(jsonOf(line), before.l);
    this.db.prepare('delete from line_tokens where l = ?').run(before.l);
    this.#holdTokens(before.l, line);
  }

  #holdTokens(l: number, line: BankLine): void {
    const tokens = new Map<string, boolean>();
    for (const {text} of line.texts)
      for (const {token, ends} of tokensOf(text)) tokens.set(token, (tokens.get(token) ?? true) && ends);
    for (const [token, ends] of tokens) this.#tokens.hold(l, token, ends ? 1 : 0);
  }
}

/** In the order of `COLUMNS`. */
const columnsOf = (line: BankLine): SqlValue[] => [
  ...[line.key, line.source, line.account, line.id ?? null, line.amount, line.currency],
  ...[line.bookingDay, line.valueDay ?? null, line.state === 'pending' ? 1 : 0, line.returnCode ?? null],
];

const jsonOf = ({texts}: BankLine): string => JSON.stringify(texts.map(({path, text}) => [path, text]));

/** All of a line but its key. */
export const contentOf = (line: BankLine): string =>
  JSON.stringify([columnsOf({...line, key: '', amount: 0n}).map(String), String(line.amount), jsonOf(line)]);
