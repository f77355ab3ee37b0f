import assert from 'node:assert/strict';
import {mkdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {skippedWithoutPostgres} from '../store/postgres/postgres-server.ts';
import {references, TeamWorld} from './team-world.ts';

describe('moving a batch', function () {
  if (skippedWithoutPostgres()) return;
  this.timeout(120_000);
  let world: TeamWorld;
  beforeEach(async () => (world = await TeamWorld.open()));
  afterEach(() => world.close());

  it('continues a batch in a database, and back in a folder', async () => {
    const all = references(30);
    const machine = world.machine();
    const folder = join(machine, 'state');
    const here = ['--state-dir', folder];
    const stage = ['run', world.file('bills.csv', all), '--batch-id', 'bills', '--yes', '--stage-only'];
    await world.run([...stage, ...here], {machine});
    await world.run(['move', 'bills', '--to', world.url, ...here], {machine});
    const refused = await world.run(['release', 'bills', '--yes', ...here], {machine, exit: 4});
    assert.match(
      refused.stderr,
      /batch bills was moved to postgres:.*nothing was sent[^]*name that database: --state '/,
    );
    for (const words of [
      'status bills',
      'report bills',
      'export bills',
      'diff ./bills.csv bills',
      'cancel bills',
    ])
      assert.match(
        (await world.run([...words.split(' '), ...here], {machine, exit: 4})).stderr,
        /bills was moved to postgres:/,
      );
    const list = await world.run(['list', ...here], {machine});
    assert.doesNotMatch(list.stdout, /bills/);
    assert.match(list.stderr, /Batch bills was moved to postgres:/);
    await world.run(['release', 'bills', '--yes', '--out', '.']);
    world.assertPaidOnce(all);
    const other = world.file('again.csv', all);
    const again = await world.run(['run', other, '--batch-id', 'again', '--yes']);
    assert.match(again.stdout, /already paid +30/);

    await world.run(['move', 'bills', '--to', folder], {machine});
    const gone = await world.run(['run', 'bills', '--yes'], {exit: 4});
    assert.match(gone.stderr, /batch bills was moved to/);
    const back = await world.run(['status', 'bills', '-o', 'json', ...here], {machine});
    assert.equal((JSON.parse(back.stdout) as {state: string}).state, 'complete');
    const run = await world.run(['run', 'bills', '--yes', ...here], {machine});
    assert.match(run.stdout, /this command sent nothing/);
  });

  it('is continued where its results are not', async () => {
    const machine = world.machine();
    mkdirSync(join(machine, 'results'));
    const file = world.file('bills.csv', references(3));
    await world.run(['run', file, '--batch-id', 'b', '--yes', '--stage-only', '--out', 'results'], {machine});
    rmSync(machine, {recursive: true});
    const {stdout} = await world.run(['status', 'b']);
    const [, out = machine] = /^Next {5}remit payouts batch release b --out (\S+)$/m.exec(stdout) ?? [];
    assert.ok(!out.startsWith(machine), stdout);
    await world.run(['release', 'b', '--out', '.', '--yes']);
    world.assertPaidOnce(references(3));
  });

  it('prints rights that suffice to run a batch', async () => {
    await world.run(['plan', world.file('first.csv', references(2)), '--batch-id', 'first']);
    const {schema} = world.db.address;
    const {stdout} = await world.run(['state', 'grants', '--role', 'runner', '--schema', schema]);
    await world.db.query('drop role if exists runner').catch(() => undefined);
    await world.db.query('create role runner login');
    try {
      await world.db.query(stdout);
      const url = new URL(world.url);
      url.username = 'runner';
      const all = references(20, 'R');
      await world.run(['run', world.file('r.csv', all), '--batch-id', 'r', '--yes'], {url: url.href});
      world.assertPaidOnce(all);
    } finally {
      await world.db.query('drop owned by runner; drop role runner');
    }
  });
});
