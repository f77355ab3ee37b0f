import type {Mode} from '../../contract/mode.ts';
import {RemitError} from '../../errors.ts';
import {AmountError, parseMajor} from '../../money/amount.ts';
import type {FeeRule, MatchOptions} from '../../reconcile/model/options.ts';
import {bankingDay} from '../../sandbox/time/banking-days.ts';
import {dayAt} from '../../sandbox/time/schedule.ts';

/** The first and last banking day after the day of a payment on which its bank line is expected. */
const WINDOWS: MatchOptions['windows'] = {
  instant_bank: [0, 1],
  instant_card: [0, 2],
  same_day_ach: [0, 2],
  wire: [0, 2],
  book: [0, 1],
  standard_ach: [0, 4],
};

/** How remit describes a simulated credit, which exists with a test key only. */
const SIMULATED = /^Inbound credit(?: |$)/;

/**
 * A fee as it is typed: `25.00 USD`, `wire=25.00 USD` or `instant_card=1.5%`.
 * @throws RemitError USAGE
 */
export function readFee(text: string): FeeRule {
  const refuse = (why: string, cause?: unknown) =>
    new RemitError('USAGE', `--fee ${JSON.stringify(text)} ${why}`, {
      ...{hint: "write it like --fee 'wire=25.00 USD' or --fee instant_card=1.5%", cause},
    });
  const [, rail, whole = '', amount = '', currency = '', percent] =
    /^(?:([\w-]{1,40})=)?(?=(.{1,40})$)(?:(\d[\d.]*) ?([A-Za-z]{3})|(\d{1,2}(?:\.\d{1,2})?)%)$/.exec(
      text.trim(),
    ) ?? [];
  if (rail !== undefined && !Object.hasOwn(WINDOWS, rail))
    throw refuse(`names no rail: ${Object.keys(WINDOWS).join(', ')}`);
  if (whole === '') throw refuse('is no amount or percentage');
  try {
    const fee: FeeRule['fee'] =
      percent === undefined
        ? {amount: parseMajor(amount, currency.toUpperCase()), currency: currency.toUpperCase()}
        : {basisPoints: parseMajor(percent, 'USD')}; // two decimals, as cents have
    if (('amount' in fee ? fee.amount : fee.basisPoints) > 0n) return {rail, fee};
  } catch (error) {
    if (error instanceof AmountError) throw refuse(`is no fee: ${error.message}`, error);
    throw error;
  }
  throw refuse('is no fee: it is zero');
}

export const matchOptions = (nowMs: number, mode: Mode, fees?: readonly FeeRule[]): MatchOptions => ({
  today: dayAt(nowMs),
  bankingDay,
  ...{windows: WINDOWS, otherWindow: [0, 4], fees},
  isInternal: ({texts}) =>
    mode === 'test' && texts.some(({path, text}) => path === 'description' && SIMULATED.test(text)),
});
