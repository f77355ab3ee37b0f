/**
 * The book. Lines and payments have narrow rows, because the rules read all of them; their texts are in tables of their
 * own. What a match found is replaced by the next one. Amounts are minor units, lists are JSON.
 */
export const BOOK_MIGRATIONS = [
  {
    name: '0001-book',
    sql: `
      create table scopes (
        id integer primary key,
        mode text not null,
        base_url text not null,
        unique (mode, base_url)
      );

      create table lines (
        l integer primary key,
        scope integer not null,
        key text not null,
        source text not null,
        account text not null,
        id text,
        amount integer not null,
        currency text not null,
        day text not null,
        value_day text,
        pending integer not null,
        return_code text,
        -- The read that last had it.
        read integer not null,
        -- A later read of its account and days did not have it.
        gone integer not null default 0,
        -- It was posted before with another amount, currency, account or day, or with another text that was found.
        altered integer not null default 0,
        unique (scope, key)
      );
      create index lines_by_day on lines (scope, account, source, day);
      -- [[path, text], …]
      create table line_texts (l integer primary key, texts text not null);
      -- Whole words of the texts. ends: 1 if it ends its text, which may have been cut there.
      create table line_tokens (
        l integer not null,
        token text not null,
        ends integer not null,
        primary key (l, token)
      ) without rowid;

      create table reads (
        read integer primary key,
        scope integer not null,
        source text not null,
        account text not null,
        first text not null,
        last text not null
      );
      create index reads_by_account on reads (scope, account);
      create table balances (
        scope integer not null,
        account text not null,
        currency text not null,
        first text not null,
        last text not null,
        opening integer not null,
        closing integer not null,
        primary key (scope, account, currency, first, last)
      ) without rowid;

      create table payments (
        p integer primary key,
        scope integer not null,
        key text not null,
        record text,
        -- The record, or the key of a payment without one. The two sides of a transfer have one owner.
        owner text not null,
        kind text not null,
        account text,
        amount integer not null,
        currency text not null,
        rail text,
        status text,
        day text not null,
        batch text,
        reference text,
        unique (scope, key)
      );
      create index payments_by_record on payments (scope, lower(record)) where record is not null;
      create index payments_by_row on payments (scope, batch, reference) where batch is not null;
      create table payment_texts (p integer primary key, traces text not null, declared text not null);
      -- kind: 1 is the id of its record, 2 is a trace.
      create table payment_tokens (
        scope integer not null,
        token text not null,
        p integer not null,
        kind integer not null,
        primary key (scope, token, p)
      ) without rowid;
      -- The groups that payments are declared to be booked with; see groupName.
      create table payment_groups (
        scope integer not null,
        name text not null,
        p integer not null,
        primary key (scope, name, p)
      ) without rowid;

      create table decisions (
        seq integer primary key,
        scope integer not null,
        line text not null,
        verb text not null,
        payments text not null,
        note text not null,
        author text not null,
        at text not null,
        -- Amount, currency, account and day of the line when it was decided about.
        about text not null
      );
      create index decisions_by_line on decisions (scope, line);

      -- What the last match found.
      create table matches (
        -- The smallest number of its lines.
        m integer primary key,
        scope integer not null,
        rule text not null,
        state text not null
      );
      create table found_lines (l integer primary key, state text not null, m integer);
      create index found_lines_by_match on found_lines (m) where m is not null and m <> l;
      create table found_payments (
        p integer primary key,
        state text not null,
        m integer,
        -- The match of the line that took the money back.
        returned integer,
        days_open integer not null
      );
      create index found_payments_by_match on found_payments (m) where m is not null;
      create index found_payments_by_return on found_payments (returned) where returned is not null;
      -- Lines and payments for a person to decide between.
      create table candidates (l integer not null, p integer not null, primary key (l, p)) without rowid;
      create index candidates_by_payment on candidates (p);
      -- Two lines about the same money, one of each source; see pairSources.
      create table twins (l integer primary key, twin integer not null);
      create index twins_by_twin on twins (twin);
    `,
  },
  {
    name: '0002-work',
    sql: `
      -- Empty, except while a match runs. Ordinary tables: temporary ones would be kept in memory.
      -- When a line for a payment is expected, and the banking days since.
      create table w_dues (
        day text not null,
        rail text not null,
        first text not null,
        last text not null,
        open integer not null,
        primary key (day, rail)
      ) without rowid;
      -- Lines of accounts for which the service and a statement were read. named: has a token of a payment.
      create table w_twins (
        l integer primary key,
        key text not null,
        id text,
        stated integer not null,
        account text not null,
        currency text not null,
        amount integer not null,
        day text not null,
        named integer not null
      );
      create index w_twins_by_amount on w_twins (account, currency, amount, day);
      create table w_twin_pairs (a integer not null, b integer not null, primary key (a, b)) without rowid;
      create index w_twin_pairs_by_statement on w_twin_pairs (b);
      -- Tokens of several payments.
      create table w_shared (token text primary key) without rowid;
      create table w_rejected (l integer not null, p integer not null, primary key (l, p)) without rowid;
      -- A line that has a token of a payment. same: the same direction; equal: the same amount.
      create table w_hits (
        l integer not null,
        p integer not null,
        kind integer not null,
        same integer not null,
        equal integer not null,
        pending integer not null,
        primary key (l, p)
      ) without rowid;
      create index w_hits_by_payment on w_hits (p, same, equal, pending, kind);
      -- Lines with tokens of several payments.
      create table w_crowded (l integer primary key);
      -- Lines and payments that a rule has just found.
      create table w_pairs (l integer primary key, p integer not null, rule text not null);
      create table w_sets (
        m integer not null,
        l integer not null,
        p integer not null,
        rule text not null,
        primary key (l, p)
      ) without rowid;
      create index w_sets_by_payment on w_sets (p);
      -- Payments whose return a person has confirmed.
      create table w_returned (p integer primary key, l integer not null);
      -- Payments that came back: in how many lines, and one of them.
      create table w_backs (p integer primary key, l integer not null, lines integer not null);
      -- Lines and payments that no rule has taken.
      create table w_lines (
        l integer primary key,
        currency text not null,
        account text not null,
        amount integer not null,
        day text not null
      );
      create index w_lines_by_amount on w_lines (currency, amount, day);
      create table w_payments (
        p integer primary key,
        currency text not null,
        account text,
        amount integer not null,
        rail text not null,
        day text not null,
        first text not null,
        last text not null
      );
      create index w_payments_by_day on w_payments (currency, rail, day);
      -- Groups none of whose members is taken. whole: with members that have failed or were canceled.
      create table w_groups (
        g integer primary key,
        name text not null,
        whole integer not null,
        members integer not null,
        low integer not null,
        high integer not null,
        currency text not null,
        account text,
        rail text,
        amount integer not null,
        first text not null,
        last text not null
      );
      create index w_groups_by_amount on w_groups (currency, amount);
      -- Amounts that a line may have: of a payment or a group, all or less a fee.
      create table w_offers (
        o integer primary key,
        -- Of one payment or of a group.
        p integer,
        g integer,
        currency text not null,
        account text,
        amount integer not null,
        first text not null,
        last text not null
      );
      create index w_offers_by_payment on w_offers (p) where p is not null;
      create index w_offers_by_amount on w_offers (currency, amount);
      create table w_choices (o integer not null, l integer not null, primary key (o, l)) without rowid;
      create index w_choices_by_line on w_choices (l);
      create table w_sums (
        currency text not null,
        state text not null,
        count integer not null,
        high integer not null,
        low integer not null,
        primary key (currency, state)
      ) without rowid;
      -- Members of sets of payments whose amounts add up to a line. many: of several such sets.
      create table w_solutions (
        l integer not null,
        s integer not null,
        p integer not null,
        many integer not null,
        primary key (l, s, p)
      ) without rowid;
      create index w_solutions_by_payment on w_solutions (p, s);
    `,
  },
  {
    name: '0003-payments-by-amount',
    sql: 'create index payments_by_amount on payments (scope, currency, amount);',
  },
  {
    name: '0004-alike',
    sql: `
      -- Lines of a statement with the same key, and their content as JSON. Empty, except while one is read.
      create table w_alike (
        key text not null,
        content text not null,
        n integer not null,
        primary key (key, content, n)
      ) without rowid;
    `,
  },
  {
    name: '0005-statements',
    sql: `
      create table book_facts (name text primary key, value text not null) without rowid;
      insert into book_facts (name, value) values
        ('id', lower(hex(randomblob(16)))),
        ('key', lower(hex(randomblob(32)))); -- for hashes of account numbers

      drop table w_sums;
      create table w_sums (
        account text not null,
        currency text not null,
        state text not null,
        count integer not null,
        high integer not null,
        low integer not null,
        primary key (account, currency, state)
      ) without rowid;

      -- The statements that were read. One that is forgotten has no row in reads any more.
      create table statements (
        read integer primary key,
        scope integer not null,
        account text not null,
        first text not null,
        last text not null,
        name text not null,
        format text not null,
        -- Of its lines and balances.
        fingerprint text not null,
        -- The account number that it states: its last four characters, and a keyed hash.
        ending text,
        number_hash text,
        author text not null,
        at text not null,
        forgotten_by text,
        forgotten_at text,
        forgotten_note text
      );
      -- The lines that a statement has.
      create table statement_lines (read integer not null, l integer not null, primary key (read, l)) without rowid;
      create index statement_lines_by_line on statement_lines (l, read);
      insert into statement_lines (read, l) select read, l from lines where source = 'statement';
      insert into statements (read, scope, account, first, last, name, format, fingerprint, author, at)
        select read, scope, account, first, last, 'unknown', 'unknown', read, 'unknown', '' from reads
        where source = 'statement';

      -- read: of the statement; 0 for none.
      create table stated_balances (
        scope integer not null,
        account text not null,
        currency text not null,
        first text not null,
        last text not null,
        read integer not null,
        opening integer not null,
        closing integer not null,
        primary key (scope, account, currency, first, last, read)
      ) without rowid;
      create index lines_gone on lines (scope, account, currency, amount, day) where gone = 1;
      insert into stated_balances select scope, account, currency, first, last, 0, opening, closing from balances;
      drop table balances;
    `,
  },
  {
    name: '0006-sure-twins',
    sql: `
      -- 1 if the two share an id or a reference, and not only their amount and day.
      alter table twins add column sure integer not null default 0;
    `,
  },
  {
    name: '0007-namespaces',
    sql: 'alter table payments add column namespace text; -- of its reference',
  },
] as const;
