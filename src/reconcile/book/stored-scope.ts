import type {Mode} from '../../contract/mode.ts';
import {withLoopback} from '../../network/local.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';

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
