import {existsSync} from 'node:fs';
import {dirname} from 'node:path';
import {JOURNAL_MIGRATIONS} from '../batch/journal/schema.ts';
import {migrate} from '../store/port/migrate.ts';
import type {SqliteDatabase, SqlRow} from '../store/port/port.ts';
import {openSqlite} from '../store/sqlite/sqlite.ts';
import {ApprovalCopies} from './approval-copies.ts';
import {ChangeLog, type TableChanges} from './changes.ts';
import type {TeamDatabase} from './connection.ts';
import type {LeaseHold} from './hold.ts';
import type {FormerLease, FoundLease} from './lease.ts';
import {JOURNAL_TABLES} from './tables.ts';

/** What a command on this machine has left of a batch, because it was killed or lost the lease. Its process is gone. */
export interface LeftTail {
  /** Of its lease. */
  owner: string;
  /** 0 if it never had the lease. */
  gen: number;
  /** Leases before that one. */
  former: readonly FormerLease[];
  journal: string;
  remove(): Promise<void>;
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
