import type {BalanceDay} from '../../../src/output/pages/balance-days.ts';
import type {BalanceHistory} from '../../../src/output/pages/balance-page.ts';

const DAY_MS = 86_400_000;
const LAST_DAY = Date.parse('2026-11-23T00:00:00Z');

/** Days up to 23 November 2026 with these balances; what came in or went out leads from one to the next. */
export function daysOf(balances: readonly number[], opening: number, currency = 'USD'): BalanceDay[] {
  return balances.map((balance, i) => {
    const change = balance - (balances[i - 1] ?? opening);
    return {
      day: new Date(LAST_DAY - (balances.length - 1 - i) * DAY_MS).toISOString().slice(0, 10),
      currency_code: currency,
      balance_in_minor_units: balance,
      credits_in_minor_units: Math.max(0, change),
      debits_in_minor_units: Math.max(0, -change),
      transactions: change === 0 ? 0 : 1,
    };
  });
}

/** A history of these balances of one account. */
export function historyOf(
  balances: readonly number[],
  facts: Partial<BalanceHistory> & {opening?: number} = {},
): BalanceHistory {
  const {opening = 0, ...others} = facts;
  const [first, ...later] = daysOf(balances, opening, facts.currency);
  if (first === undefined) throw new Error('a history has at least one day');
  return {
    ...{accountId: '0192a000-0000-7000-8000-0000000000aa', label: 'Operating', currency: 'USD'},
    ...{asOf: '2026-11-23T12:00:00.000Z', mode: 'test', service: 'https://service.example'},
    days: [first, ...later],
    ...others,
  };
}
