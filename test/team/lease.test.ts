import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {readTeamAddress} from '../../src/team/address.ts';
import {TeamDatabase} from '../../src/team/connection.ts';
import {acquire, type FoundLease, writeHeld} from '../../src/team/lease.ts';
import {isNewest} from '../../src/team/left-tail.ts';
import {migrateTeam} from '../../src/team/schema.ts';
import {Desk} from '../commands/payouts/batch/desk.ts';
import {skippedWithoutPostgres} from '../store/postgres/postgres-server.ts';
import {teamServer} from './team-world.ts';

const holder = {host: 'h', pid: 1, purpose: 'run', since: 'now'};
const wantedBy = (owner: string) => ({
  kind: 'payout',
  id: 'b',
  owner,
  holder,
  longestMs: 1,
  dead: ['a', 'b'],
});

describe('the lease of a batch', function () {
  if (skippedWithoutPostgres()) return;
  this.timeout(60_000);
  let db: TeamDatabase;
  let counter = 0;
  let address = '';
  beforeEach(async () => {
    const url = new URL((await teamServer()) ?? '');
    url.searchParams.set('schema', `lease_${process.pid}_${counter++}`);
    address = url.href;
    db = new TeamDatabase(readTeamAddress(address));
    await migrateTeam(db);
  });
  afterEach(async () => {
    await db.query(`drop schema if exists ${db.address.schema} cascade`);
    await db.close();
  });

  const take = async (owner: string) => {
    const acquired = await acquire(db, wantedBy(owner));
    assert.ok('lease' in acquired);
    return acquired;
  };

  it('has the same lease before it when its answer was lost', async () => {
    await take('a');
    const [first, again] = [await take('b'), await take('b')];
    assert.deepEqual([again.lease, again.former], [first.lease, first.former]);
    for (const {before} of [first, again])
      assert.deepEqual([before.owner, before.gen, before.released], ['a', 1, 0]);
  });

  it('keeps the leases before it, which tell a tail that is the newest from one of another lease', async () => {
    for (const owner of ['a', 'b']) await take(owner);
    const {former, lease} = await take('c');
    assert.deepEqual(
      former.map(({owner, gen}) => [owner, gen]),
      [
        ['b', 2],
        ['a', 1],
        [null, 0],
      ],
    );
    const tail = {owner: 'c', gen: lease.gen, former, journal: '', remove: async () => undefined};
    const found = (owner: string, gen: number, released: 0 | 1 = 0) =>
      isNewest(tail, {owner, gen, released} as FoundLease);
    assert.deepEqual([found('c', 3), found('c', 3, 1)], [true, false]);
    // A failover has lost one acquisition, or two.
    assert.deepEqual([found('b', 2, 1), found('a', 1, 1)], [true, true]);
    // It has lost them, and another process has had the batch since, with the same generation.
    assert.deepEqual([found('x', 2), found('x', 1)], [false, false]);
  });

  it('is not written by a server that must not be written to', async () => {
    const {lease} = await take('a');
    const write = () =>
      writeHeld(db.query, {
        ...{lease, token: 't', intents: [], status: null, changes: {tables: [], upTo: 0}, lines: []},
      });
    await db.query('set synchronous_commit = off'); // as behind a pooler that has another server by now
    await assert.rejects(write, /cannot be used: another server than before has answered/);
    const [{version} = {version: -1}] = await db.query<{version: number}>('select version from @.batches');
    assert.equal(version, lease.version);
    assert.equal((await write())?.version, lease.version + 1);
  });

  it('is not confused by tables that were dropped or changed: it says so', async () => {
    const desk = Desk.withTwoRows();
    const env = {
      ...desk.env('test_0123456789abcdef'),
      REMIT_STATE_URL: address,
      REMIT_STATE_DIR: desk.folder,
    };
    assert.equal((await desk.batch('plan ./p.csv --batch-id b', {env})).exitCode, 0);
    const {schema} = db.address;
    const tables = await db.query<{name: string}>(
      'select tablename as name from pg_tables where schemaname = $1 order by 1',
      [schema],
    );
    const changes = tables.flatMap(({name}) => [
      [`alter table @.${name} rename to away`, `alter table @.away rename to ${name}`],
    ]);
    changes.push(['alter table @.rows rename amount to sum', 'alter table @.rows rename sum to amount']);
    const codes = new Map<string, number>();
    for (const [change = '', back = ''] of changes) {
      await db.query(change);
      for (const words of ['status b', 'list', 'run b --yes --stage-only']) {
        const {exitCode, stderr} = await desk.batch(words, {env});
        assert.notEqual(exitCode, 1, `${words} after ${change}: ${stderr}`);
        if (exitCode === 13) assert.match(stderr, /were changed: .*(does not exist|already exists)/);
        codes.set(change, Math.max(exitCode ?? 1, codes.get(change) ?? 0));
      }
      if (/migrations/.test(change)) await db.query('drop table if exists @.migrations');
      await db.query(back);
    }
    for (const name of ['batches', 'rows', 'outcomes', 'entries', 'claims', 'migrations'])
      assert.equal(codes.get(`alter table @.${name} rename to away`), 13, name);
    desk.close();
  });

  it('is listed with its time, and what it has paid is named by other batches', async () => {
    const desk = Desk.withTwoRows();
    const env = {
      ...desk.env('test_0123456789abcdef'),
      REMIT_STATE_URL: address,
      REMIT_STATE_DIR: desk.folder,
    };
    assert.equal((await desk.batch('run ./p.csv --batch-id a --yes', {env})).exitCode, 0);
    const {stdout} = await desk.batch('list -o json', {env});
    assert.match(stdout, /"updated_at": "2026-03-02T/);
    const text = readFileSync(join(desk.folder, 'p.csv'), 'utf8');
    writeFileSync(join(desk.folder, 'q.csv'), text.replaceAll('\nA-', '\nQ-'));
    const {stderr} = await desk.batch('plan ./q.csv --batch-id b', {env});
    assert.match(
      stderr,
      /Q-1 looks like A-1 of batch a \(namespace default, record [-0-9a-f]{36}, 2026-03-02\)/,
    );
    desk.close();
  });

  it('leaves no copies of payments behind that no process uses', async () => {
    const desk = Desk.withTwoRows();
    const env = {
      ...desk.env('test_0123456789abcdef'),
      REMIT_STATE_URL: address,
      REMIT_STATE_DIR: desk.folder,
    };
    const root = join(desk.folder, 'team', db.address.folder);
    for (const name of ['read', 'wrote']) {
      mkdirSync(join(root, name), {recursive: true});
      writeFileSync(join(root, name, 'journal.db'), 'payments');
    }
    writeFileSync(join(root, 'wrote', 'tail.json'), '{"kind":"payout","id":"other","gen":0}');
    assert.equal((await desk.batch('plan ./p.csv --batch-id b', {env})).exitCode, 0);
    assert.deepEqual(
      ['read', 'wrote'].map((name) => existsSync(join(root, name))),
      [false, true],
    );
    desk.close();
  });

  it('covers every request of a window before the first of them is sent', async () => {
    const desk = Desk.withTwoRows();
    const env = {
      ...desk.env('test_0123456789abcdef'),
      REMIT_STATE_URL: address,
      REMIT_STATE_DIR: desk.folder,
    };
    const inner = desk.service.transport();
    let staged = 0; // the first of them is repeated, to see whether the service knows keys
    let isLocked = false;
    let early = 0;
    let unlocked: Promise<void> | undefined;
    const service = {
      send: async (request: Parameters<typeof inner.send>[0]) => {
        const isApproval = String(request.body).includes('"auto_approve":true');
        if (isApproval && isLocked) early++;
        const answer = await inner.send(request);
        if (request.method === 'POST' && !isApproval && ++staged === 3) {
          let locked: () => void;
          const lock = new Promise<void>((resolve) => (locked = resolve));
          unlocked = db.transaction(async (sql) => {
            await sql('select 1 from @.batches for update'); // no write of the lease ends meanwhile
            isLocked = true;
            locked();
            await new Promise((resolve) => setTimeout(resolve, 1500)); // a real process
            isLocked = false;
          });
          await lock;
        }
        return answer;
      },
      close: () => inner.close(),
    };
    const ran = await desk.batch('run ./p.csv --batch-id b --yes', {env, service});
    assert.equal(ran.exitCode, 0, ran.stderr);
    await unlocked;
    assert.deepEqual([staged, early, desk.service.paid.length], [3, 0, 2]);
    desk.close();
  });

  it('binds a namespace without references before anything is sent', async () => {
    const desk = new Desk();
    const env = {
      ...desk.env('test_0123456789abcdef'),
      REMIT_STATE_URL: address,
      REMIT_STATE_DIR: desk.folder,
    };
    desk.file('p.csv', []);
    const rows = (amount: string) =>
      `payee_id,amount,currency_code\n018f0000-0000-7000-8000-000000000001,${amount},USD\n`;
    writeFileSync(join(desk.folder, 'p.csv'), rows('10.00'));
    writeFileSync(join(desk.folder, 'q.csv'), rows('20.00'));
    const run = (file: string, id: string) =>
      desk.batch(`run ./${file} --batch-id ${id} --namespace n --yes`, {env});
    let other: ReturnType<typeof run> | undefined;
    const inner = desk.service.transport();
    const service = {
      send: async (request: Parameters<typeof inner.send>[0]) => {
        other ??= run('q.csv', 'q');
        assert.equal((await other).exitCode, 11);
        return inner.send(request);
      },
      close: () => inner.close(),
    };
    const first = await desk.batch('run ./p.csv --batch-id p --namespace n --yes', {env, service});
    assert.equal(first.exitCode, 0, first.stderr);
    assert.match((await other)?.stderr ?? '', /another file was run under the namespace n/);
    desk.close();
  });
});
