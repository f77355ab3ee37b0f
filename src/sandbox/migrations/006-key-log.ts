import type {SandboxMigration} from './migration.ts';

/**
 * SQLite stores idempotency keys in order of arrival: most are random, and rows ordered by random keys would
 * cost each create a page or two of the log. `key-index.ts` finds them. PostgreSQL keeps its index.
 */
export const keyLog: SandboxMigration = {
  name: '006-key-log',
  sql: ({dialect}) =>
    dialect === 'postgres'
      ? ''
      : `
create table key_log (
  n integer primary key,
  entity_id text not null,
  operation text not null,
  key text not null,
  record_id text not null,
  body_hash text not null,
  created_ms bigint not null
);

insert into key_log (entity_id, operation, key, record_id, body_hash, created_ms)
  select entity_id, operation, key, record_id, body_hash, created_ms from idempotency_keys order by record_id;
drop table idempotency_keys;
alter table key_log rename to idempotency_keys;
`,
};
