import {statSync} from 'node:fs';
import {RemitError} from '../../../errors.ts';
import type {OpenBatch} from '../../../batch/journal/open-batch.ts';
import {endIfResolved} from '../../../batch/journal/after-resolve.ts';
import type {Clock} from '../../../clock.ts';
import {pagesOf} from '../../../batch/model/pages.ts';
import {csvColumns, csvLine, csvRows} from '../../../output/records/csv.ts';
import type {Format} from '../../../output/formats.ts';
import {pickFields} from '../../../output/records/select.ts';
import {safeJson, type Sanitizer} from '../../../sanitize/sanitizer.ts';
import type {LocalContext} from '../../core/context.ts';
import {type FetchedRecord, recordFetched} from '../../../batch/follow/record-fetched.ts';
import {mayBeBack, type ReturnsOfRows} from '../../../batch/report/returned.ts';
import {
  countLater,
  exportLine,
  type ExportLine,
  maybeReturnedLine,
  returnedLine,
  type SeenLater,
} from './line.ts';
import type {JournalRow} from '../../../batch/journal/rows/row.ts';
import {writeOutFile} from '../../../store/files/out-file.ts';

/** Rows that are read, and fetched, at a time. */
const PAGE = 500;

/** Fetches the records of a page of rows; undefined: nothing is asked. */
export type Fetching = (rows: readonly JournalRow[]) => Promise<ReadonlyMap<number, FetchedRecord>>;

/**
 * One line for each row of the plan, in its order, once doubts are explicit. What is fetched is written to the journal. Memory does not grow with
 * the batch.
 * @param seen counts what later reads have shown
 */
export async function* exportLines(
  batch: OpenBatch,
  seen: SeenLater,
  returned: ReturnsOfRows,
  fetching?: {records: Fetching; clock: Clock},
): AsyncGenerator<ExportLine> {
  const {journal} = batch;
  let isAnySettled = false;
  for (const page of pagesOf((after) => journal.rows.after(after, PAGE), PAGE)) {
    const fetched = await fetching?.records(page);
    const rows = page.map((row) => {
      const read = fetched?.get(row.n);
      if (read === undefined) return row;
      const now = recordFetched(batch, row, read);
      isAnySettled ||= now.outcome?.state !== row.outcome?.state;
      return now;
    });
    journal.flush();
    for (const row of rows) {
      if (row.outcome !== undefined) countLater(row.outcome, seen);
      const line = exportLine(row, batch, fetched?.get(row.n));
      const back = returned.found.get(row.n);
      if (back !== undefined) yield returnedLine(line, back);
      else yield mayBeBack(returned, row.outcome?.id) ? maybeReturnedLine(line) : line;
    }
  }
  if (fetching !== undefined && isAnySettled && seen.gone === 0) endIfResolved(batch, fetching.clock);
}

/** Formats of a file; other formats are for people. */
export type FileFormat = Extract<Format, 'csv' | 'json' | 'ndjson'>;

/** The format of a file: as asked for, otherwise by its name. */
export function fileFormat(asked: Format, file: string): FileFormat {
  if (asked === 'csv' || asked === 'json' || asked === 'ndjson') return asked;
  return /\.(json|ndjson)$/iu.exec(file)?.[1]?.toLowerCase() === 'ndjson'
    ? 'ndjson'
    : /\.json$/iu.test(file)
      ? 'json'
      : 'csv';
}

/** Writes the lines to a file. Returns its path and the number of rows. */
export async function exportToFile(
  {out}: LocalContext,
  lines: AsyncIterable<ExportLine>,
  {path, format}: {path: string; format: FileFormat},
): Promise<{file: string; rows: number}> {
  const written = {rows: 0};
  const {fields} = out.settings;
  try {
    await writeOutFile(path, inPieces(lines, {format, fields, sanitizer: out.sanitizer, written}));
  } catch (error) {
    throw unwritten(error, path);
  }
  return {file: path, rows: written.rows};
}

/** A record could not be fetched: an earlier export with this name is still there, and must not be taken for this one. */
function unwritten(error: unknown, path: string): unknown {
  if (!(error instanceof RemitError) || error.code === 'STATE') return error; // it is about the file already
  const found = statSync(path, {throwIfNoEntry: false});
  if (found !== undefined && !found.isFile()) return error; // a part may be in a pipe already
  const message = `${error.message}; ${path} was not ${found === undefined ? 'written' : 'replaced'}`;
  return error.reworded(message, error.openHint);
}

/** Characters that are written at a time. */
const PIECE = 64 * 1024;

async function* inPieces(
  lines: AsyncIterable<ExportLine>,
  how: {format: FileFormat; fields: readonly string[]; sanitizer: Sanitizer; written: {rows: number}},
): AsyncGenerator<string> {
  const {format, fields, sanitizer, written} = how;
  let piece = format === 'json' ? '[' : '';
  let rowOf: ReturnType<typeof csvRows> | undefined;
  for await (const line of lines) {
    const clean = sanitizer.value(line, format === 'csv' ? 'line' : 'exact');
    if (format === 'csv') {
      if (rowOf === undefined) {
        const columns = fields.length > 0 ? fields : csvColumns([clean]);
        piece += csvLine(columns);
        rowOf = csvRows(columns);
      }
      piece += rowOf(clean);
    } else {
      const text = safeJson(pickFields(clean, fields));
      piece += format === 'ndjson' ? `${text}\n` : `${written.rows === 0 ? '' : ','}\n${text}`;
    }
    written.rows++;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield piece + (format === 'json' ? '\n]\n' : '');
}
