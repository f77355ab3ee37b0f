import type {SqliteDatabase, SqlValue} from './port.ts';

/** An insert whose rows may wait: its text up to the row, the row, and the number of its values. */
interface Insert {
  head: string;
  row: string;
  width: number;
}

/** What the store needs to know about a statement, read once from its text. */
interface Statement {
  insert: Insert | undefined;
  /** Whether it names a table whose rows may wait. */
  names: boolean;
  isRead: boolean;
}

const ONE_ROW = /^\s*(insert\s+into\s+(\w+)\s*\([\w\s,]*\)\s*values\s*)(\([^()]*\))\s*$/i;
const PLAIN_READ = /^\s*select\b/i;
/**
 * Rows per statement, largest first: a call into the driver, and finding the place of a row, cost more than the rest
 * of a row.
 */
const SIZES = [32, 16, 8, 4, 2, 1];

/**
 * Rows of some tables that wait to be inserted, several per statement. All are from one transaction. They are written
 * before a query names their table and before the commit, so they are never missing. A row that the database refuses
 * is refused only then, during other work: `hasFailed` shows that the transaction must be undone.
 *
 * The names of these tables are searched for in the text of statements, so they must not be reached in other ways: no
 * views, triggers or foreign keys.
 */
export class HeldRows {
  readonly #db: SqliteDatabase;
  readonly #names: RegExp | undefined;
  readonly #tables: ReadonlySet<string>;
  readonly #statements = new Map<string, Statement>();
  readonly #texts = new Map<string, Map<number, string>>();
  #insert: Insert | undefined;
  /** Values of whole rows, one row after another. */
  #values: SqlValue[] = [];
  hasFailed = false;

  constructor(db: SqliteDatabase, tables: readonly string[]) {
    this.#db = db;
    this.#tables = new Set(tables);
    this.#names = tables.length === 0 ? undefined : new RegExp(`\\b(?:${tables.join('|')})\\b`, 'i');
  }

  /** Cached by the text, like statements. */
  look(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      const [, head = '', table = '', row = ''] = ONE_ROW.exec(sql) ?? [];
      statement = {
        insert: this.#tables.has(table) ? {head, row, width: row.split('?').length - 1} : undefined,
        names: this.#names?.test(sql) ?? false,
        isRead: PLAIN_READ.test(sql),
      };
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  hold(insert: Insert, row: readonly SqlValue[]): void {
    if (this.#insert !== insert) this.write();
    this.#insert = insert;
    for (const value of row) this.#values.push(value);
  }

  /** Inserts the waiting rows. Runs inside their transaction. */
  write(): void {
    const [values, insert] = [this.#values, this.#insert];
    if (values.length === 0 || insert === undefined) return;
    const {width} = insert;
    this.#values = [];
    try {
      let at = 0;
      for (const size of SIZES)
        for (let end = at + size * width; end <= values.length; [at, end] = [end, end + size * width])
          this.#db.prepare(this.#text(insert, size)).run(...values.slice(at, end));
    } catch (error) {
      this.hasFailed = true;
      throw error;
    }
  }

  /** At the start of a transaction: rows left from a rolled-back one are not part of it. */
  clear(): void {
    this.#values = [];
    this.hasFailed = false;
  }

  #text({head, row}: Insert, size: number): string {
    const known = this.#texts.get(head) ?? new Map<number, string>();
    this.#texts.set(head, known);
    const text = known.get(size) ?? `${head} ${Array.from({length: size}, () => row).join(', ')}`;
    known.set(size, text);
    return text;
  }
}
