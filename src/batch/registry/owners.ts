import {must} from '../../narrow.ts';
import {withLoopback} from '../../network/local.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import type {Mode} from '../../contract/mode.ts';
import type {Kind} from '../model/kinds.ts';

/** The scope in which a reference is paid once. */
export interface Scope {
  mode: Mode;
  /** Normalised. */
  baseUrl: string;
  kind: Kind;
  namespace: string;
}

/** The batch that claims; stored with each reference. */
export interface Claimant {
  profile: string;
  batchId: string;
  journalId: string;
}

/** The id of a scope, which is added if it is new. All names of this machine are one. */
export function scopeIdOf(db: SqliteDatabase, scope: Scope): number {
  renameLoopback(db);
  db.prepare('insert or ignore into scopes (mode, base_url, kind, namespace) values (?, ?, ?, ?)').run(
    ...columnsOf(scope),
  );
  return must(storedScopeId(db, scope), 'scope that was just stored');
}

/** Undefined if nothing was ever claimed in it. */
export const storedScopeId = (db: SqliteDatabase, scope: Scope): number | undefined =>
  db
    .prepare<{id: number}>(
      'select id from scopes where mode = ? and base_url = ? and kind = ? and namespace = ?',
    )
    .get(...columnsOf(scope))?.id;

const columnsOf = ({mode, baseUrl, kind, namespace}: Scope): string[] => [
  ...[mode, withLoopback(baseUrl), kind, namespace],
];

/** Scopes that were stored under another name of this machine. */
function renameLoopback(db: SqliteDatabase): void {
  const stored = db.prepare<{id: number; url: string}>('select id, base_url as url from scopes').all();
  for (const {id, url} of stored.filter((scope) => withLoopback(scope.url) !== scope.url)) {
    const same = db
      .prepare<{id: number}>(
        `select s.id from scopes s cross join scopes own where own.id = ? and s.base_url = ? and s.mode = own.mode
           and s.kind = own.kind and s.namespace = own.namespace`,
      )
      .get(id, withLoopback(url));
    if (same !== undefined) mergeScopes(db, {from: id, to: same.id});
    else db.prepare('update scopes set base_url = ? where id = ?').run(withLoopback(url), id);
  }
}

const SCOPED = ['entries', 'ended_records', 'claims_by_content', 'unanswered'] as const;

/** What one of two scopes has that are the same is added to the other one; of two claims the payment stays. */
function mergeScopes(db: SqliteDatabase, {from, to}: {from: number; to: number}): void {
  db.transaction(() => {
    db.prepare(
      `delete from entries where scope = ? and paid = 0 and exists (select 1 from entries e where e.scope = ?
         and e.fold = entries.fold and e.reference = entries.reference and e.paid = 1)`,
    ).run(to, from);
    for (const table of SCOPED) {
      db.prepare(`update or ignore ${table} set scope = ? where scope = ?`).run(to, from);
      db.prepare(`delete from ${table} where scope = ?`).run(from);
    }
    db.prepare('update notes set scope = ? where scope = ?').run(to, from);
    db.prepare('delete from scopes where id = ?').run(from);
  });
}

/** The id of a claimant, which is added if it is new. */
export function claimantIdOf(db: SqliteDatabase, {profile, batchId, journalId}: Claimant): number {
  const claimant = [profile, batchId, journalId];
  db.prepare('insert or ignore into claimants (profile, batch, journal) values (?, ?, ?)').run(...claimant);
  return db
    .prepare<{id: number}>('select id from claimants where profile = ? and batch = ? and journal = ?')
    .one(...claimant).id;
}
