import {join} from 'node:path';
import type {Mode} from '../contract/mode.ts';
import {acquireLock, type Lock} from '../store/locks/lock.ts';
import {migrate, type Migration} from '../store/port/migrate.ts';
import type {SqliteDatabase} from '../store/port/port.ts';
import {openSqlite} from '../store/sqlite/sqlite.ts';
import type {Clock} from '../clock.ts';
import type {ShownMethod} from './match.ts';
import type {ImportKind, PartyRow} from './row.ts';

const MIGRATIONS: readonly Migration[] = [
  {
    name: '1-parties',
    sql: `
      create table scopes (
        id integer primary key, kind text not null, mode text not null, base_url text not null,
        key_print text not null, unique (kind, mode, base_url, key_print)
      ) strict;
      create table parties (
        scope integer not null, reference text not null, name text not null, type text not null,
        country text not null, last4 text not null,
        party_id text, party_sends integer not null, party_open integer not null, party_at integer,
        method_id text, method_sends integer not null, method_open integer not null, method_at integer,
        verification text, is_default integer not null,
        primary key (scope, reference)
      ) strict, without rowid;`,
  },
];

/** What is known of a row that was sent before. Nothing here is a number of an account. */
export interface Recorded {
  reference: string;
  name: string;
  type: 'bank_account' | 'card';
  country: string;
  last4: string;
  party_id: string | null;
  /** How often its create was sent, apart from those that were refused. */
  party_sends: number;
  /** 1 from before a create is sent until an answer or a list shows what became of it. */
  party_open: 0 | 1;
  /** When it was first sent. */
  party_at: number | null;
  /** The same for its bank account or card. */
  method_id: string | null;
  method_sends: number;
  method_open: 0 | 1;
  method_at: number | null;
  verification: string | null;
  /** 1 once the service has shown it as the default. */
  is_default: 0 | 1;
}

/** Where payees are created: an import elsewhere is another one. */
export interface ImportScope {
  kind: ImportKind;
  mode: Mode;
  baseUrl: string;
  /** Of a test key, which may belong to another entity; empty for a live key, which is replaced now and then. */
  keyPrint: string;
}

/**
 * The journal of all imports of a state folder: each reference is imported once, whatever the file. What is about to be
 * sent is committed first, so a kill leaves a row that is looked for at the service before it is sent again.
 */
export class ImportJournal {
  readonly #db: SqliteDatabase;
  readonly #lock: Lock;
  readonly #scope: number;

  private constructor(db: SqliteDatabase, lock: Lock, scope: ImportScope) {
    this.#db = db;
    this.#lock = lock;
    const {kind, mode, baseUrl, keyPrint} = scope;
    const facts = [kind, mode, baseUrl, keyPrint];
    db.prepare('insert or ignore into scopes (kind, mode, base_url, key_print) values (?, ?, ?, ?)').run(
      ...facts,
    );
    this.#scope = db
      .prepare<{id: number}>(
        'select id from scopes where kind = ? and mode = ? and base_url = ? and key_print = ?',
      )
      .one(...facts).id;
  }

  /** @throws RemitError LOCKED while another import runs in the state folder */
  static async open(stateDir: string, scope: ImportScope, clock: Clock): Promise<ImportJournal> {
    const folder = join(stateDir, 'imports');
    const lock = await acquireLock(join(folder, 'lock'), {purpose: `an import of ${scope.kind}s`, clock});
    try {
      const db = await openSqlite(join(folder, 'imports.sqlite'), {durability: 'full'});
      migrate(db, MIGRATIONS);
      return new ImportJournal(db, lock, scope);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  find(reference: string): Recorded | undefined {
    return this.#db
      .prepare<Recorded>('select * from parties where scope = ? and reference = ?')
      .get(this.#scope, reference);
  }

  /** Whether a record is that of another reference. */
  isTaken(partyId: string, reference: string): boolean {
    const sql = 'select 1 from parties where scope = ? and party_id = ? and reference <> ?';
    return this.#db.prepare(sql).get(this.#scope, partyId, reference) !== undefined;
  }

  /** Durable when it returns: the create of the row is about to be sent. */
  sendsParty({reference, party, account}: PartyRow, at: number): void {
    this.#lock.assertHeld();
    this.#db
      .prepare(
        `insert into parties (scope, reference, name, type, country, last4, party_sends, party_open, party_at, method_sends, method_open, is_default)
         values (?, ?, ?, ?, ?, ?, 1, 1, ?, 0, 0, 0)
         on conflict do update set name = excluded.name, type = excluded.type, country = excluded.country,
           last4 = excluded.last4, party_sends = party_sends + 1, party_open = 1, party_at = coalesce(party_at, excluded.party_at)`,
      )
      .run(this.#scope, reference, party.name, account.type, account.country, account.last4, at);
  }

  /** Durable when it returns: its bank account or card is about to be sent. */
  sendsMethod({reference, account}: PartyRow, at: number): void {
    this.#lock.assertHeld();
    this.#db
      .prepare(
        `update parties set method_sends = method_sends + 1, method_open = 1, method_at = coalesce(method_at, ?),
           type = ?, country = ?, last4 = ? where scope = ? and reference = ?`,
      )
      .run(at, account.type, account.country, account.last4, this.#scope, reference);
  }

  /** The answer shows that nothing was created: it was refused, or never left. */
  notTaken(reference: string, what: 'party' | 'method'): void {
    this.#set(reference, `${what}_open = 0, ${what}_sends = ${what}_sends - 1`);
  }

  partyIs(reference: string, id: string): void {
    this.#set(reference, 'party_id = ?, party_open = 0', id);
  }

  /** What the service shows of its bank account or card. */
  methodIs(reference: string, {id, verification, isDefault}: ShownMethod): void {
    this.#set(
      reference,
      'method_id = ?, verification = ?, is_default = ?, method_open = 0',
      ...[id, verification, isDefault ? 1 : 0],
    );
  }

  /** The service has no such record any more; the row is as one that was never sent. */
  forget(reference: string): void {
    this.#db.prepare('delete from parties where scope = ? and reference = ?').run(this.#scope, reference);
  }

  #set(reference: string, what: string, ...values: (string | number | null)[]): void {
    this.#db
      .prepare(`update parties set ${what} where scope = ? and reference = ?`)
      .run(...values, this.#scope, reference);
  }

  async close(): Promise<void> {
    this.#db.close();
    await this.#lock.release();
  }
}
