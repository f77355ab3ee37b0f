import assert from 'node:assert/strict';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import fc from 'fast-check';
import {RemitError} from '../../../src/errors.ts';
import {emptyDatabase} from '../../../src/store/files/empty-database.ts';
import type {SqliteDatabase, SqlValue} from '../../../src/store/port/port.ts';
import {openSqlite} from '../../../src/store/sqlite/sqlite.ts';
import {scratchFolder} from '../scratch-folder.ts';
import {availableDrivers, isConstraintError} from '../drivers.ts';

const refusedWith = (code: string, pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof RemitError, String(error));
  assert.equal(error.code, code);
  assert.match(error.message, pattern);
  return true;
};

/** node:sqlite takes its writes past node:fs; SQLite's own page limit is the full disk that both drivers know. */
function fillDisk(db: SqliteDatabase): void {
  const pages = Number(db.prepare('PRAGMA page_count').get()?.['page_count']);
  db.exec(`PRAGMA max_page_count = ${pages + 1}`);
}

for (const driver of availableDrivers()) {
  describe(`a SQLite database through ${driver}`, () => {
    const folder = scratchFolder();
    const open: SqliteDatabase[] = [];
    const file = () => join(folder(), 'state', 'a.db');
    const openOne = async (
      durability: 'full' | 'normal' = 'normal',
      path = file(),
      pageBytes?: 4096 | 16_384,
    ) => {
      const db = await openSqlite(path, {durability, driver, pageBytes});
      open.push(db);
      return db;
    };
    afterEach(() => open.splice(0).forEach((db) => db.close()));

    it('opens with the driver asked for', async () => {
      assert.equal((await openOne()).driver, driver);
    });

    it('gives the one row of a query, and names the query that found none', async () => {
      const db = await openOne();
      db.exec('CREATE TABLE t (a)');
      assert.equal(db.prepare<{n: number}>('SELECT count(*) AS n FROM t').one().n, 0);
      assert.throws(() => db.prepare('SELECT a FROM t').one(), /there is no row of SELECT a FROM t/);
    });

    it('makes a database of mode 0600 in a folder of mode 0700, write-ahead log included', async () => {
      const db = await openOne();
      db.exec('CREATE TABLE t (a)');
      const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
      assert.equal(mode(join(folder(), 'state')), '700');
      assert.equal(mode(file()), '600');
      assert.equal(mode(`${file()}-wal`), '600');
      assert.equal(existsSync(`${file()}-journal`), false);
    });

    it('writes the log of a killed process again before it is accepted, where power may fail', async () => {
      const db = await openOne('full');
      db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1), (zeroblob(3000000)), (2)');
      for (const durability of ['full', 'normal'] as const) {
        const killed = join(folder(), `${durability}.db`);
        for (const suffix of ['', '-wal']) copyFileSync(file() + suffix, killed + suffix);
        utimesSync(`${killed}-wal`, 1_000, 1_000);
        const before = readFileSync(`${killed}-wal`);
        const again = await openOne(durability, killed);
        assert.equal(statSync(`${killed}-wal`).mtimeMs > 1_000_000, durability === 'full');
        assert.ok(before.equals(readFileSync(`${killed}-wal`)), 'the same bytes');
        assert.equal(again.prepare('SELECT count(*) AS c FROM t').get()?.['c'], 3);
      }
    });

    it('leaves the permissions of a folder that was there', async () => {
      mkdirSync(join(folder(), 'state'), {mode: 0o755});
      chmodSync(join(folder(), 'state'), 0o755);
      await openOne();
      assert.equal(statSync(join(folder(), 'state')).mode & 0o777, 0o755);
    });

    it('runs in WAL mode with exclusive locking, synced as the durability says', async () => {
      const pragma = (db: SqliteDatabase, name: string) =>
        Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
      const full = await openOne('full');
      assert.equal(pragma(full, 'journal_mode'), 'wal');
      assert.equal(pragma(full, 'locking_mode'), 'exclusive');
      assert.equal(pragma(full, 'synchronous'), 2);
      const normal = await openOne('normal', join(folder(), 'b.db'));
      assert.equal(pragma(normal, 'synchronous'), 1);
      assert.equal(pragma(normal, 'foreign_keys'), 1);
    });

    for (const pageBytes of [4096, 16_384] as const)
      it(`begins with the very page of ${pageBytes} bytes that SQLite itself would write`, async () => {
        const db = await openOne('normal', file(), pageBytes);
        assert.equal(db.prepare('PRAGMA page_size').get()!['page_size'], pageBytes);
        db.exec('CREATE TABLE t (a); DROP TABLE t; VACUUM');
        db.close();
        const own = readFileSync(file());
        const ours = Buffer.from(emptyDatabase(pageBytes));
        for (const page of [own, ours]) page.fill(0, 24, 100); // counters, schema format, library version
        assert.deepEqual(own, ours);
      });

    it('keeps the pages that a file has, whatever size new ones are to have', async () => {
      const first = await openOne();
      first.exec('CREATE TABLE t (a)');
      first.close();
      const db = await openOne('normal', file(), 16_384);
      assert.equal(db.prepare('PRAGMA page_size').get()!['page_size'], 4096);
      assert.deepEqual(db.prepare('SELECT * FROM t').all(), []);
    });

    it('takes an empty file for a new database', async () => {
      const path = join(folder(), 'empty.db');
      writeFileSync(path, '');
      const db = await openOne('full', path);
      db.exec('CREATE TABLE t (a)');
    });

    it('keeps what was written', async () => {
      const db = await openOne();
      db.exec('CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)');
      assert.equal(db.prepare('INSERT INTO t (b) VALUES (?), (?)').run('one', 'two'), 2);
      db.close();
      const again = await openOne();
      assert.deepEqual(again.prepare('SELECT * FROM t ORDER BY a').all(), [
        {a: 1, b: 'one'},
        {a: 2, b: 'two'},
      ]);
    });

    describe('values', () => {
      const back = (db: SqliteDatabase, value: SqlValue) =>
        db.prepare('SELECT ? AS v, typeof(?) AS t').get(value, value);

      const cases: [string, SqlValue, SqlValue, string][] = [
        ['null', null, null, 'null'],
        ['a small integer', 5, 5, 'integer'],
        ['a large safe integer', 2 ** 53 - 1, 2 ** 53 - 1, 'integer'],
        ['a negative integer', -(2 ** 40), -(2 ** 40), 'integer'],
        ['a fraction', 1.5, 1.5, 'real'],
        ['a bigint that a number holds', 7n, 7, 'integer'],
        ['a bigint that none holds', 2n ** 53n, 2n ** 53n, 'integer'],
        ['the largest integer', 2n ** 63n - 1n, 2n ** 63n - 1n, 'integer'],
        ['the smallest integer', -(2n ** 63n), -(2n ** 63n), 'integer'],
        ['empty text', '', '', 'text'],
        ['text beyond ASCII', 'Zoë — 支払 🏦', 'Zoë — 支払 🏦', 'text'],
        ['text with a lone surrogate', 'a\ud800bcd', 'a\ufffdbcd', 'text'],
        ['bytes', new Uint8Array([0, 1, 255]), new Uint8Array([0, 1, 255]), 'blob'],
        ['no bytes', new Uint8Array(0), new Uint8Array(0), 'blob'],
      ];
      for (const [name, value, expected, type] of cases) {
        it(`returns ${name}`, async () => {
          assert.deepEqual(back(await openOne(), value), {v: expected, t: type});
        });
      }

      it('refuses what the drivers would not store alike', async () => {
        const db = await openOne();
        assert.throws(() => back(db, 'a\0b'), /NUL/);
        assert.throws(() => back(db, 2n ** 63n), RangeError);
        assert.throws(() => back(db, true as unknown as SqlValue), TypeError);
        assert.throws(() => back(db, undefined as unknown as SqlValue), TypeError);
      });

      it('returns any value, whatever was bound before', async () => {
        const db = await openOne();
        const text = fc.string({unit: 'grapheme'}).filter((value) => !value.includes('\0'));
        const value = fc.oneof(
          fc.constant(null),
          fc.maxSafeInteger(),
          fc.bigInt({min: -(2n ** 63n), max: 2n ** 63n - 1n}),
          fc.double({noNaN: true}).filter((number) => !Number.isInteger(number)),
          text,
          fc.uint8Array(),
        );
        fc.assert(
          fc.property(value, (stored) => {
            const expected =
              typeof stored === 'bigint' && Number.isSafeInteger(Number(stored)) ? Number(stored) : stored;
            assert.deepEqual(db.prepare('SELECT ? AS v').get(stored), {v: expected});
          }),
        );
      });

      it('stores a large integer with RETURNING exactly once', async () => {
        const db = await openOne();
        db.exec('CREATE TABLE t (a INTEGER)');
        assert.deepEqual(db.prepare('INSERT INTO t VALUES (?) RETURNING a').get(2n ** 60n), {a: 2n ** 60n});
        assert.deepEqual(db.prepare('SELECT count(*) AS n FROM t').get(), {n: 1});
      });
    });

    describe('statements', () => {
      it('gives undefined for no row, and ordinary objects for rows', async () => {
        const db = await openOne();
        assert.equal(db.prepare('SELECT 1 AS a WHERE 0').get(), undefined);
        assert.equal(Object.getPrototypeOf(db.prepare('SELECT 1 AS a').get()), Object.prototype);
      });

      it('names the current columns, whatever changed them', async () => {
        const db = await openOne();
        db.exec('CREATE TABLE c (a); INSERT INTO c VALUES (1)');
        const read = db.prepare('SELECT * FROM c');
        assert.deepEqual(read.get(), {a: 1});
        db.exec('ALTER TABLE c ADD COLUMN b DEFAULT 2');
        assert.deepEqual(read.get(), {a: 1, b: 2});
        db.prepare('ALTER TABLE c ADD COLUMN d DEFAULT 3').run();
        assert.deepEqual(read.get(), {a: 1, b: 2, d: 3});
        db.begin();
        db.prepare('ALTER TABLE c RENAME COLUMN a TO z').run();
        assert.deepEqual(read.get(), {z: 1, b: 2, d: 3});
        db.rollback();
        assert.deepEqual(read.get(), {a: 1, b: 2, d: 3});
      });

      it('forgets the parameters of the last call', async () => {
        const db = await openOne();
        const statement = db.prepare('SELECT ? AS a, ? AS b');
        statement.get(1, 2);
        assert.deepEqual(statement.get(3), {a: 3, b: null});
        assert.throws(() => statement.get(1, 2, 3));
      });

      it('can be used again after a broken constraint, which a caller can tell', async () => {
        const db = await openOne();
        db.exec('CREATE TABLE t (a INTEGER PRIMARY KEY)');
        const insert = db.prepare('INSERT INTO t VALUES (?)');
        insert.run(1);
        assert.throws(() => insert.run(1), isConstraintError);
        assert.equal(insert.run(2), 1);
      });

      it('ends a read that was left unfinished, so that the log can be written back', async () => {
        const db = await openOne();
        db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)');
        assert.deepEqual(db.prepare('SELECT a FROM t').get(), {a: 1});
        db.exec('INSERT INTO t VALUES (4)');
        const {busy, log, checkpointed} = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {};
        assert.deepEqual([busy, log, checkpointed], [0, 0, 0]);
      });

      it('passes an error of SQL on unchanged', async () => {
        const db = await openOne();
        assert.throws(
          () => db.prepare('SELEC 1'),
          (error: Error) => !(error instanceof RemitError) && /syntax error/.test(error.message),
        );
      });

      it('refuses double quotes for text, on both drivers alike', async () => {
        const db = await openOne();
        assert.throws(() => db.prepare('SELECT "nothing"'), /no such column/);
      });
    });

    describe('transactions', () => {
      const counted = (db: SqliteDatabase) => db.prepare('SELECT count(*) AS n FROM t').get()?.['n'];

      it('keeps all or nothing', async () => {
        const db = await openOne();
        db.exec('CREATE TABLE t (a)');
        const insert = db.prepare('INSERT INTO t VALUES (?)');
        assert.equal(
          db.transaction(() => insert.run(1) + insert.run(2)),
          2,
        );
        const trouble = new Error('no');
        assert.throws(
          () =>
            db.transaction(() => {
              insert.run(3);
              throw trouble;
            }),
          (error) => error === trouble,
        );
        assert.equal(counted(db), 2);
        assert.equal(db.inTransaction, false);
      });

      it('does not nest, and does not wait', async () => {
        const db = await openOne();
        db.exec('CREATE TABLE t (a)');
        assert.throws(() => db.transaction(() => db.transaction(() => 1)), /within a transaction/);
        assert.throws(() => db.transaction(() => Promise.resolve(1)), /cannot wait/);
        assert.equal(db.inTransaction, false);
      });

      it('says that the disk is full, keeps nothing of the change, and continues', async () => {
        const db = await openOne();
        db.exec('CREATE TABLE t (a)');
        fillDisk(db);
        const fill = db.prepare('INSERT INTO t VALUES (zeroblob(100000))');
        assert.throws(
          () => db.transaction(() => fill.run()),
          refusedWith('STATE', /a\.db: no space is left on its disk/),
        );
        assert.equal(db.inTransaction, false);
        db.exec('INSERT INTO t VALUES (1)');
        assert.equal(counted(db), 1);
      });

      it('is closed by a commit that fails, and reports why from then on', async () => {
        const db = await openOne();
        db.exec('CREATE TABLE t (a INTEGER PRIMARY KEY, b REFERENCES t (a) DEFERRABLE INITIALLY DEFERRED)');
        const statement = db.prepare('SELECT count(*) AS n FROM t');
        assert.throws(() => db.transaction(() => db.exec('INSERT INTO t VALUES (1, 99)')), isConstraintError);
        const closed = refusedWith('STATE', /a\.db was closed because a change could not be committed/);
        assert.throws(() => db.exec('SELECT 1'), closed);
        assert.throws(() => statement.get(), closed);
        assert.throws(() => db.prepare('SELECT 2'), closed);
        assert.throws(() => db.transaction(() => 1), closed);
        const again = await openOne();
        assert.equal(counted(again), 0);
      });
    });

    describe('trouble', () => {
      it('tells a file of something else from a database', async () => {
        const path = join(folder(), 'a.csv');
        writeFileSync(path, 'reference,amount\n'.repeat(400));
        await assert.rejects(
          openOne('full', path),
          refusedWith('STATE_DAMAGED', /a\.csv: it is not a remit database/),
        );
        assert.equal(readFileSync(path, 'utf8'), 'reference,amount\n'.repeat(400));
      });

      it('tells damage, and closes the file behind it', async () => {
        const db = await openOne();
        db.exec('CREATE TABLE t (a)');
        db.close();
        const bytes = readFileSync(file());
        bytes.fill(0xaa, 100, 2000);
        writeFileSync(file(), bytes);
        await assert.rejects(openOne(), refusedWith('STATE_DAMAGED', /a\.db: its contents are damaged/));
        assert.equal(existsSync(`${file()}.lock`), false);
      });

      it('tells a folder, and a path through a file', async () => {
        mkdirSync(join(folder(), 'd.db'));
        await assert.rejects(
          openOne('full', join(folder(), 'd.db')),
          refusedWith('STATE', /d\.db: it is a folder/),
        );
        writeFileSync(join(folder(), 'f'), '');
        await assert.rejects(
          openOne('full', join(folder(), 'f', 'a.db')),
          refusedWith('STATE', /a part of its path is a file/),
        );
      });

      it('refuses a file that another program left half changed', async () => {
        const db = await openOne();
        db.close();
        writeFileSync(`${file()}-journal`, 'hot');
        await assert.rejects(openOne(), refusedWith('STATE_DAMAGED', /another program was interrupted/));
      });

      it('clears the lock of its driver that a killed process left', async () => {
        (await openOne()).close();
        mkdirSync(`${file()}.lock`);
        await openOne();
      });

      it('can be closed twice, and is of no use then', async () => {
        const db = await openOne();
        db.close();
        db.close();
        assert.throws(() => db.exec('SELECT 1'), /is closed/);
        assert.equal(existsSync(`${file()}-wal`), false);
      });
    });
  });
}

describe('a SQLite database', () => {
  const folder = scratchFolder();

  it('refuses node:sqlite where this Node has none, naming the version that has', async function () {
    const path = join(folder(), 'a.db');
    if (availableDrivers().includes('node:sqlite')) {
      (await openSqlite(path, {durability: 'full', driver: 'node:sqlite'})).close();
      return;
    }
    await assert.rejects(
      openSqlite(path, {durability: 'full', driver: 'node:sqlite'}),
      refusedWith('USAGE', /no node:sqlite/),
    );
  });
});
