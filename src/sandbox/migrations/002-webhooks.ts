import type {SandboxMigration} from './migration.ts';

/**
 * Endpoints, the outbox of events, one delivery for each event and endpoint, and the result of each attempt.
 * Transfers that ended before events existed count as reported, because there were no subscribers.
 */
export const webhooks: SandboxMigration = {
  name: '002-webhooks',
  sql: ({clustered}) => `
create table webhook_endpoints (
  entity_id text not null,
  id text not null,
  url text not null,
  event_types text not null,
  is_active bigint not null,
  secret text not null,
  description text,
  created_ms bigint not null,
  updated_ms bigint not null,
  deleted_ms bigint,
  primary key (entity_id, id)
)${clustered};

create table webhook_events (
  id text primary key,
  entity_id text not null,
  type text not null,
  cause_id text not null,
  body text not null,
  created_ms bigint not null
)${clustered};

create unique index webhook_events_cause on webhook_events (cause_id, type);

create table webhook_deliveries (
  id text primary key,
  entity_id text not null,
  endpoint_id text not null,
  event_id text not null,
  event_type text not null,
  state text not null,
  next_ms bigint,
  tries bigint not null,
  sent bigint not null,
  held bigint not null,
  fault text,
  claimed_until_ms bigint,
  last_status bigint,
  last_error text,
  created_ms bigint not null,
  updated_ms bigint not null
)${clustered};

create index webhook_deliveries_queue on webhook_deliveries (endpoint_id, state, next_ms, id);
create index webhook_deliveries_held on webhook_deliveries (endpoint_id) where held = 1;
create index webhook_deliveries_event on webhook_deliveries (event_id);

create table webhook_attempts (
  delivery_id text not null,
  n bigint not null,
  by_hand bigint not null,
  sent_ms bigint not null,
  at_ms bigint not null,
  elapsed_ms bigint not null,
  signed_at text not null,
  status bigint,
  error_code text,
  error text,
  response text not null,
  fault text,
  primary key (delivery_id, n)
)${clustered};

insert into webhook_events (id, entity_id, type, cause_id, body, created_ms)
  select 'before ' || kind || '.' || status || ' ' || id, entity_id, kind || '.' || status, id, '', status_ms
  from transfers where status in ('settled', 'failed');
insert into webhook_events (id, entity_id, type, cause_id, body, created_ms)
  select 'before payout.debited ' || id, entity_id, 'payout.debited', id, '', status_ms
  from transfers where kind = 'payout' and status in ('debited', 'settled');
`,
};
