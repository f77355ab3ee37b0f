import {statSync} from 'node:fs';
import {join} from 'node:path';
import type {OpenBatch} from '../../../batch/journal/open-batch.ts';
import {RemitError} from '../../../errors.ts';
import {isObject, type Json, parseJson} from '../../../narrow.ts';
import {csvLine} from '../../../output/records/csv.ts';
import {guarded, headOf} from '../../../store/files/out-file.ts';
import {exportLine} from './line.ts';

/** Holds the first record of an export. */
const HEAD_BYTES = 64 * 1024;

/** The column that tells an export from a file of payments; an export without it is never replaced. */
const BATCH_ID = 'batch_id';

/**
 * An export may replace an earlier export, and no other file: the input of a batch may have no copy.
 * @param fields of this export, if it has chosen some
 * @throws RemitError USAGE naming the file
 */
export function checkReplaceable(path: string, batch: OpenBatch, fields: readonly string[]): void {
  const found = guarded(path, () => statSync(path, {throwIfNoEntry: false}));
  if (found === undefined || !found.isFile()) return; // nothing is replaced in a pipe or a device
  const {file, batchId} = batch.plan;
  const input = statSync(join(file.folder, file.name), {throwIfNoEntry: false});
  const isInput = input?.ino === found.ino && input.dev === found.dev;
  if (!isInput && [allColumns(batch), fields].some((columns) => isExport(headOf(path, HEAD_BYTES), columns)))
    return;
  throw new RemitError(
    'USAGE',
    isInput
      ? `${path} is the input of batch ${batchId}; it was not replaced`
      : `${path} already exists and is not an export; it was not replaced`,
    {hint: 'name another file: --out FILE'},
  );
}

function allColumns(batch: OpenBatch): string[] {
  const [first] = batch.journal.rows.after(0, 1);
  return first === undefined ? [] : Object.keys(exportLine(first, batch, undefined));
}

function isExport(head: string, columns: readonly string[]): boolean {
  if (!columns.includes(BATCH_ID)) return false;
  if (head.startsWith(csvLine(columns))) return true;
  const [first = '', second = ''] = head.split('\n');
  try {
    const record: Json = parseJson((first === '[' ? second : first).replace(/,$/, ''));
    return isObject(record) && Object.keys(record).join() === columns.join();
  } catch {
    return false;
  }
}
