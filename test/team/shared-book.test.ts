import assert from 'node:assert/strict';
import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, before, beforeEach, describe, it} from 'mocha';
import {systemClock} from '../../src/clock.ts';
import {Book, bookPath} from '../../src/reconcile/book/book.ts';
import {readTeamAddress} from '../../src/team/address.ts';
import {TeamDatabase} from '../../src/team/connection.ts';
import {TeamSession} from '../../src/team/session.ts';
import {
  addAll,
  type Found,
  line,
  newFolder,
  OPTIONS,
  payment,
  readFound,
  SCOPE,
} from '../reconcile/harness.ts';
import {smallWorld} from '../reconcile/small-worlds.ts';
import {worldOf} from '../reconcile/worlds.ts';
import {inSchema, skippedWithoutPostgres, startPostgres} from '../store/postgres/postgres-server.ts';
import {HostileProxy} from './proxy.ts';

let schemas = 0;

/** One command on one machine, which has a new folder unless it is named. */
async function onMachine<T>(
  url: string,
  work: (session: TeamSession) => Promise<T>,
  stateDir = mkdtempSync(join(tmpdir(), 'remit-machine-')),
): Promise<T> {
  const session = await TeamSession.open({address: url, stateDir, clock: systemClock, say: () => undefined});
  try {
    return await work(session);
  } finally {
    await session.end().catch(() => undefined);
  }
}

/** Opens the book of a session, changes it and records it. */
async function change<T>(session: TeamSession, work: (book: Book) => T): Promise<T> {
  await session.takeBook(bookPath(session.stateDir), 'reconcile');
  return record(session, work);
}

/** The same once the session has the book. */
async function record<T>(session: TeamSession, work: (book: Book) => T): Promise<T> {
  const book = await Book.open(session.stateDir, SCOPE, {write: true});
  try {
    const result = work(book);
    await session.saveBook({service: SCOPE, identity: book.identity, returns: []});
    return result;
  } finally {
    await book.close();
  }
}

/** What another machine finds in the book. */
const read = <T>(url: string, work: (book: Book) => T): Promise<T> =>
  onMachine(url, async (session) => {
    await session.fetchBook(bookPath(session.stateDir));
    const book = await Book.open(session.stateDir, SCOPE, {write: false});
    try {
      return work(book);
    } finally {
      await book.close();
    }
  });

const keysIn = (url: string): Promise<string[]> =>
  read(url, (book) => [...book.lines()].map((found) => found.line.key));

const many = (count: number, from = 0) =>
  Array.from({length: count}, (_, n) =>
    line(`line-${from + n}`, {text: `of payment ${from + n}, ${'which has a long name '.repeat(9)}`}),
  );

describe('the book of a team', function () {
  if (skippedWithoutPostgres()) return;
  this.timeout(120_000);
  let server = '';
  let url = '';
  let db: TeamDatabase;
  before(async () => {
    server = (await startPostgres()) ?? '';
  });
  beforeEach(() => {
    url = inSchema(server, `book_${schemas++}`);
    db = new TeamDatabase(readTeamAddress(url));
  });
  afterEach(() => db.close());

  it('finds the same as one in a folder, in any number of commands on as many machines', async () => {
    const worlds = [...Array.from({length: 20}, (_, n) => smallWorld(n)), ...[1, 2, 3, 4, 5, 6].map(worldOf)];
    const folder = newFolder();
    for (let at = 0; at < worlds.length; at += 9) {
      const step = (book: Book): Found => {
        for (const {payments, lines} of worlds.slice(at, at + 9)) {
          book.addPayments(payments);
          addAll(book, lines);
        }
        return readFound(book, book.match({...OPTIONS, today: '2026-06-30'}));
      };
      const book = await Book.open(folder, SCOPE, {write: true});
      const expected = step(book);
      await book.close();
      assert.deepEqual(await onMachine(url, (session) => change(session, step)), expected);
      const {totals} = expected;
      assert.deepEqual(await read(url, (copy) => readFound(copy, totals)), expected);
    }
  });

  it('has more lines than one statement holds, and writes only the blocks that differ', async () => {
    const written = async () => {
      const [row] = await db.query<{blocks: number; changed: number}>(
        `select count(*) as blocks, count(*) filter (where xmin::text = (
           select b.xmin::text from @.book_blocks b order by age(b.xmin) limit 1)) as changed from @.book_blocks`,
      );
      return row ?? {blocks: 0, changed: 0};
    };
    const lines = many(10_500);
    await onMachine(url, (session) => change(session, (book) => addAll(book, lines)));
    const first = await written();
    assert.ok(first.blocks > 300 && first.changed === first.blocks, JSON.stringify(first));
    await onMachine(url, (session) => change(session, (book) => book.addPayments([payment(1)])));
    const second = await written();
    assert.ok(second.changed < 30, JSON.stringify(second));
    assert.equal((await keysIn(url)).length, 10_500);
    const [{size} = {size: 0}] = await db.query<{size: number}>(
      'select sum(length(data)) as size from @.book_blocks',
    );
    assert.equal(size % 4096, 0);
  });

  it('is refused while another process has it, and names that process', async () => {
    await onMachine(url, (session) => change(session, () => undefined));
    await onMachine(url, async (first) => {
      await first.takeBook(bookPath(first.stateDir), 'reconcile');
      const alive = setInterval(
        () => void db.query("update @.batches set version = version + 1 where kind = 'book'"),
        200,
      );
      try {
        await onMachine(url, (second) => change(second, () => undefined)).then(
          () => assert.fail('two have it'),
          (error: unknown) =>
            assert.match(
              String(error),
              new RegExp(
                `Process ${process.pid} on \\S+ \\(reconcile, since .*\\) has the book of bank lines`,
              ),
            ),
        );
      } finally {
        clearInterval(alive);
      }
    });
    await onMachine(url, (session) => change(session, () => undefined)); // it was given back
  });

  it('keeps nothing of a command that has lost it', async () => {
    await onMachine(url, (session) => change(session, (book) => addAll(book, many(3))));
    await onMachine(url, async (first) => {
      await first.takeBook(bookPath(first.stateDir), 'reconcile');
      await db.query("update @.batches set expires = clock_timestamp() - interval '1 s' where kind = 'book'");
      await onMachine(url, (second) => change(second, (book) => addAll(book, many(5))));
      const lost = record(first, (book) => addAll(book, many(9)));
      await assert.rejects(lost, {
        code: 'LOCKED',
        message:
          /the lease of the book was lost: process \d+ on .* has taken it over; nothing of this command was/,
      });
    });
    assert.deepEqual(await keysIn(url), ['line-0', 'line-1', 'line-2', 'line-3', 'line-4']);
  });

  it('is taken at once from a process of this machine that was killed, whose copy is removed', async () => {
    const machine = mkdtempSync(join(tmpdir(), 'remit-machine-'));
    const dead = await TeamSession.open({
      address: url,
      stateDir: machine,
      clock: systemClock,
      say: () => undefined,
    });
    await dead.takeBook(bookPath(dead.stateDir), 'reconcile');
    const {rmSync, existsSync} = await import('node:fs');
    rmSync(`${dead.stateDir}.lock`, {force: true}); // as if its process were gone
    await onMachine(url, (session) => change(session, () => undefined), machine);
    assert.ok(!existsSync(dead.stateDir));
    await dead.end().catch(() => undefined);
  });

  it('records all of a command or nothing, whatever the network does', async () => {
    const path = `${new URL(server).searchParams.get('host')}/.s.PGSQL.5432`;
    const proxy = await HostileProxy.open(() => ({path}));
    const far = new URL(url);
    far.searchParams.delete('host');
    far.port = String(proxy.port);
    let known = 0;
    let broken = 0;
    try {
      for (let seed = 0; seed < 16; seed++) {
        const fates = ['break-before', 'break-after'] as const;
        let left = 1;
        const next = await onMachine(far.href, async (session) => {
          const saving = change(session, (book) => {
            addAll(book, many(90, known));
            left = seed; // messages until the connection breaks, in either direction
            proxy.fate = () => (--left === 0 ? (fates[seed % 2] ?? 'pass') : 'pass');
            if (seed > 0) return;
            // The commit arrives, and its answer does not: it has to be looked up.
            left = 2;
            proxy.fate = (toServer, data) => {
              if (toServer && data.toString('latin1').endsWith('\x0bcommit\0')) left = 1;
              return !toServer && left === 1 && --left === 0 ? 'break-before' : 'pass';
            };
          });
          return saving.then(
            () => known + 90,
            (error: unknown) => String(error),
          );
        });
        if (left < 1) broken += 1;
        proxy.fate = () => 'pass';
        if (typeof next === 'number') known = next;
        else assert.fail(next); // a broken connection is replaced by another one
        assert.equal((await keysIn(url)).length, known);
      }
    } finally {
      await proxy.close();
    }
    assert.ok(broken > 7, String(broken));
  });
});
