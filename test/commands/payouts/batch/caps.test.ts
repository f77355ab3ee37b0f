import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {payeeId} from '../../../batch/harness.ts';
import {runCli} from '../../../cli/run-cli.ts';
import {Desk} from './desk.ts';

describe('the caps of a profile on a batch', () => {
  let desk: Desk;
  beforeEach(() => (desk = Desk.withTwoRows()));
  afterEach(() => desk.close());

  const run = (env: Record<string, string>, line = 'run ./p.csv --yes') =>
    desk.batch(`${line} --json`, {env});
  const set = async (env: Record<string, string>, ...flags: string[]) => {
    const ran = await runCli(['profiles', 'set', 'p', ...flags], {env, cwd: desk.folder});
    assert.equal(ran.exitCode, 0, ran.stderr);
  };

  for (const [title, flags, says] of [
    [
      'a total above the cap',
      ['--max-batch-total', 'USD=29.99'],
      /its total is 30\.00 USD, the cap is 29\.99 USD/,
    ],
    [
      'a row above the cap',
      ['--max-amount', 'USD=19.99'],
      /its largest amount is 20\.00 USD, the cap is 19\.99 USD/,
    ],
    ['more rows than allowed', ['--max-batch-rows', '1'], /it has 2 rows, the cap is 1/],
    ['a currency without a cap on totals', ['--max-batch-total', 'EUR=99999.00'], /no cap for USD/],
    ['a currency without a cap on amounts', ['--max-amount', 'EUR=99999.00'], /no cap for USD/],
    [
      'rows without a rail',
      ['--allow-rail', 'wire'],
      /some rows name no rail, and only these are allowed: wire/,
    ],
    ['a profile that is read-only', ['--read-only'], /profile p is read-only/],
  ] as const)
    it(`refuse ${title}, before anything is sent`, async () => {
      const ran = await run(await desk.profile('p', ...flags));
      assert.equal(ran.exitCode, 11, ran.stderr);
      assert.match(ran.error().message, says);
      assert.equal(desk.service.posts, 0);
    });

  it('refuse another rail, and let a batch through that keeps them all', async () => {
    const rows = [1, 2].map((n) => `B-${n},${payeeId(n)},10.00,USD,${n === 1 ? 'wire' : 'standard_ach'}`);
    const file = `reference,payee_id,amount,currency_code,rail\n${rows.join('\n')}\n`;
    writeFileSync(join(desk.folder, 'r.csv'), file);
    const env = await desk.profile('p', '--allow-rail', 'wire');
    const refused = await run(env, 'run ./r.csv --yes');
    assert.equal(refused.exitCode, 11);
    assert.match(refused.error().message, /the rail standard_ach is not among those allowed: wire/);
    await set(env, '--allow-rail', 'wire', '--allow-rail', 'standard_ach', '--max-amount', 'USD=10.00');
    await set(env, '--max-batch-total', 'USD=20.00', '--max-batch-rows', '2');
    const ran = await run(env, 'run ./r.csv --yes');
    assert.equal(ran.exitCode, 0, ran.stderr);
  });

  it('apply to each later command, with their values at that time', async () => {
    const env = await desk.profile('p');
    assert.equal((await run(env, 'run ./p.csv --yes --batch-id b --stage-only')).exitCode, 0);
    const {posts} = desk.service;
    await set(env, '--max-amount', 'USD=15.00');
    const lines = ['release b --yes', 'resume b --yes', 'retry b --yes', 'run b --yes'];
    for (const line of lines) {
      const ran = await run(env, line);
      assert.equal(ran.exitCode, 11, `${line}: ${ran.stderr}`);
      assert.equal(desk.service.posts, posts, line);
    }
  });

  it('do not apply to cancel, which releases nothing', async () => {
    const env = await desk.profile('p');
    desk.service.fault = ({n}) => (n === 1 ? undefined : '500-after'); // A-2 is left in doubt
    assert.equal((await run(env, 'run ./p.csv --yes --batch-id b --stage-only')).exitCode, 12);
    desk.service.fault = () => undefined;
    const caps = ['--max-amount', 'EUR=1.00', '--max-batch-total', 'USD=0.01', '--max-batch-rows', '1'];
    await set(env, ...caps, '--allow-rail', 'wire');
    const before = desk.service.requests.length;
    const ran = await run(env, 'cancel b --yes');
    const {state, canceled} = ran.json() as Summary;
    assert.deepEqual([ran.exitCode, state, canceled], [0, 'canceled', 2], ran.stderr);
    const sent = desk.service.requests.slice(before).filter(({method}) => method === 'POST');
    assert.ok(sent.length >= 3, 'two cancels, and the replay of the row in doubt');
    for (const {path, body} of sent)
      assert.ok(path.endsWith('/cancel') || /"auto_approve":false/.test(body), `${path} ${body}`);
    assert.deepEqual(desk.service.paid, []);
  });

  it('apply to a cancel whose request may do something else', async () => {
    const env = await desk.profile('p');
    assert.equal((await run(env, 'run ./p.csv --yes --batch-id b --stage-only')).exitCode, 0);
    const {posts} = desk.service;
    await set(env, '--max-amount', 'USD=0.01', '--route', 'payouts.cancel=POST /api/payouts/{id}/stop');
    const ran = await run(env, 'cancel b --yes');
    assert.deepEqual([ran.exitCode, ran.error().code], [11, 'GUARD_CAP'], ran.stderr);
    assert.equal(desk.service.posts, posts);
  });

  it('let a batch be canceled that keeps them, with records that differ from their rows', async () => {
    const env = await desk.profile('p', '--max-batch-total', 'USD=30.00');
    desk.service.distort = (record) => ({...record, rail: 'wire', currency_code: 'EUR'});
    const held = await run(env, 'run ./p.csv --yes --batch-id b');
    assert.deepEqual([held.exitCode, (held.json() as Summary).held], [8, 2]);
    assert.equal((held.json() as Summary).next, 'remit payouts batch status b --row A-1 -p p');
    const ran = await run(env, 'cancel b --yes');
    assert.deepEqual([ran.exitCode, (ran.json() as Summary).state], [0, 'canceled'], ran.stderr);
  });

  it('are not bypassed by --accept differences', async () => {
    for (const flags of [
      ['--max-amount', 'USD=99.00'],
      ['--max-batch-total', 'USD=99.00'],
    ]) {
      const env = await desk.profile(`p${flags[0]!.length}`, ...flags, '--default');
      const ran = await run(env, 'run ./p.csv --yes --accept differences');
      assert.equal(ran.exitCode, 11, ran.stderr);
      assert.match(ran.error().message, /--accept differences/);
    }
    assert.equal(desk.service.posts, 0);
    const env = await desk.profile('free', '--max-batch-rows', '5', '--default');
    assert.equal((await run(env, 'run ./p.csv --yes --accept differences')).exitCode, 0);
  });
});
