import {createHash} from 'node:crypto';
import type {Queries} from '../../store/port/port.ts';
import type {SandboxContext} from '../world/context.ts';
import type {KeyScope} from '../world/key-index.ts';
import type {Transfer} from '../records/transfer.ts';

/** The record of a key. If the key is old enough to be forgotten, it is forgotten here. */
export async function findByKey(
  queries: Queries,
  context: SandboxContext,
  scope: KeyScope,
): Promise<Transfer | undefined> {
  const known = await context.keyIndex.find(queries, scope);
  const ttl = context.rules.idempotencyTtlMs;
  if (known === undefined || ttl === null || known.createdMs + ttl > context.clock.now()) return known;
  await queries.run(
    `update transfers set idempotency_key = null, body_hash = null where entity_id = ? and kind = ? and id = ?`,
    [known.entityId, known.kind, known.id],
  );
  return undefined;
}

/** Hash of what a request asks for, independent of the order of its fields. */
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
