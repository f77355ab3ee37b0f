import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {skippedWithoutPostgres} from '../store/postgres/postgres-server.ts';
import {references, TeamWorld} from './team-world.ts';

describe('batches of a team that share references', function () {
  if (skippedWithoutPostgres()) return;
  this.timeout(120_000);
  let world: TeamWorld;
  beforeEach(async () => (world = await TeamWorld.open()));
  afterEach(() => world.close());

  it('pays each once, however many batches run at the same time', async () => {
    const all = references(120);
    const files = [all.slice(0, 80), all.slice(40), all.slice(20, 100)];
    const run = async (at: number, what: string): Promise<number> => {
      const ran = world.start(['run', what, '--batch-id', `b${at}`, '--yes', '--out', '.']);
      const code = await ran.ended;
      assert.ok(code === 0 || code === 8, ran.stderr);
      return code;
    };
    const paths = files.map((part, at) => world.file(`b${at}.csv`, part));
    const codes = await Promise.all(paths.map((path, at) => run(at, path)));
    // A batch in conflict with a second one, which waits for a third, is only released after both.
    for (let round = 0; round < 3 && codes.includes(8); round++)
      for (const [at, code] of codes.entries()) if (code === 8) codes[at] = await run(at, paths[at]!);
    world.assertPaidOnce(all);
    for (const at of files.keys()) {
      const {state, accepted, already_paid: paid, planned} = await world.summary(`b${at}`);
      assert.deepEqual([state, accepted + paid, planned], ['complete', 80, 80]);
    }
  });

  it('does not pay again what another batch has paid with another content', async () => {
    const all = references(10);
    await world.run(['run', world.file('a.csv', all), '--batch-id', 'a', '--yes']);
    const other = world.file('b.csv', all);
    const run = await world.run(['run', other, '--batch-id', 'b', '--yes', '--currency', 'USD']);
    assert.match(run.stdout, /already paid +10/);
    world.assertPaidOnce(all);
  });
});
