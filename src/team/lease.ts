import {RemitError} from '../errors.ts';
import {ownJson} from '../narrow.ts';
import type {Sql, TeamDatabase} from './connection.ts';
import {deleteSql, JOURNAL_TABLES, toJson, upsertSql} from './tables.ts';
import type {Changes} from './changes.ts';
import {APPROVAL_NAMES, type AuditLine, auditSql} from './approval-copies.ts';

/** How long a lease lasts without a renewal. */
export const LEASE_MS = 30_000;
/** Numbers of windows that a holder cannot have reached since its last write. */
const WINDOW_GAP = 1_000_000;

/** Rows that a holder may have sent in one phase. */
export interface Intent {
  phase: string;
  /** The last of them. */
  last: number;
  /** The states of these rows, as a window of the journal has them. */
  takes: string;
  at: number;
}

export interface LeaseHolder {
  host: string;
  pid: number;
  purpose: string;
  since: string;
  /** Other processes may send for it. */
  shares?: boolean;
}

/** A lease as its holder knows it. */
export interface Lease {
  key: number;
  owner: string;
  gen: number;
  version: number;
}

/** The lease of a batch as it was found. */
export interface FoundLease {
  owner: string | null;
  gen: number;
  version: number;
  released: 0 | 1;
  /** Until it expires, by the clock of the database; negative afterwards. */
  left_ms: number;
  /** Until releases of a lost holder can no longer be in progress. */
  release_ms: number;
  holder: string | null;
  status: string | null;
  registry_mark: string | null;
  journal: string | null;
  /** Where the batch was moved to. */
  moved: string | null;
}

export const FOUND = `owner, gen, version, released, holder, status, registry_mark, journal, moved,
  extract(epoch from expires - clock_timestamp()) * 1000 as left_ms,
  extract(epoch from release_after - clock_timestamp()) * 1000 as release_ms`;

export interface Acquired {
  lease: Lease;
  /** As it was before, except for `release_ms`. */
  before: FoundLease;
  /** The leases before this one, the last of them first. */
  former: readonly FormerLease[];
}

/** A lease that has ended. */
export type FormerLease = Pick<FoundLease, 'owner' | 'gen'>;

/** What is noted of the lease that was found. */
type NotedLease = FormerLease & Pick<FoundLease, 'released' | 'holder' | 'registry_mark'>;

/** More of them than a failover loses. */
const FORMER_KEPT = 8;

export interface Wanted {
  kind: string;
  id: string;
  owner: string;
  holder: LeaseHolder;
  longestMs: number;
  /** Whether a batch that was moved away may be taken. */
  movedToo?: boolean;
  /** Owners of leases whose processes are known to be dead, because they ran on this machine. */
  dead: readonly string[];
}

/**
 * Takes the lease of a batch, which is created if it is new. Everything that a lost holder may have sent becomes a window of
 * the journal in the same transaction, so the next holder finds those rows in doubt. Taking it again with the same owner
 * changes nothing, so a commit without an answer is simply repeated.
 * @returns what was found, if another process holds the lease
 */
export function acquire(db: TeamDatabase, wanted: Wanted): Promise<Acquired | {held: FoundLease}> {
  const {kind, id, owner} = wanted;
  return db.transaction(async (sql) => {
    await sql('insert into @.batches (kind, id) values ($1, $2) on conflict do nothing', [kind, id]);
    const [found] = await sql<FoundLease & {key: number; intents: string; former: string}>(
      `select key, intents, former, ${FOUND} from @.batches where kind = $1 and id = $2 for update`,
      [kind, id],
    );
    if (found === undefined) throw new Error(`the batch ${id} is gone`);
    const {key, owner: formerOwner, gen, released, holder, registry_mark} = found;
    const known = ownJson<[NotedLease, ...FormerLease[]] | []>(found.former);
    if (formerOwner === owner)
      return {
        lease: {key, owner, gen, version: found.version},
        before: {...found, ...known[0]},
        former: known,
      };
    const noted: NotedLease = {owner: formerOwner, gen, released, holder, registry_mark};
    const former = [noted, ...known.map((each) => ({owner: each.owner, gen: each.gen}))].slice(
      0,
      FORMER_KEPT,
    );
    if (found.moved !== null && wanted.movedToo !== true)
      throw new RemitError('NO_BATCH', `batch ${id} was moved to ${found.moved}`, {
        hint: `name it with ${/^postgres/.test(found.moved) ? '--state' : '--state-dir'}`,
      });
    const isLost = found.released === 0;
    if (isLost && found.left_ms > 0 && !wanted.dead.includes(found.owner ?? '')) return {held: found};
    if (isLost) await doubtLost(sql, found);
    const [taken] = await sql<{gen: number; version: number; release_ms: number}>(
      `update @.batches set owner = $2, gen = gen + 1, version = version + 1, released = false, intents = '[]', holder = $3,
         registry_mark = null, longest_ms = $4, former = $7, expires = clock_timestamp() + $5 * interval '1 ms',
         release_after = case when $6 then greatest(release_after, expires + longest_ms * interval '1 ms') else release_after end
       where key = $1 and @safe returning gen, version, extract(epoch from release_after - clock_timestamp()) * 1000 as release_ms`,
      [
        key,
        owner,
        JSON.stringify(wanted.holder),
        wanted.longestMs,
        LEASE_MS,
        isLost && mayHaveReleased(found.intents),
        JSON.stringify(former),
      ],
    );
    if (taken === undefined) throw new Error(`the lease of ${id} was not taken`);
    await sql('insert into @.events (batch, gen, what, holder) values ($1, $2, $3, $4)', [
      ...[key, taken.gen, isLost ? 'taken over' : 'taken', JSON.stringify(wanted.holder)],
    ]);
    const before = {...found, release_ms: taken.release_ms};
    return {lease: {key, owner, gen: taken.gen, version: taken.version}, before, former};
  });
}

const intentsOf = (text: string): Intent[] => ownJson<Intent[]>(text);

const mayHaveReleased = (intents: string): boolean => intentsOf(intents).some(({phase}) => phase !== 'stage');

async function doubtLost(sql: Sql, {key, intents}: {key: number; intents: string}): Promise<void> {
  const all = intentsOf(intents);
  const [{newest} = {newest: 0}] = await sql<{newest: number}>(
    `select greatest((select max(seq) from @.windows where batch = $1), (select max(window_seq) from @.outcomes where batch = $1), 0)
       + $2 as newest`,
    [key, WINDOW_GAP],
  );
  for (const [at, intent] of all.entries())
    await sql(
      'insert into @.windows (batch, seq, phase, first, last, takes, at) values ($1, $2, $3, 1, $4, $5, $6)',
      [key, newest + at, intent.phase, intent.last, intent.takes, intent.at],
    );
}

/** How many processes send for the holder. */
const SHARED = '(select count(*) from @.senders where batch = $1) as shared';

/** What a holder writes together: its changes, what it may send next, and that it lives. */
export interface LeaseWrite {
  lease: Lease;
  token: string;
  intents: readonly Intent[];
  status: string | null;
  changes: Changes;
  /** New events of the audit trail. */
  lines: readonly AuditLine[];
}

/**
 * Writes changes of the journal and renews the lease, in one statement that does nothing unless the lease is still held
 * and nothing was written since the version that the holder knows.
 * @returns the new version, the names of the approvals of the batch, and how many processes send for this one; undefined
 *   if nothing was written
 */
export async function writeHeld(
  sql: Sql,
  {lease, token, intents, status, changes, lines}: LeaseWrite,
): Promise<{version: number; approvals: string; shared: number} | undefined> {
  const {key, owner, gen, version} = lease;
  const params: unknown[] = [key, owner, gen, version, token, JSON.stringify(intents), status, LEASE_MS];
  const parts: string[] = [];
  const counts: {name: string; rows: number}[] = [];
  for (const {mirror, rows, gone} of changes.tables) {
    if (rows.length > 0) {
      params.push(toJson(rows));
      const name = `w${counts.length}`;
      parts.push(`${name} as (${upsertSql(mirror, `$${params.length}`, 'fence.key', 'fence, ')})`);
      counts.push({name, rows: rows.length});
    }
    if (gone.length > 0) {
      params.push(toJson(gone));
      parts.push(
        `d${params.length} as (${deleteSql(mirror, `$${params.length}`, '$1', ' and exists (select 1 from fence)')})`,
      );
    }
  }
  if (lines.length > 0) {
    params.push(toJson(lines));
    parts.push(`audit as (${auditSql(`$${params.length}`, 'fence.key', 'fence, ')})`);
  }
  const counted = counts.map(({name}) => `(select count(*) from ${name}) as ${name}`);
  const [written] = await sql<Record<string, number> & {version: number; approvals: string; shared: number}>(
    `with fence as (
       update @.batches set version = version + 1, token = $5, intents = $6, status = coalesce($7, status),
         expires = clock_timestamp() + $8 * interval '1 ms'
       where key = $1 and owner = $2 and gen = $3 and version = $4 and not released and expires > clock_timestamp()
         and @safe returning key, version)
     ${parts.map((part) => `, ${part}`).join('')}
     select ${['version', `(${APPROVAL_NAMES}) as approvals`, SHARED, ...counted].join(', ')} from fence`,
    params,
  );
  if (written === undefined) return undefined;
  for (const {name, rows} of counts)
    if (written[name] !== rows) throw new Error(`${written[name]} of ${rows} rows of the batch were written`);
  return written;
}

/** The same check at the beginning of a transaction that writes more than one statement can. */
export async function fence(
  sql: Sql,
  {key, owner, gen, version}: Lease,
  token: string,
): Promise<number | undefined> {
  const [row] = await sql<{version: number}>(
    `update @.batches set version = version + 1, token = $5, expires = clock_timestamp() + $6 * interval '1 ms'
     where key = $1 and owner = $2 and gen = $3 and version = $4 and not released and expires > clock_timestamp()
       and @safe returning version`,
    [key, owner, gen, version, token, LEASE_MS],
  );
  return row?.version;
}

/** The lease of a batch, without taking it. */
export async function readLease(
  sql: Sql,
  key: number,
): Promise<(FoundLease & {token: string | null}) | undefined> {
  const [found] = await sql<FoundLease & {token: string | null}>(
    `select token, ${FOUND} from @.batches where key = $1`,
    [key],
  );
  return found;
}

/** Deletes everything of a batch but its lease. */
export async function clearBatch(sql: Sql, key: number): Promise<void> {
  for (const {name} of JOURNAL_TABLES) await sql(`delete from @.${name} where batch = $1`, [key]);
}
