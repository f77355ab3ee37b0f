import assert from 'node:assert/strict';
import {mkdirSync, readdirSync, renameSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {documentTexts, keepDocument, readDocuments} from '../../src/approval/approval-files.ts';
import {readTrail} from '../../src/approval/audit.ts';
import {systemClock} from '../../src/clock.ts';
import type {Summary} from '../../src/batch/standing/summary.ts';
import {RemitError} from '../../src/errors.ts';
import {readTeamAddress} from '../../src/team/address.ts';
import {ApprovalCopies} from '../../src/team/approval-copies.ts';
import {TeamDatabase} from '../../src/team/connection.ts';
import type {Transport} from '../../src/client/transport/transport.ts';
import {seeded} from '../batch/harness.ts';
import {BASE_URL, type CliResult, TEST_KEY} from '../cli/run-cli.ts';
import {People} from '../cli/approval/people.ts';
import {readText} from '../repo/tree.ts';
import {skippedWithoutPostgres} from '../store/postgres/postgres-server.ts';
import {references, sleep, teamServer, TeamWorld} from './team-world.ts';

const exits = (result: CliResult, code: number) =>
  assert.equal(result.exitCode, code, result.stdout + result.stderr);

interface Audited {
  ok: boolean;
  events: {event: string}[];
  problems: string[];
}

describe('approvals in the database of a team', function () {
  if (skippedWithoutPostgres()) return;
  this.timeout(60_000);
  let people: People;
  let db: TeamDatabase;
  let counter = 0;
  beforeEach(async () => {
    people = await People.ready();
    const url = new URL((await teamServer()) ?? '');
    url.searchParams.set('schema', `approvals_${process.pid}_${counter++}`);
    people.stateUrl = url.href;
    db = new TeamDatabase(readTeamAddress(url.href));
  });
  afterEach(async () => {
    people.close();
    await db.query(`drop schema if exists ${db.address.schema} cascade`);
    await db.close();
  });

  const paid = () => people.service.requests.filter(({body}) => body?.includes('"auto_approve":true')).length;
  const release = (name = 'ben') => people.as(name, 'release b --yes --json');
  const count = async (table: string) =>
    (await db.query<{n: number}>(`select count(*) as n from @.${table}`))[0]?.n;
  const audit = async () => {
    const ran = await people.as('carl', 'audit b --json');
    const found = ran.json() as Audited;
    assert.equal(ran.exitCode, found.ok ? 0 : 14);
    return found;
  };
  const approved = async () => {
    exits(await people.as('ben', 'run ./p.csv --batch-id b --yes'), 0);
    exits(await people.approve('anna'), 0);
  };

  it('are found by a third machine, which releases and is audited', async () => {
    exits(await people.as('ben', 'run ./p.csv --batch-id b --yes'), 0);
    exits(await release('carl'), 11);
    assert.equal(paid(), 0);
    exits(await people.approve('anna'), 0);
    const inner = people.service.transport();
    const noted: number[] = [];
    const service: Transport = {
      send: async (request) => {
        if (String(request.body).includes('"auto_approve":true'))
          noted.push((await db.query(`select 1 from @.audit where line like '%"released"%'`)).length);
        return inner.send(request);
      },
      close: () => inner.close(),
    };
    const released = await people.as('carl', 'release b --yes --json', {service});
    exits(released, 0);
    assert.deepEqual([(released.json() as Summary).accepted, paid()], [2, 2]);
    const {ok, events} = await audit();
    assert.equal(ok, true);
    assert.deepEqual(
      events.map(({event}) => event),
      ['planned', 'confirmed', 'staged', 'confirmed', 'approved', 'released'],
    );
    assert.deepEqual(noted, [1, 1], 'before the first request');
  });

  it('come as files from people without the database', async () => {
    exits(await people.as('ben', 'run ./p.csv --batch-id b --yes'), 0);
    exits(await people.as('ben', 'approve b --ask ./b.request'), 0);
    const before = await count('approvals');
    exits(await people.approve('anna', '--request ./b.request --write ./b.approval'), 0);
    assert.equal(await count('approvals'), before);
    exits(await people.as('carl', 'release b --yes --approval ./b.approval'), 0);
    assert.equal(paid(), 2);
    assert.equal(await count('approvals'), 2);
  });

  it('need no lease, and are found by a process that runs the batch', async () => {
    exits(await people.as('ben', 'run ./p.csv --batch-id b --yes'), 0);
    await db.query(
      `update @.batches set owner = 'another', released = false, expires = clock_timestamp() + interval '30 s', holder = '{}'`,
    );
    exits(await people.approve('anna'), 0);
    const [{owner} = {owner: ''}] = await db.query<{owner: string}>('select owner from @.batches');
    assert.equal(owner, 'another');
  });

  for (const [what, sql] of Object.entries({
    'an approval that was edited': `update @.approvals set text = replace(text, '"statement"', '"statemenu"')`,
    'an approval of another name': `update @.approvals set name = '../' || name`,
    'approvals that were removed': `delete from @.approvals where text like '%approver%'`,
    'a row that was edited': 'update @.rows set amount = 200000 where n = 2',
    'a row with another payee': `update @.rows set party = (select party from @.rows where n = 1) where n = 2`,
    'the record of another row': `update @.outcomes set id = (select id from @.outcomes where n = 1) where n = 2`,
    'an old revision': `update @.meta set value = replace(value, '"revision":1', '"revision":2') where name = 'plan'`,
    'an event that was edited': `update @.audit set line = replace(line, '"by":"', '"by":"x') where seq = 2`,
    'an event that was deleted': 'delete from @.audit where seq = 2',
    'events in another order': 'update @.audit set seq = case seq when 2 then 9 else seq end',
    'a trail that was deleted': 'delete from @.audit',
    'a trail that was cut': 'delete from @.audit where seq = 3',
  }))
    it(`pay nothing with ${what}`, async () => {
      await approved();
      await db.query(sql);
      const refused = await release();
      assert.notEqual(refused.exitCode, 0);
      assert.equal(paid(), 0, refused.stderr);
    });

  it('pay nothing if an event is added to the trail while it is written', async () => {
    await approved();
    const inner = people.service.transport();
    const service: Transport = {
      send: async (request) => {
        await db.query(
          `insert into @.audit select 1, max(seq) + 1, 'x' from @.audit having not 'x' = any(array_agg(line))`,
        );
        return inner.send(request);
      },
      close: () => inner.close(),
    };
    const refused = await people.as('ben', 'release b --yes --json', {service});
    exits(refused, 11);
    assert.match(refused.error().message, /an event was added to the audit trail in the database/);
    // What was sent before that event was noticed had its own event in the trail before it.
    const [{before} = {before: 0}] = await db.query<{before: number}>(
      `select count(*) as before from @.audit where line like '%"released"%'
         and seq < (select seq from @.audit where line = 'x')`,
    );
    assert.ok(paid() === 0 || before > 0, `${paid()} paid`);
    await db.query(`delete from @.audit where line = 'x'`);
    exits(await release(), 0);
  });

  it('stop a run when they are removed', async () => {
    const rows = Array.from({length: 200}, (_, n): [string, number, string] => [`M-${n}`, n, '11.00']);
    people.file('many.csv', rows);
    exits(await people.as('ben', 'run ./many.csv --batch-id b --yes'), 0);
    const figures = '--confirm-total USD=2200.00 --confirm-count 200 --yes';
    const own = `--policy ${people.policy} --key ${people.keyOf('anna')}`;
    exits(await people.as('anna', `approve b --file ./many.csv ${figures} ${own}`), 0);
    const inner = people.service.transport();
    const service: Transport = {
      send: async (request) => {
        if (String(request.body).includes('"auto_approve":true') && paid() === 5) {
          await db.query(`delete from @.approvals where text like '%approver%'`);
          people.clock.advance(6000);
          await sleep(1000); // until the lease is renewed, which happens in real time
        }
        return inner.send(request);
      },
      close: () => inner.close(),
    };
    const stopped = await people.as('ben', 'release b --yes --json --max-in-flight 1', {service});
    exits(stopped, 11);
    assert.ok(paid() > 5 && paid() < 100, String(paid()));
  });

  it('are found with every edit of a character in the tables', async () => {
    await approved();
    const folder = join(people.folder, 'copy');
    const read = async () => {
      rmSync(folder, {recursive: true, force: true});
      await new ApprovalCopies(folder).read(db.query, 1);
      const {broken, hashes} = readTrail(folder);
      return [readDocuments(folder).map(({name}) => name), broken, hashes];
    };
    const honest = await read();
    for (const table of ['approvals', 'audit'])
      await db.query(`create table @.kept_${table} as table @.${table}`);
    const random = seeded(1);
    for (let n = 0; n < 80; n++) {
      const [table, column] = [
        ['approvals', 'text'],
        ['approvals', 'name'],
        ['audit', 'line'],
      ][n % 3] as [string, string];
      const at = `1 + (${random()} * length(${column}))::int % length(${column})`;
      await db.query(
        `update @.${table} set ${column} = overlay(${column} placing case substr(${column}, ${at}, 1) when 'a' then 'b' else 'a' end from ${at} for 1)
         where ctid = (select ctid from @.${table} order by at offset ${Math.floor(random() * (table === 'audit' ? 3 : 2))} limit 1)`,
      );
      const found = await read().catch((error: unknown) => error);
      if (found instanceof RemitError) assert.equal(found.code, 'GUARD_APPROVAL');
      else assert.notDeepEqual(found, honest, `edit ${n} of ${table}`);
      await db.query(`delete from @.${table}`);
      await db.query(`insert into @.${table} select * from @.kept_${table}`);
    }
    assert.deepEqual(await read(), honest);
  });

  it('have an audit trail that names an edit, a cut and a line that was added', async () => {
    await approved();
    exits(await release(), 0);
    await db.query('create table @.kept as select * from @.audit');
    for (const [sql, expected] of [
      [
        `update @.audit set line = replace(line, '"by":"', '"by":"x') where seq = 4`,
        /line 5 of the audit trail/,
      ],
      ['delete from @.audit where seq = 3', /line 3 of the audit trail: it is missing/],
      ['update @.audit set seq = seq + 100 where seq = 6', /line 6 of the audit trail: it is missing/],
      [
        `update @.audit set line = (select line from @.kept where seq = 1) where seq = 2`,
        /it is not number 2/,
      ],
      ['delete from @.audit where seq > 2', /the end is cut off: the approver/],
      ['delete from @.audit where seq > 4', /rows were released, and the audit trail does not have it/],
      [`insert into @.audit values (1, 7, '{}')`, /line 7 of the audit trail/],
      [`update @.approvals set text = text || ' '`, /was changed after it was added/],
    ] as const) {
      await db.query(sql);
      const {ok, problems} = await audit();
      assert.deepEqual([ok, expected.test(problems.join())], [false, true], `${sql}: ${problems.join()}`);
      await db.query('delete from @.audit');
      await db.query('insert into @.audit select * from @.kept');
    }
  });

  it('stay needed where only one of the two tables has rows, and the profile has no policy', async () => {
    await approved();
    const env = {
      ...{REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL, HOME: people.homeOf('ben')},
      ...{REMIT_STATE_DIR: join(people.folder, 'bare'), REMIT_STATE_URL: people.stateUrl ?? ''},
    };
    await db.query('create table @.kept as select * from @.audit');
    await db.query('delete from @.audit');
    exits(await people.as('ben', 'release b --yes', {env}), 11);
    await db.query('insert into @.audit select * from @.kept');
    await db.query('delete from @.approvals');
    exits(await people.as('ben', 'release b --yes', {env}), 11);
    await db.query('drop table @.approvals');
    exits(await release(), 13);
    assert.equal(paid(), 0);
  });

  it('move with the batch, both ways', async () => {
    const here = '--state-dir ./local';
    exits(await people.as('ben', `run ./p.csv --batch-id b --yes ${here}`), 0);
    exits(await people.as('ben', `move b --to ${people.stateUrl} ${here}`), 0);
    exits(await people.approve('anna'), 0);
    exits(await people.as('ben', `move b --state ${people.stateUrl} --to ./local`), 0);
    assert.deepEqual([await count('approvals'), await count('audit')], [2, 3]);
    const kept = join(people.folder, 'local', 'batches', 'payout', 'b', 'approvals');
    const [removed = ''] = readdirSync(kept);
    renameSync(join(kept, removed), join(people.folder, removed));
    exits(await people.as('ben', `move b --to ${people.stateUrl} ${here}`), 11);
    renameSync(join(people.folder, removed), join(kept, removed));
    exits(await people.as('ben', `move b --to ${people.stateUrl} ${here}`), 0);
    exits(await people.as('ben', `move b --state ${people.stateUrl} --to ./local`), 0);
    const released = await people.as('carl', `release b --yes ${here} --json`);
    exits(released, 0);
    assert.equal(paid(), 2);
    exits(await people.as('ben', `move b --to ${people.stateUrl} ${here}`), 0);
    const {ok, events} = await audit();
    assert.deepEqual([ok, events.length], [true, 6]);
    await db.query(`update @.audit set line = replace(line, '"by":"', '"by":"x')`);
    exits(await people.as('ben', `move b --state ${people.stateUrl} --to ./local`), 11);
  });

  it('are only added to by the role of the runners', async () => {
    const {schema} = db.address;
    exits(await people.as('ben', 'run ./p.csv --batch-id b --yes'), 0);
    const guide =
      /For a role of people who only\s+approve[^`]*`([^`]*)`/.exec(readText('docs/guides/team.md'))?.[1] ??
      '';
    const grants = await people.as('ben', `state grants --role approved --schema ${schema}`);
    for (const role of ['approved', 'approver']) await db.query(`create role ${role} login`);
    try {
      await db.query(grants.stdout);
      await db.query(guide.replaceAll('remit_team', schema));
      const owner = people.stateUrl;
      const url = new URL(owner ?? '');
      url.username = 'approver';
      people.stateUrl = url.href;
      exits(await people.approve('anna'), 0);
      assert.notEqual((await release()).exitCode, 0);
      assert.equal(paid(), 0);
      url.username = 'approved';
      people.stateUrl = url.href;
      exits(await release(), 0);
      const role = new TeamDatabase(readTeamAddress(url.href));
      for (const sql of ['update @.audit set seq = 9', 'delete from @.audit', 'delete from @.approvals'])
        await assert.rejects(role.query(sql), /not permitted/);
      await role.close();
      people.stateUrl = owner;
    } finally {
      await db.query('drop owned by approved, approver; drop role approved, approver');
    }
  });

  it('work on a database of the version before', async () => {
    exits(await people.as('ben', 'plan ./p.csv --batch-id b'), 0);
    await db.query(
      'drop table @.approvals, @.audit, @.book, @.book_blocks, @.book_returns, @.senders, @.chunks, @.answers, @.gates',
    );
    await db.query('alter table @.batches drop column former, drop column returns');
    await db.query(`update @.migrations set applied = '["0001-team"]'`);
    await approved();
    exits(await release(), 0);
    assert.equal(paid(), 2);
  });

  it('are copied in parts, and follow the database', async () => {
    exits(await people.as('ben', 'plan ./p.csv --batch-id b'), 0);
    const [from, to] = ['from', 'to'].map((name) => join(people.folder, name)) as [string, string];
    const text = 'a' + '\u{1F600}'.repeat(1_200_000);
    mkdirSync(from);
    const name = keepDocument(from, text);
    const [first, second] = [new ApprovalCopies(from), new ApprovalCopies(to)];
    await first.addApprovals(db.query, 1);
    assert.equal(await count('approvals'), 2);
    await second.read(db.query, 1);
    assert.deepEqual(
      documentTexts(to).map((each) => each.text === text),
      [true],
    );
    await db.query('delete from @.approvals where part = 0');
    await second.follow(db.query, 1, {names: [], known: [name]});
    assert.deepEqual(documentTexts(to), []);
    await first.lookUp(db.query, 1);
    await first.addApprovals(db.query, 1);
    await second.read(db.query, 1);
    assert.equal(documentTexts(to).length, 1);
    const third = join(people.folder, 'third');
    const after = new ApprovalCopies(third);
    await after.lookUp(db.query, 1);
    await after.follow(db.query, 1, {names: [name], known: after.names});
    assert.equal(documentTexts(third).length, 1);
  });

  it('are taken over with the batch of a runner that was killed', async () => {
    const world = await TeamWorld.open();
    try {
      people.stateUrl = world.url;
      const all = references(60);
      const file = world.file('bills.csv', all);
      for (const name of ['ben', 'carl']) {
        const own = ['--approval-policy', people.policy, '--approval-key', people.keyOf(name), '--key-stdin'];
        const argv = ['profiles', 'add', 'team', '--base-url', world.baseUrl, ...own];
        exits(await people.run(name, argv, {stdin: TEST_KEY}), 0);
      }
      const env = {REMIT_CONFIG_DIR: '', REMIT_API_KEY: '', REMIT_BASE_URL: '', REMIT_PROFILE: 'team'};
      const start = (name: string, ...words: string[]) =>
        world.start(words, {env: {...env, HOME: people.homeOf(name)}, machine: people.homeOf(name)});
      const staged = start('ben', 'run', file, '--batch-id', 'bills', '--yes');
      assert.equal(await staged.ended, 0, staged.stderr);
      const figures = '--confirm-total USD=6024.30 --confirm-count 60 --yes';
      const own = `--policy ${people.policy} --key ${people.keyOf('anna')}`;
      const line = `approve bills --file ${file} ${figures} ${own}`;
      exits(await people.as('anna', line, {clock: systemClock}), 0);
      const killed = start('ben', 'release', 'bills', '--yes', '--max-rps', '20');
      for (let ms = 0; world.service.paid.length < 5 && ms < 20_000; ms += 20) await sleep(20);
      assert.ok(world.service.paid.length >= 5, killed.stderr + killed.stdout);
      killed.child.kill('SIGKILL');
      await killed.ended;
      await world.passTime();
      await world.db.query(`delete from @.approvals where text like '%approver%'`);
      const before = world.service.paid.length;
      const revoked = start('ben', 'release', 'bills', '--yes'); // whose machine still has the approval
      assert.equal(await revoked.ended, 11, revoked.stderr);
      assert.equal(world.service.paid.length, before);
      exits(await people.as('anna', line, {clock: systemClock}), 0);
      const released = start('carl', 'release', 'bills', '--yes', '--out', '.');
      assert.equal(await released.ended, 0, released.stderr);
      world.assertPaidOnce(all);
      const audited = start('carl', 'audit', 'bills', '-o', 'json');
      assert.equal(await audited.ended, 0, audited.stdout);
      assert.equal(audited.stdout.match(/"released"/g)?.length, 2);
    } finally {
      await world.close();
    }
  });
});
