import {existsSync, readFileSync, renameSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {usualId} from '../../contract/ids.ts';
import type {Mode} from '../../contract/mode.ts';
import type {CommandBuilder} from '../../errors.ts';
import {isObject, ownJson, parseJson} from '../../narrow.ts';
import {withLoopback} from '../../network/local.ts';
import {counted, listed} from '../../phrases.ts';
import {writeFileAtomic} from '../../store/files/atomic-file.ts';
import {batchExists, batchFolder, type BatchFolder, batchIds} from '../journal/folder.ts';
import {type Kind, KINDS} from '../model/kinds.ts';

/** A record that came back. It stays noted until a person decides that it did not, even if its book is lost. */
export interface NotedReturn {
  /** Of the record, in lower case. */
  id: string;
  /** The treasury account that the money came back to. */
  account: string;
  /** `YYYY-MM-DD`, a first day of a reconcile that finds it again. */
  from: string;
  /** Mode and address. */
  service?: string | undefined;
  /** Keys of the line that took the money back, and of its payment. */
  line?: string | undefined;
  payment?: string | undefined;
  /** When a reconcile last found it. */
  at?: string | undefined;
  /** The state folder, or the address of the database, with the book; undefined: the folder of this file. */
  place?: string | undefined;
  /** What a line says has come back, such as `95.50 USD on 2026-11-17`, if a person has yet to decide whether it did. */
  doubt?: string | undefined;
  /** A later reconcile has not found it. */
  lost?: boolean | undefined;
}

/** A return that a book has, and the batch of its row. */
export type ReturnToNote = NotedReturn & {batch?: {kind: Kind; id: string} | undefined};

type Service = {mode: Mode; baseUrl: string};

export const returnNotesPath = ({folder}: Pick<BatchFolder, 'folder'>): string =>
  join(folder, 'returns.json');

/** What is noted beside a batch, to copy it to another place; null for nothing. */
export const notedReturnsText = (place: BatchFolder): string | null => {
  const path = returnNotesPath(place);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
};

const serviceName = ({mode, baseUrl}: Service): string => `${mode} ${withLoopback(baseUrl)}`;

const TEXTS = ['service', 'line', 'payment', 'at', 'place', 'doubt'] as const;

/** Undefined for a text that is damaged. */
export function parseNotes(text: string): NotedReturn[] | undefined {
  try {
    const notes = parseJson(text);
    if (!Array.isArray(notes)) return undefined;
    const isNote = (note: unknown) =>
      isObject(note) &&
      (['id', 'account', 'from'] as const).every(
        (name) => typeof note[name] === 'string' && note[name] !== '',
      ) &&
      TEXTS.every((name) => ['string', 'undefined'].includes(typeof note[name]));
    return notes.every(isNote) ? ownJson<NotedReturn[]>(JSON.stringify(notes)) : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for a file that is damaged, or cannot be read. */
function readNotes(path: string): NotedReturn[] | undefined {
  try {
    return existsSync(path) ? parseNotes(readFileSync(path, 'utf8')) : [];
  } catch {
    return undefined;
  }
}

/** What these folders, of the state or of a batch, have noted of a service; `damaged` is a file that cannot be read. */
export function readNotedReturns(
  folders: readonly string[],
  service: Service,
): {notes: NotedReturn[]; damaged?: string} {
  const name = serviceName(service);
  const files = folders.map((folder) => returnNotesPath({folder}));
  const notes = new Map<string, NotedReturn>();
  let damaged: string | undefined;
  for (const path of files) {
    const read = readNotes(path);
    if (read === undefined) damaged = path;
    for (const one of read ?? []) if ((one.service ?? name) === name) notes.set(usualId(one.id), one);
  }
  return {notes: [...notes.values()], ...(damaged === undefined ? {} : {damaged})};
}

interface Noting {
  /** The folder with the batches. */
  stateDir: string;
  /** Folders that note all records, and where the book is if it is in another one. */
  memories: readonly {folder: string; place?: string | undefined}[];
  service: Service;
  /** Now. */
  at: string;
  /** Whether a person has decided that it did not come back. */
  isDecided: (note: NotedReturn) => boolean;
}

/**
 * Notes the returns that a book has, beside their batches too. One that is noted stays, even if the book does not have it
 * any more. A file that cannot be read is kept under another name.
 * @returns the noted returns that the book does not have, and what the damaged files are called now
 */
export function noteReturns(
  found: readonly ReturnToNote[],
  {memories, stateDir, service, at, isDecided}: Noting,
): {missing: NotedReturn[]; damaged: string[]} {
  const name = serviceName(service);
  const damaged: string[] = [];
  const read = (path: string) => {
    const notes = readNotes(path);
    if (notes !== undefined) return {path, notes};
    const aside = path.replace(/json$/, `damaged-${Date.now()}.json`);
    renameSync(path, aside);
    damaged.push(aside);
    return {path, notes: []};
  };
  const roots = memories.map(({folder, place}) => ({place, ...read(returnNotesPath({folder}))}));
  const batches = batchesOf(stateDir, found).map((batch) => ({...batch, ...read(batch.path)}));
  const all = new Map<string, ReturnToNote>();
  for (const one of found) all.set(one.id, {...one, batch: undefined, service: name});
  const missing: NotedReturn[] = [];
  const isOurs = (one: NotedReturn, place?: string) => one.service === name && one.place === place;
  const known = [
    ...roots.flatMap(({notes, place}) => notes.filter((one) => isOurs(one, place))),
    ...batches.flatMap(({notes}) => notes.filter((one) => isOurs(one))),
  ];
  for (const one of known) {
    const now = all.get(one.id);
    const isFound = now !== undefined && (now.doubt === undefined || one.doubt !== undefined);
    if (isFound || isDecided(one)) continue;
    // A clock that was ahead must not make it newer than the next decision.
    const lost = {...one, place: undefined, lost: true, at: one.at && one.at > at ? at : one.at};
    all.set(one.id, lost);
    missing.push(lost);
  }
  const ours = [...all.values()];
  const others = (notes: readonly NotedReturn[], place?: string) =>
    notes.filter((one) => !isOurs(one, place) && !all.has(one.id));
  for (const {path, notes, place} of roots)
    writeNotes(path, [...others(notes, place), ...ours.map((one) => ({...one, place}))]);
  for (const {key, path, notes} of batches) {
    const own = new Set(notes.map(({id}) => id));
    for (const {id, batch} of found)
      if (batch !== undefined && `${batch.kind} ${batch.id}` === key) own.add(id);
    writeNotes(path, [...others(notes), ...ours.filter(({id}) => own.has(id))]);
  }
  return {missing, damaged};
}

/** The batches that have notes, or a row that came back. */
function batchesOf(stateDir: string, found: readonly ReturnToNote[]): {key: string; path: string}[] {
  const named = new Set(
    found.flatMap(({batch}) => (batch === undefined ? [] : [`${batch.kind} ${batch.id}`])),
  );
  return (Object.keys(KINDS) as Kind[]).flatMap((kind) =>
    batchIds(stateDir, kind)
      .map((id) => ({id, key: `${kind} ${id}`, path: returnNotesPath(batchFolder(stateDir, kind, id))}))
      .filter(({id, key, path}) => existsSync(path) || (named.has(key) && batchExists(stateDir, kind, id))),
  );
}

function writeNotes(path: string, notes: readonly NotedReturn[]): void {
  if (notes.length > 0) writeFileAtomic(path, `${JSON.stringify(notes)}\n`);
  else rmSync(path, {force: true});
}

/** Why these may have come back: a person has to decide, or their book is lost or does not show it any more. */
export function whyMissing(missing: readonly (NotedReturn & {reference?: string})[]): string {
  const [first] = missing;
  const isOfRows = first?.reference !== undefined;
  const who = isOfRows ? counted(missing.length, 'row') : listed(missing.map(({id}) => id));
  if (first?.doubt !== undefined && missing.every(({doubt, lost}) => doubt !== undefined && lost !== true)) {
    const more = missing.length === 1 ? '' : `, and ${missing.length - 1} more`;
    const name = `${first.reference ?? first.id}${more}`;
    return `${name} may have come back: the bank returned ${first.doubt}, and it is not confirmed or rejected yet`;
  }
  return missing.some(({lost}) => lost === true)
    ? `${who} came back, and the last reconcile does not find that any more`
    : `${who} came back, and the book that had it, ${first?.place === undefined ? 'reconcile.sqlite' : `in ${first.place}`}, is gone or another one`;
}

/** `read it again: remit reconcile …`; no account is known without notes. */
export const readAgainText = (command: string): string =>
  `${/ reconcile /.test(command) ? 'read it again' : 'reconcile each account again; they are listed by'}: ${command}`;

/** The command that finds these returns again, or shows why it does not. */
export function readAgainCommand(missing: readonly NotedReturn[], commands: CommandBuilder): string {
  const accounts = [...new Set(missing.map(({account}) => account))];
  const [from] = missing.map((one) => one.from).sort();
  const place = missing[0]?.place;
  if (from === undefined) return commands.read('treasury', 'accounts', 'list');
  return commands.read(
    'reconcile',
    ...accounts.flatMap((account) => ['--account', account]),
    ...['--from', from],
    ...(place === undefined ? [] : [place.includes('://') ? '--state' : '--state-dir', place]),
  );
}
