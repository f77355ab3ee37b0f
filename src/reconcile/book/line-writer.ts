import {hash} from 'node:crypto';
import {ownJson} from '../../narrow.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import type {BankLine} from '../model/line.ts';
import {tokensOf} from '../model/tokens.ts';
import {BookPart} from './book-part.ts';
import type {DaysRead} from './gone-lines.ts';
import {HELD_ROWS, HeldInsert} from './held-insert.ts';
import {
  aboutLine,
  contentOf,
  lineValues,
  lineTextsJson,
  LINE_COLUMNS,
  LINE_FIELDS,
  type LineContent,
  lineOfRow,
  type LineRow,
} from './line-row.ts';

/** Which lines a read returned: all that this source has of the account from one day to another, both included. */
export interface LinesRead extends DaysRead {
  source: BankLine['source'];
}

/** The last read; the number of a statement is never used again, even if it is forgotten. */
export const LAST_READ = `(select coalesce(max(read), 0) from (
  select max(read) as read from reads union all select max(read) from statements))`;

type FoundRow = LineRow & {isRead: number};
const FOUND_LINE = `select ${LINE_COLUMNS}, exists (select 1 from statement_lines m where m.l = x.l and m.read = ?) as isRead
  from lines x join line_texts t on t.l = x.l where x.scope = ? and x.key = ?`;

/** Writes the lines of one read, in the transaction of its caller. It is not used for another read. */
export class LineWriter extends BookPart {
  /** The number of the read. */
  readonly read: number;
  /** What the read has returned so far. A line of a statement with other content than before is a line of its own. */
  readonly counts = {added: 0, known: 0, changed: 0};
  readonly #lines: HeldInsert;
  readonly #texts: HeldInsert;
  readonly #tokens: HeldInsert;
  /** Which statements have a line. */
  readonly #members: HeldInsert;
  /** Keys of lines that are not inserted yet, or not yet lines of a statement. */
  readonly #held = new Set<string>();
  /** The last line before the read, and the last one now. */
  readonly #before: number;
  #last: number;
  /** A statement was forgotten, so the first line of a key may be missing. */
  readonly #hasForgotten: boolean;

  constructor(db: SqliteDatabase, scope: number) {
    super(db, scope);
    this.#lines = new HeldInsert(db, 'lines', ['l', 'scope', 'read', ...LINE_FIELDS]);
    this.#texts = new HeldInsert(db, 'line_texts', ['l', 'texts']);
    this.#tokens = new HeldInsert(db, 'line_tokens', ['l', 'token', 'ends']);
    this.#members = new HeldInsert(db, 'statement_lines', ['read', 'l']);
    const {last, read, forgotten} = db
      .prepare<{last: number; read: number; forgotten: number}>(
        `select (select coalesce(max(l), 0) from lines) as last, ${LAST_READ} as read,
           exists (select 1 from statements where forgotten_at is not null) as forgotten`,
      )
      .one();
    this.#before = this.#last = last;
    this.read = read + 1;
    this.#hasForgotten = forgotten === 1;
  }

  end({source, account, from, to}: LinesRead): void {
    this.#numberAlike();
    this.#writeHeld();
    this.db
      .prepare('insert into reads (read, scope, source, account, first, last) values (?, ?, ?, ?, ?, ?)')
      .run(this.read, this.scope, source, account, from, to);
  }

  /**
   * A line with the key of another one is a line of its own: what an earlier statement said is kept. Its key gets a hash
   * of its content, and equal lines of a file are numbered. The new lines of a key wait until all of them are known: the
   * one with the first content has the key itself, so that the order of the file changes nothing.
   */
  putStated(line: BankLine): void {
    const {key, found} = this.#ownKey(line);
    if (found === undefined && key === line.key) this.#insert(line);
    else if (isUnreadSame(found, line)) this.#keep(found);
    else
      this.db
        .prepare(
          `insert into w_alike (key, content, n)
             select ?1, ?2, coalesce(max(n), 0) + 1 from w_alike where key = ?1 and content = ?2`,
        )
        .run(line.key, contentOf(line));
  }

  /** The key of the first line with this content, and that line if the book has it. */
  #ownKey(line: BankLine): {key: string; found: FoundRow | undefined} {
    const first = this.#find(line.key);
    if (first === undefined && !this.#hasForgotten) return {key: line.key, found: first};
    const content = contentOf(line);
    if (first !== undefined && contentOf(lineOfRow(first)) === content) return {key: line.key, found: first};
    const key = keyWith(line.key, content);
    const found = this.#find(key);
    return first === undefined && found === undefined ? {key: line.key, found} : {key, found};
  }

  #numberAlike(): void {
    const next = this.db.prepare<{key: string; content: string; n: number}>(
      `select key, content, count(*) as n from w_alike where (key, content) > (?, ?)
       group by key, content order by key, content limit 1`,
    );
    for (let row = next.get('', ''); row !== undefined; row = next.get(row.key, row.content)) {
      this.#leaveKey(row);
      const line = lineOfRow({...ownJson<LineContent>(row.content), key: row.key}); // written by putStated
      const {key} = this.#ownKey(line);
      let left = row.n;
      for (let at = 1; left > 0; at += 1)
        if (this.#isPlaced({...line, key: at === 1 ? key : `${key}/${at}`})) left -= 1;
    }
    this.db.exec('delete from w_alike');
  }

  /** A new line leaves its key to another new one whose content comes first. */
  #leaveKey({key, content}: {key: string; content: string}): void {
    const first = this.#find(key);
    if (first === undefined || first.l <= this.#before) return;
    const its = contentOf(lineOfRow(first));
    if (content < its)
      this.db.prepare('update lines set key = ? where l = ?').run(keyWith(key, its), first.l);
  }

  /** Whether the key is free, or that of an equal line that the read has not had yet. */
  #isPlaced(line: BankLine): boolean {
    const found = this.#find(line.key);
    if (found === undefined) this.#insert(line);
    else if (isUnreadSame(found, line)) this.#keep(found);
    else return false;
    return true;
  }

  #keep({l, key}: FoundRow): void {
    this.counts.known += 1;
    this.#held.add(key);
    this.#members.hold(this.read, l);
  }

  #writeHeld(): void {
    for (const table of [this.#lines, this.#texts, this.#tokens, this.#members]) table.write();
    this.#held.clear();
  }

  #find(key: string): FoundRow | undefined {
    if (this.#held.size >= HELD_ROWS || this.#held.has(key)) this.#writeHeld();
    return this.db.prepare<FoundRow>(FOUND_LINE).get(this.read, this.scope, key);
  }

  put(line: BankLine): void {
    const before = this.#find(line.key);
    if (before === undefined) this.#insert(line);
    else if (contentOf(line) === contentOf(lineOfRow(before))) {
      this.db.prepare('update lines set read = ?, gone = 0 where l = ?').run(this.read, before.l);
      this.counts.known += 1;
    } else this.#replace(line, before);
  }

  #insert(line: BankLine): void {
    const l = (this.#last += 1);
    this.counts.added += 1;
    this.#held.add(line.key);
    this.#lines.hold(l, this.scope, this.read, ...lineValues(line));
    if (line.source === 'statement') this.#members.hold(this.read, l);
    this.#texts.hold(l, lineTextsJson(line));
    this.#holdTokens(l, line);
  }

  #replace(line: BankLine, before: LineRow): void {
    this.counts.changed += 1;
    this.#held.add(line.key);
    const {amount, currency, account, bookingDay: day} = line;
    const isAltered =
      before.pending === 0 &&
      (line.state === 'pending' ||
        aboutLine({amount, currency, account, day}) !== aboutLine(before) ||
        this.#isFound(before));
    this.db
      .prepare(
        `update lines set read = ?, gone = 0, altered = max(altered, ?), ${LINE_FIELDS.map((name) => `${name} = ?`).join(', ')}
         where l = ?`,
      )
      .run(this.read, isAltered ? 1 : 0, ...lineValues(line), before.l);
    this.db.prepare('update line_texts set texts = ? where l = ?').run(lineTextsJson(line), before.l);
    this.db.prepare('delete from line_tokens where l = ?').run(before.l);
    this.#holdTokens(before.l, line);
  }

  /** Whether the last match found what a line is about. */
  #isFound({l}: LineRow): boolean {
    const found = `select 1 from found_lines where l = ? and state in ('matched', 'returned')`;
    return this.db.prepare(found).get(l) !== undefined;
  }

  #holdTokens(l: number, line: BankLine): void {
    const tokens = new Map<string, boolean>();
    for (const {text} of line.texts)
      for (const {token, ends} of tokensOf(text)) tokens.set(token, (tokens.get(token) ?? true) && ends);
    for (const [token, ends] of tokens) this.#tokens.hold(l, token, ends ? 1 : 0);
  }
}

const keyWith = (key: string, content: string): string =>
  `${key}/${hash('sha256', content, 'hex').slice(0, 8)}`;

const isUnreadSame = (found: FoundRow | undefined, line: BankLine): found is FoundRow =>
  found?.isRead === 0 && contentOf(lineOfRow(found)) === contentOf(line);
