import {basename, dirname, join, resolve} from 'node:path';
import {RemitError} from '../../errors.ts';
import {csvLine} from '../../output/records/csv.ts';
import type {ImportJournal} from '../../parties/journal.ts';
import type {ImportKind, PartyRow} from '../../parties/row.ts';
import {writeOutFile} from '../../store/files/out-file.ts';

/**
 * Where the ids are written.
 * @throws RemitError USAGE if that would replace the file that is read
 */
export function resultPath(kind: ImportKind, path: string, out: string | undefined): string {
  const [folder, name] =
    path === '-' ? ['.', `${kind}s`] : [dirname(path), basename(path).replace(/\.(csv|xlsx)$/i, '')];
  const results = out ?? join(folder, `${name}.imported.csv`);
  if (resolve(results) === resolve(path))
    throw new RemitError('USAGE', `--out ${results} is the file that is imported; name another one`);
  return results;
}

/** Writes the ids of the rows that exist at the service; no number of an account. */
export const writeIds = (
  path: string,
  parts: {kind: ImportKind; rows: readonly PartyRow[]; journal: ImportJournal},
): Promise<void> => writeOutFile(path, resultLines(parts));

function* resultLines({
  kind,
  rows,
  journal,
}: {
  kind: ImportKind;
  rows: readonly PartyRow[];
  journal: ImportJournal;
}): Generator<string> {
  yield csvLine(['reference', `${kind}_id`, 'payment_method_id', 'verification']);
  for (const {reference} of rows) {
    const {party_id: partyId, method_id: methodId, verification} = journal.find(reference) ?? {};
    if (typeof partyId === 'string') yield csvLine([reference, partyId, methodId, verification]);
  }
}
