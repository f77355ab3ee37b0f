import type {SandboxMigration} from './migration.ts';

/**
 * A payin or payout stores the key that it was created with, so that a create writes one row. Keys whose record is
 * gone are dropped. PostgreSQL, which several processes share, enforces one record per key; on SQLite `key-index.ts`
 * does.
 */
export const keysOfTransfers: SandboxMigration = {
  name: '007-keys-of-transfers',
  sql: ({dialect}) => `
alter table transfers add column idempotency_key text;
alter table transfers add column body_hash text;

update transfers set idempotency_key = known.key, body_hash = nullif(known.body_hash, '')
  from idempotency_keys as known
  where transfers.entity_id = known.entity_id and transfers.id = known.record_id
    and transfers.kind = case known.operation when 'payins.create' then 'payin' else 'payout' end;
drop table idempotency_keys;
${
  dialect === 'postgres'
    ? `
create unique index transfers_key on transfers (entity_id, kind, idempotency_key) where idempotency_key is not null;
`
    : ''
}`,
};
