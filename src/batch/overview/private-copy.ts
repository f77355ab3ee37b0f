import {chmodSync, constants, copyFileSync, existsSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {RemitError} from '../../errors.ts';
import {codeOf} from '../../narrow.ts';
import {fileFailure} from '../../store/files/failures.ts';
import {acquireLock, assertUnlocked} from '../../store/locks/lock.ts';
import {stampOf} from '../registry/journals.ts';
import type {BatchFolder} from '../journal/folder.ts';
import {askForCopy} from '../journal/published-copy.ts';
import {
  isRunPurpose,
  lockOptions,
  openBatch,
  type OpenBatch,
  openLocked,
  type OpenOptions,
  placeOf,
  type PrivateCopy,
} from '../journal/open-batch.ts';

/**
 * Opens a batch to read it. In a state folder that cannot be written there is no place for a lock: the journal is then
 * copied while no process has the batch.
 * @throws RemitError as `openBatch`
 */
export async function openToRead(options: OpenOptions): Promise<OpenBatch> {
  try {
    return await openBatch(options);
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    return openCopy(options, (journal) => copyAtRest(options, journal));
  }
}

/**
 * Opens a copy that the process with the batch publishes; undefined if it publishes none.
 * @param purpose what that process holds the lock for
 */
export async function openPublished(options: OpenOptions, purpose: unknown): Promise<OpenBatch | undefined> {
  const place = placeOf(options);
  const isHeld = () => assertUnlocked(place.lock, lockOptions(options)).then(() => false, isLocked);
  const publishedAt = await askForCopy(place, isHeld);
  if (publishedAt === undefined) return undefined;
  try {
    return await openCopy(options, (journal) => {
      copyFile(place.published, journal);
      return {holder: {publishedAt, isRun: isRunPurpose(purpose)}};
    });
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined; // that process has just closed the batch
    throw error;
  }
}

export const isLocked = (error: unknown): error is RemitError =>
  error instanceof RemitError && error.code === 'LOCKED';

const UNWRITABLE: readonly unknown[] = ['EACCES', 'EPERM', 'EROFS'];

export const isUnwritable = (error: unknown): boolean => UNWRITABLE.includes(errnoOf(error));

const errnoOf = (error: unknown): unknown =>
  error instanceof RemitError && error.code === 'STATE' ? error.details?.['errno'] : undefined;

/** @param write writes the journal to this path */
async function openCopy(
  options: OpenOptions,
  write: (journal: string) => PrivateCopy | Promise<PrivateCopy>,
): Promise<OpenBatch> {
  const folder = mkdtempSync(join(tmpdir(), 'remit-read-'));
  const remove = () => rmSync(folder, {recursive: true, force: true});
  try {
    const place: BatchFolder = {
      ...placeOf(options),
      journal: join(folder, 'journal.db'),
      published: join(folder, 'published.db'),
      copyRequest: join(folder, 'published.asked'),
      lock: join(folder, 'journal.lock'),
    };
    const copy = await write(place.journal);
    const batch = await openLocked(place, await acquireLock(place.lock, lockOptions(options)));
    const close = () => batch.close().finally(remove);
    return {...batch, copy, close};
  } catch (error) {
    remove();
    throw error;
  }
}

const TRIES = 5;

/** Copies a journal that no process has. One that changes meanwhile is copied again. */
async function copyAtRest(options: OpenOptions, to: string): Promise<PrivateCopy> {
  const {kind, batchId} = options;
  const place = placeOf(options);
  for (let tries = 0; tries < TRIES; tries++) {
    await assertUnlocked(place.lock, lockOptions(options));
    const before = stampOf(place);
    for (const suffix of ['-wal', '']) {
      rmSync(to + suffix, {force: true});
      if (suffix === '' || existsSync(place.journal + suffix)) copyFile(place.journal + suffix, to + suffix);
    }
    await assertUnlocked(place.lock, lockOptions(options));
    if (stampOf(place).text === before.text) return {holder: undefined};
  }
  throw new RemitError('LOCKED', `the journal of ${kind} batch ${batchId} changes while it is read`, {
    hint: 'run the same command again',
  });
}

export function copyFile(from: string, to: string): void {
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
    chmodSync(to, 0o600); // the copy has the permissions of a file that may be read-only
  } catch (error) {
    throw codeOf(error) === undefined ? error : fileFailure(error, 'read', from);
  }
}
