import type {SqlValue} from '../../store/port/port.ts';
import type {AskedPeriod} from '../model/asked.ts';
import {NO_END} from '../model/day.ts';
import {IS_LIVE} from './work.ts';

/** SQL parameters ?1 to ?4 of a period: scope, accounts or null for all, first and last day. */
export const periodParams = (scope: number, asked: AskedPeriod | undefined): [SqlValue, ...SqlValue[]] => [
  scope,
  asked === undefined ? null : JSON.stringify(asked.accounts),
  asked?.from ?? '',
  asked?.to ?? NO_END,
];

/** SQL for an account that is asked for. */
export const isAsked = (account: string) => `(?2 is null or ${account} in (select value from json_each(?2)))`;

/** SQL for the day of a line that counts: that of the statement if both sources have it. A line has one day in every period. */
export const countedDay = (line: string) =>
  `coalesce((select s.day from twins w join lines s on s.l = w.l where w.twin = ${line}.l), ${line}.day)`;

/** The only account that is asked for: a payment of an account that is not known is then shown with it. */
const ONLY = `iif(json_array_length(?2) = 1, ?2 ->> 0, '')`;

/**
 * SQL for the payments of a period: `p`, `account`, `state` at its end, and whether it was sent before it (`early`). A
 * payment is in every period from the one in which it was sent to the one in which the bank has booked it, and in that of
 * its return.
 * @param which a condition for a payment `q`
 */
export const periodPayments = (which = 'true') => `(
  select p, account, early, case
      when returned = 1 and back <= ?4 then 'returned'
      when booked is not null then iif(booked > ?4, 'booked_later', iif(returned = 1, 'matched', state))
      when returned = 1 then 'expected'
      when live = 0 and state = 'expected' then 'not_sent'
      else state end as state
  from (
    select *, min(day, coalesce(booked, back, day)) as sent, min(day, coalesce(booked, back, day)) < ?3 as early
    from (
      select q.p, q.day, f.state, ${IS_LIVE} as live, f.state = 'returned' as returned,
        iif(?2 is null, '', coalesce(a.account, b.account, q.account, ${ONLY})) as account,
        iif(f.state in ('matched', 'returned', 'contradicted'), ${countedDay('a')}, null) as booked,
        iif(f.state = 'returned', ${countedDay('b')}, null) as back
      from payments q join found_payments f on f.p = q.p
        left join matches c on c.m = f.m and c.state = 'matched' left join lines a on a.l = c.m
        left join lines b on b.l = f.returned
      where q.scope = ?1 and ${which}))
  where sent <= ?4 and (account = '' or ${isAsked('account')})
    and (early = 0 or back between ?3 and ?4 or coalesce(booked, back, '9') >= ?3
      and not (live = 0 and state = 'expected')))`;
