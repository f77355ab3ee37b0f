import assert from 'node:assert/strict';
import {readdirSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {RemitError} from '../../../src/errors.ts';
import {openEmbeddedStore} from '../../../src/store/sqlite/embedded.ts';
import type {Copy, Queries, Store} from '../../../src/store/port/port.ts';
import {scratchFolder} from '../scratch-folder.ts';
import {availableDrivers} from '../drivers.ts';

const MIGRATIONS = [{name: '001', sql: 'CREATE TABLE t (id INTEGER PRIMARY KEY)'}];

for (const driver of availableDrivers()) {
  describe(`copies of a store through ${driver}`, () => {
    const folder = scratchFolder();
    const file = () => join(folder(), "sand'box.db");
    let store: Store;
    const open = () => openEmbeddedStore(file(), {durability: 'normal', driver, migrations: MIGRATIONS});
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const add = (id: number) => store.write((queries) => queries.run('INSERT INTO t VALUES (?)', [id]));
    const ids = async () => (await store.glance('SELECT id FROM t ORDER BY id')).map(({id}) => id);
    const restore = async (queries: Queries, copy: Copy) => {
      await queries.run('DELETE FROM t');
      await queries.run(`INSERT INTO t SELECT * FROM ${copy.of('t')}`);
    };

    it('contain every table as of one moment, and can be read repeatedly', async () => {
      await add(1);
      const copied = store.saveCopy('one');
      await Promise.all([copied, add(2)]);
      assert.deepEqual(await ids(), [1, 2]);
      for (let round = 0; round < 3; round += 1) {
        const tables = await store.writeFromCopy('one', async (queries, copy) => {
          await restore(queries, copy);
          return copy.tables;
        });
        assert.deepEqual(tables, ['remit_migrations', 't']);
        assert.deepEqual(await ids(), [1]);
        await add(9);
      }
      await store.close();
      store = await open();
      assert.deepEqual(await ids(), [1, 9]);
    });

    it('are files of their owner, and leave nothing else behind', async () => {
      await store.saveCopy('one');
      await store.saveCopy('one');
      await store.writeFromCopy('one', restore);
      const place = `${file()}-checkpoints`;
      assert.deepEqual(readdirSync(place), ['one.db']);
      assert.equal(statSync(join(place, 'one.db')).mode & 0o777, 0o600);
      assert.equal(statSync(place).mode & 0o777, 0o700);
    });

    it('change nothing when the work with them fails', async () => {
      await store.saveCopy('empty');
      await add(1);
      const broken = async (queries: Queries, copy: Copy) => {
        await restore(queries, copy);
        throw new Error('broken');
      };
      await assert.rejects(store.writeFromCopy('empty', broken), /broken/);
      assert.deepEqual(await ids(), [1]);
      await store.writeFromCopy('empty', restore);
      assert.deepEqual(await ids(), []);
    });

    it('are refused if they are missing, damaged, or have no name', async () => {
      const refused = (code: string) => (error: RemitError) => error.code === code;
      await assert.rejects(store.writeFromCopy('none', restore), refused('STATE'));
      await store.saveCopy('bad');
      writeFileSync(join(`${file()}-checkpoints`, 'bad.db'), 'this is no database at all'.repeat(500));
      await assert.rejects(store.writeFromCopy('bad', restore), refused('STATE_DAMAGED'));
      await assert.rejects(store.saveCopy('../up'), TypeError);
      await add(1);
      assert.deepEqual(await ids(), [1]);
    });
  });
}
