import {existsSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import type {Mode} from '../../contract/mode.ts';
import type {CommandBuilder} from '../../errors.ts';
import {ownJson} from '../../narrow.ts';
import {withLoopback} from '../../network/local.ts';
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

/** The file of a state folder with the records of all services that came back. */
const RETURNED_RECORDS = 'returns.json';

export const returnNotesPath = ({folder}: Pick<BatchFolder, 'folder'>): string =>
  join(folder, 'returns.json');

const notePath = (stateDir: string, kind: Kind, batchId: string): string =>
  returnNotesPath(batchFolder(stateDir, kind, batchId));

/** What is noted beside a batch, to copy it to another place; null for nothing. */
export const notedReturnsText = (place: BatchFolder): string | null => {
  const path = returnNotesPath(place);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
};

export const readNotedReturns = (stateDir: string, kind: Kind, batchId: string): NotedReturn[] =>
  readNotes(notePath(stateDir, kind, batchId)) ?? [];

/** Undefined for a file that is damaged. */
function readNotes<Note extends NotedReturn>(path: string): Note[] | undefined {
  try {
    const notes = ownJson<Note[]>(readFileSync(path, 'utf8')); // written by writeNotes
    return Array.isArray(notes) ? notes : undefined;
  } catch {
    return existsSync(path) ? undefined : [];
  }
}

function writeNotes(path: string, notes: readonly NotedReturn[]): void {
  if (notes.length > 0) writeFileAtomic(path, `${JSON.stringify(notes)}\n`);
  else rmSync(path, {force: true});
}

/** A book as a reconcile found it, and as it left it. */
interface BookOfRun {
  before: BookIdentity;
  after: BookIdentity;
}

type FoundReturn = Omit<NotedReturn, 'book'>;

/** Notes the returns that a book has. Those of another book, or of a newer copy of it, that it lacks stay noted. */
export function noteReturns(
  {stateDir, kind, batchId}: {stateDir: string; kind: Kind; batchId: string},
  found: readonly FoundReturn[],
  book: BookOfRun,
): void {
  const known = readNotedReturns(stateDir, kind, batchId);
  const notes = notesAfter(known, found, book);
  if (known.length + notes.length > 0) writeNotes(notePath(stateDir, kind, batchId), notes);
}

function notesAfter(
  known: readonly NotedReturn[],
  found: readonly FoundReturn[],
  {before, after}: BookOfRun,
): NotedReturn[] {
  const ids = new Set(found.map(({id}) => id));
  const lost = known.filter((one) => !has(before, one) && !ids.has(one.id));
  return [
    ...found.map((one): NotedReturn => ({...one, book: after})),
    ...lost.map((one): NotedReturn => ({...one, book: undefined})),
  ];
}

/** A returned record of a service, in a batch or not. */
interface NotedRecord extends NotedReturn {
  service: string;
}

const recordNotes = (stateDir: string): string => join(stateDir, RETURNED_RECORDS);
const serviceName = ({mode, baseUrl}: {mode: Mode; baseUrl: string}): string =>
  `${mode} ${withLoopback(baseUrl)}`;

/** As `noteReturns`, for all records of a service that came back. */
export function noteReturnedRecords(
  {stateDir, service}: {stateDir: string; service: {mode: Mode; baseUrl: string}},
  found: readonly FoundReturn[],
  book: BookOfRun,
): void {
  const path = recordNotes(stateDir);
  const all = readNotes<NotedRecord>(path) ?? [];
  const name = serviceName(service);
  const own = notesAfter(
    all.filter((one) => one.service === name),
    found,
    book,
  );
  const others = all.filter((one) => one.service !== name);
  if (own.length > 0 || existsSync(path))
    writeNotes(path, [...others, ...own.map((one): NotedRecord => ({...one, service: name}))]);
}

/** Undefined if they cannot be read. */
export function readReturnedRecords(
  stateDir: string,
  service: {mode: Mode; baseUrl: string},
): NotedReturn[] | undefined {
  const name = serviceName(service);
  return readNotes<NotedRecord>(recordNotes(stateDir))?.filter((one) => one.service === name);
}

/** The command that finds these returns again. */
export function readAgainCommand(missing: readonly NotedReturn[], commands: CommandBuilder): string {
  const accounts = [...new Set(missing.map(({account}) => account))];
  const [from] = missing.map((one) => one.from).sort();
  return commands.read(
    'reconcile',
    ...(accounts.length === 0 ? ['ID'] : accounts).flatMap((account) => ['--account', account]),
    ...(from === undefined ? [] : ['--from', from]),
  );
}

const has = ({id, read}: BookIdentity, {book}: NotedReturn): boolean => book?.id === id && book.read <= read;

/** The noted returns that a book may have lost: it is another one, or an older copy. Without a book: all. */
export const missingReturns = (
  noted: readonly NotedReturn[],
  book: {identity: BookIdentity; returned: (id: string) => boolean} | undefined,
): NotedReturn[] =>
  noted.filter((one) => book === undefined || (!has(book.identity, one) && !book.returned(one.id)));
