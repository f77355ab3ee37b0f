import type {SandboxMigration} from './migration.ts';

/**
 * Subaccounts, moves, treasury accounts, the bank's reports about them, account transfers; and indexes in the order
 * in which long lists are read, so that every page costs the same.
 */
export const accounts: SandboxMigration = {
  name: '004-accounts',
  sql: ({clustered}) => `
create table subaccounts (
  entity_id text not null,
  id text not null,
  name text not null,
  currency_code text not null,
  status text not null,
  created_ms bigint not null,
  primary key (entity_id, id)
)${clustered};

create table moves (
  entity_id text not null,
  id text not null,
  source_id text not null,
  destination_id text not null,
  amount bigint not null,
  currency_code text not null,
  status text not null,
  description text,
  attempts bigint not null,
  created_ms bigint not null,
  settled_ms bigint,
  primary key (entity_id, id)
)${clustered};

create table treasury_accounts (
  entity_id text not null,
  id text not null,
  ledger_id text not null,
  label text not null,
  currency_code text not null,
  type text not null,
  status text not null,
  opening bigint not null,
  reported_current bigint not null,
  reported_available bigint not null,
  reported_ms bigint,
  created_ms bigint not null,
  primary key (entity_id, id)
)${clustered};

create table bank_transactions (
  account_id text not null,
  id text not null,
  entity_id text not null,
  direction text not null,
  amount bigint not null,
  currency_code text not null,
  description text,
  reference text not null,
  subject text not null,
  subject_id text not null,
  posted_ms bigint not null,
  value_date text not null,
  reported_ms bigint,
  primary key (account_id, id)
)${clustered};

create table account_transfers (
  entity_id text not null,
  id text not null,
  source_id text not null,
  destination_id text not null,
  amount bigint not null,
  currency_code text not null,
  rail text not null,
  status text not null,
  auto_approve bigint not null,
  description text,
  scenario text,
  failure_reason text,
  created_ms bigint not null,
  updated_ms bigint not null,
  primary key (entity_id, id)
)${clustered};

create index account_transfers_status on account_transfers (entity_id, status, id);
create index bank_transactions_unreported on bank_transactions (entity_id, id) where reported_ms is null;
create index ledger_postings_late on ledger_postings (subject_id) where subject = 'late_return';
create index transfers_status on transfers (entity_id, kind, status, id);
create index transfers_party on transfers (entity_id, kind, party_id, id);
`,
};
