import {createHash} from 'node:crypto';
import {mkdirSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {batchFolder, type BatchFolder} from '../batch/journal/folder.ts';
import {JOURNAL_MIGRATIONS} from '../batch/journal/schema.ts';
import {type Kind, KINDS} from '../batch/model/kinds.ts';
import {returnNotesPath} from '../batch/report/noted-returns.ts';
import {hashName} from '../batch/model/name-hash.ts';
import {registryPath} from '../batch/registry/database.ts';
import {stampOf} from '../batch/registry/journals.ts';
import {REGISTRY_MIGRATIONS} from '../batch/registry/schema.ts';
import {keysOf, must} from '../narrow.ts';
import {writeFileAtomic} from '../store/files/atomic-file.ts';
import {BulkInsert} from '../store/port/bulk-insert.ts';
import {migrate} from '../store/port/migrate.ts';
import type {SqliteDatabase, SqlRow} from '../store/port/port.ts';
import {openSqlite} from '../store/sqlite/sqlite.ts';
import {ChangeLog} from './changes.ts';
import type {Sql} from './connection.ts';
import {JOURNAL_TABLES, type MirrorTable, namesOf, REGISTRY_TABLES, valuesOf} from './tables.ts';

const PAGE = 5000;
/** Look-alikes are compared with payments of this long, as the engine does. */
const ALIKE_MS = 31 * 24 * 3600_000;

/** A batch in the team's database. */
export interface TeamBatch {
  key: number;
  kind: Kind;
  id: string;
  /** Null while it is not planned. */
  journal: string | null;
}

const isKind = (kind: string): kind is Kind => keysOf(KINDS).some((known) => known === kind);

export async function teamBatches(sql: Sql): Promise<TeamBatch[]> {
  const rows = await sql<TeamBatch>('select key, kind, id, journal from @.batches order by key');
  return rows.filter(({kind}) => isKind(kind));
}

/** Empty files stand for journals that are not needed: the name of each batch is known, and its journal exists. */
export function writeStubs(stateDir: string, batches: readonly TeamBatch[]): void {
  for (const {kind, id, journal} of batches) {
    if (journal === null) continue;
    const {journal: file} = batchFolder(stateDir, kind, id);
    mkdirSync(dirname(file), {recursive: true, mode: 0o700});
    writeFileSync(file, '', {flag: 'a', mode: 0o600});
  }
}

/** Writes the journal of a batch as the engine opens it, in the place of its stub. */
export async function writeJournal(sql: Sql, batch: TeamBatch, place: BatchFolder): Promise<void> {
  mkdirSync(place.folder, {recursive: true, mode: 0o700});
  const file = `${place.journal}.copy`;
  for (const path of [file, `${file}-wal`]) rmSync(path, {force: true});
  const [{count, returns} = {count: 0, returns: null}] = await sql<{count: number; returns: string | null}>(
    'select (select count(*) from @.rows where batch = $1) as count, returns from @.batches where key = $1',
    [batch.key],
  );
  if (returns !== null) writeFileAtomic(returnNotesPath(place), returns);
  const db = await openSqlite(file, {durability: 'normal', pageBytes: count > PAGE ? 16_384 : 4096});
  try {
    migrate(db, JOURNAL_MIGRATIONS);
    for (const mirror of JOURNAL_TABLES) await copyTable(sql, db, {mirror, batch: batch.key});
    writeNames(db);
    new ChangeLog(db, JOURNAL_TABLES).install();
  } finally {
    db.close();
  }
  renameSync(file, place.journal); // a part of it must never be taken for the whole
}

/** One table of a batch, a page at a time. */
async function copyTable(
  sql: Sql,
  db: SqliteDatabase,
  {mirror, batch}: {mirror: MirrorTable; batch: number},
): Promise<void> {
  const names = namesOf(mirror);
  const key = must(names[0], 'key of a table');
  const columns = names.map((name) => `"${name}"`).join(', ');
  for (let after: unknown = null; ;) {
    const rows = await sql<SqlRow>(
      `select ${columns} from @.${mirror.name} where batch = $1 ${after === null ? '' : `and "${key}" > $3`}
       order by "${key}" limit $2`,
      after === null ? [batch, PAGE] : [batch, PAGE, after],
    );
    insert(db, mirror, rows);
    if (rows.length < PAGE) return;
    after = rows.at(-1)?.[key] ?? null;
  }
}

function insert(db: SqliteDatabase, mirror: MirrorTable, rows: readonly SqlRow[]): void {
  const names = namesOf(mirror);
  const head = `insert or replace into ${mirror.local} (${names.join(', ')})`;
  const bulk = new BulkInsert(db, {head, row: `(${names.map(() => '?').join(', ')})`});
  db.transaction(() => bulk.run(rows.flatMap((row) => valuesOf(mirror, row))));
}

/** The index of references, which follows from the rows. */
function writeNames(db: SqliteDatabase): void {
  const bulk = new BulkInsert(db, {head: 'insert into row_names (hash, n)', row: '(?, ?)'});
  db.transaction(() => {
    const rows = db.prepare<{n: number; reference: string}>('select n, reference from rows').all();
    bulk.run(rows.flatMap(({n, reference}) => [hashName(reference), n]));
  });
}

/**
 * Writes the registry as a batch needs it: all that is known of its references, in every namespace, of payments that look
 * like its own, and of references that other batches are about to send.
 * @param mark what the registry had of the journal when it was last written; null if the last holder was lost, so that
 *   the engine reads the journal in
 */
export async function writeRegistry(
  sql: Sql,
  {
    stateDir,
    batch,
    mark,
    registry,
    now,
  }: {stateDir: string; batch: TeamBatch; mark: string | null; registry: string; now: number},
): Promise<void> {
  const file = registryPath(stateDir);
  mkdirSync(dirname(file), {recursive: true, mode: 0o700});
  for (const suffix of ['', '-wal']) rmSync(file + suffix, {force: true});
  const db = await openSqlite(file, {durability: 'normal'});
  try {
    migrate(db, REGISTRY_MIGRATIONS);
    db.prepare('insert into identity (id) values (?)').run(registry);
    await copyNames(sql, db);
    for (const mirror of REGISTRY_TABLES) {
      const wanted = WANTED[mirror.name];
      if (wanted !== undefined) insert(db, mirror, await sql<SqlRow>(wanted, [batch.key]));
    }
    const since = now - ALIKE_MS;
    for (const mirror of REGISTRY_TABLES.slice(0, 2)) {
      const {names, from} = alikeSql(mirror);
      insert(db, mirror, await sql<SqlRow>(`select distinct ${names} ${from}`, [batch.key, since]));
    }
    await copyClaims(sql, db, batch);
    listJournals(db, stateDir, {batch, mark, others: await teamBatches(sql)});
    new ChangeLog(db, REGISTRY_TABLES).install();
  } finally {
    db.close();
  }
}

const OF_ROWS = 'from @.rows r join @.entries e on e.fold = r.fold where r.batch = $1';

/** What is known of the references of a batch, by table. */
const WANTED: Readonly<Record<string, string>> = {
  entries: `select e.* ${OF_ROWS}`,
  registry_ended: `select distinct d.* from @.rows r join @.scopes s on true join @.registry_ended d
    on d.scope = s.id and d.reference = r.reference where r.batch = $1`,
  unanswered: `select distinct u.* from @.rows r join @.scopes s on true join @.unanswered u
    on u.scope = s.id and u.reference = r.reference where r.batch = $1`,
};

/** Payments that look like a row of the batch, and the entries that they belong to. */
function alikeSql(mirror: MirrorTable): {names: string; from: string} {
  const of = mirror.name === 'entries' ? 'e' : 'c';
  const entries =
    of === 'e'
      ? 'join @.entries e on e.scope = c.scope and e.reference = c.reference and e.content = c.party || $$ $$ || c.amount || $$ $$ || c.currency'
      : '';
  return {
    names: namesOf(mirror)
      .map((name) => `${of}."${name}"`)
      .join(', '),
    from: `from @.rows r join @.claims_by_content c
      on c.party = r.party and c.amount = r.amount and c.currency = r.currency ${entries} where r.batch = $1 and c.at >= $2`,
  };
}

async function copyNames(sql: Sql, db: SqliteDatabase): Promise<void> {
  for (const scope of await sql<SqlRow>(
    'select id, mode, base_url, kind, namespace, content_plan from @.scopes',
  ))
    db.prepare(
      'insert into scopes (id, mode, base_url, kind, namespace, content_plan) values (?, ?, ?, ?, ?, ?)',
    ).run(
      ...['id', 'mode', 'base_url', 'kind', 'namespace', 'content_plan'].map((name) => scope[name] ?? null),
    );
  for (const claimant of await sql<SqlRow>('select id, profile, batch, journal from @.claimants'))
    db.prepare('insert into claimants (id, profile, batch, journal) values (?, ?, ?, ?)').run(
      ...['id', 'profile', 'batch', 'journal'].map((name) => claimant[name] ?? null),
    );
}

/** References that another batch has claimed here and not sent yet: for this batch they are claimed all the same. */
async function copyClaims(sql: Sql, db: SqliteDatabase, {key}: TeamBatch): Promise<void> {
  const claims = await sql<SqlRow>(
    `select c.scope, c.fold, c.reference, coalesce(g.generation, 0) as generation, o.fingerprint, c.at,
       o.party || ' ' || o.amount || ' ' || o.currency as content, o.party, o.amount, o.currency, b.id as batch, b.journal
     from (
       select c.* from @.rows r join @.claims c on c.fold = r.fold where r.batch = $1
       union select c.* from @.rows r join @.rows o
         on o.party = r.party and o.amount = r.amount and o.currency = r.currency and o.batch <> r.batch
         join @.claims c on c.batch = o.batch and c.n = o.n where r.batch = $1
     ) c join @.rows o on o.batch = c.batch and o.n = c.n join @.batches b on b.key = c.batch
     left join @.generations g on g.batch = c.batch and g.n = c.n where c.batch <> $1`,
    [key],
  );
  db.transaction(() => {
    for (const {batch, journal, party, amount, currency, ...claim} of claims) {
      db.prepare('insert or ignore into claimants (id, profile, batch, journal) values (?, ?, ?, ?)').run(
        ...[sharedId(['', batch, journal]), '', batch ?? '', journal ?? ''],
      );
      const {id} = db
        .prepare<{id: number}>('select id from claimants where batch = ? and journal = ? limit 1')
        .one(batch ?? '', journal ?? '');
      const {scope = null, fold = null, reference = null, generation = 0, fingerprint = null, at = 0} = claim;
      db.prepare(
        `insert into entries (scope, fold, reference, claimant, generation, fingerprint, id, paid, at, since, standing, content)
         values (?, ?, ?, ?, ?, ?, null, 0, ?, null, null, ?) on conflict (scope, fold, reference) do update set
           claimant = excluded.claimant, generation = excluded.generation, fingerprint = excluded.fingerprint, id = null,
           paid = 0, at = excluded.at, standing = null, content = excluded.content where entries.standing is not null`,
      ).run(scope, fold, reference, id, generation, fingerprint, at, claim['content'] ?? null);
      db.prepare(
        'insert or ignore into claims_by_content (party, amount, currency, scope, reference, at) values (?, ?, ?, ?, ?, ?)',
      ).run(party ?? '', amount ?? 0, currency ?? '', scope, reference, at);
    }
  });
}

function listJournals(
  db: SqliteDatabase,
  stateDir: string,
  {batch, mark, others}: {batch: TeamBatch; mark: string | null; others: readonly TeamBatch[]},
): void {
  const list = db.prepare(
    'insert into journals (kind, batch, journal, claims, stamp) values (?, ?, ?, ?, ?)',
  );
  for (const {kind, id, journal} of others) {
    if (journal === null) continue;
    if (id !== batch.id || kind !== batch.kind)
      list.run(kind, id, journal, 0, stampOf(batchFolder(stateDir, kind, id)).text);
    else if (mark !== null) list.run(kind, id, journal, Number(mark), null);
  }
}

/** The same id for the same names on every machine. */
export const sharedId = (names: readonly unknown[]): number =>
  createHash('sha256').update(JSON.stringify(names)).digest().readUIntBE(0, 6);
