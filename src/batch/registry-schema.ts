/**
 * The registry: which reference was given to which batch, for all batches of one state folder. `scopes` are the places
 * in which a reference is paid once. Folded references come first in the key, so that one index finds a reference, those
 * that differ only in case or spaces, and its namesakes in other scopes.
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
        -- Of a namespace whose rows have no references: the one plan that may run in it.
        content_plan text,
        unique (mode, base_url, kind, namespace)
      );

      create table entries (
        scope integer not null,
        fold text not null,
        reference text not null,
        profile text not null,
        batch text not null,
        journal text not null,
        generation integer not null,
        fingerprint text not null,
        -- 53 bits over party, amount and currency: finds payments that look alike.
        likeness integer not null,
        id text,
        paid integer not null,
        at integer not null,
        primary key (scope, fold, reference)
      ) without rowid;

      create index entries_by_likeness on entries (likeness, at);
    `,
  },
] as const;
