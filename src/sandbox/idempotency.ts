import {createHash} from 'node:crypto';
import type {Queries} from '../store/port.ts';
import type {Context} from './context.ts';
import {keyCondition} from './key-index.ts';
import {int, text} from './rows.ts';

/** Interface document, "Idempotency on create payin and create payout"; a key is of one entity and operation (49). */
export interface KeyScope {
  entityId: string;
  operation: string;
  key: string;
}

/** What a key stands for. */
export interface KeyRecord {
  id: string;
  bodyHash: string;
}

/**
 * Binds a key to the record about to be made, unless it already stands for one, which is then returned.
 * Written before it is looked up: most keys are new, and of two at once the loser waits here for the winner's commit
 * (assumption 48). A create that is refused takes its claim back with its transaction.
 */
export async function claimKey(
  queries: Queries,
  context: Context,
  scope: KeyScope,
  record: KeyRecord,
): Promise<KeyRecord | undefined> {
  const claim = () =>
    queries.run(
      `insert into idempotency_keys (entity_id, operation, key, record_id, body_hash, created_ms)
       values (?, ?, ?, ?, ?, ?) on conflict do nothing`,
      [scope.entityId, scope.operation, scope.key, record.id, record.bodyHash, context.clock.now()],
    );
  if ((await claim()) === 1) return undefined;
  const known = await findByKey(queries, context, scope);
  if (known) return known;
  if ((await claim()) !== 1) throw new Error('a forgotten key was taken again within a transaction');
  return undefined;
}

/** The record that a key stands for; one that is old enough to be forgotten is forgotten here. */
async function findByKey(
  queries: Queries,
  context: Context,
  scope: KeyScope,
): Promise<KeyRecord | undefined> {
  const where = keyCondition(context.store.dialect);
  const params = [scope.key, scope.entityId, scope.operation];
  const row = await queries.get(`select * from idempotency_keys where ${where}`, params);
  if (!row) return undefined;
  const ttl = context.rules.idempotencyTtlMs;
  if (ttl !== null && int(row, 'created_ms') + ttl <= context.clock.now()) {
    await queries.run(`delete from idempotency_keys where ${where}`, params);
    return undefined;
  }
  return {id: text(row, 'record_id'), bodyHash: text(row, 'body_hash')};
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
