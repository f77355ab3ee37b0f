import type {Mode} from '../../contract/mode.ts';
import {withLoopback} from '../../network/local.ts';
import {ownJson} from '../../narrow.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import type {FeeRule} from '../model/options.ts';

/** The service whose payments are reconciled. */
export interface BookScope {
  mode: Mode;
  /** Normalised. */
  baseUrl: string;
}

/** The number of a scope, which is added if it is new. All names of this machine are one. */
export function bookScopeId(db: SqliteDatabase, {mode, baseUrl}: BookScope): number {
  const scope = [mode, withLoopback(baseUrl)];
  db.prepare('insert or ignore into scopes (mode, base_url) values (?, ?)').run(...scope);
  return db.prepare<{id: number}>('select id from scopes where mode = ? and base_url = ?').one(...scope).id;
}

/** The key of the hashes of account numbers. */
export const bookKey = (db: SqliteDatabase): string =>
  db.prepare<{value: string}>(`select value from book_facts where name = 'key'`).one().value;

/** Keeps the fees of a match, for the matches after a decision. */
export function keepFees(db: SqliteDatabase, scope: number, fees: readonly FeeRule[]): void {
  const text = JSON.stringify(fees, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  db.prepare('insert or replace into book_facts (name, value) values (?, ?)').run(`fees ${scope}`, text);
}

type KeptFee = {rail?: string} & {fee: {currency: string; amount: string} | {basisPoints: string}};

export function keptFees(db: SqliteDatabase, scope: number): FeeRule[] {
  const row = db.prepare<{value: string}>('select value from book_facts where name = ?').get(`fees ${scope}`);
  const kept = row === undefined ? [] : ownJson<KeptFee[]>(row.value); // as written above
  return kept.map(({rail, fee}) => ({
    rail,
    fee:
      'amount' in fee
        ? {currency: fee.currency, amount: BigInt(fee.amount)}
        : {basisPoints: BigInt(fee.basisPoints)},
  }));
}
