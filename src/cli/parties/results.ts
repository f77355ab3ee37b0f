import {lstatSync} from 'node:fs';
import {basename, dirname, join, resolve} from 'node:path';
import type {InputFile} from '../../batch/input/csv-input.ts';
import {RemitError} from '../../errors.ts';
import {csvLine} from '../../output/records/csv.ts';
import type {ImportJournal} from '../../parties/journal.ts';
import type {ImportKind, PartyRow} from '../../parties/row.ts';
import {headOf, writeOutFile} from '../../store/files/out-file.ts';

/**
 * Where the ids are written.
 * @throws RemitError USAGE if that would replace another file than the ids of an earlier import
 */
export function resultPath(kind: ImportKind, {path, isPipe}: InputFile, out: string | undefined): string {
  const name = basename(path).replace(/\.(csv|xlsx)$/i, '');
  const results = out ?? (isPipe ? `${kind}s.imported.csv` : join(dirname(path), `${name}.imported.csv`));
  if (resolve(results) === resolve(path))
    throw new RemitError('USAGE', `--out ${results} is the file that is imported; name another one`);
  const found = lstatSync(results, {throwIfNoEntry: false});
  if (found?.isFile() === true && found.size > 0 && !headOf(results).startsWith(headerOf(kind)))
    throw new RemitError(
      'USAGE',
      `${results} exists and has no ids of ${kind}s; name another file with --out`,
    );
  return results;
}

interface Ids {
  kind: ImportKind;
  rows: readonly PartyRow[];
  journal: ImportJournal;
  /** Rows whose record is not at the service any more. */
  isGone?: (row: PartyRow) => boolean;
}

/** Writes the ids of the rows that exist at the service; no number of an account. */
export const writeIds = (path: string, ids: Ids): Promise<void> => writeOutFile(path, idLines(ids));

const headerOf = (kind: ImportKind): string =>
  csvLine(['reference', `${kind}_id`, 'payment_method_id', 'verification']);

function* idLines({kind, rows, journal, isGone = () => false}: Ids): Generator<string> {
  yield headerOf(kind);
  for (const row of rows) {
    const {reference} = row;
    const {party_id: partyId, method_id: methodId, verification} = journal.find(reference) ?? {};
    if (typeof partyId === 'string' && !isGone(row))
      yield csvLine([reference, partyId, methodId, verification]);
  }
}
