import type {SqliteDatabase} from '../store/port.ts';
import type {Claim} from './registry.ts';

/** Claims that are sorted in with one commit; SQLite sorts in memory. */
const NOTES_A_COMMIT = 8;

/**
 * Finds payments that look like one payment made twice: the same party, amount and currency. The index for that is in no
 * order that claims come in: kept up to date row by row, it would cost a page of the disk for each row that is sent. So
 * claims are noted as they come, and sorted into it before and after a run.
 */
export class Lookalikes {
  readonly #db: SqliteDatabase;

  constructor(db: SqliteDatabase) {
    this.#db = db;
  }

  /** In the caller's transaction. */
  note(scope: number, rows: readonly Claim[], at: number): void {
    const claims = rows.map(({party, amount, currency, reference}) => [party, amount, currency, reference]);
    this.#db
      .prepare('insert into noted_claims (scope, at, claims) values (?, ?, ?)')
      .run(scope, at, JSON.stringify(claims));
  }

  /** Sorts some of the noted in; false when there was nothing left. */
  sortInSome(): boolean {
    const noted = 'from noted_claims where seq <= ?';
    const full = this.#db.prepare('select seq from noted_claims order by seq limit 1 offset ?');
    const seq = (full.get(NOTES_A_COMMIT - 1) ?? this.#newest())?.['seq'];
    if (seq === undefined) return false;
    this.#db.transaction(() => {
      this.#db
        .prepare(
          `insert or replace into claims_by_content (party, amount, currency, scope, reference, at)
           select claim.value ->> 0, claim.value ->> 1, claim.value ->> 2, scope, claim.value ->> 3, at
           from (select * ${noted}) cross join json_each(claims) as claim order by 1, 2, 3`,
        )
        .run(seq);
      this.#db.prepare(`delete ${noted}`).run(seq);
    });
    return true;
  }

  /** References of a scope that were claimed for such a payment since a moment; some may have been freed again. */
  find(scope: number, {party, amount, currency}: Claim, since: number): string[] {
    return this.#db
      .prepare(
        `select reference from claims_by_content
         where party = ? and amount = ? and currency = ? and scope = ? and at >= ?`,
      )
      .all(party, amount, currency, scope, since)
      .map((row) => row['reference'] as string);
  }

  #newest() {
    return this.#db.prepare('select seq from noted_claims order by seq desc limit 1').get();
  }
}
