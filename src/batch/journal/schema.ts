/**
 * The journal: one database file per batch. `rows` and `cells` are the plan and do not change while it runs;
 * `windows` say which rows may have been sent; `outcomes` hold the results. A row without an outcome was never sent
 * unless a window covers it. The journal never contains API keys, account numbers or card numbers.
 */
export const JOURNAL_MIGRATIONS = [
  {
    name: '0001-journal',
    sql: `
      create table meta (name text primary key, value text not null) without rowid;

      create table rows (
        n integer primary key,
        line integer not null,
        reference text not null,
        fold text not null,
        party text not null,
        amount integer not null,
        currency text not null,
        rail text,
        method text,
        subaccount text,
        scheduled text,
        metadata text,
        fingerprint text not null
      );

      -- The record as it is in the file, including invalid rows: results and failed.csv repeat it.
      create table cells (n integer primary key, line integer not null, cells text not null);

      create table issues (
        seq integer primary key,
        n integer not null,
        line integer not null,
        col text not null,
        code text not null,
        message text not null,
        value text not null
      );

      -- Rows first..last that are in one of the states of "takes" ("new" means no outcome) may have been
      -- sent in this phase from this time on. Committed before the first of them is sent.
      create table windows (
        seq integer primary key,
        phase text not null,
        first integer not null,
        last integer not null,
        takes text not null,
        at integer not null
      );

      create table outcomes (
        n integer primary key,
        state text not null,
        id text,
        status text,
        staged_at integer,
        at integer not null,
        -- The newest window when this was written. A later window that covers the row puts it in doubt again.
        window_seq integer not null,
        http integer,
        code text,
        message text,
        request_id text,
        attempts integer not null,
        orphan text
      );

      -- Rows that an operator gave a new key after a failed or canceled record; other rows have generation 0.
      create table generations (
        n integer primary key,
        generation integer not null,
        former_id text,
        reason text not null,
        at integer not null
      );
    `,
  },
  {
    name: '0002-timeline',
    sql: `
      -- Samples of the counts while the batch is run or followed, for a chart that reports had once; see 0006.
      create table timeline (
        seq integer primary key,
        -- Increases with each run.
        run integer not null,
        at integer not null,
        phase text not null,
        -- JSON: rows by bucket, plus settled and failed rows; zeros are left out.
        counts text not null
      );
    `,
  },
  {
    name: '0003-row-names',
    sql: `
      -- The row of a reference, by hashName. Journals older than this table have an index on the reference instead.
      create table row_names (hash integer not null, n integer not null, primary key (hash, n)) without rowid;
    `,
  },
  {
    name: '0004-ended-records',
    sql: `
      -- Records that a GET showed as failed or canceled. "told": the registry has marked them as ended, so their rows
      -- may be planned again in another batch.
      create table ended_records (id text primary key, n integer not null, status text not null, told integer not null)
        without rowid;
    `,
  },
  {
    name: '0005-differences',
    sql: `
      -- In what the record of a held or approved row differs. JSON: [{"field", "asked", "answered"}], newest answer only.
      create table differences (n integer primary key, fields text not null);
    `,
  },
  {name: '0006-no-timeline', sql: 'drop table timeline'},
] as const;
