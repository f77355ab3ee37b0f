import assert from 'node:assert/strict';
import {existsSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import fc from 'fast-check';
import type {RemitError} from '../../../src/errors.ts';
import {openEmbeddedStore} from '../../../src/store/sqlite/embedded.ts';
import {acquireLock} from '../../../src/store/locks/lock.ts';
import type {Queries, Store} from '../../../src/store/port/port.ts';
import {scratchFolder} from '../scratch-folder.ts';
import {systemProbe} from '../../../src/store/locks/lock-holder.ts';
import {availableDrivers, isConstraintError} from '../drivers.ts';

/** A lock is not broken while its holder is seen to live. */
const ELSEWHERE = {...systemProbe, host: 'another machine'};

const MIGRATIONS = [{name: '001', sql: 'CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER NOT NULL) STRICT'}];

for (const driver of availableDrivers()) {
  describe(`the embedded store through ${driver}`, () => {
    const folder = scratchFolder();
    const file = () => join(folder(), 'sandbox.db');
    let store: Store;
    const open = () => openEmbeddedStore(file(), {durability: 'normal', driver, migrations: MIGRATIONS});
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const add = (id: number, v = 0) =>
      store.write((queries) => queries.run('INSERT INTO t VALUES (?, ?)', [id, v]));
    const ids = async (queries: Queries) =>
      (await queries.all('SELECT id FROM t ORDER BY id')).map(({id}) => id);

    it('keeps what was written, and gives its lock and files back', async () => {
      assert.equal(await add(1), 1);
      await store.close();
      await store.close();
      assert.deepEqual(readdirSync(folder()), ['sandbox.db']);
      store = await open();
      assert.deepEqual(await store.read(ids), [1]);
    });

    it('refuses a second opening, and leaves the first one unharmed', async () => {
      await assert.rejects(
        open(),
        (error: RemitError) => error.code === 'LOCKED' && /is already running/.test(error.message),
      );
      await add(1);
    });

    it('gives the lock back when opening fails', async () => {
      await store.close();
      await assert.rejects(
        openEmbeddedStore(file(), {durability: 'normal', driver, migrations: []}),
        /newer version/,
      );
      assert.equal(existsSync(`${file()}-lock`), false);
      store = await open();
    });

    it('commits writes of one turn together, each promise after the common commit', async () => {
      const order: string[] = [];
      const writes = [1, 2, 3].map((id) =>
        store
          .write(async (queries) => {
            order.push(`work ${id}`);
            await queries.run('INSERT INTO t VALUES (?, 0)', [id]);
          })
          .then(() => order.push(`done ${id}`)),
      );
      await Promise.all(writes);
      assert.deepEqual(order, ['work 1', 'work 2', 'work 3', 'done 1', 'done 2', 'done 3']);
    });

    it('waits with the commit for as long as each turn brings another write', async () => {
      const order: string[] = [];
      const write = (id: number) =>
        store
          .write(async (queries) => {
            order.push(`work ${id}`);
            await queries.run('INSERT INTO t VALUES (?, 0)', [id]);
          })
          .then(() => order.push(`done ${id}`));
      const later = new Promise<void>((resolve, reject) =>
        setImmediate(() => {
          const two = write(2);
          setImmediate(() => void Promise.all([two, write(3)]).then(() => resolve(), reject));
        }),
      );
      await Promise.all([write(1), later]);
      assert.deepEqual(order, ['work 1', 'work 2', 'work 3', 'done 1', 'done 2', 'done 3']);
    });

    it('waits at most a few turns, however many writes and reads arrive', async () => {
      let turn = 0;
      let committedAt = Infinity;
      const others: Promise<unknown>[] = [add(1).then(() => (committedAt = turn))];
      for (turn = 1; turn <= 100; turn++) {
        others.push(turn > 60 && turn % 3 === 0 ? store.read(ids) : add(turn + 1));
        await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all(others);
      assert.ok(committedAt <= 15, `committed after ${committedAt} turns`);
    });

    it('rolls back only the write that fails, in a group and by itself', async () => {
      await add(9);
      const [one, two, three] = await Promise.allSettled([
        add(1),
        store.write(async (queries) => {
          await queries.run('INSERT INTO t VALUES (2, 0)');
          await queries.run('INSERT INTO t VALUES (9, 0)');
        }),
        add(3),
      ]);
      assert.equal(one.status, 'fulfilled');
      assert.ok(two.status === 'rejected' && isConstraintError(two.reason));
      assert.equal(three.status, 'fulfilled');
      await assert.rejects(add(9), isConstraintError);
      assert.deepEqual(await store.read(ids), [1, 3, 9]);
    });

    it('runs a group again if one throws after a change, and then for a while each of them separately', async () => {
      await add(9);
      const runs = new Map<number, number>();
      const write = (id: number, fails: 'before' | 'after' | 'never') =>
        store.write(async (queries) => {
          runs.set(id, (runs.get(id) ?? 0) + 1);
          if (fails === 'before') throw new Error('before');
          await queries.run('INSERT INTO t VALUES (?, 0)', [id]);
          if (fails === 'after') throw new Error('after');
        });
      await Promise.allSettled([write(1, 'never'), write(2, 'before'), write(3, 'never')]);
      assert.deepEqual([...runs.values()], [1, 1, 1], 'nothing was changed: nothing is to be undone');
      await Promise.allSettled([write(4, 'never'), write(5, 'after'), write(6, 'never')]);
      await Promise.allSettled([write(7, 'never'), write(8, 'after'), write(10, 'never')]);
      assert.deepEqual(
        [4, 5, 6, 7, 8, 10].map((id) => runs.get(id)),
        [2, 2, 1, 1, 1, 1],
      );
      assert.deepEqual(await store.read(ids), [1, 3, 4, 6, 7, 9, 10]);
    });

    it('runs writes one after the other, although each of them waits', async () => {
      const increment = () =>
        store.write(async (queries) => {
          const row = await queries.get('SELECT v FROM t WHERE id = 1');
          await new Promise((resolve) => setImmediate(resolve));
          await queries.run('UPDATE t SET v = ? WHERE id = 1', [Number(row?.['v']) + 1]);
        });
      await add(1);
      await Promise.all(Array.from({length: 50}, increment));
      assert.deepEqual(await store.read((queries) => queries.get('SELECT v FROM t')), {v: 50});
    });

    it('shows readers only what is committed, of one moment', async () => {
      await add(1);
      let seen: unknown;
      const write = store.write(async (queries) => {
        await queries.run('UPDATE t SET v = 1');
        seen = store.read((reader) => reader.get('SELECT v FROM t'));
        await new Promise((resolve) => setImmediate(resolve));
        await queries.run('UPDATE t SET v = 2');
      });
      await write;
      assert.deepEqual(await seen, {v: 2});
      const twice = store.read(async (queries) => {
        const before = await queries.get('SELECT v FROM t');
        await new Promise((resolve) => setImmediate(resolve));
        return [before, await queries.get('SELECT v FROM t')];
      });
      const later = store.write((queries) => queries.run('UPDATE t SET v = 3'));
      assert.deepEqual(await twice, [{v: 2}, {v: 2}]);
      await later;
    });

    it('answers a reader and a writer although others fail', async () => {
      await assert.rejects(
        store.read(async () => {
          throw new Error('reader');
        }),
        /reader/,
      );
      await assert.rejects(
        store.write(async () => {
          throw new Error('writer');
        }),
        /writer/,
      );
      await add(1);
    });

    it('refuses a query of work that ended: it would become part of another change', async () => {
      let late: Queries | undefined;
      await store.write(async (queries) => {
        late = queries;
      });
      await assert.rejects(late!.run('INSERT INTO t VALUES (1, 1)'), /is an await missing/);
      assert.deepEqual(await store.read(ids), []);
    });

    it('finishes what waits when it is closed, and refuses what comes after', async () => {
      const last = add(1);
      const closed = store.close();
      await assert.rejects(add(2), /the store is closed/);
      assert.equal(await last, 1);
      await closed;
      store = await open();
      assert.deepEqual(await store.read(ids), [1]);
    });

    it('rejects the whole group when the commit fails, and everything after it', async () => {
      await store.write((queries) =>
        queries.run('CREATE TABLE d (a REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED)'),
      );
      const group = await Promise.allSettled([
        add(1),
        store.write((queries) => queries.run('INSERT INTO d VALUES (77)')),
        add(2),
      ]);
      assert.deepEqual(
        group.map(({status}) => status),
        ['rejected', 'rejected', 'rejected'],
      );
      await assert.rejects(add(3), (error: RemitError) => error.code === 'STATE');
      await assert.rejects(store.read(ids), (error: RemitError) => error.code === 'STATE');
      await store.close();
      store = await open();
      assert.deepEqual(await store.read(ids), []);
    });

    it('rejects the whole group when the disk is full, and continues', async () => {
      await store.write(async (queries) => {
        await queries.run('CREATE TABLE big (b BLOB)');
        const pages = Number((await queries.get('PRAGMA page_count'))?.['page_count']);
        await queries.get(`PRAGMA max_page_count = ${pages + 2}`);
      });
      const group = await Promise.allSettled([
        add(1),
        store.write((queries) => queries.run('INSERT INTO big VALUES (zeroblob(100000))')),
        add(2),
      ]);
      for (const end of group)
        assert.ok(end.status === 'rejected' && (end.reason as RemitError).code === 'STATE');
      await add(3);
      assert.deepEqual(await store.read(ids), [3]);
    });

    it('stops at the heartbeat that finds its lock taken', async () => {
      await store.close();
      let beat = () => {};
      const schedule = (given: () => void) => {
        beat = given;
        return () => {};
      };
      store = await openEmbeddedStore(file(), {
        durability: 'normal',
        driver,
        migrations: MIGRATIONS,
        schedule,
      });
      await add(1);
      const thief = await acquireLock(`${file()}-lock`, {
        purpose: 'A thief',
        breakLock: true,
        probe: ELSEWHERE,
      });
      beat();
      await assert.rejects(add(2), (error: RemitError) => error.code === 'LOCKED');
      await assert.rejects(store.read(ids), (error: RemitError) => error.code === 'LOCKED');
      await store.close();
      thief.assertHeld();
      await thief.release();
      store = await open();
      assert.deepEqual(await store.read(ids), [1]);
    });

    it('gives the same end as one write after the other, whatever fails in between', async () => {
      const step = fc.record({id: fc.nat(12), v: fc.nat(9), fails: fc.boolean(), waits: fc.boolean()});
      await fc.assert(
        fc.asyncProperty(fc.array(step, {maxLength: 30}), async (steps) => {
          await store.write((queries) => queries.run('DELETE FROM t'));
          const expected = new Map<number, number>();
          for (const {id, v, fails} of steps) if (!fails) expected.set(id, (expected.get(id) ?? 0) + v);
          const ends = await Promise.allSettled(
            steps.map(({id, v, fails, waits}) =>
              store.write(async (queries) => {
                await queries.run(
                  'INSERT INTO t VALUES (?, ?) ON CONFLICT DO UPDATE SET v = v + excluded.v',
                  [id, v],
                );
                if (waits) await new Promise((resolve) => setImmediate(resolve));
                if (fails) throw new Error('as asked');
              }),
            ),
          );
          assert.deepEqual(
            ends.map(({status}) => status === 'rejected'),
            steps.map(({fails}) => fails),
          );
          const rows = await store.read((queries) => queries.all('SELECT id, v FROM t ORDER BY id'));
          assert.deepEqual(
            rows,
            [...expected].sort(([a], [b]) => a - b).map(([id, v]) => ({id, v})),
          );
        }),
        {numRuns: 40},
      );
    });
  });
}
