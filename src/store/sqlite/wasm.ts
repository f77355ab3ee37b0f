import {rmdirSync} from 'node:fs';
import {setFlagsFromString} from 'node:v8';
import type {Database, Statement} from 'node-sqlite3-wasm';
import {codeOf} from '../../narrow.ts';
import type {SqlRow, SqlValue} from '../port/port.ts';
import type {RawDatabase, RawStatement} from './raw.ts';

/** Not in the package's declarations, or wider there; the version is pinned, and a test holds it to what we need. */
interface BareStatement extends Statement {
  all(values: SqlValue[]): SqlRow[];
  _reset(): boolean;
  /** Without the reset at the beginning of the public calls: ours reset at the end. */
  _bindArray(values: SqlValue[]): void;
  /** Whether there is a row. */
  _step(): boolean;
  _getColumnNames(): string[];
  _getRow(columns: string[], expand: boolean): SqlRow;
}

/** Loaded once: loading costs flags and a turn each time, and a bundle would wrap the module again. */
const load = () => import('node-sqlite3-wasm');
let loading: ReturnType<typeof load> | undefined;

/** Compiles the module; takes about 50 ms, once per process. */
export async function openWasm(file: string): Promise<RawDatabase> {
  const loaded = await (loading ??= withLateTierUp(load));
  const {Database} = loaded.default ?? loaded; // it is CommonJS: in ESM all of it is the default export, in a CommonJS bundle not always
  const db: Database = new Database(file);
  const statements: BareStatement[] = [];
  const schema = {version: 0};
  return {
    exec: (sql) => {
      schema.version += 1;
      db.exec(sql);
    },
    prepare: (sql) => {
      const statement = db.prepare(sql) as BareStatement;
      statements.push(statement);
      return adapt(statement, schema, CHANGES_SCHEMA.test(sql));
    },
    get inTransaction() {
      return db.inTransaction;
    },
    close: () => {
      // One remaining statement would keep the file, and the driver's lock folder, until the process ends.
      for (const statement of statements.splice(0)) finalize(statement);
      db.close();
    },
  };
}

/**
 * V8 compiles a function a second time once about this many bytes of its code have run. Its default is so low (1.8
 * million in V8 11, then 13 million) that opening a store exceeds it, which would cost each command with a batch and
 * each start of a sandbox 200 ms of processor time and 45 MB. A few seconds of work exceed this number too.
 */
const TIER_UP_BYTES = 2_000_000_000;
const DEFAULT_TIER_UP_BYTES = process.versions.v8.startsWith('11.') ? 1_800_000 : 13_000_000;

/**
 * The second compilation of a large function, such as undici's parser, takes up to 30 MB. So they run one after the other,
 * and without two optimisations of loops, which take a third of that and gain nothing here.
 */
const SMALLER_TIER_UP = '--wasm-num-compilation-tasks=1 --no-wasm-loop-unrolling --no-wasm-loop-peeling';

/**
 * V8 reads the number when a module is loaded, so the other modules of this process keep the default. No other flag
 * does this: without tier-up (`--liftoff-only`), which V8 reads whenever it compiles a function, undici's parser would
 * stay slow too; with the flag set back after loading, every function that runs later is compiled twice at once.
 */
async function withLateTierUp<T>(work: () => Promise<T>): Promise<T> {
  setFlagsFromString(SMALLER_TIER_UP);
  setFlagsFromString(`--wasm-tiering-budget=${TIER_UP_BYTES}`);
  try {
    return await work();
  } finally {
    setFlagsFromString(`--wasm-tiering-budget=${DEFAULT_TIER_UP_BYTES}`);
  }
}

/**
 * A killed process leaves the driver's lock, a folder, behind. The caller holds our own lock, so the folder has no
 * owner.
 */
export function removeDriverLock(file: string): void {
  try {
    rmdirSync(`${file}.lock`);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** `exec` is made for this, but a statement also works. */
const CHANGES_SCHEMA = /^\s*(?:alter|attach|create|detach|drop|rollback)\b/i;

/**
 * The driver leaves a statement where its last step ended: an unfinished read prevents checkpoints from completing,
 * and a failed write makes the next use of the statement fail. So everything here ends with a reset.
 * @param schema counts changes that may have renamed columns, because asking for the names costs more than a row
 * @param changesSchema whether running this may do so
 */
function adapt(statement: BareStatement, schema: {version: number}, changesSchema: boolean): RawStatement {
  let names: string[] = [];
  let named = -1;
  const settled = <T>(work: () => T): T => {
    try {
      return work();
    } finally {
      statement._reset();
    }
  };
  return {
    run: (params) => {
      if (changesSchema) schema.version += 1;
      return settled(() => statement.run(params).changes);
    },
    get: (params) =>
      settled(() => {
        statement._bindArray(params);
        if (!statement._step()) return undefined;
        if (named !== schema.version) [names, named] = [statement._getColumnNames(), schema.version];
        return statement._getRow(names, false);
      }),
    all: (params) => settled(() => statement.all(params)),
  };
}

function finalize(statement: Statement): void {
  try {
    statement.finalize();
  } catch {
    // it repeats the statement's last error, which was thrown when it happened; the memory is released all the same
  }
}
