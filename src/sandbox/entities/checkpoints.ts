import {must} from '../../narrow.ts';
import {COPY_NAME} from '../../store/files/copy-name.ts';
import type {Copy, Queries, SqlRow} from '../../store/port/port.ts';
import type {SandboxContext} from '../world/context.ts';
import {int, iso, json, text} from '../base/rows.ts';
import {momentOf, type ClockState} from '../time/clock.ts';
import {ServiceError, invalid} from '../base/service-error.ts';
import {saveClock} from '../base/settings.ts';
import type {Checkpoint} from '../base/shown-records.ts';

/**
 * What a restore does not change: keys, and the entities that they belong to; the list of checkpoints; the migration
 * history. Settings are handled individually.
 */
const KEPT: ReadonlySet<string> = new Set([
  'api_keys',
  'entities',
  'checkpoints',
  'remit_migrations',
  'settings',
]);
/** Settings that a restore keeps: random bytes used after the checkpoint must not be used again. */
const KEPT_SETTINGS = ["'openings'", "'clock'"];

const toCheckpoint = (row: SqlRow): Checkpoint => ({
  name: text(row, 'name'),
  saved_at: iso(int(row, 'saved_ms')),
  clock_at: iso(int(row, 'clock_ms')),
});

/** Named copies of the whole store, to return to. */
export class Checkpoints {
  readonly #context: SandboxContext;
  readonly #machineNow: () => number;
  readonly #onRestored: () => Promise<void>;
  /** The save or restore in progress: a copy and its entry in the list are two changes. */
  #running: Promise<unknown> = Promise.resolve();

  /** @param onRestored makes background work read the store again */
  constructor(options: {context: SandboxContext; machineNow: () => number; onRestored: () => Promise<void>}) {
    this.#context = options.context;
    this.#machineNow = options.machineNow;
    this.#onRestored = options.onRestored;
  }

  /** Oldest first. */
  async list(): Promise<Checkpoint[]> {
    const rows = await this.#context.store.glance('select * from checkpoints order by saved_ms, name');
    return rows.map(toCheckpoint);
  }

  /**
   * Copies everything; an older checkpoint with that name is replaced. @throws {ServiceError} for an invalid name.
   */
  async save(name: string): Promise<Checkpoint> {
    if (!COPY_NAME.test(name))
      throw invalid(
        'name',
        'must be up to 30 lower-case letters, digits and hyphens, not beginning with a hyphen',
      );
    return this.#inTurn(() => this.#save(name));
  }

  async #save(name: string): Promise<Checkpoint> {
    const {store} = this.#context;
    // If the process were killed before the new copy is listed, the copy would be next to the time of the old one. So
    // until then, the name is not listed.
    const former = await store.write((queries) => takeNote(queries, name));
    try {
      await store.saveCopy(name);
    } catch (error) {
      if (former) await store.write((queries) => note(queries, former)); // its copy still exists
      throw error;
    }
    // Read afterwards, so that no record of the copy is newer; and from the clock of the copy, because others may
    // move the clock.
    const savedMs = this.#machineNow();
    return store.writeFromCopy(name, async (queries, copy) => {
      const clockMs = momentOf(await clockOf(queries, copy), savedMs);
      await note(queries, {name, savedMs, clockMs});
      return {name, saved_at: iso(savedMs), clock_at: iso(clockMs)};
    });
  }

  /**
   * Restores records, ledger, timers, deliveries and the clock; keys are not changed.
   * @throws {ServiceError} NOT_FOUND; VALIDATION_ERROR for one of another version or another sandbox.
   */
  restore(name: string): Promise<Checkpoint> {
    return this.#inTurn(() => this.#restore(name));
  }

  async #restore(name: string): Promise<Checkpoint> {
    const {store, clock, keyIndex} = this.#context;
    if (!(await this.list()).some((candidate) => candidate.name === name)) throw notFound(name);
    const {checkpoint, state} = await store.writeFromCopy(name, async (queries, copy) => {
      const row = await queries.get('select * from checkpoints where name = ?', [name]);
      if (!row) throw notFound(name); // another process has removed it
      await refuseOther(queries, copy, 'remit_migrations', 'name', 'was made by another version of remit');
      await refuseOther(queries, copy, 'entities', 'id', 'is of another sandbox');
      for (const table of copy.tables) if (!KEPT.has(table)) await takeBack(queries, copy, table);
      await keyIndex.learn(queries);
      const others = `name not in (${KEPT_SETTINGS.join(', ')})`;
      await queries.run(`delete from settings where ${others}`);
      await queries.run(`insert into settings select * from ${copy.of('settings')} where ${others}`);
      const next = clock.fork();
      next.resume(await clockOf(queries, copy), int(row, 'clock_ms'));
      await saveClock(queries, next.state);
      return {checkpoint: toCheckpoint(row), state: next.state};
    });
    clock.follow(state); // if the restore fails, the time is not changed either
    await this.#onRestored();
    return checkpoint;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#running.then(work, work); // the caller of the previous one has its error
    this.#running = turn;
    return turn;
  }
}

/** The entry of a copy. */
interface Note {
  name: string;
  savedMs: number;
  clockMs: number;
}

async function note(queries: Queries, {name, savedMs, clockMs}: Note): Promise<void> {
  await queries.run(
    `insert into checkpoints (name, saved_ms, clock_ms) values (?, ?, ?)
     on conflict (name) do update set saved_ms = excluded.saved_ms, clock_ms = excluded.clock_ms`,
    [name, savedMs, clockMs],
  );
}

/** Removes the entry with a name, and returns it. */
async function takeNote(queries: Queries, name: string): Promise<Note | undefined> {
  const row = await queries.get('select * from checkpoints where name = ?', [name]);
  if (row) await queries.run('delete from checkpoints where name = ?', [name]);
  return row && {name, savedMs: int(row, 'saved_ms'), clockMs: int(row, 'clock_ms')};
}

const notFound = (name: string) => new ServiceError('NOT_FOUND', `no checkpoint ${name}`);

/** The clock at the time of the copy. */
async function clockOf(queries: Queries, copy: Copy): Promise<ClockState> {
  const row = await queries.get(`select value from ${copy.of('settings')} where name = 'clock'`);
  return json<ClockState>(must(row, 'clock in the settings of the copy'), 'value');
}

async function takeBack(queries: Queries, copy: Copy, table: string): Promise<void> {
  await queries.run(`delete from ${table}`);
  await queries.run(`insert into ${table} select * from ${copy.of(table)}`);
}

async function refuseOther(
  queries: Queries,
  copy: Copy,
  table: string,
  column: string,
  because: string,
): Promise<void> {
  const values = async (from: string) =>
    JSON.stringify(
      (await queries.all(`select ${column} as value from ${from} order by ${column}`)).map((row) =>
        text(row, 'value'),
      ),
    );
  if ((await values(table)) !== (await values(copy.of(table))))
    throw new ServiceError('VALIDATION_ERROR', `the checkpoint ${because}; save a new one`);
}
