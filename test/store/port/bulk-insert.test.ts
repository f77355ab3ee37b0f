import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {BulkInsert} from '../../../src/store/port/bulk-insert.ts';
import {openSqlite} from '../../../src/store/sqlite/sqlite.ts';
import {availableDrivers} from '../drivers.ts';

describe('the insertion of many rows', () => {
  const folder = mkdtempSync(join(tmpdir(), 'remit-bulk-'));
  after(() => rmSync(folder, {recursive: true, force: true}));

  for (const driver of availableDrivers())
    it(`puts in every row once, in order, however many there are, with ${driver}`, async () => {
      const db = await openSqlite(join(folder, `${driver.replace(':', '-')}.db`), {
        durability: 'normal',
        driver,
      });
      db.exec('create table pairs (a integer primary key, b text, c integer)');
      const insert = new BulkInsert(db, {
        head: 'insert into pairs (a, b, c)',
        row: '(?, ?, 7)',
        tail: 'on conflict (a) do update set b = excluded.b',
      });
      for (const count of [0, 1, 15, 16, 17, 48, 50]) {
        db.exec('delete from pairs');
        const numbers = Array.from({length: count}, (_, i) => i);
        insert.run(numbers.flatMap((n) => [n, `old ${n}`]));
        insert.run(numbers.flatMap((n) => [n, `row ${n}`]));
        assert.deepEqual(
          db.prepare('select a, b, c from pairs order by a').all(),
          numbers.map((n) => ({a: n, b: `row ${n}`, c: 7})),
        );
      }
      db.close();
    });

  for (const driver of availableDrivers())
    it(`binds what the rows share once, wherever it is, with ${driver}`, async () => {
      const db = await openSqlite(join(folder, `shared-${driver.replace(':', '-')}.db`), {
        durability: 'normal',
        driver,
      });
      db.exec('create table shared (a, b, c, d, e)');
      const insert = new BulkInsert(db, {
        head: 'insert into shared (a, b, c, d, e)',
        row: '($2, ?, $1, ?, $2)',
      });
      const numbers = Array.from({length: 37}, (_, i) => i);
      insert.run(
        numbers.flatMap((n) => [n, `row ${n}`]),
        ['one', 'two'],
      );
      assert.deepEqual(
        db.prepare('select a, b, c, d, e from shared order by b').all(),
        numbers.map((n) => ({a: 'two', b: n, c: 'one', d: `row ${n}`, e: 'two'})),
      );
      db.close();
    });
});
