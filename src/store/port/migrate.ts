import {RemitError} from '../../errors.ts';
import type {SqliteDatabase} from './port.ts';

export interface Migration {
  /** Never renamed after a release, because databases store it. */
  readonly name: string;
  /** One or more statements, without transaction control. */
  readonly sql: string;
}

/**
 * Brings a database up to date: applies missing migrations, in order, each in its own transaction.
 * @throws RemitError STATE if the database has migrations that this version does not know
 */
export function migrate(db: SqliteDatabase, migrations: readonly Migration[]): void {
  db.exec(`CREATE TABLE IF NOT EXISTS remit_migrations (
    position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, applied_at TEXT NOT NULL DEFAULT (datetime('now'))) STRICT`);
  const applied = db.prepare('SELECT name FROM remit_migrations ORDER BY position').all();
  checkApplied(
    applied.map(({name}) => String(name)),
    migrations,
  );
  for (const [position, {name, sql}] of migrations.entries()) {
    if (position < applied.length) continue;
    db.transaction(() => {
      db.exec(sql);
      db.prepare('INSERT INTO remit_migrations (position, name) VALUES (?, ?)').run(position, name);
    });
  }
}

/**
 * The applied migrations must be a prefix of the known ones.
 * @throws RemitError STATE
 */
export function checkApplied(applied: readonly string[], migrations: readonly Migration[]): void {
  applied.forEach((name, position) => {
    if (migrations[position]?.name !== name) refuse(name, position, migrations.length);
  });
}

function refuse(name: string, position: number, known: number): never {
  const newer = position >= known;
  throw new RemitError(
    'STATE',
    newer
      ? `The database was created by a newer version of remit: this version does not know its migration "${name}"`
      : `The database was created by another version of remit: its migration ${position + 1} is "${name}"`,
    {
      hint: 'install the newest version: npm install --global remit-cli@latest',
      details: {migration: name, position},
    },
  );
}
