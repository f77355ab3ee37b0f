import {copyFileSync, existsSync, rmSync} from 'node:fs';
import {resolve} from 'node:path';
import {documentTexts, replaceDocuments} from '../../../approval/approval-files.ts';
import {copyTrail} from '../../../approval/audit.ts';
import type {Binding} from '../../../batch/journal/facts.ts';
import {batchFolder, makeFolder} from '../../../batch/journal/folder.ts';
import {openBatch, openLocked} from '../../../batch/journal/open-batch.ts';
import type {Kind} from '../../../batch/model/kinds.ts';
import {notedReturnsText, returnNotesPath} from '../../../batch/report/noted-returns.ts';
import {openRegistry} from '../../../batch/registry/database.ts';
import {RemitError} from '../../../errors.ts';
import {must} from '../../../narrow.ts';
import {writeFileAtomic} from '../../../store/files/atomic-file.ts';
import {acquireLock} from '../../../store/locks/lock.ts';
import {openSqlite} from '../../../store/sqlite/sqlite.ts';
import {isPostgresUrl} from '../../../store/postgres/url.ts';
import {ChangeLog} from '../../../team/changes.ts';
import type {TeamSession} from '../../../team/session.ts';
import {JOURNAL_TABLES} from '../../../team/tables.ts';
import type {LocalContext} from '../../core/context.ts';
import {isMovedAway, markMoved} from '../../team/moved.ts';
import {endTeam, openTeam} from '../../team/open.ts';

interface Move {
  local: LocalContext;
  kind: Kind;
  id: string;
}

/** Moves a batch from a state folder to a database, or back. @returns where it is now, without a password */
export async function moveBatch(move: Move, stateDir: string, to: string): Promise<string> {
  const {local} = move;
  if (local.team !== undefined) {
    if (isPostgresUrl(to))
      throw new RemitError('USAGE', '--to is a database, and the batch is in one; name a folder first');
    return toFolder(move, local.team, resolve(local.runtime.cwd, to));
  }
  if (!isPostgresUrl(to))
    throw new RemitError('USAGE', '--to has to be postgres://HOST/DATABASE: the batch is in a folder', {
      hint: 'to move a batch out of a database, name that with --state',
    });
  const team = must(await openTeam(local, {state: to}), 'database that was named');
  let failure: unknown;
  try {
    await toTeam(move, team, stateDir);
    return team.address.typed;
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    await endTeam(local, team, failure);
  }
}

/**
 * The batch is marked first: if this fails halfway, neither place runs it until it is moved again. The book stays where it
 * is, and what the batch remembers of its returns moves: so they are not known until a reconcile in the new place finds
 * them, instead of being forgotten.
 */
async function toTeam({local, kind, id}: Move, team: TeamSession, stateDir: string): Promise<void> {
  const {clock} = local;
  const batch = await openBatch({stateDir, kind, batchId: id, purpose: `move of batch ${id}`, clock});
  let binding: Binding | undefined;
  try {
    if (await team.has(kind, id))
      throw new RemitError('GUARD_CONFIRM', `the database has a batch ${id} already; nothing was moved`, {
        hint: 'a batch with another name can be moved there',
      });
    await team.take(kind, id, {purpose: 'move', movedToo: true});
    batch.journal.makeDoubtExplicit();
    binding = batch.journal.fact('binding');
    await team.noteReturns({kind, id, returns: notedReturnsText(batchFolder(stateDir, kind, id))});
    markMoved(stateDir, kind, id, team.address.typed);
  } finally {
    await batch.close(); // which writes everything into the one file
  }
  const place = batchFolder(team.stateDir, kind, id);
  const from = batchFolder(stateDir, kind, id);
  makeFolder(place.folder);
  copyTrail(from.folder, place.folder); // which the database may have had before
  const kept = new Set(documentTexts(from.folder).map(({text}) => text));
  if (documentTexts(place.folder).some(({text}) => !kept.has(text)))
    throw new RemitError('GUARD_APPROVAL', 'the database has an approval that was removed from the folder', {
      hint: 'delete its rows from the table approvals as the owner of the tables, then move the batch again',
    });
  replaceDocuments(from.folder, place.folder);
  copyFileSync(from.journal, place.journal);
  await team.share(batch.plan.journalId);
  if (binding !== undefined) await team.claim(batch.plan, binding); // it may have paid its references
  await team.noteMoved(null);
  // What the journal shows about its references is what the registry of the database has to know.
  const lock = await acquireLock(place.lock, {purpose: 'move', clock});
  const copy = await openLocked(place, lock);
  try {
    const check = {own: copy, lostJournals: 'all', retype: () => '', tell: () => undefined} as const;
    const registry = await openRegistry({stateDir: team.stateDir, purpose: 'move', check, clock});
    registry.db.close();
    await registry.lock.release();
  } finally {
    await copy.close();
  }
}

async function toFolder({local, kind, id}: Move, team: TeamSession, folder: string): Promise<string> {
  const {clock} = local;
  await team.take(kind, id, {purpose: 'move', movedToo: true});
  const from = batchFolder(team.stateDir, kind, id);
  if (!existsSync(from.journal)) throw new RemitError('NO_BATCH', `the database has no batch ${id}`);
  const place = batchFolder(folder, kind, id);
  makeFolder(place.folder);
  const lock = await acquireLock(place.lock, {purpose: `move of batch ${id}`, clock});
  try {
    if (existsSync(place.journal) && !isMovedAway(folder, kind, id))
      throw new RemitError('GUARD_CONFIRM', `${folder} has a batch ${id} already; nothing was moved`, {
        hint: 'name another folder with --to',
      });
    markMoved(folder, kind, id, team.address.typed); // until it is complete
    for (const suffix of ['-wal', '-shm']) rmSync(place.journal + suffix, {force: true});
    copyFileSync(from.journal, place.journal);
    const db = await openSqlite(place.journal, {durability: 'full'});
    new ChangeLog(db, JOURNAL_TABLES).remove();
    db.close();
    const returns = notedReturnsText(from);
    if (returns === null) rmSync(returnNotesPath(place), {force: true});
    else writeFileAtomic(returnNotesPath(place), returns);
    copyTrail(from.folder, place.folder);
    await team.noteMoved(folder);
    await team.readApprovals(); // others may have approved the batch meanwhile
    replaceDocuments(from.folder, place.folder);
    markMoved(folder, kind, id, undefined);
    return folder;
  } finally {
    await lock.release();
  }
}
