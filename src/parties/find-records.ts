import type {ImportJournal} from './journal.ts';
import {isNamedAs, foldedName, type ShownParty, shownParty} from './match.ts';
import type {PartyService} from './party-service.ts';
import type {PartyRow} from './row.ts';

/** The records of some rows, in the order of the list. */
export async function findRecords(
  rows: readonly PartyRow[],
  {journal, service}: {journal: ImportJournal; service: Pick<PartyService, 'parties'>},
): Promise<Map<PartyRow, ShownParty[]>> {
  const found = new Map<PartyRow, ShownParty[]>(rows.map((row) => [row, []]));
  const byReference = new Map(rows.map((row) => [row.reference, row]));
  const byName = new Map<string, PartyRow[]>();
  for (const row of rows) push(byName, foldedName(row.party.name), row);
  for await (const record of service.parties()) {
    const party = shownParty(record);
    if (party === undefined) continue;
    const named = (byName.get(foldedName(party.name ?? '')) ?? []).filter(
      (row) => isNamedAs(party, row) && !journal.isTaken(party.id, row.reference),
    );
    // Two rows with one name have a record each; which is which does not matter before they have an account.
    const row =
      byReference.get(party.reference ?? '') ?? named.find((one) => found.get(one)?.length === 0) ?? named[0];
    if (row !== undefined) found.get(row)?.push(party);
  }
  return found;
}

export function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}
