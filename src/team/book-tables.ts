/**
 * The book is one SQLite file, in blocks. Its returns are rows as well, so that those who only ask for them need no copy.
 */
export const BOOK_TABLES = `
  alter table @.batches add column returns text; -- JSON: the returns that the last reconcile has noted
  create table @.book (one integer primary key, identity text not null, blocks bigint not null);
  create table @.book_blocks (n bigint primary key, data bytea not null);
  create table @.book_returns (
    mode text not null, base_url text not null, id text collate "C" not null,
    code text, day text not null, paid_again_by text, repay_reference text,
    primary key (mode, base_url, id)
  );`;

/** A row without a day is only noted: a reconcile has found it, and the last one did not, or a person has yet to decide. */
export const RETURN_TABLES = `
  alter table @.book add column returns text; -- a hash of all rows of book_returns
  alter table @.book_returns add column held_by text, add column note text, alter column day drop not null;`;
