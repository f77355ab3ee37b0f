import {formatMajor, groupMajor} from '../../money/amount.ts';
import {exponentOf} from '../../money/currencies.ts';

/** Both forms of an amount, so that neither can be misread: `125.00 USD (12500 minor units)`. */
export function guardedAmountText(minor: bigint, currency: string | undefined): string {
  if (currency === undefined) return `${minor} minor units of the source account's currency`;
  if (exponentOf(currency) === undefined) return `${minor} minor units of ${currency}, an unknown currency`;
  return `${groupMajor(formatMajor(minor, currency))} ${currency} (${minor} minor units)`;
}
