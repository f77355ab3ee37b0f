import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import type {TeamRunner} from '../../src/team/session.ts';
import {skippedWithoutPostgres} from '../store/postgres/postgres-server.ts';
import {references, sleep, type TeamRun, TeamWorld, waitForRows} from './team-world.ts';

describe('several runners on one batch', function () {
  if (skippedWithoutPostgres()) return;
  this.timeout(120_000);
  let world: TeamWorld;
  beforeEach(async () => (world = await TeamWorld.open()));
  afterEach(() => world.close());

  const run = (...what: string[]) =>
    world.start(['run', ...what, '--yes', '--out', '.', '--max-in-flight', '16']);

  /** Two runners on a batch, of which the second sends for the first. */
  async function joined(rows: number): Promise<{all: string[]; first: TeamRun; second: TeamRun}> {
    const all = references(rows);
    world.service.latencyMs = 150;
    const first = run(world.file('bills.csv', all), '--batch-id', 'bills');
    await waitForRows(world, 'bills');
    const second = run('bills');
    for (let tries = 0; (await sentByOthers()) === 0; tries++) {
      assert.ok(tries < 200, `nothing was sent by the second: ${second.stderr}`);
      await sleep(100); // a real process
    }
    return {all, first, second};
  }

  async function sentByOthers(): Promise<number> {
    const [{sent} = {sent: 0}] = await world.db.query<{sent: number}>(
      'select coalesce(sum(sent), 0) as sent from @.senders',
    );
    return sent;
  }

  it('pays each row once with the same key and bytes from either process, shows both, and refuses a cancel', async () => {
    world.service.keepRequests = true;
    const {all, first, second} = await joined(1000);
    const {stdout, stderr} = await world.run(['status', 'bills', '-o', 'json']);
    const {runners} = JSON.parse(stdout) as {runners: TeamRunner[]};
    assert.deepEqual(
      runners.map(({lease, pid}) => [lease, pid]),
      [
        ['held', first.child.pid],
        ['joined', second.child.pid],
      ],
    );
    assert.match(
      stderr,
      new RegExp(`Process ${second.child.pid} on \\S+ sends for it: \\d+ requests? in hand`),
    );
    const refused = await world.run(['cancel', 'bills', '--out', '.'], {exit: 13});
    assert.match(
      refused.stderr,
      /^.*Process \d+ on \S+ \(pay, since .*\) has batch bills; \d+ of 1000 rows accepted/m,
    );
    assert.equal(await first.ended, 0, first.stderr);
    assert.equal(await second.ended, 0, second.stderr);
    assert.doesNotMatch(first.stderr + second.stderr, /Warning/);
    assert.match(second.stderr, /Process \d+ on \S+ has batch bills: this process sends rows for it/);
    world.assertPaidOnce(all);
    for (const table of ['chunks', 'answers'])
      assert.deepEqual(await world.db.query(`select 1 from @.${table}`), [], table);
    const bodies = new Map<string, Set<string>>();
    for (const {key = '', body} of world.service.requests.filter(({method}) => method === 'POST')) {
      const plain = body.replace('"auto_approve":true', '"auto_approve":false');
      bodies.set(key, (bodies.get(key) ?? new Set<string>()).add(plain));
    }
    assert.equal(bodies.size, 1000);
    assert.ok([...bodies.values()].every(({size}) => size === 1));
  });

  it('sends nothing from a machine whose copy of the batch is another one', async () => {
    world.service.keepRequests = true;
    world.service.latencyMs = 150;
    const all = references(400);
    const first = run(world.file('bills.csv', all), '--batch-id', 'bills');
    await waitForRows(world, 'bills');
    await world.db.query('update @.rows set amount = amount + 1000000');
    const second = run('bills');
    assert.equal(await second.ended, 11, second.stderr);
    assert.match(second.stderr, /would send other requests than the process that has the batch/);
    assert.equal(await first.ended, 0, first.stderr);
    world.assertPaidOnce(all);
    assert.ok(world.service.paid.every(({body}) => Number(body['amount_in_minor_units']) < 1_000_000));
  });

  it('does not send before the time that the service has named to another process', async () => {
    const all = references(40);
    await world.run(['plan', world.file('bills.csv', all), '--batch-id', 'bills']);
    world.service.fault = () => ({status: 429, body: {}, headers: {'retry-after': '3000'}});
    await world.run(['run', 'bills', '--yes', '--out', '.'], {exit: 7});
    world.service.fault = () => undefined;
    const before = world.service.posts;
    const {stdout, stderr} = await world.run(['run', 'bills', '--yes', '--out', '.'], {exit: 7});
    assert.match(stdout + stderr, /the service asks to wait \d+ s, longer than --max-wait/);
    assert.equal(world.service.posts, before);
    await world.db.query("update @.gates set closed_until = closed_until - interval '2970 s'");
    const last = await world.run(['run', 'bills', '--yes', '--out', '.']);
    assert.match(last.stderr, /has asked another process to wait: nothing is sent for \d+ s/);
    world.assertPaidOnce(all);
  });

  it('sends nothing from a joined machine while the service has asked any other to wait', async () => {
    const {all, first, second} = await joined(1000);
    await world.db.query(
      `insert into @.gates (base_url, closed_until) values ($1, clock_timestamp() + interval '8 s')`,
      [world.baseUrl],
    );
    await sleep(2500); // what is in flight is answered, and shown
    const before = await sentByOthers();
    await sleep(3000);
    assert.equal(await sentByOthers(), before);
    assert.deepEqual([await first.ended, await second.ended], [0, 0], first.stderr + second.stderr);
    world.assertPaidOnce(all);
  });

  it('goes on without one that is stopped, with nothing in doubt', async () => {
    const {all, first, second} = await joined(700);
    second.child.kill('SIGINT');
    assert.equal(await second.ended, 130, second.stderr);
    assert.match(second.stderr, /^Pay 700 rows, [\d,.]+ USD\b(?!.*doubt)/m);
    assert.match(
      second.stderr,
      /^Error: interrupted; Process \d+ on \S+ has the batch\nHint: remit payouts batch status bills$/m,
    );
    assert.equal(await first.ended, 0, first.stderr);
    world.assertPaidOnce(all);
    assert.equal((await world.summary('bills')).in_doubt, 0);
  });

  it('goes on without the process that has the batch, if that one is stopped', async () => {
    const {all, first, second} = await joined(1000);
    first.child.kill('SIGINT');
    assert.equal(await first.ended, 130, first.stderr);
    assert.equal(await second.ended, 0, second.stderr);
    world.assertPaidOnce(all);
  });
});
