import {ownJson} from '../../narrow.ts';
import {jsonBytes} from '../../store/port/json-bytes.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import {foldReference} from '../model/identity.ts';

/** What happened to the record of a claim: it was paid, or it has failed or was canceled. */
export interface Payment {
  reference: string;
  id: string | null;
  /** Set if the record has ended: the generation of its key. */
  endedGeneration?: number;
}

/**
 * Payments of claims that are not yet written to their claims. Finding and updating each claim takes a tenth of the
 * time of a row, and no lookup needs it while a run sends. So payments are noted as they arrive, a whole group in one
 * row, and sorted in before the next lookup.
 */
export class NotedPayments {
  readonly #db: SqliteDatabase;
  #hasSome: boolean;

  constructor(db: SqliteDatabase) {
    this.#db = db;
    this.#hasSome = db.prepare('select 1 from noted_payments limit 1').get() !== undefined;
  }

  get hasSome(): boolean {
    return this.#hasSome;
  }

  /** Runs in the caller's transaction. */
  note(scope: number, payments: readonly Payment[]): void {
    const lines = payments.map(({reference, id, endedGeneration: ended}) =>
      ended === undefined ? [reference, id] : [reference, id, ended],
    );
    this.#db
      .prepare('insert into noted_payments (scope, payments) values (?, cast(? as text))')
      .run(scope, jsonBytes(lines));
    this.#hasSome = true;
  }

  /** Sorts in one group, the oldest first: the last payment of a reference counts. */
  sortInOne(): void {
    const noted = this.#db
      .prepare<{seq: number; scope: number; payments: string}>(
        'select seq, scope, payments from noted_payments order by seq limit 1',
      )
      .get();
    if (noted === undefined) {
      this.#hasSome = false;
      return;
    }
    const {seq, scope, payments} = noted;
    const pay = this.#db.prepare(
      'update entries set paid = 1, id = ?, standing = null where scope = ? and fold = ? and reference = ?',
    );
    // A later generation, or another record, is another payment and is not changed.
    const end = this.#db.prepare(
      `update entries set paid = 0, id = ?1, standing = 'ended'
       where scope = ?2 and fold = ?3 and reference = ?4 and generation = ?5 and (id is null or id = ?1)`,
    );
    this.#db.transaction(() => {
      const lines = ownJson<[string, string | null, number?][]>(payments); // as noted above
      for (const [reference, id, ended] of lines) {
        const fold = foldReference(reference);
        if (ended === undefined) pay.run(id, scope, fold, reference);
        else end.run(id, scope, fold, reference, ended);
      }
      this.#db.prepare('delete from noted_payments where seq = ?').run(seq);
    });
  }
}
