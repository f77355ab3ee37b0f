import type {SqlRow, SqlValue} from '../port/port.ts';
import type {RawDatabase, RawStatement} from './raw.ts';

/** The part of node:sqlite (Node >= 22.13) that we use; @types/node 20 does not declare it. */
export interface NativeModule {
  DatabaseSync: new (file: string) => NativeDatabase;
}
interface NativeDatabase {
  exec(sql: string): void;
  prepare(sql: string): NativeStatement;
  close(): void;
  /** Exists since 22.16. */
  readonly isTransaction?: boolean;
}
interface NativeStatement {
  run(...params: SqlValue[]): {changes: number | bigint};
  get(...params: SqlValue[]): SqlRow | undefined;
  all(...params: SqlValue[]): SqlRow[];
  setReadBigInts(on: boolean): void;
}

/** node:sqlite if this Node has it, without the warning that loading it prints on some versions. */
export function loadNativeModule(): NativeModule | undefined {
  const host = process as {
    emitWarning: (this: void, ...args: unknown[]) => void;
    getBuiltinModule?: (id: string) => unknown;
  };
  const {emitWarning} = host;
  host.emitWarning = (...args) => {
    if (args[1] === 'ExperimentalWarning' && String(args[0]).includes('SQLite')) return;
    Reflect.apply(emitWarning, process, args);
  };
  try {
    return host.getBuiltinModule?.('node:sqlite') as NativeModule | undefined;
  } finally {
    host.emitWarning = emitWarning;
  }
}

export function openNative(native: NativeModule, file: string): RawDatabase {
  const db = new native.DatabaseSync(file);
  return {
    exec: (sql) => db.exec(sql),
    prepare: (sql) => adapt(db.prepare(sql)),
    get inTransaction() {
      return db.isTransaction ?? probeTransaction(db);
    },
    close: () => db.close(),
  };
}

/** Node 22.13 to 22.15 have no such property: BEGIN is refused exactly if a transaction is open. */
function probeTransaction(db: NativeDatabase): boolean {
  try {
    db.exec('BEGIN');
  } catch {
    return true;
  }
  db.exec('ROLLBACK');
  return false;
}

function adapt(statement: NativeStatement): RawStatement {
  statement.setReadBigInts(true); // otherwise an integer beyond 2^53 throws, after the statement took effect
  return {
    run: (params) => Number(statement.run(...bindable(params)).changes),
    get: (params) => {
      const row = statement.get(...bindable(params));
      return row === undefined ? undefined : plain(row);
    },
    all: (params) => statement.all(...bindable(params)).map(plain),
  };
}

/** node:sqlite binds every number as REAL: `?` in a column without affinity would be returned as another type. */
function bindable(params: SqlValue[]): SqlValue[] {
  return params.map((value) =>
    typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value,
  );
}

/** An ordinary object (the driver's has no prototype), with numbers if they are exact. */
function plain(row: SqlRow): SqlRow {
  const out: SqlRow = {};
  for (const column in row) {
    const value = row[column] as SqlValue;
    out[column] = typeof value === 'bigint' ? narrowed(value) : value;
  }
  return out;
}

function narrowed(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
