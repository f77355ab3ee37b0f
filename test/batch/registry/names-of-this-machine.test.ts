import assert from 'node:assert/strict';
import {join} from 'node:path';
import {openSqlite} from '../../../src/store/sqlite/sqlite.ts';
import {Desk} from '../../commands/payouts/batch/desk.ts';
import {runCli} from '../../cli/run-cli.ts';
import {payeeId} from '../harness.ts';

describe('the names of this machine', () => {
  let desk: Desk;
  beforeEach(() => (desk = Desk.withTwoRows()));
  afterEach(() => desk.close());
  const at = (host: string) => {
    const env = Object.entries(desk.env('test_abcdefghijklmnop'));
    return {env: {...Object.fromEntries(env), REMIT_BASE_URL: `http://${host}:4010`}};
  };

  it('are one service for the payments of batches', async () => {
    assert.equal((await desk.batch('run ./p.csv --batch-id a --yes', at('localhost'))).exitCode, 0);
    desk.file('q.csv', [['B-1', 1, '10.00']]);
    const alike = await desk.batch('run ./q.csv --batch-id b --yes', at('127.0.0.1'));
    assert.equal(alike.exitCode, 11, alike.stderr);
    desk.service.forgetKeys();
    const again = await desk.batch('run ./p.csv --batch-id c --yes --json', at('[::1]'));
    assert.equal((again.json() as {already_paid: number}).already_paid, 2);
    assert.equal(desk.service.paid.length, 2);
  });

  it('are one service for a single payment in doubt', async () => {
    desk.service.fault = ({method}) => (method === 'POST' ? 'lost-before' : undefined);
    const line = ['payouts', 'create', '--payee', payeeId(2), '--amount', '20.00', '--currency', 'USD'];
    const lost = await runCli([...line, '--retries', '0'], {
      ...at('localhost'),
      ...{service: desk.service.transport(), clock: desk.clock, cwd: desk.folder},
    });
    assert.equal(lost.exitCode, 12, lost.stderr);
    desk.service.fault = () => undefined;
    const run = await desk.batch('run ./p.csv --batch-id a --yes', at('127.0.0.1'));
    assert.equal(run.exitCode, 11, run.stderr);
  });

  it('are the only ones that may end with a dot: another would be a second name of its service', async () => {
    const env = {...desk.env('test_abcdefghijklmnop'), REMIT_BASE_URL: 'https://api.example.com.'};
    const run = await desk.batch('run ./p.csv --batch-id a --yes', {env});
    assert.equal(run.exitCode, 2, run.stderr);
    assert.match(run.stderr, /must not end with a dot/);
  });

  it('of an older registry become one, with the payments of both', async () => {
    await desk.batch('run ./p.csv --batch-id a --yes', at('localhost'));
    const path = join(desk.folder, '.local/state/remit/batches/registry.db');
    const db = await openSqlite(path, {durability: 'full'});
    db.prepare("update scopes set base_url = 'http://localhost:4010'").run();
    db.prepare(
      "insert into scopes (mode, base_url, kind, namespace) values ('test', 'http://127.0.0.1:4010', 'payout', 'default')",
    ).run();
    db.prepare(
      `insert into entries (scope, fold, reference, claimant, generation, fingerprint, paid, at)
       select s.id, e.fold, e.reference, e.claimant, 0, 'f', 0, 1 from entries e cross join scopes s
       where s.base_url = 'http://127.0.0.1:4010' and e.reference = 'A-1'`,
    ).run();
    db.close();
    desk.service.forgetKeys();
    const again = await desk.batch('run ./p.csv --batch-id c --yes --json', at('localhost'));
    assert.equal((again.json() as {already_paid: number}).already_paid, 2);
  });
});
