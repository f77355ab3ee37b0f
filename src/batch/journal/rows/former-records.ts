import type {SqliteDatabase} from '../../../store/port/port.ts';

/** A row of `generations`, with the reference of its row. */
export interface Generation {
  n: number;
  generation: number;
  former_id: string | null;
  reason: string;
  at: number;
  reference: string;
}

/** A row of `ended_records`, with the reference of its row. */
export interface EndedRecord {
  id: string;
  n: number;
  status: string;
  /** 1 once the registry has been updated. */
  told: number;
  reference: string;
}

/** Records that failed or were canceled, and the generations that were raised afterwards. */
export class FormerRecords {
  readonly #db: SqliteDatabase;

  constructor(db: SqliteDatabase) {
    this.#db = db;
  }

  /** All raised generations. */
  generations(): Generation[] {
    return this.#db
      .prepare<Generation>(
        'select g.n, g.generation, g.former_id, g.reason, g.at, r.reference from generations g join rows r on r.n = g.n order by g.n',
      )
      .all();
  }

  addGenerations(all: readonly Generation[]): void {
    const insert = this.#db.prepare(
      'insert into generations (n, generation, former_id, reason, at) values (?, ?, ?, ?, ?)',
    );
    this.#db.transaction(() => {
      for (const {n, generation, former_id: id, reason, at} of all) insert.run(n, generation, id, reason, at);
    });
  }

  /** Whether a GET has shown that this record failed or was canceled. */
  hasEnded(id: string): boolean {
    return this.#db.prepare('select 1 from ended_records where id = ?').get(id) !== undefined;
  }

  endedRecords(): EndedRecord[] {
    return this.#db
      .prepare<EndedRecord>(
        'select e.id, e.n, e.status, e.told, r.reference from ended_records e join rows r on r.n = e.n',
      )
      .all();
  }

  addEndedRecords(all: readonly EndedRecord[]): void {
    const insert = this.#db.prepare('insert into ended_records (id, n, status, told) values (?, ?, ?, ?)');
    this.#db.transaction(() => {
      for (const {id, n, status, told} of all) insert.run(id, n, status, told);
    });
  }
}
