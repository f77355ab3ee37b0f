import {BOOK_TABLES, RETURN_TABLES} from './book-tables.ts';
import {isMissingTable, type TeamDatabase} from './connection.ts';
import {RemitError} from '../errors.ts';
import {ownJson} from '../narrow.ts';
import {checkApplied} from '../store/port/migrate.ts';
import {quoteName} from '../store/postgres/sql.ts';
import {CHUNK_TABLES} from './chunks.ts';
import {createTable, JOURNAL_TABLES, REGISTRY_TABLES} from './tables.ts';

/**
 * The database of a team. What a local state folder has in files is here in tables of the same columns; `batches` has the
 * lease of each batch, and `claims` decides which batch may send a reference.
 */
const MIGRATIONS = [
  {
    name: '0001-team',
    sql: `
      create table @.batches (
        key bigint generated always as identity primary key,
        kind text not null,
        id text not null,
        -- Null until it is planned.
        journal text,
        -- Increases with each write of a holder, who states the version that it last saw.
        version bigint not null default 0,
        -- Of the last write, to find out whether one without an answer took effect.
        token text,
        -- The lease. A holder is known by its owner, a new UUID each time, and the generation.
        owner text,
        gen bigint not null default 0,
        expires timestamptz not null default clock_timestamp(),
        released boolean not null default true,
        -- JSON: which rows the holder may have sent, by phase.
        intents text not null default '[]',
        longest_ms bigint not null default 0,
        release_after timestamptz not null default clock_timestamp(),
        -- JSON: host, process and purpose of the holder.
        holder text,
        -- JSON: the last status that the holder published.
        status text,
        -- JSON: what the registry has of the journal, if the last holder ended properly.
        registry_mark text,
        planned_at timestamptz,
        -- Where the batch was moved to.
        moved text,
        unique (kind, id)
      ) with (fillfactor = 50);
      ${JOURNAL_TABLES.map((mirror) => createTable(mirror, true)).join('\n')}
      create index rows_alike on @.rows (party, amount, currency);

      create table @.scopes (id bigint primary key, mode text not null, base_url text not null, kind text not null,
        namespace text not null, content_plan text);
      create table @.claimants (id bigint primary key, profile text not null, batch text not null, journal text not null);
      ${REGISTRY_TABLES.map((mirror) => createTable(mirror, false)).join('\n')}
      create index entries_by_fold on @.entries (fold);

      -- Which batch may send a reference, or has sent it. Its row is needed for a reference that is not sent yet.
      create table @.claims (
        scope bigint not null, fold text collate "C" not null, reference text collate "C" not null,
        batch bigint not null, n bigint not null, at bigint not null,
        primary key (scope, fold, reference)
      );
      create index claims_of_batch on @.claims (batch, n);
      create index claims_by_fold on @.claims (fold);

      -- Answers that came after the lease was lost. They change nothing, and are shown.
      create table @.late_outcomes (
        batch bigint not null, gen bigint not null, n bigint not null, outcome text not null,
        at timestamptz not null default clock_timestamp(), primary key (batch, gen, n)
      );
      create table @.events (
        seq bigint generated always as identity primary key, batch bigint not null, gen bigint not null,
        what text not null, holder text, at timestamptz not null default clock_timestamp()
      );`,
  },
  {
    name: '0002-approvals',
    sql: `
      -- Files beside the journal of a batch (ADR 0040). Rows are only added.
      create table @.approvals (batch bigint not null, name text collate "C" not null, part bigint not null,
        text text not null, at timestamptz not null default clock_timestamp(), primary key (batch, name, part));
      create table @.audit (batch bigint not null, seq bigint not null, line text not null,
        at timestamptz not null default clock_timestamp(), primary key (batch, seq));
      -- JSON: the lease before this one as it was found, and owners and generations of those before that.
      alter table @.batches add column former text not null default '[]';`,
  },
  {name: '0003-book', sql: BOOK_TABLES},
  {name: '0004-returns', sql: RETURN_TABLES},
  {name: '0005-chunks', sql: CHUNK_TABLES},
] as const;

/** The id by which every registry of this database knows the others; it is also the row that a migration locks. */
const PREPARE = `create table if not exists @.migrations (one integer primary key, registry text not null, applied text not null);
  insert into @.migrations values (1, gen_random_uuid()::text, '[]') on conflict do nothing`;

/** Creates the tables of an empty schema, or adds what a newer version of remit needs. */
export async function migrateTeam(db: TeamDatabase): Promise<{registry: string}> {
  const found = await db
    .query<{registry: string; applied: string}>('select registry, applied from @.migrations')
    .catch((error: unknown) => {
      if (!isMissingTable(error)) throw error;
      return [];
    });
  const [current] = found;
  if (current !== undefined && isCurrent(current.applied)) return current;
  const schema = quoteName(db.address.schema);
  return db.transaction(async (sql) => {
    // Two that create the schema at once meet here: the lock belongs to the transaction.
    await sql('select pg_advisory_xact_lock(hashtext($1), 1)', [`migrations of ${db.address.schema}`]);
    const [exists] = await sql('select 1 from pg_namespace where nspname = $1', [db.address.schema]);
    if (exists === undefined) await sql(`create schema ${schema}`);
    for (const statement of PREPARE.split(';')) await sql(statement);
    const [locked] = await sql<{registry: string; applied: string}>(
      'select registry, applied from @.migrations for update',
    );
    if (locked === undefined)
      throw new RemitError('STATE_DAMAGED', `the migrations in ${db.address.shown} have no row`);
    const applied = isCurrent(locked.applied) ? MIGRATIONS.length : ownJson<string[]>(locked.applied).length;
    for (const {sql: text} of MIGRATIONS.slice(applied)) await sql(text);
    await sql('update @.migrations set applied = $1', [JSON.stringify(MIGRATIONS.map(({name}) => name))]);
    return locked;
  });
}

/** @throws RemitError if a newer version of remit has changed the schema */
function isCurrent(applied: string): boolean {
  const names = ownJson<string[]>(applied);
  checkApplied(names, MIGRATIONS);
  return names.length === MIGRATIONS.length;
}

/** The rights that a role needs which only runs batches; the schema was created before by its owner. */
export const grantsText = (schema: string, role: string): string =>
  [
    `GRANT USAGE ON SCHEMA ${quoteName(schema)} TO ${role};`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${quoteName(schema)} TO ${role};`,
    ...['events', 'approvals', 'audit'].map(
      (table) => `REVOKE UPDATE, DELETE ON ${quoteName(schema)}.${table} FROM ${role};`,
    ),
    `REVOKE INSERT, DELETE ON ${quoteName(schema)}.migrations FROM ${role};`,
  ].join('\n');
