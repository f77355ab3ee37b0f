import {push} from './find-records.ts';
import type {ImportJournal} from './journal.ts';
import {
  partyDifferences,
  isMethodOf,
  isNamedAs,
  foldedName,
  type ShownMethod,
  shownMethod,
  type ShownParty,
  shownParty,
} from './match.ts';
import type {PartyService} from './party-service.ts';
import type {PartyRow} from './row.ts';

interface Listing {
  rows: readonly PartyRow[];
  journal: ImportJournal;
  service: Pick<PartyService, 'parties'>;
}

/**
 * Reads the list before anything is sent, and remembers records that only have the name of a row.
 * @returns the rows whose recorded records it does not show, by id, and the records that have the reference of a row
 */
export async function readListed({rows, journal, service}: Listing) {
  const missing = new Map<string, PartyRow>();
  const byName = new Map<string, PartyRow[]>();
  const byReference = new Map(rows.map((row) => [row.reference, row]));
  const listed = new Map<PartyRow, ShownParty[]>();
  for (const row of rows) {
    const partyId = journal.find(row.reference)?.party_id ?? null;
    if (partyId !== null) missing.set(partyId.toLowerCase(), row);
    else push(byName, foldedName(row.party.name), row);
  }
  for await (const record of service.parties()) {
    const party = shownParty(record);
    if (party === undefined) continue;
    missing.delete(party.id.toLowerCase());
    const own = byReference.get(party.reference ?? '');
    if (own !== undefined) push(listed, own, party);
    else if (isOther(party, byName.get(foldedName(party.name ?? '')) ?? [], journal))
      journal.isOther(party.id);
  }
  return {missing, listed};
}

/**
 * Whether a listed record is not that of a row with its name. Without metadata it may be that of a row whose answer was
 * lost.
 */
function isOther(party: ShownParty, rows: readonly PartyRow[], journal: ImportJournal): boolean {
  if (party.hasMetadata) return rows.length > 0;
  const named = rows.filter((row) => isNamedAs(party, row));
  return named.length > 0 && named.every(({reference}) => (journal.find(reference)?.party_open ?? 0) === 0);
}

/** What a listed record with the reference of a row shows otherwise, and the account of the row that it has. */
export async function compareListed(
  row: PartyRow,
  party: ShownParty,
  service: Pick<PartyService, 'methods'>,
): Promise<{differences: readonly string[]; own: ShownMethod | undefined}> {
  const differences = partyDifferences(party, row);
  if (differences.length > 0) return {differences, own: undefined};
  const methods: ShownMethod[] = [];
  for await (const record of service.methods(party.id)) {
    const method = shownMethod(record);
    if (method !== undefined) methods.push(method);
  }
  const own = methods.find((method) => isMethodOf(method, row));
  return {differences: methods.length > 0 && own === undefined ? ['account'] : [], own};
}
