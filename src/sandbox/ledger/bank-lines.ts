import type {Output} from '../../contract/schemas/registry.ts';
import type {Queries, SqlRow} from '../../store/port/port.ts';
import {bankingDay} from '../time/banking-days.ts';
import type {SandboxContext} from '../world/context.ts';
import {balanceOf, reservedOf, type FundsId} from './ledger.ts';
import {randomDigits} from '../base/random.ts';
import {big, int, iso, text, textOrNull, word} from '../base/rows.ts';
import {dayAt, timeOn} from '../time/schedule.ts';
import {setTimer, type Timer} from '../world/timers.ts';
import type {Timing} from '../time/timing.ts';
import {fundsOfAccount} from './treasury-account.ts';

/** Money that entered, or left, a treasury account at the bank. */
export interface Booking {
  entityId: string;
  /** Accounts that are not treasury accounts have no lines. */
  funds: FundsId;
  direction: 'credit' | 'debit';
  /** Positive, minor units. */
  amount: number;
  description: string;
  subject: string;
  subjectId: string;
  atMs: number;
}

export function toBankTransaction(row: SqlRow): Output<'BankTransaction'> {
  return {
    id: text(row, 'id'),
    account_id: text(row, 'account_id'),
    amount_in_minor_units: int(row, 'amount'),
    direction: word<Output<'BankTransaction'>['direction']>(row, 'direction'), // written by bookLine only
    currency_code: text(row, 'currency_code'),
    description: textOrNull(row, 'description'),
    bank_reference: text(row, 'reference'),
    status: 'posted',
    posted_at: iso(int(row, 'posted_ms')),
    value_date: text(row, 'value_date'),
  };
}

/** When the bank reports to a live-style entity what it booked at `atMs`: with the morning's file, or soon. */
function reportTime(timing: Timing, atMs: number): number {
  if (!timing.calendar) return atMs + timing.initiateMs;
  const today = timeOn(dayAt(atMs), 7);
  return timeOn(bankingDay(dayAt(atMs), today > atMs ? 0 : 1), 7);
}

/**
 * Records what the bank booked, in the caller's transaction, after the ledger's posting. A test entity gets the
 * report immediately; a live-style one with the bank's next report (interface document, "What the service does").
 * @returns the line's row; undefined for money that is not in a treasury account
 */
export async function bookLine(
  queries: Queries,
  context: SandboxContext,
  booking: Booking,
): Promise<SqlRow | undefined> {
  const {entityId, funds, direction, amount, atMs} = booking;
  const account = await queries.get(
    `select treasury_accounts.id, entities.mode from treasury_accounts join entities on entities.id = entity_id
     where entity_id = ? and ledger_id = ?`,
    [entityId, funds],
  );
  if (!account) return undefined;
  const accountId = text(account, 'id');
  const id = context.ids.next(context.clock.now());
  await queries.run(
    `insert into bank_transactions (account_id, id, entity_id, direction, amount, currency_code, description, reference,
       subject, subject_id, posted_ms, value_date, reported_ms)
     values (?, ?, ?, ?, ?, 'USD', ?, ?, ?, ?, ?, ?, null)`,
    [
      ...[accountId, id, entityId, direction, amount, booking.description, randomDigits(context.random, 12)],
      ...[booking.subject, booking.subjectId, atMs, dayAt(atMs)],
    ],
  );
  const line = {entityId, accountId, id};
  if (text(account, 'mode') === 'test') await reportLine(queries, line, atMs);
  else
    await setTimer(queries, context, {
      entityId,
      subject: 'bank_line',
      ownerId: accountId,
      subjectId: id,
      step: 'report',
      dueMs: reportTime(context.timing, atMs),
    });
  return queries.get('select * from bank_transactions where account_id = ? and id = ?', [accountId, id]);
}

/** The bank's report arrives: the line can be listed, and the balance includes the lines reported by now. */
async function reportLine(
  queries: Queries,
  line: {entityId: string; accountId: string; id: string},
  atMs: number,
): Promise<void> {
  const {entityId, accountId, id} = line;
  const of = [accountId, id];
  const row = await queries.get(
    'select direction, amount from bank_transactions where account_id = ? and id = ? and reported_ms is null',
    of,
  );
  const account = await queries.get('select * from treasury_accounts where entity_id = ? and id = ?', [
    entityId,
    accountId,
  ]);
  if (!row || !account) return;
  await queries.run('update bank_transactions set reported_ms = ? where account_id = ? and id = ?', [
    atMs,
    ...of,
  ]);
  const funds = fundsOfAccount(account);
  const change = text(row, 'direction') === 'credit' ? big(row, 'amount') : -big(row, 'amount');
  const [free, reserved] = [
    await balanceOf(queries, entityId, funds),
    await balanceOf(queries, entityId, reservedOf(funds)),
  ];
  // Money that was booked but not reported is not available yet: the bank's customer does not have it.
  const unspoken = big(account, 'reported_current') + change - reserved;
  const least = unspoken < free ? unspoken : free;
  const available = least < 0n ? 0n : least;
  await queries.run(
    `update treasury_accounts set reported_current = reported_current + ?, reported_available = ?, reported_ms = ?
     where entity_id = ? and id = ?`,
    [change, available, atMs, entityId, accountId],
  );
}

/** The timer of a line that was booked and not reported. */
export async function fireBankLine(queries: Queries, timer: Timer): Promise<void> {
  if (timer.ownerId === null) return;
  const line = {entityId: timer.entityId, accountId: timer.ownerId, id: timer.subjectId};
  await reportLine(queries, line, timer.dueMs);
}
