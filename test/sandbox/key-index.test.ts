import assert from 'node:assert/strict';
import {join} from 'node:path';
import fc from 'fast-check';
import {claimKey} from '../../src/sandbox/idempotency.ts';
import type {Context} from '../../src/sandbox/context.ts';
import {KEY_INDEX} from '../../src/sandbox/key-index.ts';
import {migrations} from '../../src/sandbox/migrations.ts';
import {openEmbeddedStore} from '../../src/store/embedded.ts';
import type {Store} from '../../src/store/port.ts';
import {availableDrivers} from '../../src/store/sqlite.ts';
import {scratchFolder} from '../store/scratch-folder.ts';

const TTL_MS = 1000;

for (const driver of availableDrivers())
  describe(`the index of idempotency keys through ${driver}`, () => {
    const folder = scratchFolder();
    let store: Store;
    let now = 0;
    const open = async (known = migrations('sqlite'), session: string | undefined = KEY_INDEX) => {
      store = await openEmbeddedStore(join(folder(), 'sandbox.db'), {
        durability: 'normal',
        driver,
        migrations: known,
        session,
      });
    };
    const context = () =>
      ({store, clock: {now: () => now}, rules: {idempotencyTtlMs: TTL_MS}}) as unknown as Context;
    const scopeOf = (key: string, entityId = 'e', operation = 'payouts.create') => ({
      entityId,
      operation,
      key,
    });
    const claim = (key: string, id: string, fails = false) =>
      store.write(async (queries) => {
        const known = await claimKey(queries, context(), scopeOf(key), {id, bodyHash: ''});
        if (fails) throw new Error('refused');
        return known?.id;
      });
    afterEach(() => store.close());

    it('finds the keys of a store that is older than it', async () => {
      await open(migrations('sqlite').slice(0, 5), '');
      for (const [entity, operation, id] of [
        ['e', 'payouts.create', '1'],
        ['e', 'payins.create', '2'],
        ['other', 'payouts.create', '3'],
      ] as const)
        await store.write((queries) =>
          queries.run('insert into idempotency_keys values (?, ?, ?, ?, ?, ?)', [
            entity,
            operation,
            'key',
            id,
            '',
            now,
          ]),
        );
      await store.close();
      await open();
      assert.equal(await claim('key', '4'), '1');
      const other = await store.write((queries) =>
        claimKey(queries, context(), scopeOf('key', 'other'), {id: '5', bodyHash: ''}),
      );
      assert.equal(other?.id, '3');
    });

    it('knows what a plain map knows, whatever is claimed, refused, forgotten, emptied and opened anew', async () => {
      await open();
      const step = fc.oneof(
        {weight: 8, arbitrary: fc.record({key: fc.constantFrom('a', 'b', 'c', 'd'), fails: fc.boolean()})},
        {weight: 1, arbitrary: fc.constant('reopen' as const)},
        {weight: 1, arbitrary: fc.constant('empty' as const)},
        {weight: 2, arbitrary: fc.constant('pass' as const)},
        {weight: 2, arbitrary: fc.constant('together' as const)},
      );
      let made = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, {maxLength: 30}), async (steps) => {
          await store.write((queries) => queries.run('delete from idempotency_keys'));
          const model = new Map<string, {id: string; ms: number}>();
          const expected = (key: string) => {
            const known = model.get(key);
            return known && known.ms + TTL_MS > now ? known.id : undefined;
          };
          const take = async (key: string, fails: boolean) => {
            const id = String(++made);
            const before = expected(key);
            if (before === undefined && !fails) model.set(key, {id, ms: now});
            const found = await claim(key, id, fails).catch(() => 'refused');
            assert.equal(found, fails ? 'refused' : before);
          };
          for (const what of steps) {
            if (what === 'pass') now += TTL_MS / 2;
            else if (what === 'empty') {
              model.clear();
              await store.write((queries) => queries.run('delete from idempotency_keys'));
            } else if (what === 'reopen') {
              await store.close();
              await open();
            } else if (what === 'together')
              await Promise.all([take('a', false), take('e', true), take('a', false), take('b', false)]);
            else await take(what.key, what.fails);
          }
          const rows = await store.read((queries) =>
            queries.all('select distinct key from idempotency_keys'),
          );
          const all = await store.read((queries) => queries.all('select key from idempotency_keys'));
          assert.equal(all.length, rows.length, 'a key stands once');
        }),
        {numRuns: 40},
      );
    });
  });
