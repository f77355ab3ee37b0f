import {basename, resolve} from 'node:path';
import {usualId} from '../../contract/ids.ts';
import {RemitError} from '../../errors.ts';
import {counted} from '../../phrases.ts';
import {keysOf} from '../../narrow.ts';
import {repayReference} from '../../batch/report/returned.ts';
import type {Book} from '../../reconcile/book/book.ts';
import type {PeriodState} from '../../reconcile/model/finding.ts';
import type {LinesAdded} from '../../reconcile/book/stored-lines.ts';
import type {AskedPeriod, ReportedBalance} from '../../reconcile/model/asked.ts';
import type {FeeRule} from '../../reconcile/model/options.ts';
import type {ExpectedPayment} from '../../reconcile/model/payment.ts';
import {PlannedPayments} from '../../reconcile/service/planned-payments.ts';
import {type ReconcileReport, readReconcileReport} from '../../reconcile/report/report.ts';
import type {StatementFacts, StatementOptions} from '../../reconcile/statement/file/statement.ts';
import {dayAt} from '../../sandbox/time/schedule.ts';
import {cleanLine} from '../../sanitize/harmful.ts';
import type {Context} from '../core/context.ts';
import {keepHeapSmall} from '../runtime/memory.ts';
import {operatorName} from '../runtime/operator.ts';
import {resolveId} from '../resources/names.ts';
import {batchPayments, type BatchRows} from './batch-payments.ts';
import {matchOptions} from './match-options.ts';
import {noteFound} from './note-returns.ts';
import {openBook, saveBook} from './shared-book.ts';
import {
  labelsOf,
  readCarriedOver,
  readBankLines,
  readPayments,
  type ReadingSince,
  reportedBalance,
  UnreadRecords,
} from './read-service.ts';

export interface ReconcileRequest {
  accounts: readonly string[];
  from: string;
  to: string;
  /** The time at the service: what is overdue depends on it. */
  nowMs: number;
  batches: readonly string[];
  fees: readonly FeeRule[];
  statement: string | undefined;
  /** How the statement is to be read. */
  reading: Omit<StatementOptions, 'account'>;
  stateDir: string;
}

/** What a run has read and found. The caller closes the book. */
export interface ReconcileRun {
  book: Book;
  report: ReconcileReport;
  lines: LinesAdded;
  statement: Pick<StatementFacts, 'format' | 'lines'> | undefined;
  /** Of the accounts, as received; those of the report are clean. */
  labels: ReadonlyMap<string, string>;
}

/** Reads, stores and matches. No request of it changes anything at the service. */
export async function runReconcile(context: Context, request: ReconcileRequest): Promise<ReconcileRun> {
  keepHeapSmall();
  const {profile, clock, team} = context;
  const {from, to, batches} = request;
  const stateDir = team?.stateDir ?? request.stateDir;
  const service = {baseUrl: profile.baseUrl, mode: profile.mode};
  const since: ReadingSince = {from, dayAt};
  const accounts: string[] = [];
  for (const typed of new Set(request.accounts))
    accounts.push(usualId(await resolveId(context, 'treasury account', typed)));
  refuseSeveral(request, accounts);
  const unreadable = new UnreadRecords();
  const book = await openBook(context, stateDir, {write: true, create: true});
  try {
    const rows = await batchPayments({stateDir, clock, service, dayAt, team});
    refuseUnknown(batches, rows);
    const statement = await addStatement(book, request, accounts, context);
    const added: LinesAdded = {added: 0, known: 0, changed: 0, gone: 0};
    const reported: ReportedBalance[] = [];
    for (const account of accounts) {
      const lines = await readBankLines(context, account, since, unreadable);
      const days = [to, dayAt(request.nowMs), ...lines.map(({bookingDay}) => bookingDay)].sort();
      const counts = book.addLines(lines, {source: 'service', account, from, to: days.at(-1) ?? to});
      for (const name of keysOf(counts)) added[name] += counts[name];
      const balance = await reportedBalance(context, account, dayAt);
      if (balance !== undefined) reported.push(balance);
    }
    const records = await readPayments(context, new Set(accounts), since, unreadable);
    const asked = {accounts, from, to, reported};
    const carried = openBefore(book, asked, new Set(records.map(({key}) => key)));
    records.push(...(await readCarriedOver(context, carried, dayAt)));
    book.addPayments(joined(records, rows.payments, from));
    const totals = book.match(matchOptions(request.nowMs, profile.mode, request.fees), asked);
    const noted = await noteFound(context, book, stateDir);
    const labels = await labelsOf(context, accounts);
    const cleaned = (label: string | undefined) => label && context.out.sanitizer.line(label);
    const report = readReconcileReport(book, totals, {
      accounts: accounts.map((id) => ({id, label: cleaned(labels.get(id))})),
      ...{from, to, batches, planned: rows, repayReference, today: dayAt(request.nowMs)},
      why: [...noted, ...unreadable.why, ...rows.unread, ...(await unsettled(context, rows))],
    });
    await saveBook(context, book, stateDir);
    return {book, report, lines: added, statement, labels};
  } catch (error) {
    await book.close();
    throw error;
  }
}

/** What the copies of the shared batches may lack. */
async function unsettled({team}: Context, {read}: BatchRows): Promise<string[]> {
  const found = (await team?.unsettledBatches()) ?? [];
  return found
    .filter(({id, isNew}) => read.has(id) || isNew)
    .map(({id, moved}) =>
      moved === null
        ? `batch ${id} was changed while it was read, so its newest payments may be missing`
        : `batch ${id} was moved to ${moved}; reconcile it there`,
    );
}

const OPEN: ReadonlySet<PeriodState> = new Set([
  'expected',
  'tentative',
  'suggested',
  'ambiguous',
  'overdue',
  'contradicted',
]);

/** Payments that were sent before the period and are still open, and that were not read in this run. */
function openBefore(book: Book, within: AskedPeriod, read: ReadonlySet<string>): ExpectedPayment[] {
  const open: ExpectedPayment[] = [];
  for (const {isCarried, state, match, payment} of book.payments({within}))
    if (isCarried && match?.state !== 'matched' && OPEN.has(state) && !read.has(payment.key))
      open.push(payment);
  return open;
}

/** Each payment once: rows with their records, then what only one side knows since a day. */
function* joined(
  records: readonly ExpectedPayment[],
  rows: readonly ExpectedPayment[],
  from: string,
): Generator<ExpectedPayment> {
  const planned = new PlannedPayments();
  for (const row of rows) planned.add(row);
  for (const record of records) planned.see(record);
  for (const record of records) yield planned.join(record);
  for (const row of planned.rest()) if (row.day >= from) yield row;
}

function refuseSeveral({statement}: ReconcileRequest, accounts: readonly string[]): void {
  if (statement !== undefined && accounts.length !== 1)
    throw new RemitError('USAGE', 'a statement is of one account, and several are named', {
      hint: 'reconcile each account with its own statement',
    });
}

/** Before anything else is added, so that a file that is refused leaves the book as it was. */
async function addStatement(
  book: Book,
  {statement: path, reading, from, to}: ReconcileRequest,
  [account]: readonly string[],
  {runtime, clock, out, stop}: Context,
): Promise<ReconcileRun['statement']> {
  if (path === undefined || account === undefined) return undefined;
  const {readStatement} = await import('../../reconcile/statement/read-statement.ts');
  const at = new Date(clock.now()).toISOString();
  const origin = {name: cleanLine(basename(path)), by: operatorName(), at};
  const mask = (field: string, text: string) => out.sanitizer.line(out.sanitizer.field(field, text));
  let read = 0;
  const {format, lines, days} = await book.addStatement(
    {account, ...origin, isNumberNamed: reading.number !== undefined, mask},
    async ({take, isKnown}) => {
      const facts = await readStatement(
        resolve(runtime.cwd, path),
        {...reading, account, isKnown},
        (line) => {
          stop.signal.throwIfAborted();
          read += 1;
          if (read % 1000 === 0) out.progress(`${counted(read, 'line')} of the statement read`);
          take(line);
        },
      );
      requireDays(origin.name, facts, {account, path, from, to});
      return facts;
    },
  );
  out.endProgress();
  if (days === undefined)
    throw new RemitError('LOCAL_VALIDATION', `${origin.name} has no line and no balance`);
  return {format, lines};
}

/** A statement that has no day of the period would be no witness of anything. */
function requireDays(
  name: string,
  {days}: Pick<StatementFacts, 'days'>,
  {account, path, from, to}: {account: string; path: string; from: string; to: string},
): void {
  if (days === undefined || (days.from <= to && days.to >= from)) return;
  throw new RemitError(
    'LOCAL_VALIDATION',
    `${name} is of ${days.from} to ${days.to}, and has no day of the period, ${from} to ${to}`,
    {
      hint: (commands) =>
        commands.read(
          ...['reconcile', '--account', account, '--from', days.from, '--to', days.to, '--statement', path],
        ),
    },
  );
}

function refuseUnknown(batches: readonly string[], {read, unread}: BatchRows): void {
  const unknown = batches.find((batch) => !read.has(batch));
  if (unknown === undefined) return;
  throw new RemitError(
    'NO_BATCH',
    unread.find((text) => text.startsWith(`batch ${unknown} `)) ??
      `no batch ${unknown} has been sent to this service with this key`,
    {hint: (commands) => commands.read('payouts', 'batch', 'list')},
  );
}
