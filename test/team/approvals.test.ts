import assert from 'node:assert/strict';
import type {Summary} from '../../src/batch/standing/summary.ts';
import {readTeamAddress} from '../../src/team/address.ts';
import {TeamDatabase} from '../../src/team/connection.ts';
import type {Transport} from '../../src/client/transport/transport.ts';
import type {CliResult} from '../cli/run-cli.ts';
import {People} from '../cli/approval/people.ts';
import {skippedWithoutPostgres} from '../store/postgres/postgres-server.ts';
import {teamServer} from './team-world.ts';

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
});
