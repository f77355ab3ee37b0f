import {existsSync, renameSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {type Clock, systemClock} from '../../clock.ts';
import {RemitError} from '../../errors.ts';
import {messageOf} from '../../narrow.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import type {BatchFolder} from './folder.ts';

/** How often the process that has a batch looks whether another one asks for a copy. */
const LOOK_EVERY_MS = 500;
/** At most one part in so many of its time goes into copies. */
const SHARE = 20;
/** A copy that is not older is read again. */
const FRESH_MS = 1000;
/** A process that has begun no copy after this long does not answer. */
const ANSWER_MS = 3000;
/** A copy of a million rows takes seconds. */
const COPY_MS = 30_000;
const STEP_MS = 20;

/**
 * Publishes a copy of the journal when another process asks for one, until the returned function is called. Only the
 * process that has the batch may open the journal itself.
 */
export function answerReaders(place: BatchFolder, db: SqliteDatabase, clock: Clock): () => void {
  let nextAt = Number.NEGATIVE_INFINITY;
  const look = () => {
    if (!existsSync(place.asked)) return;
    const begun = clock.monotonic();
    if (begun < nextAt && existsSync(place.published)) return removeQuietly(place.asked);
    if (!publish(place, db)) return; // the next look tries again
    const now = clock.monotonic();
    nextAt = now + SHARE * (now - begun);
    removeQuietly(place.asked);
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return () => {
    clearInterval(timer);
    removeQuietly(place.published);
    removeQuietly(place.asked);
  };
}

/**
 * Asks the process that has the batch for a copy, and waits until it has published one.
 * @returns when it was published; undefined if there is none
 */
export async function askForCopy({published, asked}: BatchFolder): Promise<number | undefined> {
  const timeOf = () => statSync(published, {throwIfNoEntry: false})?.mtimeMs;
  const last = timeOf();
  if (last !== undefined && Math.abs(Date.now() - last) < FRESH_MS) return last;
  try {
    writeFileSync(asked, '', {mode: 0o600});
  } catch {
    return last; // a folder that cannot be written
  }
  // Time passes for another process as for the machine.
  for (let waited = 0; existsSync(asked); waited += STEP_MS) {
    if (waited >= (existsSync(draftOf(published)) ? COPY_MS : ANSWER_MS)) break;
    await systemClock.sleep(STEP_MS);
  }
  removeQuietly(asked);
  return timeOf();
}

/** A copy left by a process that was killed: readers would take it for that of this process. */
export function removeStale({published}: BatchFolder): void {
  try {
    rmSync(published, {force: true});
  } catch (cause) {
    throw new RemitError('STATE', `${published} cannot be removed: ${messageOf(cause)}`, {cause});
  }
}

const draftOf = (published: string): string => `${published}.tmp`;

/** SQLite writes the copy. @returns whether it did: the disk may be full, or a transaction open */
function publish({published}: BatchFolder, db: SqliteDatabase): boolean {
  const draft = draftOf(published);
  try {
    rmSync(draft, {force: true});
    writeFileSync(draft, '', {mode: 0o600, flag: 'wx'});
    db.prepare('vacuum into ?').run(draft);
    renameSync(draft, published);
    return true;
  } catch {
    removeQuietly(draft);
    return false;
  }
}

/** What cannot be removed now is removed by the next process that has the batch. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, {force: true});
  } catch {
    // the batch must still be closed
  }
}
