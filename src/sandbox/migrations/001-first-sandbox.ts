import type {SandboxMigration} from './migration.ts';

/** Entities, keys, parties, payment methods, payins and payouts, idempotency keys, timers, the ledger. */
export const firstSandbox: SandboxMigration = {
  name: '001-first-sandbox',
  sql: ({clustered}) => `
create table settings (
  name text primary key,
  value text not null
)${clustered};

create table entities (
  id text primary key,
  mode text not null,
  name text not null,
  created_ms bigint not null
)${clustered};

create table api_keys (
  value text primary key,
  entity_id text not null,
  scope text not null,
  created_ms bigint not null
)${clustered};

create table parties (
  entity_id text not null,
  kind text not null,
  id text not null,
  name text not null,
  email text,
  type text not null,
  metadata text not null,
  created_ms bigint not null,
  updated_ms bigint not null,
  primary key (entity_id, kind, id)
)${clustered};

create table payment_methods (
  owner_id text not null,
  id text not null,
  owner_kind text not null,
  entity_id text not null,
  type text not null,
  country_code text not null,
  currency_code text not null,
  status text not null,
  is_default bigint not null,
  last4 text not null,
  routing_last4 text,
  institution text not null,
  rails text not null,
  behaviour text,
  created_ms bigint not null,
  updated_ms bigint not null,
  deleted_ms bigint,
  primary key (owner_id, id)
)${clustered};

create unique index payment_methods_default on payment_methods (owner_id) where is_default = 1;

create table transfers (
  entity_id text not null,
  kind text not null,
  id text not null,
  party_id text not null,
  method_id text not null,
  subaccount_id text,
  status text not null,
  amount bigint not null,
  currency_code text not null,
  country_code text not null,
  rail text not null,
  parties text not null,
  client_metadata text not null,
  details text,
  scenario text,
  release_ms bigint,
  attempts bigint not null,
  created_ms bigint not null,
  updated_ms bigint not null,
  status_ms bigint not null,
  primary key (entity_id, kind, id)
)${clustered};

create table idempotency_keys (
  entity_id text not null,
  operation text not null,
  key text not null,
  record_id text not null,
  body_hash text not null,
  created_ms bigint not null,
  primary key (entity_id, operation, key)
)${clustered};

create table timers (
  due_ms bigint not null,
  id text not null,
  entity_id text not null,
  subject text not null,
  owner_id text,
  subject_id text not null,
  step text not null,
  primary key (due_ms, id)
)${clustered};

create table ledger_accounts (
  entity_id text not null,
  id text not null,
  currency_code text not null,
  balance bigint not null,
  primary key (entity_id, id)
)${clustered};

create table ledger_postings (
  id text primary key,
  entity_id text not null,
  debit text not null,
  credit text not null,
  amount bigint not null,
  subject text not null,
  subject_id text not null,
  at_ms bigint not null
)${clustered};
`,
};
