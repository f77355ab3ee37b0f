import type {AskedPeriod} from '../model/asked.ts';
import type {MatchOptions} from '../model/options.ts';
import type {ReconcileTotals} from '../model/totals.ts';
import {compareBalances} from './balances.ts';
import {applyDecisions, returnConfirmed} from './decided.ts';
import {writeDues} from './dues.ts';
import {writeFreeGroups, writeFreeLines, writeFreePayments, writeOffers} from './free.ts';
import {matchGroups, suggestOffers} from './offers.ts';
import {matchPending, matchProofs, matchReturns, nameOtherHits, nameOtherMoney} from './proofs.ts';
import {changedLines, writeRest} from './rest.ts';
import {suggestSubsets} from './subsets.ts';
import {readBookTotals} from './totals.ts';
import {pairSources} from './twins.ts';
import {clearFindings, clearWork, type MatchWork} from './work.ts';

/**
 * Runs the rules over everything in the book, each on what those before it have left, and replaces what the last match
 * found. Runs inside the caller's transaction.
 * @param asked what the totals are of; everything by default
 */
export function matchAll(work: MatchWork, options: MatchOptions, asked?: AskedPeriod): ReconcileTotals {
  clearWork(work);
  clearFindings(work);
  writeDues(work, options);
  const doubts = pairSources(work, asked);
  applyDecisions(work);
  matchProofs(work); // 1, 2, 2a, 2b
  matchReturns(work); // 3
  writeFreeLines(work);
  writeFreePayments(work);
  writeFreeGroups(work);
  writeOffers(work);
  matchGroups(work); // 4
  matchReturns(work); // of payments in groups
  nameOtherHits(work);
  suggestOffers(work, 'amount_and_day'); // 5
  suggestSubsets(work); // 6
  suggestLessFee(work, options); // 7
  matchPending(work);
  nameOtherMoney(work);
  returnConfirmed(work);
  writeRest(work, options);
  const why = [...doubts, ...changedLines(work, asked), ...compareBalances(work, asked)];
  const perCurrency = readBookTotals(work, asked);
  clearWork(work);
  return {conclusive: why.length === 0, why, perCurrency};
}

function suggestLessFee(work: MatchWork, {fees}: MatchOptions): void {
  work.db.exec('delete from w_offers');
  for (const fee of fees ?? []) writeOffers(work, fee);
  suggestOffers(work, 'less_fee');
}
