import {existsSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {ownJson} from '../../narrow.ts';
import {writeFileAtomic} from '../../store/files/atomic-file.ts';
import {batchFolder, type BatchFolder} from '../journal/folder.ts';
import type {Kind} from '../model/kinds.ts';

/** A book that reconciles are kept in, and how much it has read: an older copy of it has read less. */
export interface BookIdentity {
  id: string;
  read: number;
}

/** A returned row as it is noted beside its batch, so that a book that is lost is missed. */
export interface NotedReturn {
  /** Of its record. */
  id: string;
  /** The treasury account that the money came back to. */
  account: string;
  /** `YYYY-MM-DD`, a first day of a reconcile that finds it again. */
  from: string;
  /** The book that has it; undefined once a reconcile with another one has not found it. */
  book: BookIdentity | undefined;
}

export const returnNotesPath = ({folder}: Pick<BatchFolder, 'folder'>): string =>
  join(folder, 'returns.json');

/** What is noted beside a batch, to copy it to another place; null for nothing. */
export const notedReturnsText = (place: BatchFolder): string | null => {
  const path = returnNotesPath(place);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
};

export function readNotedReturns(stateDir: string, kind: Kind, batchId: string): NotedReturn[] {
  try {
    return ownJson<NotedReturn[]>(
      readFileSync(returnNotesPath(batchFolder(stateDir, kind, batchId)), 'utf8'),
    ); // written by the next
  } catch {
    return [];
  }
}

/**
 * Notes the returns that a book has. Those of another book, or of a newer copy of it, that it lacks stay noted.
 * @param before the book as the reconcile found it
 */
export function noteReturns(
  {stateDir, kind, batchId}: {stateDir: string; kind: Kind; batchId: string},
  found: readonly Omit<NotedReturn, 'book'>[],
  {before, after}: {before: BookIdentity; after: BookIdentity},
): void {
  const known = readNotedReturns(stateDir, kind, batchId);
  const lost = known.filter((one) => !has(before, one) && !found.some(({id}) => id === one.id));
  const notes = [
    ...found.map((one): NotedReturn => ({...one, book: after})),
    ...lost.map((one): NotedReturn => ({...one, book: undefined})),
  ];
  const path = returnNotesPath(batchFolder(stateDir, kind, batchId));
  if (notes.length > 0) writeFileAtomic(path, `${JSON.stringify(notes)}\n`);
  else if (known.length > 0) rmSync(path, {force: true});
}

const has = ({id, read}: BookIdentity, {book}: NotedReturn): boolean => book?.id === id && book.read <= read;

/** The noted returns that a book may have lost: it is another one, or an older copy. Without a book: all. */
export const missingReturns = (
  noted: readonly NotedReturn[],
  book: {identity: BookIdentity; returned: (id: string) => boolean} | undefined,
): NotedReturn[] =>
  noted.filter((one) => book === undefined || (!has(book.identity, one) && !book.returned(one.id)));
