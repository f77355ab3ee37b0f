import {RemitError} from '../../errors.ts';
import {AmountError, parseMajor, parseMinor, requireExponent, toWire} from '../../money/amount.ts';
import type {amountFlags, FlagValues} from './flags.ts';

type AmountFlags = FlagValues<typeof amountFlags>;

/** Not a complete command, which would pay a made-up party if it were run unchanged. */
const WRITTEN_LIKE = 'write it like --amount 125.00 --currency USD, or --amount-minor 12500';

/** The same with the amount that was typed, if it is one. */
const writtenLike = (typed: string): string =>
  /^\d{1,15}(\.\d{1,6})?$/.test(typed) ? `write it like --amount ${typed} --currency USD` : WRITTEN_LIKE;

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
      hint: WRITTEN_LIKE,
    });
  if (amount !== undefined && currency === undefined)
    throw new RemitError(
      'USAGE',
      '--amount needs --currency, because the same digits are a different amount in another currency',
      {hint: writtenLike(amount)},
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
      hint: WRITTEN_LIKE,
      details: {fields: [{field: 'amount_in_minor_units', issue}]},
    });
  }
}
