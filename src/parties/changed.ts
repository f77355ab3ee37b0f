import type {ImportJournal, Recorded} from './journal.ts';
import type {AccountFacts, PartyRow} from './row.ts';

/** A row whose reference was imported before with another name, bank account or card. */
export interface ChangedRow {
  row: PartyRow;
  what: 'name' | 'account';
  words: string;
}

/**
 * Rows that differ from what was sent under their references. Of the number of an account only the last four characters
 * are known.
 */
export const changedRows = (rows: readonly PartyRow[], journal: ImportJournal): ChangedRow[] =>
  rows.flatMap((row): ChangedRow[] => {
    const {reference, place, party, account} = row;
    const recorded = journal.find(reference);
    // None was sent, or it was refused.
    if (recorded === undefined || (recorded.party_id === null && recorded.party_open === 0)) return [];
    const at = `${place}: reference ${reference} was ${recorded.party_id === null ? 'sent' : 'imported'}`;
    if (recorded.name !== party.name)
      return [{row, what: 'name', words: `${at} as ${recorded.name}, and the row has ${party.name}`}];
    // The same, or it could not be verified.
    const hasMethod = recorded.method_id !== null || recorded.method_open > 0;
    if (!hasMethod || recorded.verification === 'failed') return [];
    return isSameAccount(recorded, account)
      ? []
      : [{row, what: 'account', words: `${at} with ${shown(recorded)}, and the row has ${shown(account)}`}];
  });

export const isSameAccount = (recorded: Recorded, {type, country, last4, bank}: AccountFacts): boolean =>
  recorded.last4 === last4 &&
  recorded.country === country &&
  recorded.type === type &&
  recorded.bank === bank;

const shown = ({type, country, last4, bank}: AccountFacts): string =>
  `the ${type.replace('_', ' ')} …${last4} (${[country, bank].filter((text) => text !== '').join(' ')})`;
