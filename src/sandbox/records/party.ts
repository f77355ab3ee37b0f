import type {Output} from '../../contract/schemas/registry.ts';
import type {Queries, SqlRow} from '../../store/port/port.ts';
import {int, iso, json, text, textOrNull, word} from '../base/rows.ts';
import {ServiceError} from '../base/service-error.ts';

/** Payees and payers are records of the same shape (assumption 10). */
export type PartyKind = 'payee' | 'payer';

/** Interface document, "Errors": payers have their own code. */
export const partyNotFound = (kind: PartyKind, id: string): ServiceError =>
  new ServiceError(kind === 'payer' ? 'PAYER_NOT_FOUND' : 'NOT_FOUND', `no ${kind} ${id}`);

/** @throws {ServiceError} if the entity has no such party. */
export async function findParty(
  queries: Queries,
  party: {entityId: string; kind: PartyKind; id: string},
): Promise<SqlRow> {
  const row = await queries.get('select * from parties where entity_id = ? and kind = ? and id = ?', [
    party.entityId,
    party.kind,
    party.id,
  ]);
  if (!row) throw partyNotFound(party.kind, party.id);
  return row;
}

/** Interface document, "Payee" and "Payer" (assumption 10). */
export function toParty(row: SqlRow): Output<'Party'> {
  return {
    id: text(row, 'id'),
    name: text(row, 'name'),
    email: textOrNull(row, 'email'),
    type: word<Output<'Party'>['type']>(row, 'type'), // checked when it was written
    metadata: json(row, 'metadata'),
    created_at: iso(int(row, 'created_ms')),
    updated_at: iso(int(row, 'updated_ms')),
  };
}
