import assert from 'node:assert/strict';
import {join} from 'node:path';
import fc from 'fast-check';
import type {RemitError} from '../../../src/errors.ts';
import {openEmbeddedStore} from '../../../src/store/sqlite/embedded.ts';
import type {Queries, SqlValue, Store} from '../../../src/store/port/port.ts';
import {scratchFolder} from '../scratch-folder.ts';
import {availableDrivers, isConstraintError} from '../drivers.ts';

const MIGRATIONS = [
  {
    name: '001',
    sql: `create table t (id integer primary key, v integer not null, word text not null) strict;
      create table other (id integer primary key) strict`,
  },
];
const INSERT = "insert into t (id, v, word) values (?, ?, 'it''s')";

for (const driver of availableDrivers())
  describe(`rows that are written together through ${driver}`, () => {
    const folder = scratchFolder();
    let store: Store;
    beforeEach(async () => {
      const options = {durability: 'normal', driver, migrations: MIGRATIONS, together: ['t']} as const;
      store = await openEmbeddedStore(join(folder(), 'sandbox.db'), options);
    });
    afterEach(() => store.close());

    const insert = (queries: Queries, id: SqlValue, v: SqlValue = 0) => queries.run(INSERT, [id, v]);
    const add = (id: SqlValue, v?: SqlValue) => store.write((queries) => insert(queries, id, v));
    const idsOf = async (queries: Queries) =>
      (await queries.all('select id from t order by id')).map(({id}) => id);
    const ids = () => store.read(idsOf);
    const ends = async (...writes: Promise<unknown>[]) =>
      (await Promise.allSettled(writes)).map((end) =>
        end.status === 'fulfilled'
          ? end.value
          : isConstraintError(end.reason)
            ? 'refused'
            : String(end.reason),
      );

    it('wait, and are visible to a query that names their table and after the commit', async () => {
      const written = async (queries: Queries) => (await queries.get('select total_changes() as n'))?.['n'];
      const before = await store.read(written);
      const came = await ends(
        add(1),
        add(2),
        store.write(written),
        store.write((queries) => queries.run('UPDATE T set v = 7 where id = 2')),
        store.write(written),
        store.write(idsOf),
        add(3),
      );
      assert.deepEqual(came, [1, 1, before, 1, Number(before) + 3, [1, 2], 1]);
      const rows = await store.glance('select * from t order by id');
      assert.deepEqual(
        rows.map(({id, v, word}) => [id, v, word]),
        [1, 2, 3].map((id) => [id, id === 2 ? 7 : 0, "it's"]),
      );
    });

    it('are all there, however many come at once', async () => {
      for (const many of [2, 31, 32, 77]) {
        await store.write((queries) => queries.run('delete from t'));
        await Promise.all(Array.from({length: many}, (_, id) => add(id)));
        assert.deepEqual(
          await ids(),
          Array.from({length: many}, (_, id) => id),
        );
      }
    });

    it('are refused only to the writer of the row', async () => {
      await add(1);
      const came = await ends(add(2), add(1), add(3), add('no number'), add(4));
      assert.deepEqual([came[0], came[1], came[2], came[4]], [1, 'refused', 1, 1]);
      assert.match(String(came[3]), /refused|datatype|TEXT/);
      assert.deepEqual(await ids(), [1, 2, 3, 4]);
    });

    it('are refused to the one whose they are, where another comes upon them and continues', async () => {
      await add(1);
      const carefree = () =>
        store.write(async (queries) => {
          await queries.run('insert into other (id) values (1)');
          return idsOf(queries).catch(() => 'nothing');
        });
      assert.deepEqual(await ends(add(2), add(1), carefree(), add(3)), [1, 'refused', [1, 2], 1]);
      assert.deepEqual(await ids(), [1, 2, 3]);
    });

    it('are rejected together when the disk is full, and the store continues', async () => {
      await store.write(async (queries) => {
        const pages = Number((await queries.get('PRAGMA page_count'))?.['page_count']);
        await queries.get(`PRAGMA max_page_count = ${pages}`);
      });
      const group = await Promise.allSettled(Array.from({length: 400}, (_, id) => add(id)));
      for (const end of group)
        assert.ok(end.status === 'rejected' && (end.reason as RemitError).code === 'STATE');
      await add(1);
      assert.deepEqual(await ids(), [1]);
    });

    it('are those of their own group: none is left of one that was undone', async () => {
      const failing = () =>
        store.write(async (queries) => {
          await insert(queries, 2);
          throw new Error('as asked');
        });
      assert.deepEqual(await ends(add(1), failing()), [1, 'Error: as asked']);
      assert.deepEqual(await ends(add(3), add(4)), [1, 1]);
      assert.deepEqual(await ids(), [1, 3, 4]);
    });

    it('come to the same as rows that are written one by one, whatever is in between', async () => {
      const step = fc.record({
        what: fc.constantFrom('insert', 'insert', 'insert', 'read', 'delete', 'elsewhere'),
        id: fc.nat(6),
        fails: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(fc.array(step, {maxLength: 12}), {maxLength: 4}), async (groups) => {
          await store.write((queries) => queries.run('delete from t'));
          const model = new Set<number>();
          for (const steps of groups) {
            const expected = steps.map(({what, id, fails}) => {
              if (what === 'insert' && model.has(id)) return 'refused';
              const found = what === 'read' ? [...model].sort() : 1;
              if (fails) return 'Error: as asked';
              if (what === 'insert') model.add(id);
              if (what === 'delete') model.delete(id);
              return found;
            });
            const came = await ends(
              ...steps.map(({what, id, fails}) =>
                store.write(async (queries) => {
                  let found: unknown = 1;
                  if (what === 'insert') await insert(queries, id);
                  else if (what === 'read') found = await idsOf(queries);
                  else if (what === 'delete') await queries.run('delete from t where id = ?', [id]);
                  else await queries.run('insert into other (id) values (?) on conflict do nothing', [id]);
                  if (fails) throw new Error('as asked');
                  return found;
                }),
              ),
            );
            assert.deepEqual(came, expected);
            assert.deepEqual(await ids(), [...model].sort());
          }
        }),
        {numRuns: 60},
      );
    });
  });
