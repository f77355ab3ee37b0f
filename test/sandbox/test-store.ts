import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {dropSchema, inSchema, postgresAddress} from '../store/postgres/postgres-server.ts';

/** An empty store of its own for one test, and its end. */
export interface TestStore {
  /** What `createSandbox` takes: a file, or an address. */
  place: string;
  drop(): Promise<void>;
}

/** The suite runs on files, and with REMIT_TEST_STORE=postgres (`npm run test:postgres`) on PostgreSQL. */
export const onPostgres = process.env['REMIT_TEST_STORE'] === 'postgres';

export const testStore = (): Promise<TestStore> => (onPostgres ? postgresStore() : fileStore());

export async function fileStore(): Promise<TestStore> {
  const folder = mkdtempSync(join(tmpdir(), 'remit-sandbox-'));
  return {
    place: join(folder, 'sandbox.db'),
    drop: async () => rmSync(folder, {recursive: true, force: true}),
  };
}

let made = 0;

export async function postgresStore(): Promise<TestStore> {
  const address = await postgresAddress();
  if (address === undefined)
    throw new Error(
      'PostgreSQL is not installed: neither PATH nor /usr/lib/postgresql has initdb and postgres',
    );
  const schema = `test_${process.pid}_${++made}`;
  return {place: inSchema(address, schema), drop: () => dropSchema(address, schema)};
}
