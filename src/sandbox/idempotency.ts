import {createHash} from 'node:crypto';
import type {Queries} from '../store/port.ts';
import type {Context} from './context.ts';
import {int, text} from './rows.ts';

/** Interface document, "Idempotency on create payin and create payout"; a key is of one entity and operation (49). */
export interface KeyScope {
  entityId: string;
  operation: string;
  key: string;
}

/** The record that a key stands for, unless it is old enough to be forgotten. */
export async function findByKey(
  queries: Queries,
  context: Context,
  scope: KeyScope,
): Promise<{recordId: string; bodyHash: string} | undefined> {
  const where = 'entity_id = ? and operation = ? and key = ?';
  const params = [scope.entityId, scope.operation, scope.key];
  const row = await queries.get(`select * from idempotency_keys where ${where}`, params);
  if (!row) return undefined;
  const ttl = context.rules.idempotencyTtlMs;
  if (ttl !== null && int(row, 'created_ms') + ttl <= context.clock.now()) {
    await queries.run(`delete from idempotency_keys where ${where}`, params);
    return undefined;
  }
  return {recordId: text(row, 'record_id'), bodyHash: text(row, 'body_hash')};
}

/** Binds a key to its new record; false when another transaction was first (assumption 48). */
export async function rememberKey(
  queries: Queries,
  context: Context,
  scope: KeyScope,
  record: {id: string; bodyHash: string},
): Promise<boolean> {
  const inserted = await queries.run(
    `insert into idempotency_keys (entity_id, operation, key, record_id, body_hash, created_ms)
     values (?, ?, ?, ?, ?, ?) on conflict do nothing`,
    [scope.entityId, scope.operation, scope.key, record.id, record.bodyHash, context.clock.now()],
  );
  return inserted === 1;
}

/** Hash of what a request asks for, blind to the order of its fields. */
export function hashRequest(request: object): string {
  const sorted = (value: unknown): unknown =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, inner]) => [key, sorted(inner)]),
        )
      : value;
  return createHash('sha256')
    .update(JSON.stringify(sorted(request)))
    .digest('base64url');
}
