import {existsSync, renameSync, rmSync, statfsSync, statSync, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {type Clock, systemClock} from '../../clock.ts';
import {RemitError} from '../../errors.ts';
import {messageOf} from '../../narrow.ts';
import type {Lock} from '../../store/locks/lock.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import type {BatchFolder} from './folder.ts';

/** How often the process that has a batch looks whether another one asks for a copy. */
const LOOK_EVERY_MS = 500;
/** At most one part in so many of its time goes into copies. */
const SHARE = 20;
/** A copy that is not older is read again. */
const FRESH_MS = 1000;
/** A copy is removed after this long, since it takes space from the journal; a large one, which is made rarely, later. */
const KEPT_MS = 10_000;
/** A copy is made only where so many of it have room: a full disk would stop the run. */
const ROOM = 4;
/** A process that has begun no copy after this long, or has stopped to write it, does not answer. */
const ANSWER_MS = 3000;
const STEP_MS = 20;

/**
 * Publishes a copy of the journal when another process asks for one, until the returned function is called. Only the
 * process that has the batch may open the journal itself.
 */
export function answerReaders(
  place: BatchFolder,
  db: SqliteDatabase,
  lock: Pick<Lock, 'lost'>,
  clock: Clock,
): () => void {
  let nextAt = Number.NEGATIVE_INFINITY;
  let removeAt = Number.POSITIVE_INFINITY;
  const look = () => {
    if (lock.lost.aborted) return; // the folder belongs to another process
    const begun = clock.monotonic();
    if (begun >= removeAt) {
      removeQuietly(place.published);
      removeAt = Number.POSITIVE_INFINITY;
    }
    if (!existsSync(place.copyRequest)) return;
    if (begun >= nextAt) {
      const isPublished = publish(place, db);
      const now = clock.monotonic();
      nextAt = now + SHARE * (now - begun);
      if (isPublished) removeAt = Math.max(now + KEPT_MS, nextAt);
    }
    removeQuietly(place.copyRequest);
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return () => {
    clearInterval(timer);
    if (lock.lost.aborted) return;
    removeQuietly(place.published);
    removeQuietly(place.copyRequest);
  };
}

/**
 * Asks the process that has the batch for a copy, and waits until it has published one.
 * @param isHeld whether that process still has the batch
 * @returns when it was published; undefined if it was not
 */
export async function askForCopy(
  {published, copyRequest}: BatchFolder,
  isHeld: () => Promise<boolean>,
): Promise<number | undefined> {
  const timeOf = () => statSync(published, {throwIfNoEntry: false})?.mtimeMs;
  const last = timeOf();
  if (last !== undefined && Math.abs(Date.now() - last) < FRESH_MS) return last;
  try {
    writeFileSync(copyRequest, '', {mode: 0o600});
  } catch {
    return undefined; // a folder that cannot be written
  }
  // Time passes for another process as for the machine.
  let [waited, size] = [0, 0];
  while (existsSync(copyRequest)) {
    const written = statSync(draftOf(published), {throwIfNoEntry: false})?.size ?? 0;
    if (written !== size) [waited, size] = [0, written];
    if (waited >= ANSWER_MS || !(await isHeld())) return undefined; // the file remains for others who ask
    await systemClock.sleep(STEP_MS);
    waited += STEP_MS;
  }
  return timeOf();
}

/** What a process that was killed has left: readers would take its copy for that of this process. */
export function removeStale({published, copyRequest}: BatchFolder): void {
  try {
    for (const path of [published, copyRequest, ...draftsOf(published)]) remove(path);
  } catch (cause) {
    throw new RemitError('STATE', `${published} cannot be removed: ${messageOf(cause)}`, {cause});
  }
}

const draftOf = (published: string): string => `${published}.tmp`;

/** The draft of a copy, and what the drivers have beside it while they write it: `.lock` is a folder. */
const draftsOf = (published: string): string[] =>
  ['', '-journal', '-wal', '-shm', '.lock'].map((suffix) => draftOf(published) + suffix);

/** SQLite writes the copy. @returns whether it did: there may be no room, or a transaction open */
function publish({journal, published}: BatchFolder, db: SqliteDatabase): boolean {
  const draft = draftOf(published);
  try {
    if (!hasRoom(journal)) return false;
    rmSync(draft, {force: true});
    writeFileSync(draft, '', {mode: 0o600, flag: 'wx'});
    db.prepare('vacuum into ?').run(draft);
    renameSync(draft, published);
    return true;
  } catch {
    for (const path of draftsOf(published)) removeQuietly(path);
    return false;
  }
}

function hasRoom(journal: string): boolean {
  const sizeOf = (path: string) => statSync(path, {throwIfNoEntry: false})?.size ?? 0;
  const {bavail, bsize} = statfsSync(dirname(journal));
  return bavail * bsize > ROOM * (sizeOf(journal) + sizeOf(`${journal}-wal`));
}

/** The lock of a driver is a folder. */
const remove = (path: string): void => rmSync(path, {force: true, recursive: path.endsWith('.lock')});

/** What cannot be removed now is removed by the next process that has the batch. */
function removeQuietly(path: string): void {
  try {
    remove(path);
  } catch {
    // the batch must still be closed
  }
}
