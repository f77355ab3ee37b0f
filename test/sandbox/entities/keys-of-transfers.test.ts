import assert from 'node:assert/strict';
import {join} from 'node:path';
import {migrations} from '../../../src/sandbox/migrations/list.ts';
import type {TransferKind} from '../../../src/sandbox/records/transfer.ts';
import {openEmbeddedStore} from '../../../src/store/sqlite/embedded.ts';
import type {Migration} from '../../../src/store/port/migrate.ts';
import type {Store} from '../../../src/store/port/port.ts';
import {openPostgresStore} from '../../../src/store/postgres/postgres.ts';
import {scratchFolder} from '../../store/scratch-folder.ts';
import {onPostgres, postgresStore, type TestStore} from '../test-store.ts';
import {keyIndexFor} from '../../../src/sandbox/entities/remembered-keys.ts';
import {availableDrivers} from '../../store/drivers.ts';

/** The table of keys as it was, and what of it stands in a store that is opened today. */
function suite(
  name: string,
  dialect: Store['dialect'],
  open: (known: readonly Migration[]) => Promise<Store>,
) {
  describe(`idempotency keys of an older store, ${name}`, () => {
    const keyIndex = keyIndexFor(dialect);
    let store: Store;
    afterEach(() => store.close());

    async function upgraded(from: number): Promise<void> {
      store = await open(migrations(dialect).slice(0, from));
      await store.write(async (queries) => {
        for (const id of ['e', 'other'])
          await queries.run('insert into entities (id, mode, name, created_ms) values (?, ?, ?, 0)', [
            id,
            'test',
            id,
          ]);
        for (const [entity, kind, id] of RECORDS)
          await queries.run(
            `insert into transfers (entity_id, kind, id, party_id, method_id, status, amount, currency_code, country_code,
               rail, parties, client_metadata, attempts, created_ms, updated_ms, status_ms)
             values (?, ?, ?, 'p', 'm', 'created', 1, 'USD', 'US', 'wire', '{}', '{}', 0, 0, 0, 0)`,
            [entity, kind, id],
          );
        for (const [entity, operation, key, id, hash] of KEYS)
          await queries.run(
            `insert into idempotency_keys (entity_id, operation, key, record_id, body_hash, created_ms)
             values (?, ?, ?, ?, ?, 0)`,
            [entity, operation, key, id, hash],
          );
      });
      await store.close();
      store = await open(migrations(dialect));
      await store.read((queries) => keyIndex.begin(queries));
    }
    const bearer = async (entityId: string, kind: TransferKind, key: string) => {
      const found = await store.read((queries) => keyIndex.find(queries, {entityId, kind, key}));
      return found && [found.id, found.bodyHash];
    };

    for (const from of [5, 6])
      it(`are kept with their records in a store with ${from} earlier migrations`, async () => {
        await upgraded(from);
        assert.deepEqual(await bearer('e', 'payout', 'one'), ['1', null]);
        assert.deepEqual(await bearer('e', 'payin', 'one'), ['2', 'hash']);
        assert.deepEqual(await bearer('other', 'payout', 'two'), ['1', null]);
        assert.equal(await bearer('e', 'payout', 'gone'), undefined, 'its record is gone');
        assert.equal(await bearer('other', 'payout', 'one'), undefined);
        const bare = await store.glance('select id from transfers where idempotency_key is null');
        assert.deepEqual(bare, [{id: '3'}]);
      });
  });
}

const RECORDS = [
  ['e', 'payout', '1'],
  ['e', 'payin', '2'],
  ['other', 'payout', '1'],
  ['e', 'payout', '3'],
] as const;
const KEYS = [
  ['e', 'payouts.create', 'one', '1', ''],
  ['e', 'payins.create', 'one', '2', 'hash'],
  ['other', 'payouts.create', 'two', '1', ''],
  ['e', 'payouts.create', 'gone', '9', ''],
] as const;

if (onPostgres)
  describe('PostgreSQL', () => {
    let place: TestStore;
    beforeEach(async () => {
      place = await postgresStore();
    });
    afterEach(() => place.drop());
    suite('in a database', 'postgres', (known) => openPostgresStore(place.place, {migrations: known}));
  });
else
  for (const driver of availableDrivers())
    describe(driver, () => {
      const folder = scratchFolder();
      suite('in a file', 'sqlite', (known) =>
        openEmbeddedStore(join(folder(), 'sandbox.db'), {durability: 'normal', driver, migrations: known}),
      );
    });
