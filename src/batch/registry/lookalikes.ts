import type {SqliteDatabase} from '../../store/port.ts';
import type {Claim} from './claim.ts';

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
}
