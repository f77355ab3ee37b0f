import {existsSync, statSync} from 'node:fs';
import {basename} from 'node:path';
import type {Clock} from '../../clock.ts';
import {RemitError} from '../../errors.ts';
import {nearest} from '../../nearest.ts';
import {acquireLock, type Lock, type LockOptions} from '../../store/locks/lock.ts';
import {migrate} from '../../store/port/migrate.ts';
import {openSqlite} from '../../store/sqlite/sqlite.ts';
import {batchExists, batchFolder, type BatchFolder, batchIds} from './folder.ts';
import {Journal} from './journal.ts';
import {answerReaders, removeStale} from './published-copy.ts';
import {JOURNAL_MIGRATIONS} from './schema.ts';
import {type Kind, KINDS} from '../model/kinds.ts';
import type {Plan} from '../model/plan-facts.ts';

export interface OpenBatch {
  place: BatchFolder;
  plan: Plan;
  journal: Journal;
  lock: Lock;
  /** Set if this is a private copy: what is written to it is lost. */
  copy?: PrivateCopy;
  close(): Promise<void>;
}

export interface PrivateCopy {
  /** The process that has published it; undefined if no process has the batch. */
  holder: BatchHolder | undefined;
}

/** Another process that has a batch. It alone may continue it. */
export interface BatchHolder {
  publishedAt: number;
  /** Whether it runs the batch; otherwise it reads. */
  isRun: boolean;
}

/** Whether another process has the batch. */
export const isHeldElsewhere = ({copy}: OpenBatch): boolean => copy?.holder !== undefined;

/** Whether that process sends rows of it. */
export const isBeingSent = ({copy, journal}: OpenBatch): boolean =>
  copy?.holder?.isRun === true && journal.fact('state') === 'running';

/** What a run holds the lock of its batch for; other purposes, such as `export of batch b`, only read or record. */
export const runPurpose = (batchId: string, doing: string): string => `batch ${batchId} (${doing})`;
export const isRunPurpose = (purpose: unknown): boolean =>
  typeof purpose === 'string' && purpose.startsWith('batch ');

export interface OpenOptions {
  stateDir: string;
  kind: Kind;
  batchId: string;
  purpose: string;
  /** Whether to take over the lock of a dead process; undefined for commands without `--break-lock`. */
  breakLock?: boolean;
  /** Held only briefly: others wait for it. Otherwise others may read a copy meanwhile. */
  brief?: boolean;
  /** Does not wait for a process that has it briefly. */
  atOnce?: boolean;
  clock: Clock;
}

/**
 * Opens a planned batch for exclusive use by this process.
 * @throws RemitError NO_BATCH for an unknown id, LOCKED while another process has the batch, STATE_DAMAGED for a
 *   damaged journal
 */
export async function openBatch(options: OpenOptions): Promise<OpenBatch> {
  const place = placeOf(options);
  const {breakLock, brief = false, atOnce = false, clock} = options;
  const lock = await acquireLock(place.lock, {
    ...lockOptions(options),
    ...{breakLock: breakLock ?? false, brief, atOnce},
  });
  return openLocked(place, lock, brief ? undefined : clock);
}

/** @throws RemitError NO_BATCH for an unknown id */
export function placeOf({stateDir, kind, batchId}: OpenOptions): BatchFolder {
  if (!batchExists(stateDir, kind, batchId)) refuseFile(stateDir, kind, batchId);
  const place = batchFolder(stateDir, kind, batchId);
  if (!existsSync(place.journal)) throw unknownBatch(stateDir, kind, batchId);
  return place;
}

export function lockOptions({kind, batchId, purpose, breakLock, clock}: OpenOptions): LockOptions {
  const broken = breakLock === undefined ? '' : '; add --break-lock only if that process is known to be dead';
  return {
    ...{purpose, clock},
    hint: (commands) =>
      `wait for it, or watch it: ${commands.read(KINDS[kind].topic, 'batch', 'status', batchId)}${broken}`,
  };
}

/**
 * Opens the journal of a batch whose lock is held; the lock is released if that fails, and when the batch is closed.
 * @param clock if others may read a copy meanwhile
 */
export async function openLocked(place: BatchFolder, lock: Lock, clock?: Clock): Promise<OpenBatch> {
  try {
    removeStale(place);
    const db = await openSqlite(place.journal, {durability: 'full'});
    migrate(db, JOURNAL_MIGRATIONS);
    const journal = new Journal(db);
    const plan = journal.fact('plan');
    if (plan === undefined)
      throw new RemitError('STATE_DAMAGED', `the journal of batch ${place.batchId} holds no plan`);
    const stopAnswering = clock === undefined ? undefined : answerReaders(place, db, lock, clock);
    const close = async () => {
      stopAnswering?.();
      journal.close();
      await lock.release();
    };
    return {place, plan, journal, lock, close};
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** A batch is often called by the name of its file; its id is `november` or `november-1f0c9a3b`. */
function refuseFile(stateDir: string, kind: Kind, name: string): void {
  if (statSync(name, {throwIfNoEntry: false})?.isFile() !== true) return;
  const stem = basename(name).replace(/\.[^.]*$/, '');
  const ids = batchIds(stateDir, kind)
    .filter(
      (id) => id === stem || (id.startsWith(`${stem}-`) && /^[0-9a-f]{8}$/.test(id.slice(stem.length + 1))),
    )
    .sort();
  const {topic} = KINDS[kind];
  const [only, ...others] = ids;
  const its = others.length > 0 ? `its batches are ${ids.join(', ')}` : `its batch is ${only}`;
  throw new RemitError(
    'NO_BATCH',
    `${name} is a file${only === undefined ? ', and no batch has its name' : `; ${its}`}`,
    {
      hint: (commands) =>
        only === undefined
          ? `list the batches: ${commands.read(topic, 'batch', 'list')}`
          : `type the id instead of the file, as in ${commands.read(topic, 'batch', 'status', only)}`,
    },
  );
}

function unknownBatch(stateDir: string, kind: Kind, batchId: string): RemitError {
  const all = batchIds(stateDir, kind).sort();
  const known = all.slice(0, 5);
  const more = all.length - known.length;
  const {topic} = KINDS[kind];
  const meant = meantBy(batchId, all);
  const did = meant === undefined ? '' : `did you mean ${meant}? `;
  return new RemitError('NO_BATCH', `there is no batch ${batchId} in ${stateDir}`, {
    hint: (commands) =>
      known.length === 0
        ? `plan one: ${commands.read(topic, 'batch', 'plan', 'FILE')}`
        : `${did}known batches: ${known.join(', ')}${more > 0 ? `, and ${more} more (${commands.read(topic, 'batch', 'list')})` : ''}; --state-dir names another state folder`,
  });
}

/** Any short id is near to any other. */
const SHORT = 3;

/** An id that remit made begins with the name of the file. */
function meantBy(typed: string, ids: readonly string[]): string | undefined {
  const longer = ids.filter((id) => id.startsWith(`${typed}-`));
  if (longer.length === 1) return longer[0];
  return typed.length > SHORT ? nearest(typed, ids) : undefined;
}
