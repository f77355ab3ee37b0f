import {jsonBytes} from '../store/json-bytes.ts';
import type {SqliteDatabase} from '../store/port.ts';
import {foldReference} from './identity.ts';

/** A payment that a claim came to. */
export interface Payment {
  reference: string;
  id: string | null;
}

/**
 * Payments of claims, not yet written beside them. To find each claim and write it anew takes a tenth of all that a row
 * costs, and nobody asks for it while a run sends: so payments are noted as they come, a whole group in one row, and
 * sorted in before anybody looks.
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

  /** In the caller's transaction. */
  note(scope: number, payments: readonly Payment[]): void {
    const lines = payments.map(({reference, id}) => [reference, id]);
    this.#db
      .prepare('insert into noted_payments (scope, payments) values (?, cast(? as text))')
      .run(scope, jsonBytes(lines));
    this.#hasSome = true;
  }

  /** Sorts one group in, the oldest first: a later payment of a reference is the one that counts. */
  sortInOne(): void {
    const noted = this.#db
      .prepare('select seq, scope, payments from noted_payments order by seq limit 1')
      .get();
    if (noted === undefined) {
      this.#hasSome = false;
      return;
    }
    const {seq, scope, payments} = noted;
    const pay = this.#db.prepare(
      'update entries set paid = 1, id = ? where scope = ? and fold = ? and reference = ?',
    );
    this.#db.transaction(() => {
      const lines = JSON.parse(payments as string) as [string, string | null][]; // as noted above
      for (const [reference, id] of lines) pay.run(id, scope!, foldReference(reference), reference);
      this.#db.prepare('delete from noted_payments where seq = ?').run(seq!);
    });
  }
}
