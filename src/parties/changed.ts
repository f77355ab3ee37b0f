import {hasFailed} from '../contract/lifecycle.ts';
import {marketOf} from '../contract/markets.ts';
import type {ImportJournal, Recorded} from './journal.ts';
import type {AccountFacts, PartyColumn, PartyRow} from './row.ts';

interface Change {
  row: PartyRow;
  /** What the row has; empty if the cell is. */
  value: string;
  /** Undefined while the outcome of its create is unknown. */
  partyId: string | undefined;
  words: string;
}

/**
 * A column of a row that differs from what was imported under its reference. A payee or payer can be updated at the
 * service; instead of a bank account or card another one is added.
 */
export type ChangedRow = Change & ({what: 'party'; column: PartyColumn} | {what: 'account'; column: string});

/** A column, what was imported and what the row has; null for what an earlier version of remit did not record. */
type Pair<Column> = readonly [column: Column, before: string | null, now: string];

/**
 * Rows that differ from what was sent under their references. Of the number of an account only the last four characters
 * are known.
 */
export const changedRows = (rows: readonly PartyRow[], journal: ImportJournal): ChangedRow[] =>
  rows.flatMap((row): ChangedRow[] => {
    const {reference, place} = row;
    const recorded = journal.find(reference);
    // None was sent, or it was refused.
    if (recorded === undefined || (recorded.party_id === null && recorded.party_open === 0)) return [];
    const partyId = recorded.party_id ?? undefined;
    const changeOf = ([column, before, now]: Pair<string>): Change => ({
      ...{row, value: now, partyId},
      words: `${place}: ${column}: reference ${reference} was ${partyId === undefined ? 'sent' : 'imported'} with ${before || 'none'}, and the row has ${now || 'none'}`,
    });
    // It is the same account, or it could not be verified.
    const hasMethod = recorded.method_id !== null || recorded.method_open > 0;
    const isCompared = hasMethod && !hasFailed(recorded.verification);
    const account = isCompared ? accountChanges(recorded, row) : [];
    return [
      ...partyChanges(recorded, row).map((pair): ChangedRow => ({
        what: 'party',
        column: pair[0],
        ...changeOf(pair),
      })),
      ...account.map((pair): ChangedRow => ({what: 'account', column: pair[0], ...changeOf(pair)})),
    ];
  });

export const isSameAccount = (recorded: Recorded, row: PartyRow): boolean =>
  accountChanges(recorded, row).length === 0;

/** A row without a type leaves it to the service. */
const partyChanges = (recorded: Recorded, {party: {name, email = '', type}}: PartyRow): Pair<PartyColumn>[] =>
  differing<PartyColumn>([
    ['name', recorded.name, name],
    ['email', recorded.email, email],
    ...(type === undefined ? [] : [['type', recorded.party_type, type] as const]),
  ]);

function accountChanges(recorded: Recorded, {party, account}: PartyRow): Pair<string>[] {
  const {name} = recorded;
  // An account without a holder has that of its payee or payer.
  const isSameHolder = (recorded.holder || name) === (account.holder || party.name);
  return differing([
    [numberColumn(recorded, account), shown(recorded), shown(account)],
    ['holder_name', isSameHolder ? null : recorded.holder, account.holder],
    ['currency', recorded.currency, account.currency],
    ['account_type', recorded.account_type, account.account_type],
  ]);
}

/** The first column of the bank account or card that differs. */
function numberColumn(recorded: Recorded, {type, country, last4, bank}: AccountFacts): string {
  if (recorded.country !== country) return 'country';
  const market = marketOf(country);
  const isCard = type === 'card';
  if (recorded.type !== type || recorded.last4 !== last4)
    return isCard ? 'card_number' : (market?.account.name ?? 'country');
  const names = isCard ? ['exp_month', 'exp_year'] : (market?.bank.map(({name}) => name) ?? []);
  const before = recorded.bank.split(/[ /]/);
  return names[bank.split(/[ /]/).findIndex((value, at) => value !== before[at])] ?? 'country';
}

const differing = <Column>(pairs: readonly Pair<Column>[]): Pair<Column>[] =>
  pairs.filter(([, before, now]) => before !== null && before !== now);

const shown = ({type, country, last4, bank}: Pick<AccountFacts, 'type' | 'country' | 'last4' | 'bank'>) =>
  `the ${type.replace('_', ' ')} …${last4} (${[country, bank].filter((text) => text !== '').join(' ')})`;
