import assert from 'node:assert/strict';
import type {Durability, SqliteDatabase} from '../../../src/store/port/port.ts';
import {openSqlite, type SqliteDriver} from '../../../src/store/sqlite/sqlite.ts';

/** Each commit rewrites every row, so that each is spread over several pages and a torn one cannot hide. */
const ROWS = 50;
const PAYLOAD_CHARACTERS = 400;
/** Small, so that the log is written back into the database every two or three commits. */
const CHECKPOINT_PAGES = 16;

/** Commits generation after generation; `onCommitted` hears of each that was acknowledged. */
export async function runWorkload(
  file: string,
  options: {
    driver: SqliteDriver;
    durability: Durability;
    generations: number;
    onCommitted(generation: number): void;
    checkpointPages?: number;
  },
): Promise<void> {
  const db = await openSqlite(file, options);
  db.exec(`PRAGMA wal_autocheckpoint = ${options.checkpointPages ?? CHECKPOINT_PAGES}`);
  db.transaction(() => {
    db.exec(
      'CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, generation INTEGER, payload TEXT) STRICT',
    );
    db.exec('CREATE TABLE IF NOT EXISTS commits (generation INTEGER PRIMARY KEY) STRICT');
    const insert = db.prepare('INSERT INTO rows VALUES (?, 0, ?) ON CONFLICT DO NOTHING');
    for (let id = 1; id <= ROWS; id += 1) insert.run(id, '');
  });
  const first = generationOf(db) + 1;
  options.onCommitted(first - 1);
  for (let generation = first; generation < first + options.generations; generation += 1) {
    db.transaction(() => {
      db.prepare('UPDATE rows SET generation = ?, payload = ?').run(generation, payloadOf(generation));
      db.prepare('INSERT INTO commits VALUES (?)').run(generation);
    });
    options.onCommitted(generation);
  }
  db.close();
}

/**
 * Opens what a crash left, and returns the generation in it; -1 where the crash came before there were tables.
 * Fails when that is not exactly one whole generation, or not a sound database.
 */
export async function inspect(file: string, driver: SqliteDriver): Promise<number> {
  const db = await openSqlite(file, {driver, durability: 'full'});
  try {
    assert.deepEqual(db.prepare('PRAGMA integrity_check').all(), [{integrity_check: 'ok'}]);
    const tables = db
      .prepare("SELECT count(*) AS n FROM sqlite_master WHERE name IN ('rows', 'commits')")
      .get();
    if (tables?.['n'] === 0) return -1;
    const generation = generationOf(db);
    const rows = db.prepare('SELECT generation, payload, count(*) AS n FROM rows GROUP BY 1, 2').all();
    const payload = generation === 0 ? '' : payloadOf(generation);
    assert.deepEqual(rows, [{generation, payload, n: ROWS}], 'a commit was found in part');
    const commits = db
      .prepare('SELECT count(*) AS n, coalesce(max(generation), 0) AS last FROM commits')
      .get();
    assert.deepEqual(commits, {n: generation, last: generation});
    return generation;
  } finally {
    db.close();
  }
}

function generationOf(db: SqliteDatabase): number {
  return Number(db.prepare('SELECT max(generation) AS g FROM rows').get()?.['g'] ?? 0);
}

const payloadOf = (generation: number): string =>
  `${generation}.`.repeat(PAYLOAD_CHARACTERS).slice(0, PAYLOAD_CHARACTERS);
