import type {SqliteDatabase} from '../../../store/port/port.ts';

/** A row of `timeline`. `counts` is JSON: rows by bucket. */
export interface Sample {
  run: number;
  /** Milliseconds since the epoch. */
  at: number;
  phase: string;
  counts: string;
}

/** The samples of the counts that the journal keeps for the chart of a report. */
export class Samples {
  readonly #db: SqliteDatabase;

  constructor(db: SqliteDatabase) {
    this.#db = db;
  }

  /** Oldest first. */
  all(): Sample[] {
    return this.#db.prepare<Sample>('select run, at, phase, counts from timeline order by seq').all();
  }

  add({run, at, phase, counts}: Sample): void {
    this.#db
      .prepare('insert into timeline (run, at, phase, counts) values (?, ?, ?, ?)')
      .run(run, at, phase, counts);
  }

  /** Copies the samples into the empty table of a new revision. */
  copyTo(other: Samples): void {
    const insert = other.#db.prepare(
      'insert into timeline (seq, run, at, phase, counts) values (?, ?, ?, ?, ?)',
    );
    other.#db.transaction(() => {
      const samples = this.#db
        .prepare<Sample & {seq: number}>('select seq, run, at, phase, counts from timeline order by seq')
        .all();
      for (const {seq, run, at, phase, counts} of samples) insert.run(seq, run, at, phase, counts);
    });
  }

  nextRun(): number {
    return this.#number('select coalesce(max(run), 0) + 1 as it from timeline');
  }

  count(): number {
    return this.#number('select count(*) as it from timeline');
  }

  /** How long runs took, without the pauses between them. */
  activeMs(): number {
    return this.#number(
      'select coalesce(sum(ms), 0) as it from (select max(at) - min(at) as ms from timeline group by run)',
    );
  }

  /** Removes every second sample, except the first and the last; `but: 'ends'` also keeps the last of each run. */
  dropHalf({but}: {but?: 'ends'} = {}): void {
    const among = but === undefined ? '' : 'where seq not in (select max(seq) from timeline group by run)';
    this.#db
      .prepare(
        `delete from timeline where seq in (select seq from (select seq, row_number() over (order by seq) as k from timeline ${among})
         where k % 2 = 0) and seq <> (select max(seq) from timeline)`,
      )
      .run();
  }

  #number(sql: string): number {
    return this.#db.prepare<{it: number}>(sql).one().it;
  }
}
