import sqlite from 'node-sqlite3-wasm';

interface OpenDatabase {
  file: string;
  database: sqlite.Database;
  statements: Set<sqlite.Statement>;
}

const open = new Set<OpenDatabase>();
const Original = sqlite.Database;

/** Knows every open database, so that those of a killed process can be taken out of memory. */
class TrackedDatabase extends Original {
  readonly #entry: OpenDatabase;

  constructor(file: string, ...rest: never[]) {
    super(file, ...rest);
    this.#entry = {file, database: this, statements: new Set()};
    open.add(this.#entry);
  }

  override prepare(sql: string): sqlite.Statement {
    const statement = super.prepare(sql);
    this.#entry.statements.add(statement);
    return statement;
  }

  override close(): void {
    open.delete(this.#entry);
    super.close();
  }
}

/**
 * From now on databases are known. The driver's module is CommonJS: whoever imports it finds the replacement. SQLite draws
 * the seed of its own random numbers here, once a process: the first world would be another one than later, for it
 * would draw that seed from the world's dice.
 */
export function trackDatabases(): void {
  const first = new Original(':memory:');
  first.exec('SELECT random()');
  first.close();
  (sqlite as {Database: typeof Original}).Database = TrackedDatabase;
}

/** Frees what the databases under a folder hold. Their files must be out of reach by then: nothing may be written. */
export function abandonDatabases(folder: string): void {
  for (const entry of [...open]) {
    if (!entry.file.startsWith(`${folder}/`)) continue;
    for (const statement of entry.statements) quietly(() => statement.finalize());
    quietly(() => entry.database.close());
    open.delete(entry);
  }
}

export const openDatabases = (): number => open.size;

/** Opens a copy of a database for a look at it. */
export function lookInto<T>(file: string, look: (database: sqlite.Database) => T): T {
  const database = new Original(file);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    return look(database);
  } finally {
    database.close();
  }
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // it was finalized before, or repeats an error of the disk that is gone
  }
}
