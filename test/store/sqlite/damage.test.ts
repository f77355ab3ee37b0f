import assert from 'node:assert/strict';
import {
  closeSync,
  existsSync,
  openSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import {join} from 'node:path';
import type {RemitError} from '../../../src/errors.ts';
import {openEmbeddedStore} from '../../../src/store/sqlite/embedded.ts';
import {scratchFolder} from '../scratch-folder.ts';
import {availableDrivers} from '../drivers.ts';

const MIGRATIONS = [{name: '001', sql: 'CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT NOT NULL) STRICT'}];
const PAGE = 4096;

for (const driver of availableDrivers()) {
  describe(`a damaged store through ${driver}`, () => {
    const folder = scratchFolder();
    const file = () => join(folder(), 'sandbox.db');
    const open = () => openEmbeddedStore(file(), {durability: 'normal', driver, migrations: MIGRATIONS});

    beforeEach(async () => {
      const store = await open();
      await store.write(async (queries) => {
        for (let id = 0; id < 500; id += 1)
          await queries.run('INSERT INTO t VALUES (?, ?)', [id, `row ${id} `.repeat(20)]);
      });
      await store.close();
    });

    const refusesAndCanBeMended = async () => {
      let hint: string | undefined;
      await assert.rejects(open(), (error: RemitError) => {
        ({hint} = error);
        return error.code === 'STATE_DAMAGED' && error.message.includes(file());
      });
      assert.ok(hint);
      assert.equal(existsSync(`${file()}-lock`), false, 'the lock is given back');
      renameSync(file(), `${file()}.damaged`); // what the hint says
      const store = await open();
      assert.deepEqual(await store.read((queries) => queries.all('SELECT * FROM t')), []);
      await store.close();
    };

    it('is refused when a page in its middle was overwritten', async () => {
      const descriptor = openSync(file(), 'r+');
      const pages = statSync(file()).size / PAGE;
      assert.ok(pages > 10);
      writeSync(descriptor, Buffer.alloc(PAGE, 0x5a), 0, PAGE, Math.floor(pages / 2) * PAGE);
      closeSync(descriptor);
      await refusesAndCanBeMended();
    });

    it('is refused when its end is missing', async () => {
      truncateSync(file(), Math.floor(statSync(file()).size / 2 / PAGE) * PAGE);
      await refusesAndCanBeMended();
    });

    it('does not play a WAL that was left behind into a new database', async () => {
      renameSync(file(), `${file()}.away`);
      writeFileSync(`${file()}-wal`, Buffer.alloc(PAGE, 1));
      const store = await open();
      assert.deepEqual(await store.read((queries) => queries.all('SELECT * FROM t')), []);
      await store.close();
    });
  });
}
