import type {SqliteDatabase} from '../../store/port/port.ts';
import type {Claim} from './claim.ts';

/**
 * Finds payments that look like one payment made twice: same party, amount and currency. The order of this index is
 * unrelated to the order of claims, so updating it row by row would cost one page of disk for each row sent. Claims
 * are therefore noted as they arrive, and sorted into the index before and after a run.
 */
export class Lookalikes {
  readonly #db: SqliteDatabase;

  constructor(db: SqliteDatabase) {
    this.#db = db;
  }

  /**
   * References of a scope that were claimed for such a payment since a given time; some may have been freed again.
   */
  find(scope: number, {party, amount, currency}: Claim, since: number): string[] {
    return this.#db
      .prepare<{reference: string}>(
        `select reference from claims_by_content
         where party = ? and amount = ? and currency = ? and scope = ? and at >= ?`,
      )
      .all(party, amount, currency, scope, since)
      .map(({reference: found}) => found);
  }
}
