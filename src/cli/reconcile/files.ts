import {mkdirSync, statSync} from 'node:fs';
import {extname, join, resolve} from 'node:path';
import {RemitError} from '../../errors.ts';
import {csvColumns, csvLine, csvRows} from '../../output/records/csv.ts';
import {lineRows, matchRows, paymentRows, type ExportRow} from '../../reconcile/export/rows.ts';
import {ledgerEntries, type LedgerBalance} from '../../reconcile/export/entries.ts';
import {LEDGER_MARK, type LedgerFormat, ledgerText} from '../../reconcile/export/journal.ts';
import {RECONCILE_MARK, reconcilePage} from '../../reconcile/page/page.ts';
import {askedIn, type ReconcileReport, type ResolvedDoubt} from '../../reconcile/report/report.ts';
import {guarded, headOf, writeOutFile} from '../../store/files/out-file.ts';
import type {Context} from '../core/context.ts';
import type {ReconcileRun} from './run.ts';

/** Files that were named, as they were typed. */
export interface ReconcileFiles {
  html: string | undefined;
  ledger: string | undefined;
  resolve: string | undefined;
  out: string | undefined;
}

const FORMATS: Readonly<Record<string, LedgerFormat>> = {
  '.journal': 'hledger',
  '.hledger': 'hledger',
  '.beancount': 'beancount',
};
const RESOLVE_HEADER = ['reference', 'verdict', 'id'];

const CSV_FILES = [
  {name: 'payments.csv', first: 'payment,', rows: paymentRows},
  {name: 'lines.csv', first: 'line,', rows: lineRows},
  {name: 'matches.csv', first: 'rule,', rows: matchRows},
] as const;

/**
 * Refuses a file that is not an earlier one of ours, before anything is read from the service.
 * @throws RemitError USAGE for an unknown extension, STATE naming the file
 */
export function checkFiles({runtime}: Context, {html, ledger, resolve: doubts, out}: ReconcileFiles): void {
  const at = (path: string) => resolve(runtime.cwd, path);
  if (ledger !== undefined && FORMATS[extname(ledger)] === undefined)
    throw new RemitError('USAGE', `--ledger ${ledger}: the extension says the format`, {
      hint: 'name it FILE.journal for hledger, or FILE.beancount for beancount',
    });
  if (html !== undefined) refuseForeign(at(html), RECONCILE_MARK, '--html');
  if (ledger !== undefined) refuseForeign(at(ledger), LEDGER_MARK, '--ledger');
  if (doubts !== undefined) refuseForeign(at(doubts), undefined, '--resolve-file');
  if (out !== undefined)
    for (const {name, first} of CSV_FILES) refuseForeign(join(at(out), name), first, '--out');
}

/** Devices and pipes are written to; links are refused when writing. */
function refuseForeign(path: string, mark: string | undefined, flag: string): void {
  const found = guarded(path, () => statSync(path, {throwIfNoEntry: false}));
  if (found?.isFile() !== true || (mark !== undefined && headOf(path).includes(mark))) return;
  throw new RemitError('STATE', `${path} already exists; it was not replaced`, {
    hint: `move it, or name another place: ${flag} ${flag === '--out' ? 'FOLDER' : 'FILE'}`,
  });
}

/** @returns the paths that were written */
export async function writeFiles(
  context: Context,
  run: ReconcileRun,
  files: ReconcileFiles,
): Promise<string[]> {
  const {runtime, profile, out, clock, commands} = context;
  const at = (path: string) => resolve(runtime.cwd, path);
  const {book, report} = run;
  const written: string[] = [];
  const write = async (path: string, pieces: Iterable<string>, flag: string) => {
    await writeOutFile(path, pieces, flag);
    written.push(path);
  };
  if (files.html !== undefined) {
    const about = {
      mode: profile.mode,
      service: out.sanitizer.line(profile.baseUrl),
      nowMs: clock.now(),
      commands,
    };
    await write(at(files.html), [reconcilePage(book, report, about)], '--html');
  }
  if (files.ledger !== undefined) {
    const {from, to, accounts} = report;
    const ledger = {
      period: {from, to},
      accounts,
      balances: balancesOf(report),
      entries: ledgerEntries(book, {...askedIn(report), repaid: report.repaid}),
      sanitizer: out.sanitizer,
    };
    await write(
      at(files.ledger),
      ledgerText(ledger, FORMATS[extname(files.ledger)] ?? 'hledger'),
      '--ledger',
    );
  }
  if (files.out !== undefined) {
    const folder = at(files.out);
    guarded(folder, () => mkdirSync(folder, {recursive: true, mode: 0o700}));
    for (const {name, rows} of CSV_FILES)
      await write(join(folder, name), csvText(rows(book, askedIn(report)), context), '--out');
  }
  if (files.resolve !== undefined)
    for (const [path, doubts] of resolveFiles(at(files.resolve), report.doubts))
      await write(path, resolveText(doubts), '--resolve-file');
  return written;
}

/** A resolve is of one batch: if there are several, each has a file of its own. */
function resolveFiles(path: string, doubts: readonly ResolvedDoubt[]): Map<string, ResolvedDoubt[]> {
  const batches = new Map<string, ResolvedDoubt[]>();
  for (const doubt of doubts) {
    const name = `${doubt.kind} ${doubt.batch}`;
    batches.set(name, [...(batches.get(name) ?? []), doubt]);
  }
  if (batches.size === 1) return new Map([[path, [...doubts]]]);
  const extension = extname(path);
  const stem = path.slice(0, path.length - extension.length);
  return new Map([...batches].map(([name, own]) => [`${stem}.${name.replace(' ', '.')}${extension}`, own]));
}

function* resolveText(doubts: readonly ResolvedDoubt[]): Generator<string> {
  yield csvLine(RESOLVE_HEADER);
  for (const {reference, recordId} of doubts) yield csvLine([reference, 'paid', recordId]);
}

function* csvText(rows: Iterable<ExportRow>, {out}: Context): Generator<string> {
  let write: ReturnType<typeof csvRows> | undefined;
  for (const row of rows) {
    if (write === undefined) {
      const columns = csvColumns([row]);
      write = csvRows(columns);
      yield csvLine(columns);
    }
    yield write(out.sanitizer.value(row, 'line'));
  }
}

/** As far as they are known. */
const balancesOf = ({tables}: ReconcileReport): LedgerBalance[] =>
  tables.flatMap(({account, currency, opening, closing}) =>
    account === undefined || opening === undefined || closing === undefined
      ? []
      : [{account, currency, opening, closing}],
  );
