import {createHash, randomUUID} from 'node:crypto';
import {closeSync, existsSync, fstatSync, openSync, readSync, rmSync, statSync, writeSync} from 'node:fs';
import {hostname} from 'node:os';
import type {Clock} from '../clock.ts';
import {RemitError} from '../errors.ts';
import {dirname} from 'node:path';
import {returnNotesPath} from '../batch/report/noted-returns.ts';
import {must, ownJson} from '../narrow.ts';
import {withLoopback} from '../network/local.ts';
import {writeFileAtomic} from '../store/files/atomic-file.ts';
import {openConnection} from '../store/sqlite/sqlite.ts';
import {acquireWhenFree, BOOK} from './acquire.ts';
import {type BatchMark, readMarks} from './book-marks.ts';
import type {Sql, TeamDatabase} from './connection.ts';
import {leaseHolderText} from './hold.ts';
import {type Lease, LEASE_MS, type LeaseHolder, readLease} from './lease.ts';
import {leftFolders, noteTail} from './left-tail.ts';
import {
  areReturnsWhole,
  type BookReturn,
  type BookService,
  RETURNS_HASH,
  type SharedBookIdentity,
} from './returns.ts';
import {toJson} from './tables.ts';

/** Four pages of the file. What a match writes again is spread over it. */
const BLOCK = 16_384;
/** Blocks in one statement: 4 MB. */
const BLOCKS_AT_ONCE = 256;
const RENEW_MS = 5000;
/** A match lets nothing else of its process run: about a second for every 5 MB of the book, on a slow machine. */
const BYTES_PER_MS = 5000;
const TRIES = 6;

/** What a batch remembers of its returns; null for nothing. */
export interface ReturnNotes {
  kind: string;
  id: string;
  returns: string | null;
}

export interface BookChanges {
  service: BookService;
  identity: SharedBookIdentity;
  returns: readonly BookReturn[];
  notes: readonly ReturnNotes[];
}

/**
 * Copies the book to a file, if there is one, and what is noted of the returns of all services to the file that a state
 * folder has for it.
 * @returns the hashes of its blocks
 */
export async function copyBook(sql: Sql, file: string): Promise<string[]> {
  const rows = await sql<{note: string}>('select note from @.book_returns where note is not null');
  const notes = `[${rows.map(({note}) => note).join(',')}]`;
  writeFileAtomic(returnNotesPath({folder: dirname(file)}), notes, {durable: false});
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, {force: true});
  const [book] = await sql<{blocks: number}>('select blocks from @.book');
  const hashes: string[] = [];
  if (book === undefined) return hashes;
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    for (let n = 0; n < book.blocks; n += BLOCKS_AT_ONCE)
      for (const {data} of await sql<{data: Uint8Array}>(
        'select data from @.book_blocks where n >= $1 and n < $2 order by n',
        [n, n + BLOCKS_AT_ONCE],
      )) {
        writeSync(descriptor, data);
        hashes.push(hashOf(data));
      }
  } finally {
    closeSync(descriptor);
  }
  if (hashes.length === book.blocks) return hashes;
  throw new RemitError('STATE_DAMAGED', `the shared book has ${hashes.length} of ${book.blocks} blocks`, {
    hint: 'restore the database from a backup',
  });
}

interface TeamBookOptions {
  db: TeamDatabase;
  /** The folder of the command. */
  stateDir: string;
  file: string;
  clock: Clock;
  say: (text: string) => void;
}

/**
 * The book while this process has its lease. It is changed in a copy, and what has changed is written in one transaction
 * at the end: all of it or, if another process has taken the book over, nothing. An expired lease that no process has
 * taken is as good as before.
 */
export class TeamBook {
  readonly #options: TeamBookOptions;
  readonly #lease: Lease;
  #hashes: readonly string[] = [];
  readonly #timer: NodeJS.Timeout;
  #marks = new Map<string, BatchMark>();
  #hasOtherReturns = false;
  #isHeld = true;

  private constructor(options: TeamBookOptions, lease: Lease) {
    this.#options = options;
    this.#lease = lease;
    this.#timer = setInterval(() => void this.#renew().catch(() => undefined), RENEW_MS).unref();
  }

  /** @throws RemitError LOCKED with the process that has it */
  static async take(owner: string, purpose: string, options: TeamBookOptions): Promise<TeamBook> {
    const {db, stateDir, file, clock, say} = options;
    const left = await leftFolders(stateDir, {...BOOK, clock});
    noteTail(stateDir, {...BOOK, gen: 0});
    const holder = {host: hostname(), pid: process.pid, purpose, since: new Date(clock.now()).toISOString()};
    const dead = left.map((folder) => folder.owner);
    try {
      const {acquired} = await acquireWhenFree(
        db,
        {...BOOK, owner, holder, longestMs: 0, dead},
        {clock, say},
      );
      const book = new TeamBook(options, acquired.lease);
      try {
        book.#hashes = await copyBook(db.query, file);
        book.#hasOtherReturns = !(await areReturnsWhole(db.query));
        book.#marks = await readMarks(db.query);
        await book.#renew(); // the copy may have taken longer than the lease
        return book;
      } catch (error) {
        await book.end();
        throw error;
      }
    } finally {
      for (const folder of left) await folder.remove(); // copies of which nothing was recorded
    }
  }

  /** The returns beside the book were changed since it was recorded. */
  get hasOtherReturns(): boolean {
    return this.#hasOtherReturns;
  }

  /** Batches that were moved away, or that another command has changed since, or is changing. */
  async unsettledBatches(): Promise<{id: string; moved: string | null; isNew: boolean}[]> {
    const now = [...(await readMarks(this.#options.db.query)).values()];
    return now
      .filter(
        ({key, version, released, moved}) =>
          moved !== null || released === 0 || this.#marks.get(key)?.version !== version,
      )
      .map(({key, id, moved}) => ({id, moved, isNew: !this.#marks.has(key)}));
  }

  async #renew(): Promise<void> {
    const {db, file} = this.#options;
    const {key, owner, gen} = this.#lease;
    const bytes = existsSync(file) ? statSync(file).size : 0;
    await db.query(
      `update @.batches set version = version + 1, expires = clock_timestamp() + $4 * interval '1 ms'
       where key = $1 and owner = $2 and gen = $3 and not released`,
      [key, owner, gen, Math.round(LEASE_MS + bytes / BYTES_PER_MS)],
    );
  }

  /**
   * Records the book as it is now, and gives the lease back.
   * @throws RemitError LOCKED if another process has taken the book over, STATE if the database does not answer
   */
  async save(changes: BookChanges): Promise<void> {
    clearInterval(this.#timer);
    const log = must(openConnection(this.#options.file), 'open book');
    const {busy} = log.prepare<{busy: number}>('pragma wal_checkpoint(truncate)').one();
    if (busy !== 0) throw new Error('the book is not completely in its file');
    const token = randomUUID();
    for (let tries = 1; ; tries++)
      try {
        if (tries > 1 && (await this.#wasSaved(this.#options.db.query, token))) break;
        await this.#options.db.transaction((sql) => this.#write(sql, changes, token));
        break;
      } catch (error) {
        if (!(error instanceof RemitError) || error.code === 'LOCKED') throw error;
        if (tries === TRIES) throw unknown(error);
        await this.#options.clock.sleep(Math.min(200 * tries, 2000));
      }
    this.#isHeld = false;
  }

  async #write(sql: Sql, {service, identity, returns, notes}: BookChanges, token: string): Promise<void> {
    const {key, owner, gen} = this.#lease;
    const held = await sql(
      `update @.batches set version = version + 1, token = $4, released = true
       where key = $1 and owner = $2 and gen = $3 and not released and @safe returning 1`,
      [key, owner, gen, token],
    );
    if (held.length === 0) return this.#requireSaved(sql, token);
    const blocks = await this.#writeBlocks(sql);
    await sql('delete from @.book_blocks where n >= $1', [blocks]);
    await sql(
      `insert into @.book (one, identity, blocks) values (1, $1, $2)
       on conflict (one) do update set identity = excluded.identity, blocks = excluded.blocks`,
      [JSON.stringify(identity), blocks],
    );
    const scope = [service.mode, withLoopback(service.baseUrl)];
    await sql('delete from @.book_returns where mode = $1 and base_url = $2', scope);
    for (let at = 0; at < returns.length; at += BLOCKS_AT_ONCE)
      await sql(
        `insert into @.book_returns select $1, $2, x.* from json_to_recordset($3::json)
           as x(id text, code text, day text, paid_again_by text, repay_reference text, held_by text, note text)`,
        [...scope, toJson(returns.slice(at, at + BLOCKS_AT_ONCE))],
      );
    await sql(`update @.book set returns = (${RETURNS_HASH})`);
    for (const one of notes)
      if (this.#marks.get(`${one.kind} ${one.id}`)?.moved === null) await writeReturnNotes(sql, one);
  }

  /** Those that differ from what was copied. @returns how many blocks the file has */
  async #writeBlocks(sql: Sql): Promise<number> {
    const descriptor = openSync(this.#options.file, 'r');
    try {
      const count = Math.ceil(fstatSync(descriptor).size / BLOCK);
      for (let n = 0; n < count;) {
        const numbers: number[] = [];
        const data: Buffer[] = [];
        for (; n < count && data.length < BLOCKS_AT_ONCE; n++) {
          const block = Buffer.alloc(BLOCK);
          const read = readSync(descriptor, block, 0, BLOCK, n * BLOCK);
          const bytes = block.subarray(0, read);
          if (this.#hashes[n] === hashOf(bytes)) continue;
          numbers.push(n);
          data.push(bytes);
        }
        if (data.length === 0) continue;
        await sql(
          `insert into @.book_blocks select * from unnest($1::bigint[], $2::bytea[])
           on conflict (n) do update set data = excluded.data`,
          [numbers, data],
        );
      }
      return count;
    } finally {
      closeSync(descriptor);
    }
  }

  /** Whether a write without an answer took effect. */
  async #wasSaved(sql: Sql, token: string): Promise<boolean> {
    const found = await readLease(sql, this.#lease.key);
    return found?.token === token && found.released === 1;
  }

  async #requireSaved(sql: Sql, token: string): Promise<void> {
    if (await this.#wasSaved(sql, token)) return;
    const holder = (await readLease(sql, this.#lease.key))?.holder ?? null;
    const by = holder === null ? 'another process' : leaseHolderText(ownJson<LeaseHolder>(holder));
    throw new RemitError(
      'LOCKED',
      `the lease of the book was lost: ${by} has taken it over; nothing of this command was recorded`,
      {hint: 'run the same command again'},
    );
  }

  /** Gives the lease back if nothing was saved. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    if (!this.#isHeld) return;
    const {key, owner, gen} = this.#lease;
    await this.#options.db
      .query('update @.batches set released = true where key = $1 and owner = $2 and gen = $3', [
        ...[key, owner, gen],
      ])
      .catch(() => undefined); // it expires
  }
}

export const writeReturnNotes = (sql: Sql, {kind, id, returns}: ReturnNotes): Promise<unknown> =>
  sql('update @.batches set returns = $3 where kind = $1 and id = $2 and returns is distinct from $3::text', [
    kind,
    id,
    returns,
  ]);

const hashOf = (block: Uint8Array): string => createHash('sha256').update(block).digest('base64');

const unknown = (cause: RemitError): RemitError =>
  new RemitError('STATE', `${cause.message}. Whether this command was recorded in the book is not known`, {
    hint: 'run the same command again',
    cause,
  });
