import {resolve} from 'node:path';
import {usualId} from '../../contract/ids.ts';
import {RemitError} from '../../errors.ts';
import {counted} from '../../phrases.ts';
import {repayReference} from '../../batch/report/returned.ts';
import {Book} from '../../reconcile/book/book.ts';
import type {LinesAdded} from '../../reconcile/book/stored-lines.ts';
import type {BankLine} from '../../reconcile/model/line.ts';
import type {FeeRule} from '../../reconcile/model/options.ts';
import type {ExpectedPayment} from '../../reconcile/model/payment.ts';
import {PlannedPayments} from '../../reconcile/service/planned-payments.ts';
import {type ReconcileReport, readReconcileReport} from '../../reconcile/report/report.ts';
import type {StatementFacts, StatementOptions} from '../../reconcile/statement/file/statement.ts';
import {dayAt} from '../../sandbox/time/schedule.ts';
import type {Context} from '../core/context.ts';
import {keepHeapSmall} from '../runtime/memory.ts';
import {resolveId} from '../resources/names.ts';
import {batchPayments, type BatchRows} from './batch-payments.ts';
import {matchOptions} from './match-options.ts';
import {
  labelsOf,
  type Period,
  readBankLines,
  readPayments,
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
  /** The balance of each account at the end of the period, as far as it is known. */
  closing: AccountBalance[];
}

export interface AccountBalance {
  account: string;
  currency: string;
  minor: bigint;
}

/** Reads, stores and matches. No request of it changes anything at the service. */
export async function runReconcile(context: Context, request: ReconcileRequest): Promise<ReconcileRun> {
  keepHeapSmall();
  const {profile, clock, stateDir: ownDir} = context;
  const {stateDir = ownDir, from, to, batches} = request;
  const service = {baseUrl: profile.baseUrl, mode: profile.mode};
  const period: Period = {from, to, dayAt};
  const accounts: string[] = [];
  for (const typed of new Set(request.accounts))
    accounts.push(usualId(await resolveId(context, 'treasury account', typed)));
  refuseSeveral(request, accounts);
  const rows = await batchPayments({stateDir, clock, service, batches: [], dayAt});
  refuseUnknown(batches, rows);
  const unreadable = new UnreadRecords();
  const why: string[] = [...rows.unread];
  const book = await Book.open(stateDir, service, {write: true});
  try {
    const statement = await addStatement(book, request, accounts, context);
    const added: LinesAdded = {added: 0, known: 0, changed: 0, gone: 0};
    const closing: AccountBalance[] = [];
    const latest = new Map<string, bigint>();
    for (const account of accounts) {
      const {lines, later} = await readBankLines(context, account, period, unreadable);
      const {
        added: fresh,
        known,
        changed,
        gone,
      } = book.addLines(lines, {source: 'service', account, from, to});
      added.added += fresh;
      added.known += known;
      added.changed += changed;
      added.gone += gone;
      const balance = await reportedBalance(context, account);
      if (balance === undefined) continue;
      const {currency, minor} = balance;
      closing.push({account, currency, minor: minor - sumOf(later)});
      // The sums are of everything in the book, also of what earlier runs have read after this period.
      const kept = new Set([...book.lines({account})].map(({line}) => line.key));
      const end = minor - sumOf(later.filter(({key}) => !kept.has(key)));
      latest.set(currency, (latest.get(currency) ?? 0n) + end);
    }
    const records = await readPayments(context, new Set(accounts), period, unreadable);
    book.addPayments(joined(records, rows.payments, period));
    const totals = book.match(matchOptions(request.nowMs, profile.mode, request.fees));
    const labels = await labelsOf(context, accounts);
    const report = readReconcileReport(book, totals, {
      accounts: accounts.map((id) => ({id, label: labels.get(id)})),
      ...{from, to, batches, inDoubt: rows.inDoubt, repayReference},
      why: [...unreadable.why, ...why],
      reported: closing.length === accounts.length ? latest : new Map<string, bigint>(),
    });
    return {book, report, lines: added, closing, statement};
  } catch (error) {
    await book.close();
    throw error;
  }
}

const sumOf = (lines: readonly BankLine[]): bigint =>
  lines.reduce((sum, {state, amount}) => (state === 'posted' ? sum + amount : sum), 0n);

/** Each payment once: rows with their records, then what only one side knows of the period. */
function* joined(
  records: readonly ExpectedPayment[],
  rows: readonly ExpectedPayment[],
  {from, to}: Period,
): Generator<ExpectedPayment> {
  const planned = new PlannedPayments();
  for (const row of rows) planned.add(row);
  for (const record of records) planned.see(record);
  for (const record of records) yield planned.join(record);
  for (const row of planned.rest()) if (row.day >= from && row.day <= to) yield row;
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
  {statement: path, reading}: ReconcileRequest,
  [account]: readonly string[],
  {runtime, out}: Context,
): Promise<Pick<StatementFacts, 'format' | 'lines'> | undefined> {
  if (path === undefined || account === undefined) return undefined;
  const {readStatement} = await import('../../reconcile/statement/read-statement.ts');
  let read = 0;
  const {format, lines} = await book.addStatement(account, (take) =>
    readStatement(resolve(runtime.cwd, path), {...reading, account}, (line) => {
      read += 1;
      if (read % 1000 === 0) out.progress(`${counted(read, 'line')} of the statement read`);
      take(line);
    }),
  );
  out.endProgress();
  return {format, lines};
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
