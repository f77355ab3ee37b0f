import {RemitError} from '../../errors.ts';
import {
  AmountError,
  exampleOf,
  formatMajor,
  parseMajor,
  parseMinor,
  requireExponent,
  toWire,
} from '../../money/amount.ts';
import type {amountFlags, FlagValues} from './flags.ts';

type AmountFlags = FlagValues<typeof amountFlags>;

/** Not a complete command, which would pay a made-up party if it were run unchanged. */
function exampleIn(currency: string | undefined, typed?: string): string {
  const example = exampleOf(currency, typed);
  return `write it like --amount ${example.major} --currency ${example.currency}, or --amount-minor ${example.minor}`;
}

/** An amount with a currency in the same word, on either side: `12.5 USD`, `usd12.50`, `$12.50`. */
const WITH_CURRENCY = /^(?:([A-Za-z]{3})|\p{Sc})?\s*(\d{1,15}(?:\.\d{1,6})?)\s*(?:([A-Za-z]{3})|\p{Sc})?$/u;

/** The currency code in an amount. */
const codeIn = (typed: string): string | undefined => {
  const [, before, , after] = WITH_CURRENCY.exec(typed) ?? [];
  return (before ?? after)?.toUpperCase();
};

/** The example with the typed amount, if it has one reading. A symbol such as $ stands for several currencies. */
function writtenLike(typed: string | undefined, currency: string | undefined): string {
  const [, , digits] = WITH_CURRENCY.exec(typed ?? '') ?? [];
  if (typed === undefined || digits === undefined) return exampleIn(currency, typed);
  const stated = codeIn(typed) ?? currency ?? (digits === typed ? 'USD' : undefined);
  if (stated === undefined || (currency !== undefined && stated !== currency))
    return exampleIn(currency, typed);
  try {
    const exact = formatMajor(parseMajor(digits, stated), stated);
    return `write it like --amount ${exact} --currency ${stated}`;
  } catch {
    return exampleIn(stated, typed); // the digits are no amount of this currency
  }
}

/** An amount in the form that the API needs. */
export interface Amount {
  minor: bigint;
  wire: number;
  /** Absent: the service uses the source account's currency. */
  currency: string | undefined;
}

/**
 * Reads `--amount 125.00 --currency USD`, or `--amount-minor 12500`, without guessing: an amount in major units
 * without its currency is refused, and so is anything that would have to be rounded.
 */
export function amountOfFlags(flags: AmountFlags): Amount {
  const {amount, 'amount-minor': minorText, currency} = flags;
  if (amount === undefined && minorText === undefined)
    throw new RemitError('USAGE', 'the amount is missing: add --amount with --currency, or --amount-minor', {
      hint: exampleIn(currency),
    });
  if (amount !== undefined && currency === undefined)
    throw new RemitError(
      'USAGE',
      codeIn(amount) === undefined
        ? '--amount needs --currency, because the same digits are a different amount in another currency'
        : '--amount takes the number only, and --currency the currency',
      {hint: writtenLike(amount, currency)},
    );
  try {
    if (currency !== undefined) requireExponent(currency);
    const minor = amount === undefined ? parseMinor(minorText ?? '') : parseMajor(amount, currency ?? '');
    return {minor, wire: toWire(minor), currency};
  } catch (error) {
    if (!(error instanceof AmountError)) throw error;
    const [issue = ''] = error.message.split('; '); // the rest is advice about the columns of a file
    throw new RemitError('LOCAL_VALIDATION', issue, {
      cause: error,
      hint: amount === undefined ? exampleIn(currency, minorText) : writtenLike(amount, currency),
      details: {fields: [{field: 'amount_in_minor_units', issue}]},
    });
  }
}
