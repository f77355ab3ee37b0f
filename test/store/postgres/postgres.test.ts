import assert from 'node:assert/strict';
import type {RemitError} from '../../../src/errors.ts';
import type {Store} from '../../../src/store/port/port.ts';
import {openPostgresStore} from '../../../src/store/postgres/postgres.ts';
import {toPostgres} from '../../../src/store/postgres/sql.ts';
import {isPostgresUrl, readPostgresUrl} from '../../../src/store/postgres/url.ts';
import {dropSchema, inSchema, postgresAddress, skippedWithoutPostgres} from './postgres-server.ts';

const FIRST = {
  name: '001-first',
  sql: `create table t (id bigint primary key, v text, b bytea);
    create table counters (name text primary key, n bigint not null);
    insert into counters (name, n) values ('a', 0)`,
};

describe('the address of a PostgreSQL store', () => {
  it('is distinguished from a file', () => {
    assert.ok(isPostgresUrl('postgres://h/d') && isPostgresUrl('POSTGRESQL://h/d'));
    assert.ok(!isPostgresUrl('/var/postgres/x.db') && !isPostgresUrl('postgres.db'));
  });

  it('gives the schema apart, and is shown without user and password', () => {
    const {url, schema, shown} = readPostgresUrl(
      'postgres://elm:secret@h:5433/d?schema=team_b&sslmode=disable',
    );
    assert.deepEqual([schema, shown], ['team_b', 'postgres://h:5433/d, schema team_b']);
    assert.equal(url, 'postgres://elm:secret@h:5433/d?sslmode=disable');
    assert.equal(readPostgresUrl('postgres://h/d').schema, 'remit_sandbox');
  });

  it('keeps the options of the server next to the schema', () => {
    const {url, options} = readPostgresUrl(
      'postgres://h/d?options=-c%20lock_timeout%3D5s&application_name=x',
    );
    assert.deepEqual(
      [url, options],
      ['postgres://h/d?application_name=x', '-c lock_timeout=5s -c search_path=remit_sandbox'],
    );
    assert.equal(readPostgresUrl('postgres://h/d').options, '-c search_path=remit_sandbox');
  });

  it('has a known sslmode, and the driver is told to check the certificate', () => {
    const modeOf = (mode: string) =>
      new URL(readPostgresUrl(`postgres://h/d?sslmode=${mode}`).url).searchParams.get('sslmode');
    for (const mode of ['allow', 'prefer', 'require', 'verify-ca', 'verify-full'])
      assert.equal(modeOf(mode), 'verify-full', mode);
    for (const mode of ['disable', 'no-verify']) assert.equal(modeOf(mode), mode);
    for (const mode of ['bogus', '', 'REQUIRE'])
      assert.throws(
        () => modeOf(mode),
        (error: RemitError) => error.code === 'USAGE' && /sslmode .* is unknown/.test(error.message),
      );
  });

  it('has its passwords wherever they are', () => {
    const {passwords} = readPostgresUrl('postgres://elm:se%40cret@h/d?password=other');
    assert.deepEqual(passwords, ['se%40cret', 'se@cret', 'other', 'other']);
    assert.deepEqual(readPostgresUrl('postgres://elm@h/d').passwords, []);
  });

  it('is refused without a database name, or with an invalid schema name', () => {
    const refused = (error: RemitError) => error.code === 'USAGE' && !/secret/.test(error.message);
    for (const bad of ['postgres://', 'postgres://elm:secret@h', 'postgres://elm:secret@h/d?schema=a"b'])
      assert.throws(() => readPostgresUrl(bad), refused, bad);
  });
});

describe('SQL for PostgreSQL', () => {
  it('has numbered placeholders, save in quoted text', () => {
    assert.equal(
      toPostgres(`select '?', "a?", 'it''s ?' from t where a = ? and b in (?, ?)`).text,
      `select '?', "a?", 'it''s ?' from t where a = $1 and b in ($2, $3)`,
    );
  });

  it('keeps its name for the same text', async () => {
    // A module of its own: after some hundred texts, as tests before this one bring, names are given out no more.
    const fresh = '../../../src/store/postgres/sql.ts?fresh';
    const own = (await import(fresh)) as {toPostgres: typeof toPostgres};
    assert.match(own.toPostgres('select ?').name!, /^remit_/);
    assert.equal(own.toPostgres('select ?').name, own.toPostgres('select ?').name);
    assert.notEqual(own.toPostgres('select ?').name, own.toPostgres('select 1, ?').name);
  });
});

describe('the PostgreSQL store', function () {
  if (skippedWithoutPostgres()) return;

  let address: string;
  let place: string;
  let made = 0;
  const stores: Store[] = [];
  const open = async (migrations = [FIRST], connections?: number) => {
    const store = await openPostgresStore(place, {migrations, connections});
    stores.push(store);
    return store;
  };
  beforeEach(async () => {
    address = (await postgresAddress())!;
    place = inSchema(address, `store_${process.pid}_${++made}`);
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await dropSchema(address, `store_${process.pid}_${made}`);
  });

  it('is opened with the options of its address, in its own schema', async () => {
    place = `${place}&options=-c%20work_mem%3D5MB`;
    const store = await open();
    const {work_mem: memory, path} = (await store.read((queries) =>
      queries.get(`select current_setting('work_mem') as work_mem, current_schema() as path`),
    ))!;
    assert.deepEqual([memory, path], ['5MB', `store_${process.pid}_${made}`]);
  });

  for (const [title, parameters, says] of [
    ['an unknown setting', 'options=-c%20foo%3D1', /it cannot be used: unrecognized configuration parameter/],
    ['a setting with a bad value', 'options=-c%20work_mem%3Dx', /it cannot be used: invalid value/],
    ['options that are none', 'options=--', /it cannot be used: /],
    ['TLS, which it does not offer', 'sslmode=require', /it does not offer TLS/],
    ['a missing file', 'sslrootcert=/nowhere.pem', /a file that it names cannot be read: ENOENT/],
  ] as const)
    it(`is not opened with ${title}: STATE`, async () => {
      await assert.rejects(
        openPostgresStore(`${place}&${parameters}`, {migrations: [FIRST]}),
        (error: RemitError) => {
          assert.equal(error.code, 'STATE', error.message);
          assert.match(error.message, /^Could not open the database postgres:/);
          assert.match(error.message, says);
          return true;
        },
      );
    });

  it('gives values back as SQLite does', async () => {
    const store = await open();
    const put = [1, 'Grüße', new Uint8Array([0, 255])];
    await store.write((queries) => queries.run('insert into t values (?, ?, ?)', put));
    const row = await store.read((queries) => queries.get('select * from t'));
    assert.deepEqual([row!['id'], row!['v'], [...(row!['b'] as Uint8Array)]], [1, 'Grüße', [0, 255]]);
    const [computed] = await store.glance(
      `select count(*) as n, sum(id) as s, 9007199254740993 as big, null as nothing, 1 = 1 as yes, max(v) as v from t`,
    );
    assert.deepEqual(computed, {n: 1, s: 1, big: 9007199254740993n, nothing: null, yes: 1, v: 'Grüße'});
    await assert.rejects(
      store.write((queries) => queries.run('insert into t (id, v) values (2, ?)', ['a\0b'])),
      TypeError,
    );
  });

  it('undoes a change that throws, and one whose failed query was caught', async () => {
    const store = await open();
    const insert = (id: number) => `insert into t (id) values (${id})`;
    await assert.rejects(
      store.write(async (queries) => {
        await queries.run(insert(1));
        throw new Error('thought better of it');
      }),
      /thought better/,
    );
    await assert.rejects(
      store.write(async (queries) => {
        await queries.run(insert(2));
        await queries.run('select nonsense').catch(() => undefined);
      }),
      /nothing was committed/,
    );
    assert.deepEqual(await store.glance('select * from t'), []);
    assert.equal(await store.write((queries) => queries.run(insert(3))), 1);
  });

  it('loses no update among many that read before they write, in several stores', async () => {
    const all = await Promise.all([open(), open(), open()]);
    const increment = (store: Store) =>
      store.write(async (queries) => {
        const row = await queries.get(`select n from counters where name = 'a'`);
        await queries.run(`update counters set n = ? where name = 'a'`, [Number(row!['n']) + 1]);
      });
    await Promise.all(Array.from({length: 90}, (_, n) => increment(all[n % 3]!)));
    assert.deepEqual(await all[0].glance('select n from counters'), [{n: 90}]);
  });

  it('keeps a rule over two rows that each change leaves to the other', async () => {
    const [a, b] = [await open(), await open()];
    await a.write((queries) => queries.run(`insert into counters values ('b', 1)`));
    await a.write((queries) => queries.run(`update counters set n = 1`));
    // Each takes its own row off, provided that another is on: one after the other, only one of them may.
    let looked = 0;
    let bothLooked = () => {};
    const both = new Promise<void>((resolve) => (bothLooked = resolve));
    const off = (store: Store, name: string) =>
      store.write(async (queries) => {
        const row = await queries.get('select sum(n) as on from counters');
        if (++looked === 2) bothLooked();
        await both;
        if (Number(row!['on']) > 1) await queries.run('update counters set n = 0 where name = ?', [name]);
      });
    await Promise.all([off(a, 'a'), off(b, 'b')]);
    assert.deepEqual(await a.glance('select sum(n) as on from counters'), [{on: 1}]);
  });

  it('reads of one moment, while others write', async () => {
    const store = await open();
    await store
      .read(async (queries) => {
        const before = await queries.all('select * from t');
        await store.write((other) => other.run('insert into t (id) values (1)'));
        assert.deepEqual(await queries.all('select * from t'), before);
        await assert.rejects(queries.run('insert into t (id) values (2)'), /read-only/);
      })
      .catch((error: unknown) => assert.match(String(error), /nothing was committed/));
    assert.deepEqual(await store.glance('select id from t'), [{id: 1}]);
  });

  it('reports a unique constraint only if it is violated', async () => {
    const store = await open();
    const insert = () => store.write((queries) => queries.run('insert into t (id) values (1)'));
    await insert();
    await assert.rejects(insert(), /duplicate key/);
  });

  it('migrates once when many open at the same time, and refuses what it does not know', async () => {
    const second = {name: '002-second', sql: `insert into counters values ('second', 1)`};
    const all = await Promise.all(Array.from({length: 5}, () => open([FIRST, second])));
    assert.deepEqual(await all[0]!.glance('select count(*) as n from remit_migrations'), [{n: 2}]);
    await assert.rejects(
      open([FIRST]),
      (error: RemitError) => error.code === 'STATE' && /newer/.test(error.message),
    );
  });

  it('leaves nothing of a migration that fails', async () => {
    const broken = {name: '002-broken', sql: 'create table half (a bigint); create table t (a bigint)'};
    await assert.rejects(open([FIRST, broken]), /already exists/);
    const store = await open();
    await assert.rejects(store.glance('select * from half'), /does not exist/);
  });

  it('continues with another connection when one was lost', async () => {
    const store = await open([FIRST], 1);
    const killer = await open();
    const [me] = await store.glance('select pg_backend_pid() as pid');
    await killer.glance('select pg_terminate_backend(?::int)', [me!['pid']!]);
    assert.equal(await store.write((queries) => queries.run('insert into t (id) values (1)')), 1);
    let tries = 0;
    await store.write(async (queries) => {
      tries += 1;
      await queries.run('insert into t (id) values (2)');
      const [mine] = await queries.all('select pg_backend_pid() as pid');
      if (tries === 1) await killer.glance('select pg_terminate_backend(?::int)', [mine!['pid']!]);
      await queries.run('insert into t (id) values (3)');
    });
    assert.equal(tries, 2);
    assert.equal((await store.glance('select id from t')).length, 3);
  });

  it('says what is wrong with the way to the database', async () => {
    const refusal = async (url: string) => {
      let error: RemitError | undefined;
      await openPostgresStore(url, {migrations: []}).catch((caught: RemitError) => (error = caught));
      assert.equal(error?.code, 'STATE');
      assert.doesNotMatch(error.message, /secret/);
      return error.message;
    };
    assert.match(await refusal('postgres://elm:secret@127.0.0.1:1/d'), /nothing is listening there/);
    const missing = new URL(address);
    missing.pathname = '/missing';
    assert.match(await refusal(missing.href), /no such database/);
    const nowhere = new URL(address);
    nowhere.searchParams.set('host', '/nonexistent');
    assert.match(await refusal(nowhere.href), /no such socket/);
  });
});
