import {existsSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {RemitError} from '../../errors.ts';
import {formatMajor} from '../../money/amount.ts';
import {codeOf, isObject, ownJson, type JsonFields} from '../../narrow.ts';
import {fileFailure} from '../../store/files/failures.ts';
import {quoteFormula} from '../../spreadsheet.ts';
import {sha256Of} from '../input/file-hash.ts';
import {FailedLayout, isFailed} from './failed-file.ts';
import {NO_RETURNS, repayReference, type ReturnedRow, type ReturnedRows, returnedText} from './returned.ts';
import {CsvFile, whileWriting, refuseLink, writePrivately} from './private-file.ts';
import type {ResultFiles} from '../journal/facts.ts';
import type {Journal} from '../journal/journal.ts';
import type {FileRecord} from '../journal/rows/report-rows.ts';
import {KINDS} from '../model/kinds.ts';
import {bucketOf, cleanMessage} from '../model/outcome.ts';
import type {Summary} from '../standing/summary.ts';
import type {Plan} from '../model/plan-facts.ts';

/**
 * Writes the results next to the input: every record of the file, in order, with its outcome; the failed rows as a
 * file that can be planned again; and the summary. Each file is written privately and published by rename. Nothing is
 * written through a link, over the files of another batch, or over failed rows that were corrected.
 * @throws RemitError STATE naming the file
 */
export function writeResults(options: {
  journal: Journal;
  plan: Plan;
  summary: Summary;
  folder: string;
  /** Rows that the bank has returned, if that is known. */
  returned?: ReturnedRows;
}): ResultFiles {
  const {journal, plan, summary, folder, returned = NO_RETURNS} = options;
  const own = resultFiles(folder, plan);
  const last = refuseForeign(own, plan);
  const files = {...own, failed: failedPlace(own.failed, last)};
  const opened: CsvFile[] = [];
  const open = (path: string): CsvFile => {
    const file = new CsvFile(path);
    opened.push(file);
    return file;
  };
  let failures = 0;
  try {
    const [results, failed] = [open(files.results), open(files.failed)];
    results.line([...plan.header, ...resultColumns(plan)].map(quoteFormula), ',');
    const again = new FailedLayout(plan, journal);
    failed.line(again.header, ',');
    for (const record of journal.report.everything()) {
      const cells = ownJson<string[]>(record.cells);
      const back = returned.get(record.n);
      const columns = resultCells(record, journal, back);
      results.line([...padded(cells, plan.header.length), ...columns].map(quoteFormula), ',');
      // A row of an earlier version has no canonical columns, so it cannot get another reference.
      const isLeft = back?.paidAgainBy === undefined && back?.heldBy === undefined;
      const repaid = isLeft && plan.columns !== undefined ? back : undefined;
      if (repaid === undefined && (back !== undefined || !isFailed(record))) continue;
      if (cells.length === 0 && repaid === undefined) continue; // not stored, because a cell may belong to an ignored column
      const reference = repaid && (repaid.repayReference ?? repayReference(repaid.reference));
      failed.line(again.line(record.n, cells, record.reference !== null, reference), ',');
      failures++;
    }
    // The summary identifies the batch of these files, so it is written first: after a crash in between, they must
    // not appear to belong to another batch.
    writeSummary(files, plan, {summary, failed: failures > 0 ? failed.sha256() : undefined});
    results.publish();
    if (failures > 0) failed.publish();
    else failed.discard();
  } catch (cause) {
    for (const file of opened) file.discard();
    throw withReport(cause, plan);
  }
  // Left by an earlier run of this batch.
  if (failures === 0) whileWriting(files.failed, () => rmSync(files.failed, {force: true}));
  return {...files, failed: failures > 0 ? files.failed : null};
}

/** A disk error loses nothing: the results can be written again. */
function withReport(cause: unknown, {kind, batchId}: Plan): unknown {
  if (!(cause instanceof RemitError) || cause.openHint !== undefined) return cause;
  return new RemitError(cause.code, cause.message, {
    cause,
    hint: (commands) =>
      `nothing is lost; once this is fixed, write the results again: ${commands.read(KINDS[kind].topic, 'batch', 'report', batchId)} (--out FOLDER writes them elsewhere)`,
  });
}

function writeSummary(
  files: ReturnType<typeof resultFiles>,
  plan: Plan,
  {summary, failed}: {summary: Summary; failed: string | undefined},
): void {
  const text = {
    ...summary,
    results: files.results,
    failed_file: failed === undefined ? null : files.failed,
    failed_sha256: failed ?? null,
    summary_file: files.summary,
  };
  writePrivately(files.summary, `${JSON.stringify({journal_id: plan.journalId, ...text}, null, 2)}\n`);
}

/**
 * Checked before anything is sent: the results of another batch may be where this batch's are to be written.
 * @throws RemitError STATE naming the file
 */
export function checkResultPlace(folder: string, plan: Plan): void {
  refuseForeign(resultFiles(folder, plan), plan);
}

function resultFiles(folder: string, {batchId}: Plan): {results: string; failed: string; summary: string} {
  const name = (kind: string) => join(folder, `${batchId}.${kind}`);
  return {results: name('results.csv'), failed: name('failed.csv'), summary: name('summary.json')};
}

function resultColumns(plan: Plan): string[] {
  return [
    'remit_row',
    'remit_reference',
    'remit_state',
    'remit_amount',
    KINDS[plan.kind].idColumn,
    'status',
    'error_code',
    'message',
    'attempts',
    'request_id',
    'at',
  ].map((column) => (plan.header.includes(column) ? `remit_${column}` : column));
}

function resultCells(record: FileRecord, journal: Journal, back: ReturnedRow | undefined): string[] {
  const n = String(record.n);
  if (record.reference === null) {
    const issues = journal.report
      .issuesOf(record.n)
      .map(({col, message}) => (col === '' ? message : `${col}: ${message}`));
    return [n, '', 'invalid', '', '', '', '', issues.join('; '), '', '', ''];
  }
  const {state, currency, id, status, code, attempts, request_id: requestId, at} = record;
  const {sanitizer} = journal; // journaled text is clean, unless an earlier version wrote it
  return [
    n,
    record.reference,
    back !== undefined ? 'returned' : state === 'held' ? 'held' : bucketOf(state),
    `${formatMajor(BigInt(record.amount), currency)} ${currency}`,
    sanitizer.token(id ?? ''),
    sanitizer.token(status ?? ''),
    sanitizer.token(back?.code ?? code ?? ''),
    back === undefined ? (cleanMessage(sanitizer, record) ?? '') : returnedText(back),
    String(attempts ?? ''),
    sanitizer.token(requestId ?? ''),
    at === null ? '' : new Date(at).toISOString(),
  ];
}

/** A ragged record keeps its place: our columns begin after those of the header. */
const padded = (cells: string[], width: number): string[] =>
  cells.length >= width ? cells.slice(0, width) : [...cells, ...Array<string>(width - cells.length).fill('')];

/**
 * Where the failed rows go. A file that has changed since it was written has corrections: it stays, and the rows go
 * beside it, to `…failed-2.csv`.
 * @param last the summary that was written with the last one; undefined if there is none
 */
function failedPlace(path: string, last: JsonFields | undefined): string {
  const [file, sha256] = [last?.['failed_file'], last?.['failed_sha256']];
  if (sha256 === undefined) return path; // of an earlier version
  for (let n = 1; ; n += 1) {
    const place = n === 1 ? path : path.replace(/\.csv$/, `-${n}.csv`);
    if (!existsSync(place)) return place;
    if (place === file && whileWriting(place, () => sha256Of(place)) === sha256) return place;
  }
}

/**
 * The files of an earlier run of this batch may be replaced; those of another batch with the same name may not.
 * @returns the summary of that run
 */
function refuseForeign(files: ReturnType<typeof resultFiles>, plan: Plan): JsonFields | undefined {
  const all = Object.values(files);
  all.forEach(refuseLink);
  const input = join(plan.file.folder, plan.file.name);
  if (plan.file.path !== '-' && all.includes(input))
    throw new RemitError('STATE', `the results of batch ${plan.batchId} would overwrite its input ${input}`, {
      hint: 'give the batch another name with --batch-id, or write the results elsewhere with --out FOLDER',
    });
  const found = all.find((file) => existsSync(file));
  if (found === undefined) return undefined;
  const last = readLast(files.summary);
  if (last?.['journal_id'] !== plan.journalId)
    throw new RemitError(
      'STATE',
      `${found} does not belong to this batch ${plan.batchId}; it may belong to another batch of the same name`,
      {
        hint: 'move it, or write the results elsewhere with --out FOLDER',
      },
    );
  return last;
}

/**
 * The summary of an earlier run; undefined if there is none, or it is not one.
 * @throws RemitError STATE if this user may not read it: the files may be those of this batch, run by another user
 */
function readLast(path: string): JsonFields | undefined {
  try {
    const stated: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isObject(stated) ? stated : undefined;
  } catch (error) {
    if (UNREADABLE.includes(codeOf(error))) throw fileFailure(error, 'read', path);
    return undefined;
  }
}

const UNREADABLE: readonly unknown[] = ['EACCES', 'EPERM'];
