/**
 * The registry: which batch has claimed which reference, for all batches of one state folder. A reference is paid
 * once within each of the `scopes`. Folded references come first in the key, so that one index finds a reference,
 * references that differ only in case or spaces, and the same reference in other scopes.
 */
export const REGISTRY_MIGRATIONS = [
  {
    name: '0001-registry',
    sql: `
      create table scopes (
        id integer primary key,
        mode text not null,
        base_url text not null,
        kind text not null,
        namespace text not null,
        -- For a namespace whose rows have no references: the only plan that may run in it.
        content_plan text,
        unique (mode, base_url, kind, namespace)
      );

      create table claimants (
        id integer primary key,
        profile text not null,
        batch text not null,
        journal text not null,
        unique (profile, batch, journal)
      );

      create table entries (
        scope integer not null,
        fold text not null,
        reference text not null,
        claimant integer not null,
        generation integer not null,
        fingerprint text not null,
        id text,
        paid integer not null,
        at integer not null,
        primary key (scope, fold, reference)
      ) without rowid;

      -- Finds payments that look alike; see Entries.
      create table claims_by_content (
        party text not null,
        amount integer not null,
        currency text not null,
        scope integer not null,
        reference text not null,
        at integer not null,
        primary key (party, amount, currency, scope, reference)
      ) without rowid;

      -- JSON, [[party, amount, currency, reference], …]: not yet in claims_by_content.
      create table noted_claims (
        seq integer primary key,
        scope integer not null,
        at integer not null,
        claims text not null
      );
    `,
  },
  {
    name: '0002-noted-payments',
    sql: `
      -- JSON, [[reference, id], …]: not yet written to their claims.
      create table noted_payments (
        seq integer primary key,
        scope integer not null,
        payments text not null
      );
    `,
  },
  {
    name: '0003-noted-entries',
    sql: `
      -- For claims that are not yet in entries either.
      alter table noted_claims add column claimant integer;
      alter table noted_claims add column way text;
    `,
  },
  {
    name: '0004-age-of-keys',
    sql: `
      -- When the service may first have seen the key, if that was before the claim was made.
      alter table entries add column since integer;
    `,
  },
  {
    name: '0005-unanswered-tries',
    sql: `
      -- Rows that were finally refused after a try that was never answered. With other content the same key may still
      -- return a record of that try.
      create table unanswered (
        scope integer not null,
        reference text not null,
        generation integer not null,
        fingerprint text not null,
        primary key (scope, reference, generation, fingerprint)
      ) without rowid;
    `,
  },
  {
    name: '0006-ended-entries',
    sql: `
      -- "ended": the record of this generation has failed or was canceled. "freed": the claim was given back, and the key
      -- of this generation created no record. Null: the claim is valid.
      alter table entries add column standing text;
      -- Party, amount and currency of the claim; null in entries that are older than this column.
      alter table entries add column content text;
    `,
  },
  {
    name: '0007-one-log',
    sql: `
      -- Everything that is not yet written to entries, in the order in which it happened; see Notes.
      alter table noted_claims rename to notes;
      alter table notes rename column claims to lines;
      insert into notes (scope, at, lines, way) select scope, 0, payments, 'paid' from noted_payments order by seq;
      drop table noted_payments;
      -- Claims from before 0003 are among the entries, and not in the other index.
      insert or replace into claims_by_content (party, amount, currency, scope, reference, at)
        select c.value ->> 0, c.value ->> 1, c.value ->> 2, n.scope, c.value ->> 3, n.at
        from notes n cross join json_each(n.lines) c where n.way is null;
      delete from notes where way is null;
    `,
  },
  {
    name: '0008-journals',
    sql: `
      -- One row: which registry this is. A registry that replaces a lost one has another id.
      create table identity (id text not null);
      -- The journals whose claims are all here; see Journals.
      create table journals (
        kind text not null,
        batch text not null,
        -- Null: it cannot be read, and the operator has accepted that.
        journal text,
        claims integer not null,
        stamp text,
        primary key (kind, batch)
      ) without rowid;
      insert or replace into journals (kind, batch, journal, claims)
        select distinct s.kind, c.batch, c.journal, 0 from entries e join claimants c on c.id = e.claimant
        join scopes s on s.id = e.scope order by c.id;
    `,
  },
  {
    name: '0009-index-of-ended-entries',
    sql: `
      -- Finds out at once that a scope has none, as most have.
      create index ended_entries on entries (scope) where standing = 'ended';
    `,
  },
  {
    name: '0010-ended-records',
    sql: `
      -- Every record of a reference that was shown as failed or canceled, whatever has become of its claim since. It is read
      -- once more before the reference is paid again.
      create table ended_records (
        scope integer not null,
        reference text not null,
        id text not null,
        claimant integer not null,
        primary key (scope, reference, id)
      ) without rowid;
      insert into ended_records select scope, reference, id, claimant from entries
        where standing = 'ended' and id is not null;
      drop index ended_entries;
    `,
  },
  {
    name: '0011-index-of-records',
    sql: `
      -- Finds the row that has a record.
      create index entries_by_record on entries (lower(id)) where id is not null;
    `,
  },
] as const;
