import type {ACCOUNT_TRANSFER_RAILS, PAYOUT_RAILS} from '../../contract/rails.ts';
import {bankingDay, isBankingDay} from './banking-days.ts';
import {addDays, dayAt, timeOn} from './schedule.ts';

/** Every payment rail; `book` is within the bank. */
export type Rail = (typeof PAYOUT_RAILS)[number] | (typeof ACCOUNT_TRANSFER_RAILS)[number];

/** A rail and its direction. `pull`: an ACH debit, as for payins; everything else is pushed. */
export interface Flow {
  rail: Rail;
  pull: boolean;
}

/** When things happen, in milliseconds since the epoch. Each function takes the time of the previous step. */
export interface RailTimes {
  /** Ready -> handed to the bank; unchanged if the rail is open at that time. */
  submit: (readyMs: number) => number;
  /** Handed over -> the money left its account. */
  debit: (submittedMs: number) => number;
  /** The money left -> it arrived, finally. */
  settle: (debitedMs: number) => number;
  /** Handed over -> the bank refuses. */
  reject: (submittedMs: number) => number;
  /** The money left -> it is returned; absent for rails whose payments are final. */
  comeBack?: (debitedMs: number) => number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** ACH files are sent on the full and the half hour of banking days. */
const FILE_EVERY = 30 * MINUTE;
/** Same-day ACH, New York time: entries submitted by the deadline settle the same day. */
const SAME_DAY = [
  {deadline: [10, 30], settlement: [13, 0]},
  {deadline: [14, 45], settlement: [17, 0]},
  {deadline: [16, 45], settlement: [18, 0]},
] as const;
/** Fedwire opens at 21:00 of the evening before; transfers for customers end at 18:45. */
const WIRE = {open: 21, cutOff: [18, 45]} as const;

/** Ordinary returns arrive when the second banking day after settlement begins. */
const RETURN_DAYS = 2;

function nextFile(ms: number): number {
  const file = Math.ceil(ms / FILE_EVERY) * FILE_EVERY; // offsets are whole hours, so half hours are half hours here
  const day = dayAt(file);
  return isBankingDay(day) ? file : timeOn(bankingDay(day), 0);
}

/** The first same-day window whose deadline has not passed. */
function sameDayWindow(ms: number): {deadlineMs: number; settlementMs: number} {
  for (let day = bankingDay(dayAt(ms)); ; day = bankingDay(addDays(day, 1)))
    for (const {deadline, settlement} of SAME_DAY) {
      const deadlineMs = timeOn(day, deadline[0], deadline[1]);
      if (deadlineMs >= ms) return {deadlineMs, settlementMs: timeOn(day, settlement[0], settlement[1])};
    }
}

function wireHours(ms: number): number {
  for (let day = bankingDay(dayAt(ms)); ; day = bankingDay(addDays(day, 1)))
    if (ms <= timeOn(day, ...WIRE.cutOff)) return Math.max(ms, timeOn(addDays(day, -1), WIRE.open));
}

/** `count` banking days after that of `ms`, at that time in New York. */
const bankingTime = (ms: number, count: number, hour: number, minute: number) =>
  timeOn(bankingDay(dayAt(ms), count), hour, minute);
const after = (wait: number) => (ms: number) => ms + wait;
const now = (ms: number) => ms;

/** Pulled money is safe only once it can no longer be returned. */
const PULLED = {
  settle: (ms: number) => bankingTime(ms, RETURN_DAYS, 9, 0),
  comeBack: (ms: number) => bankingTime(ms, RETURN_DAYS, 8, 30),
  reject: after(5 * MINUTE),
};

/** Business hours of the rails; docs/internals/bank.md names the sources. */
export function railHours({rail, pull}: Flow): RailTimes {
  switch (rail) {
    case 'standard_ach':
      return pull
        ? {...PULLED, submit: nextFile, debit: (ms) => bankingTime(ms, 1, 8, 30)}
        : {
            submit: nextFile,
            debit: now,
            settle: (ms) => bankingTime(ms, 1, 8, 30),
            comeBack: (ms) => bankingTime(ms, RETURN_DAYS, 8, 30),
            reject: after(5 * MINUTE),
          };
    case 'same_day_ach':
      return pull
        ? {
            ...PULLED,
            submit: (ms) => sameDayWindow(ms).deadlineMs,
            debit: (ms) => sameDayWindow(ms).settlementMs,
          }
        : {
            submit: (ms) => sameDayWindow(ms).deadlineMs,
            debit: now,
            settle: (ms) => sameDayWindow(ms).settlementMs,
            comeBack: (ms) => bankingTime(ms, 1, 8, 30),
            reject: after(5 * MINUTE),
          };
    case 'wire':
      return {
        submit: wireHours,
        debit: after(MINUTE),
        settle: after(4 * MINUTE),
        comeBack: after(30 * MINUTE),
        reject: after(MINUTE),
      };
    case 'instant_bank': // around the clock, and final
      return {submit: now, debit: after(2 * SECOND), settle: after(3 * SECOND), reject: after(2 * SECOND)};
    case 'instant_card':
      return {submit: now, debit: after(10 * SECOND), settle: after(20 * SECOND), reject: after(10 * SECOND)};
    case 'book':
      return {submit: now, debit: now, settle: after(SECOND), reject: after(SECOND)};
  }
}
