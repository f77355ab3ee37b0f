import {amountOfFlags, type Amount} from '../input/amounts.ts';

/**
 * The amount stated by --amount and --currency for a write whose amount the service does not show. Zero is allowed,
 * for a request that moves no money.
 */
export function readStated(flags: {
  amount?: string | undefined;
  currency?: string | undefined;
}): Amount | undefined {
  const {amount, currency} = flags;
  if (amount === undefined || currency === undefined) return undefined;
  if (/^0+(\.0+)?$/.test(amount)) return {minor: 0n, wire: 0, currency};
  return amountOfFlags({amount, currency});
}
