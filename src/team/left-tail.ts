import {existsSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {JOURNAL_MIGRATIONS} from '../batch/journal/schema.ts';
import type {Clock} from '../clock.ts';
import {RemitError} from '../errors.ts';
import {ownJson} from '../narrow.ts';
import {writeFileAtomic} from '../store/files/atomic-file.ts';
import {acquireLock} from '../store/locks/lock.ts';
import {migrate} from '../store/port/migrate.ts';
import type {SqliteDatabase, SqlRow} from '../store/port/port.ts';
import {openSqlite} from '../store/sqlite/sqlite.ts';
import {ApprovalCopies} from './approval-copies.ts';
import {ChangeLog, type TableChanges} from './changes.ts';
import type {TeamDatabase} from './connection.ts';
import type {LeaseHold} from './hold.ts';
import type {FormerLease, FoundLease} from './lease.ts';
import {JOURNAL_TABLES} from './tables.ts';

/** The folder of a command on this machine that was killed or lost the lease. Its process is gone. */
interface LeftFolder {
  /** Of its lease. */
  owner: string;
  /** 0 if it never had the lease. */
  gen: number;
  /** Leases before that one. */
  former: readonly FormerLease[];
  folder: string;
  remove(): Promise<void>;
  /** Leaves it to another command. */
  release: () => Promise<void>;
}

/** What such a command has left of a batch. */
export interface LeftTail extends Omit<LeftFolder, 'folder' | 'release'> {
  journal: string;
}

/** The lease that a command wants or has, in its folder. */
const TAIL = 'tail.json';

interface TailNote {
  kind: string;
  id: string;
  gen: number;
  former?: readonly FormerLease[];
}

export const noteTail = (folder: string, tail: TailNote): void =>
  writeFileAtomic(join(folder, TAIL), JSON.stringify(tail));

export const removeTail = (folder: string): void => rmSync(join(folder, TAIL), {force: true});

/** Folders beside `own` of commands on this batch that ended without writing everything. */
export async function leftFolders(
  own: string,
  {kind, id, clock}: {kind: string; id: string; clock: Clock},
): Promise<LeftFolder[]> {
  const root = join(own, '..');
  const found: LeftFolder[] = [];
  for (const owner of readdirSync(root)) {
    const folder = join(root, owner);
    if (folder === own || !existsSync(join(folder, TAIL))) continue;
    const tail = ownJson<TailNote>(readFileSync(join(folder, TAIL), 'utf8'));
    if (tail.kind !== kind || tail.id !== id) continue;
    try {
      const lock = await acquireLock(`${folder}.lock`, {purpose: 'taking over', atOnce: true, clock});
      const release = () => lock.release();
      const remove = () => {
        rmSync(folder, {recursive: true, force: true});
        return release();
      };
      found.push({owner, gen: tail.gen, former: tail.former ?? [], folder, remove, release});
    } catch (error) {
      if (!(error instanceof RemitError) || error.code !== 'LOCKED') throw error; // that process is alive
    }
  }
  return found;
}

/** Deletes what commands that only read have left because they were killed: copies of payments. */
export async function removeCopies(own: string, clock: Clock): Promise<void> {
  const root = join(own, '..');
  for (const {name} of readdirSync(root, {withFileTypes: true}).filter((entry) => entry.isDirectory())) {
    const folder = join(root, name);
    if (folder === own || existsSync(join(folder, TAIL))) continue;
    try {
      const lock = await acquireLock(`${folder}.lock`, {purpose: 'removing copies', atOnce: true, clock});
      rmSync(folder, {recursive: true, force: true});
      await lock.release();
    } catch (error) {
      if (!(error instanceof RemitError)) throw error; // its process is alive
    }
  }
}

const PAGE = 2000;

async function withTail(
  tail: Pick<LeftTail, 'journal'>,
  work: (db: SqliteDatabase, log: ChangeLog) => Promise<void>,
): Promise<void> {
  if (!existsSync(tail.journal)) return;
  const db = await openSqlite(tail.journal, {durability: 'full'});
  try {
    migrate(db, JOURNAL_MIGRATIONS);
    const log = new ChangeLog(db, JOURNAL_TABLES);
    if (log.isInstalled) await work(db, log); // otherwise it is a plan that was never shared
  } finally {
    db.close();
  }
}

/**
 * Whether no other process has had the batch since: the lease in the database is that of the tail, or, after a failover that
 * lost acquisitions, one that came before it. Another lease may have the same generation then.
 */
export const isNewest = (tail: LeftTail, {owner, gen, released}: FoundLease): boolean =>
  owner === tail.owner
    ? released === 0
    : tail.former.some((each) => each.owner === owner && each.gen === gen);

/**
 * No process has had the batch since, so this journal is the newest: it replaces what the database has, and with it the windows
 * that put what the lost lease may have sent in doubt.
 */
export const putBack = (hold: LeaseHold, tail: LeftTail): Promise<void> =>
  withTail(tail, (local) =>
    hold.writeWhole(
      local,
      async (sql) => {
        await sql('delete from @.late_outcomes where batch = $1 and gen = $2', [hold.lease.key, tail.gen]);
      },
      {tail: new ApprovalCopies(dirname(tail.journal))},
    ),
  );

/** Another process has had the batch since: the answers are kept for a person, and change nothing. */
export function noteLate(
  db: TeamDatabase,
  key: number,
  tail: Pick<LeftTail, 'gen' | 'journal'>,
): Promise<void> {
  return withTail(tail, async (_, log) => {
    for (const {tables} of log.all(PAGE)) {
      const late = tables.find(({mirror}: TableChanges) => mirror.name === 'outcomes')?.rows ?? [];
      if (late.length === 0) continue;
      await db.query(
        `insert into @.late_outcomes (batch, gen, n, outcome)
         select $1, $2, (x ->> 'n')::bigint, x::text from json_array_elements($3::json) x on conflict do nothing`,
        [key, tail.gen, JSON.stringify(late satisfies SqlRow[])],
      );
    }
  });
}
