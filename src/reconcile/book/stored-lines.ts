import {ownJson} from '../../narrow.ts';
import type {SqliteDatabase, SqlValue} from '../../store/port/port.ts';
import type {BankLine, LineText} from '../model/line.ts';
import {tokensOf} from '../model/tokens.ts';
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
export const aboutLine = (line: Pick<LineRow, 'amount' | 'currency' | 'account' | 'day'>): string =>
  JSON.stringify([String(line.amount), line.currency, line.account, line.day]);

/** JSON has no integers beyond 2^53. */
type LineContent = Omit<LineRow, 'l' | 'amount'> & {amount: string};

export const lineOfRow = (row: LineRow | LineContent): BankLine => ({
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

const LINE_OF_KEY = `select ${LINE_COLUMNS}, x.read from lines x join line_texts t on t.l = x.l
  where x.scope = ? and x.key = ?`;

/** New lines that are inserted together. */
const HELD = 256;
const COLUMNS = [
  ...['key', 'source', 'account', 'id', 'amount', 'currency'],
  ...['day', 'value_day', 'pending', 'return_code'],
];

/** The lines of one scope. */
export class StoredLines {
  readonly #db: SqliteDatabase;
  readonly #scope: number;
  readonly #lines: HeldInsert;
  readonly #texts: HeldInsert;
  readonly #tokens: HeldInsert;
  /** Keys of lines that are not inserted yet. */
  readonly #held = new Set<string>();
  #last = 0;
  /** Lines that have waited for others with their key. */
  #alike = 0;

  constructor(db: SqliteDatabase, scope: number) {
    this.#db = db;
    this.#scope = scope;
    this.#lines = new HeldInsert(db, 'lines', ['l', 'scope', 'read', ...COLUMNS]);
    this.#texts = new HeldInsert(db, 'line_texts', ['l', 'texts']);
    this.#tokens = new HeldInsert(db, 'line_tokens', ['l', 'token', 'ends']);
  }

  /**
   * Adds what a read returned, in one change. A line of an earlier read of the same source, account and days that it
   * did not return is gone.
   */
  add(lines: Iterable<BankLine>, read: LinesRead): LinesAdded {
    const counts = {added: 0, known: 0, changed: 0, gone: 0};
    this.#db.transaction(() => {
      const number = this.#startRead();
      for (const line of lines) counts[this.#put(line, number)] += 1;
      counts.gone = this.#endRead(number, read);
    });
    return counts;
  }

  /**
   * Adds the lines of a statement while it is read: all of them or, if that fails, none. Lines with one key are numbered
   * in the order of their content, so that the order of the file changes nothing.
   * @param read gives the lines to its argument, and returns the days that the statement covers
   */
  async addStatement<Facts extends {days: Pick<LinesRead, 'from' | 'to'> | undefined}>(
    account: string,
    read: (take: (line: BankLine) => void) => Promise<Facts>,
  ): Promise<Facts> {
    this.#db.begin();
    try {
      const number = this.#startRead();
      const facts = await read((line) => this.#putAlike(line, number));
      this.#numberAlike(number);
      if (facts.days !== undefined) this.#endRead(number, {source: 'statement', account, ...facts.days});
      this.#db.commit();
      return facts;
    } catch (error) {
      this.#db.rollback(error);
      throw error;
    }
  }

  #startRead(): number {
    for (const table of [this.#lines, this.#texts, this.#tokens]) table.clear(); // of a read that failed
    this.#held.clear();
    const last = this.#db
      .prepare<{l: number; read: number}>(
        `select (select coalesce(max(l), 0) from lines) as l, (select coalesce(max(read), 0) from reads) as read`,
      )
      .one();
    this.#last = last.l;
    return last.read + 1;
  }

  /** @returns how many lines are gone */
  #endRead(number: number, {source, account, from, to}: LinesRead): number {
    this.#writeHeld();
    this.#db
      .prepare('insert into reads (read, scope, source, account, first, last) values (?, ?, ?, ?, ?, ?)')
      .run(number, this.#scope, source, account, from, to);
    return this.#db
      .prepare(
        `update lines set gone = 1 where scope = ? and source = ? and account = ? and day between ? and ?
           and read <> ? and gone = 0`,
      )
      .run(this.#scope, source, account, from, to, number);
  }

  /** Lines of one key wait until all of them are known, with the first, which has been put. */
  #putAlike(line: BankLine, read: number): void {
    const first = this.#lineOf(line.key);
    if (first?.read !== read) {
      this.#put(line, read, first);
      return;
    }
    const isSecond =
      this.#db.prepare('select 1 from w_alike where key = ? limit 1').get(line.key) === undefined;
    for (const one of isSecond ? [lineOfRow(first), line] : [line])
      this.#db
        .prepare('insert into w_alike (key, content, n) values (?, ?, ?)')
        .run(one.key, contentOf(one), (this.#alike += 1));
  }

  #numberAlike(read: number): void {
    const next = this.#db.prepare<{key: string; content: string; n: number}>(
      `select key, content, n from w_alike where (key, content, n) > (?, ?, ?) order by key, content, n limit 1`,
    );
    let count = 0;
    let before = {key: '', content: '', n: 0};
    for (;;) {
      const row = next.get(before.key, before.content, before.n);
      if (row === undefined) break;
      count = row.key === before.key ? count + 1 : 1;
      const line = lineOfRow(ownJson<LineContent>(row.content)); // written by #putAlike
      this.#put(count === 1 ? line : {...line, key: `${row.key}/${count}`}, read);
      before = row;
    }
    this.#db.exec('delete from w_alike');
  }

  #writeHeld(): void {
    for (const table of [this.#lines, this.#texts, this.#tokens]) table.write();
    this.#held.clear();
  }

  /** The line with this key, and the read that last had it. */
  #lineOf(key: string): (LineRow & {read: number}) | undefined {
    if (this.#held.size >= HELD || this.#held.has(key)) this.#writeHeld();
    return this.#db.prepare<LineRow & {read: number}>(LINE_OF_KEY).get(this.#scope, key);
  }

  #put(line: BankLine, read: number, before = this.#lineOf(line.key)): 'added' | 'known' | 'changed' {
    if (before === undefined) {
      this.#insert(line, read);
      return 'added';
    }
    const isSame = contentOf(line) === contentOf(lineOfRow(before));
    if (isSame) this.#db.prepare('update lines set read = ?, gone = 0 where l = ?').run(read, before.l);
    else this.#replace(line, before, read);
    return isSame ? 'known' : 'changed';
  }

  #insert(line: BankLine, read: number): void {
    const l = (this.#last += 1);
    this.#held.add(line.key);
    this.#lines.hold(l, this.#scope, read, ...columnsOf(line));
    this.#texts.hold(l, jsonOf(line));
    this.#holdTokens(l, line);
  }

  #replace(line: BankLine, before: LineRow, read: number): void {
    const {amount, currency, account, bookingDay: day} = line;
    const isAltered =
      before.pending === 0 && aboutLine({amount, currency, account, day}) !== aboutLine(before);
    this.#db
      .prepare(
        `update lines set read = ?, gone = 0, altered = max(altered, ?), ${COLUMNS.map((name) => `${name} = ?`).join(', ')}
         where l = ?`,
      )
      .run(read, isAltered ? 1 : 0, ...columnsOf(line), before.l);
    this.#db.prepare('update line_texts set texts = ? where l = ?').run(jsonOf(line), before.l);
    this.#db.prepare('delete from line_tokens where l = ?').run(before.l);
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

/** A row as JSON, which `lineOfRow` reads. */
const contentOf = (line: BankLine): string => {
  const {key, source, account, currency, bookingDay: day} = line;
  const row: LineContent = {
    ...{key, source, account, id: line.id ?? null, amount: String(line.amount), currency, day},
    ...{value_day: line.valueDay ?? null, pending: line.state === 'pending' ? 1 : 0},
    ...{return_code: line.returnCode ?? null, texts: jsonOf(line)},
  };
  return JSON.stringify(row);
};
