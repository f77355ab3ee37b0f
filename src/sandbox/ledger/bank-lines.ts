import type {Output} from '../../contract/schemas/registry.ts';
import type {Queries, SqlRow} from '../../store/port/port.ts';
import {must} from '../../narrow.ts';
import {bankingDay} from '../time/banking-days.ts';
import type {SandboxContext} from '../world/context.ts';
import {BANK_FEE_MINOR, lineText, type BankDialect, type LineWords} from '../base/bank-dialect.ts';
import {balanceOf, post, reservedOf, type FundsId} from './ledger.ts';
import {randomDigits} from '../base/random.ts';
import {big, int, iso, text, textOrNull, word} from '../base/rows.ts';
import {dayAt, timeOn} from '../time/schedule.ts';
import {setTimer, type Timer} from '../world/timers.ts';
import type {Timing} from '../time/timing.ts';
import {fundsOfAccount} from './treasury-account.ts';

/** Money that entered, or left, a treasury account at the bank. */
export interface Booking extends LineWords {
  entityId: string;
  /** Accounts that are not treasury accounts have no lines. */
  funds: FundsId;
  direction: 'credit' | 'debit';
  /** Positive, minor units. */
  amount: number;
  subject: string;
  subjectId: string;
  atMs: number;
  /** The rail of a payment that an ACH file contains. */
  achFile?: string | undefined;
}

export function toBankTransaction(row: SqlRow): Output<'BankTransaction'> {
  const status = word<Output<'BankTransaction'>['status']>(row, 'status'); // written by bookLine only
  return {
    id: text(row, 'id'),
    account_id: text(row, 'account_id'),
    amount_in_minor_units: int(row, 'amount'),
    direction: word<Output<'BankTransaction'>['direction']>(row, 'direction'), // the same
    currency_code: text(row, 'currency_code'),
    description: textOrNull(row, 'description'),
    bank_reference: text(row, 'reference'),
    status,
    posted_at: status === 'pending' ? null : iso(int(row, 'posted_ms')),
    value_date: text(row, 'value_date'),
  };
}

/** When the bank reports to a live-style entity what it booked at `atMs`: with the morning's file, or soon. */
function reportTime(timing: Timing, atMs: number): number {
  if (!timing.calendar) return atMs + timing.initiateMs;
  const today = timeOn(dayAt(atMs), 7);
  return timeOn(bankingDay(dayAt(atMs), today > atMs ? 0 : 1), 7);
}

/** Without a calendar, an ACH file takes what is sent within one minute. */
const FILE_MS = 60_000;
const fileEnd = (timing: Timing, atMs: number): number =>
  timing.calendar ? atMs : (Math.floor(atMs / FILE_MS) + 1) * FILE_MS;

/**
 * Records what the bank booked, in the caller's transaction, after the ledger's posting. A test entity gets the
 * report immediately, unless the dialect of the account says otherwise; a live-style one with the bank's next report
 * (interface document, "What the service does").
 * @returns the line's row; undefined for money that is not in a treasury account
 */
export async function bookLine(
  queries: Queries,
  context: SandboxContext,
  booking: Booking,
): Promise<SqlRow | undefined> {
  const {entityId, funds, atMs} = booking;
  const account = await queries.get(
    `select treasury_accounts.id, bank_dialect, entities.mode from treasury_accounts
       join entities on entities.id = entity_id
     where entity_id = ? and ledger_id = ?`,
    [entityId, funds],
  );
  if (!account) return undefined;
  const accountId = text(account, 'id');
  const dialect = word<BankDialect>(account, 'bank_dialect'); // written from BANK_DIALECTS only
  const isImmediate = text(account, 'mode') === 'test';
  if (dialect === 'ach-file' && booking.achFile !== undefined)
    return bookInFile(queries, context, accountId, booking, booking.achFile);
  const amount = dialect === 'net-fee' ? await withFee(queries, context, booking) : booking.amount;
  const line = {...booking, amount, description: lineText(dialect, booking)};
  if (dialect !== 'pending') {
    const row = await insertLine(queries, context, accountId, {...line, status: 'posted'});
    if (isImmediate) await reportLine(queries, {entityId, accountId, id: text(row, 'id')}, atMs);
    else await planReport(queries, context, row, reportTime(context.timing, atMs));
    return lineOf(queries, accountId, text(row, 'id'));
  }
  const first = await insertLine(queries, context, accountId, {...line, status: 'pending'});
  const replaces = text(first, 'id');
  const posted = await insertLine(queries, context, accountId, {...line, status: 'posted', replaces});
  await planReport(queries, context, posted, reportTime(context.timing, atMs));
  return first;
}

/** Adds a payment to the line of its ACH file, until the bank reports that line. */
async function bookInFile(
  queries: Queries,
  context: SandboxContext,
  accountId: string,
  booking: Booking,
  rail: string,
): Promise<SqlRow | undefined> {
  const {direction, amount, atMs} = booking;
  const endMs = fileEnd(context.timing, atMs);
  const subjectId = `${rail} ${direction} ${iso(endMs)}`;
  const known = await queries.get(
    `select id from bank_transactions
     where entity_id = ? and account_id = ? and subject = 'ach_file' and subject_id = ? and reported_ms is null`,
    [booking.entityId, accountId, subjectId],
  );
  if (known) {
    const which = [accountId, text(known, 'id')] as const;
    await queries.run('update bank_transactions set amount = amount + ? where account_id = ? and id = ?', [
      amount,
      ...which,
    ]);
    return lineOf(queries, ...which);
  }
  const description = `ACH ${direction}s ${rail} ${dayAt(atMs)}`;
  const file = {...booking, subject: 'ach_file', subjectId, description, status: 'posted'} as const;
  const row = await insertLine(queries, context, accountId, file);
  await planReport(queries, context, row, context.timing.calendar ? reportTime(context.timing, atMs) : endMs);
  return row;
}

/** The bank takes its fee, if there is enough; the amount of the line then differs from that of the record. */
async function withFee(queries: Queries, context: SandboxContext, booking: Booking): Promise<number> {
  const {entityId, funds: from, direction, amount, subjectId, atMs} = booking;
  const fee = {
    entityId,
    from,
    to: 'external',
    amount: BANK_FEE_MINOR,
    subject: 'bank_fee',
    subjectId,
    atMs,
  } as const;
  if (direction === 'credit' && amount <= BANK_FEE_MINOR) return amount;
  if (!(await post(queries, context, fee))) return amount;
  return direction === 'credit' ? amount - BANK_FEE_MINOR : amount + BANK_FEE_MINOR;
}

interface NewLine extends Omit<Booking, 'description'> {
  description: string | null;
  status: 'posted' | 'pending';
  /** The id of a pending line that disappears when this one is reported. */
  replaces?: string;
}

/** A pending line is shown at once, a posted one when the bank reports it. */
async function insertLine(
  queries: Queries,
  context: SandboxContext,
  accountId: string,
  line: NewLine,
): Promise<SqlRow> {
  const {entityId, direction, amount, description, subject, subjectId, atMs, status, returnCode} = line;
  const id = context.ids.next(context.clock.now());
  await queries.run(
    `insert into bank_transactions (account_id, id, entity_id, direction, amount, currency_code, description, reference,
       subject, subject_id, posted_ms, value_date, reported_ms, status, return_code, replaces)
     values (?, ?, ?, ?, ?, 'USD', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      ...[accountId, id, entityId, direction, amount, description, randomDigits(context.random, 12)],
      ...[
        subject,
        subjectId,
        atMs,
        dayAt(atMs),
        status === 'pending' ? atMs : null,
        status,
        returnCode ?? null,
        line.replaces ?? null,
      ],
    ],
  );
  return must(await lineOf(queries, accountId, id), 'line that was inserted');
}

const lineOf = (queries: Queries, accountId: string, id: string): Promise<SqlRow | undefined> =>
  queries.get('select * from bank_transactions where account_id = ? and id = ?', [accountId, id]);

const planReport = (queries: Queries, context: SandboxContext, row: SqlRow, dueMs: number): Promise<void> =>
  setTimer(queries, context, {
    entityId: text(row, 'entity_id'),
    subject: 'bank_line',
    ownerId: text(row, 'account_id'),
    subjectId: text(row, 'id'),
    step: 'report',
    dueMs,
  });

/** The bank's report arrives: the line can be listed, and the balance includes the lines reported by now. */
async function reportLine(
  queries: Queries,
  line: {entityId: string; accountId: string; id: string},
  atMs: number,
): Promise<void> {
  const {entityId, accountId, id} = line;
  const of = [accountId, id];
  const row = await queries.get(
    `select direction, amount, replaces from bank_transactions
     where account_id = ? and id = ? and reported_ms is null`,
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
  const pendingId = textOrNull(row, 'replaces');
  if (pendingId !== null)
    await queries.run('delete from bank_transactions where account_id = ? and id = ?', [
      accountId,
      pendingId,
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
