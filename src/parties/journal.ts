import {join} from 'node:path';
import type {Clock} from '../clock.ts';
import type {Mode} from '../contract/mode.ts';
import {acquireLock, type Lock} from '../store/locks/lock.ts';
import {migrate, type Migration} from '../store/port/migrate.ts';
import type {SqliteDatabase} from '../store/port/port.ts';
import {openSqlite} from '../store/sqlite/sqlite.ts';
import type {ShownMethod} from './match.ts';
import type {AccountFacts, ImportKind, PartyColumn, PartyRow} from './row.ts';

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
        country text not null, last4 text not null, bank text not null,
        party_id text, party_sends integer not null, party_open integer not null,
        method_id text, method_sends integer not null, method_open integer not null,
        verification text, is_default integer not null,
        primary key (scope, reference)
      ) strict, without rowid;
      create table others (scope integer not null, party_id text not null, primary key (scope, party_id)) strict, without rowid;`,
  },
  {
    name: '2-ids',
    sql: `
      create index party_ids on parties (scope, lower(party_id));
      create index method_ids on parties (scope, lower(method_id));`,
  },
  {
    name: '3-details',
    sql: `
      alter table parties add column email text;
      alter table parties add column party_type text;
      alter table parties add column holder text;
      alter table parties add column currency text;
      alter table parties add column account_type text;`,
  },
  {name: '4-rails', sql: 'alter table parties add column no_rail integer;'},
];

/** What is kept of a bank account or card. */
const FACTS = ['type', 'country', 'last4', 'bank', 'holder', 'currency', 'account_type'] as const;
const ROW_COLUMNS = ['scope', 'reference', 'name', 'email', 'party_type', ...FACTS];

/** What is known of a row that was sent before. Nothing here is a number of an account. */
export interface Recorded extends Pick<AccountFacts, 'type' | 'country' | 'last4' | 'bank'> {
  reference: string;
  name: string;
  /** These five are null in a row of an earlier version, which did not record them; empty for an empty cell. */
  email: string | null;
  party_type: string | null;
  holder: string | null;
  currency: string | null;
  account_type: string | null;
  party_id: string | null;
  /** How many creates the service may have received, including those that it refused. */
  party_sends: number;
  /** How many of them are open: from before one is sent until an answer or a list shows what became of it. */
  party_open: number;
  /** The id and the counts of its bank account or card. */
  method_id: string | null;
  method_sends: number;
  method_open: number;
  verification: string | null;
  /** 1 once the service has shown it, or another one of the party, as the default. */
  is_default: 0 | 1;
  /** 1 if no rail of the service supports it; null if unknown. */
  no_rail: 0 | 1 | null;
}

/** Where payees are created: an import elsewhere is another one. */
export interface ImportScope {
  kind: ImportKind;
  mode: Mode;
  baseUrl: string;
  /**
   * The fingerprint of a test key, which may belong to another entity; empty for a live key, which is replaced now and
   * then.
   */
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
    const purpose = `an import of ${scope.kind}s`;
    const lock = await acquireLock(join(folder, 'lock'), {purpose, clock});
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

  /** A record that was listed before a row of its name was sent is not that of the row. */
  isOther(partyId: string): void {
    this.#db
      .prepare('insert or ignore into others (scope, party_id) values (?, ?)')
      .run(this.#scope, partyId.toLowerCase());
  }

  /** Whether a record, or a bank account or card, is that of another reference, or was there before. */
  isTaken(id: string, reference: string): boolean {
    const sql = `select 1 from parties where scope = ?1 and lower(party_id) = ?2 and reference <> ?3
      union all select 1 from parties where scope = ?1 and lower(method_id) = ?2 and reference <> ?3
      union all select 1 from others where scope = ?1 and party_id = ?2`;
    return this.#db.prepare(sql).get(this.#scope, id.toLowerCase(), reference) !== undefined;
  }

  /** Durable when it returns: the create of the row is about to be sent. */
  sendsParty(row: PartyRow): void {
    this.#lock.assertHeld();
    this.#db
      .prepare(
        `insert into parties (${ROW_COLUMNS.join(', ')}, party_sends, party_open, method_sends, method_open, is_default)
         values (${ROW_COLUMNS.map(() => '?').join(', ')}, 1, 1, 0, 0, 0)
         on conflict do update set ${ROW_COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')},
           party_sends = party_sends + 1, party_open = party_open + 1`,
      )
      .run(...this.#valuesOf(row));
  }

  /** Durable when it returns: its bank account or card is about to be sent. */
  sendsMethod({reference, account}: PartyRow): void {
    this.#lock.assertHeld();
    this.#set(
      reference,
      `method_sends = method_sends + 1, method_open = method_open + 1, ${FACTS.map((name) => `${name} = ?`).join(', ')}`,
      ...FACTS.map((name) => account[name]),
    );
  }

  /** The last request created nothing. An earlier one that was not answered may still have. */
  notTaken(reference: string, what: 'party' | 'method'): void {
    this.#set(reference, `${what}_open = ${what}_open - 1`);
  }

  /** The last request reached the service so many times, instead of once. */
  reached(reference: string, what: 'party' | 'method', times: number): void {
    this.#set(reference, `${what}_sends = ${what}_sends + ?`, times - 1);
  }

  /** The service has the record of a row, and it was not sent from this state folder. */
  found(row: PartyRow, id: string): void {
    this.#lock.assertHeld();
    this.#db
      .prepare(
        `insert or replace into parties (${ROW_COLUMNS.join(', ')}, party_id, party_sends, party_open, method_sends, method_open, is_default)
         values (${ROW_COLUMNS.map(() => '?').join(', ')}, ?, 0, 0, 0, 0, 0)`,
      )
      .run(...this.#valuesOf(row), id);
  }

  partyIs(reference: string, id: string): void {
    this.#set(reference, 'party_id = ?, party_open = 0', id);
  }

  /** What the service shows of its bank account or card. */
  methodIs(
    reference: string,
    {
      id,
      verification,
      isDefault,
      hasNoRail,
    }: Pick<ShownMethod, 'id' | 'verification' | 'isDefault' | 'hasNoRail'>,
  ): void {
    this.#set(
      reference,
      'method_id = ?, verification = ?, is_default = ?, no_rail = coalesce(?, no_rail), method_open = 0',
      ...[id, verification, isDefault ? 1 : 0, hasNoRail === undefined ? null : Number(hasNoRail)],
    );
  }

  /** Another bank account or card is sent for the row. */
  dropMethod(reference: string): void {
    this.#set(
      reference,
      'method_id = null, method_sends = 0, verification = null, is_default = 0, no_rail = null',
    );
  }

  /** The record was changed at the service to what its row has now. */
  updated(reference: string, column: PartyColumn, value: string): void {
    this.#set(reference, `${column === 'type' ? 'party_type' : column} = ?`, value);
  }

  /** The service has no such record any more; the row is as one that was never sent. */
  forget(reference: string): void {
    this.#db.prepare('delete from parties where scope = ? and reference = ?').run(this.#scope, reference);
  }

  #valuesOf({reference, party, account}: PartyRow): (string | number)[] {
    const {name, email = '', type = ''} = party;
    return [this.#scope, reference, name, email, type, ...FACTS.map((fact) => account[fact])];
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
