import type {HeldRows} from '../port/held-rows.ts';
import type {Queries, SqliteDatabase, SqliteStatement, SqlRow, SqlValue} from '../port/port.ts';

/**
 * The queries of one piece of work. They stop working when it ends, because they would become part of another
 * transaction.
 */
export class OpenQueries implements Queries {
  readonly #db: SqliteDatabase;
  readonly #held: HeldRows;
  /** Whether new rows may wait for those of others. */
  readonly #mayHold: boolean;
  #ended = false;
  /** Whether it may have changed something: true for anything but a plain select. */
  wrote = false;

  constructor(db: SqliteDatabase, held: HeldRows, mayHold: boolean) {
    this.#db = db;
    this.#held = held;
    this.#mayHold = mayHold;
  }

  async run(sql: string, params: readonly SqlValue[] = []): Promise<number> {
    const {insert} = this.#held.look(sql);
    if (insert?.width !== params.length || !this.#mayHold || this.#ended)
      return this.#prepare(sql).run(...params);
    this.wrote = true;
    this.#held.hold(insert, params);
    return 1;
  }

  async get(sql: string, params: readonly SqlValue[] = []): Promise<SqlRow | undefined> {
    return this.#prepare(sql).get(...params);
  }

  async all(sql: string, params: readonly SqlValue[] = []): Promise<SqlRow[]> {
    return this.#prepare(sql).all(...params);
  }

  end(): void {
    this.#ended = true;
  }

  #prepare(sql: string): SqliteStatement {
    if (this.#ended) throw new Error(`a query after its work ended; is an await missing? ${sql}`);
    const {names, isRead} = this.#held.look(sql);
    if (!isRead) this.wrote = true;
    if (names && this.#mayHold) this.#held.write();
    return this.#db.prepare(sql);
  }
}
