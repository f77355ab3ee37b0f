import {existsSync, renameSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import type {Clock} from '../../clock.ts';
import {RemitError} from '../../errors.ts';
import {must} from '../../narrow.ts';
import {fileFailure} from '../../store/files/failures.ts';
import {syncWayTo} from '../../store/files/folder.ts';
import {acquireLock} from '../../store/locks/lock.ts';
import {migrate} from '../../store/port/migrate.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import {openSqlite} from '../../store/sqlite/sqlite.ts';
import {type BatchFolder, makeFolder} from '../journal/folder.ts';
import {Journal} from '../journal/journal.ts';
import {JOURNAL_MIGRATIONS} from '../journal/schema.ts';
import {mergeRevision, type RevisionFacts} from './revision.ts';
import type {Plan} from '../model/plan-facts.ts';

/**
 * Publishes the plan with one rename. Publishing the same plan again changes nothing. A different plan replaces one
 * that was never run; after a run, the state of the rows is carried over.
 */
export async function putInPlace(
  plan: Plan,
  workshop: string,
  place: BatchFolder,
  clock: Clock,
): Promise<{plan: Plan; fresh: boolean; revision: RevisionFacts | undefined}> {
  const draft = join(workshop, 'journal.db');
  const lock = await acquireLock(place.lock, {purpose: `plan of batch ${plan.batchId}`, brief: true, clock});
  try {
    makeFolder(place.folder);
    if (!existsSync(place.journal)) {
      removeOrphanedWal(place.journal);
      publish(draft, place);
      return {plan, fresh: true, revision: undefined};
    }
    const old = await withDatabase(place.journal, (db) =>
      must(new Journal(db).fact('plan'), 'plan in the journal'),
    );
    if (old.planHash === plan.planHash && old.invalidRows === plan.invalidRows)
      return {plan: old, fresh: false, revision: undefined};
    await withDatabase(place.journal, (db) => refuseOtherNamespace(new Journal(db), old, plan));
    const next: Plan = {...plan, journalId: old.journalId, revision: old.revision + 1};
    const revision = await withDatabase(draft, async (fresh) => {
      new Journal(fresh).setFact('plan', next);
      return withDatabase(place.journal, (db) => carryOver(db, fresh, next));
    });
    publish(draft, place);
    return {plan: next, fresh: true, revision};
  } finally {
    await lock.release();
  }
}

/**
 * A row's key contains its namespace: in another namespace, the rows of a batch that has run would be other payments.
 */
function refuseOtherNamespace(journal: Journal, old: Plan, plan: Plan): void {
  if (journal.fact('binding') === undefined) return;
  if (old.namespace === plan.namespace && old.hasReferences === plan.hasReferences) return;
  throw new RemitError(
    'GUARD_BINDING',
    `batch ${plan.batchId} was run in the namespace ${old.namespace}${old.hasReferences ? '' : ', without references'}; nothing was sent`,
    {
      hint: `add --namespace ${old.namespace}, or give this file another name with --batch-id`,
      ...(old.hasReferences === plan.hasReferences && {
        details: {batch_id: plan.batchId, namespace: old.namespace},
      }),
    },
  );
}

/** Deletes a plan that was never run. */
function carryOver(old: SqliteDatabase, fresh: SqliteDatabase, plan: Plan): RevisionFacts | undefined {
  return new Journal(old).fact('binding') === undefined ? undefined : mergeRevision(old, fresh, plan);
}

/** Left over from a journal that was deleted by hand. */
function removeOrphanedWal(journal: string): void {
  try {
    rmSync(`${journal}-wal`, {force: true});
  } catch (error) {
    throw fileFailure(error, 'remove', `${journal}-wal`);
  }
}

/** Both databases are closed completely, so each is one file, and the rename is atomic. */
function publish(draft: string, place: BatchFolder): void {
  const {folder, journal} = place;
  refuseLeftChanges(draft);
  refuseLeftChanges(journal);
  try {
    renameSync(draft, journal);
    syncWayTo(folder);
  } catch (error) {
    throw fileFailure(error, 'write', journal);
  }
}

/**
 * SQLite reports no error if the last checkpoint fails while closing, for example on a full disk. Changes then remain
 * in the file next to the database. A journal renamed without that file, or to a place with another one, would be
 * damaged.
 */
function refuseLeftChanges(database: string): void {
  if (existsSync(database) && existsSync(`${database}-wal`))
    throw new RemitError(
      'STATE',
      `the last changes could not be written into ${database}; nothing was sent`,
      {
        hint: 'free some disk space or check the disk, then run the same command again',
      },
    );
}

async function withDatabase<T>(file: string, work: (db: SqliteDatabase) => T | Promise<T>): Promise<T> {
  const db = await openSqlite(file, {durability: 'full'});
  try {
    migrate(db, JOURNAL_MIGRATIONS); // an older version may have written it
    return await work(db);
  } finally {
    db.close();
  }
}
