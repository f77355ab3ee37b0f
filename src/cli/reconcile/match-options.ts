import type {Mode} from '../../contract/mode.ts';
import type {MatchOptions} from '../../reconcile/model/options.ts';
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

export const matchOptions = (nowMs: number, mode: Mode): MatchOptions => ({
  today: dayAt(nowMs),
  bankingDay,
  ...{windows: WINDOWS, otherWindow: [0, 4], fees: []},
  isInternal: ({texts}) =>
    mode === 'test' && texts.some(({path, text}) => path === 'description' && SIMULATED.test(text)),
});
