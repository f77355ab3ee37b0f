import type {ImportJournal} from './journal.ts';
import type {PartyRow} from './row.ts';

/**
 * Rows whose reference was imported before with another name, bank account or card, in words. Of an account only the last
 * four characters are known.
 */
export function changedRows(rows: readonly PartyRow[], journal: ImportJournal): string[] {
  return rows.flatMap(({reference, place, party, account}) => {
    const recorded = journal.find(reference);
    if (recorded === undefined) return [];
    const at = `${place}: reference ${reference}`;
    const wasSent = recorded.party_sends > 0;
    if (wasSent && recorded.name !== party.name)
      return [`${at} was imported as ${recorded.name}, and the row has ${party.name}`];
    if (recorded.method_sends === 0) return []; // no bank account or card was sent, or it was refused
    const {type, country, last4} = account;
    return recorded.last4 === last4 && recorded.country === country && recorded.type === type
      ? []
      : [`${at} was imported with ${shown(recorded)}, and the row has ${shown(account)}`];
  });
}

const shown = ({type, country, last4}: {type: string; country: string; last4: string}): string =>
  `the ${type.replace('_', ' ')} …${last4} (${country})`;
