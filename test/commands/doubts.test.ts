import assert from 'node:assert/strict';
import {mkdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {commandsIn, DoubtsWorld} from './doubts-world.ts';

let world: DoubtsWorld;
let payee: string;
beforeEach(async () => {
  world = await DoubtsWorld.open();
  payee = (await world.service.sandbox.ready('payee')).id;
});
afterEach(() => world.close());

const create = (more = '') =>
  `payouts create --payee ${payee} --amount 10.00 --currency USD --json ${more}`.trim();
const payouts = () => world.countOf(`/api/payouts?payee_id=${payee}`);

describe('a payout in doubt', () => {
  it('is remembered: the same command again is refused, and both printed commands work', async () => {
    const first = await world.lose(create());
    assert.equal(first.exitCode, 12, first.stderr);
    assert.equal(world.remembered.length, 1);
    const again = await world.run(create());
    assert.deepEqual([again.exitCode, again.error().code], [11, 'GUARD_DUPLICATES'], again.stderr);
    assert.equal(world.posts.length, 0);
    const key = first.error().details!['idempotency_key'];
    assert.equal(again.error().details!['idempotency_key'], key);
    assert.match(
      again.error().message,
      /the same payout \(10\.00 USD \(1000 minor units\), payee \S+\) was sent at 2023-11-14T22:13:20Z with idempotency key \S+, and whether it was created is unknown\. Nothing was sent now/,
    );
    const [repeat, another] = commandsIn(again.error().hint);
    const repeated = await world.run(repeat!);
    assert.equal(repeated.exitCode, 0, repeated.stderr);
    assert.deepEqual(
      world.posts.map((post) => post.key),
      [key],
    );
    assert.deepEqual([await payouts(), world.remembered], [1, []]);
    const second = await world.run(another!);
    assert.equal(second.exitCode, 0, second.stderr);
    assert.deepEqual([await payouts(), world.remembered], [2, []]);
  });

  it('is repeated by the command that the first error prints, without a question', async () => {
    const first = await world.lose(create('--auto-approve'));
    const [repeat] = commandsIn(first.error().hint);
    const repeated = await world.run(repeat!);
    assert.equal(repeated.exitCode, 0, repeated.stderr);
    assert.equal(world.posts.length, 1);
    assert.deepEqual([await payouts(), world.remembered], [1, []]);
  });

  it('stays in doubt while its repetitions get no answer', async () => {
    const first = await world.lose(create());
    const [repeat] = commandsIn(first.error().hint);
    assert.equal((await world.lose(repeat!)).exitCode, 12);
    world.losing = 'request';
    assert.equal((await world.run(repeat!)).exitCode, 7);
    world.losing = 'nothing';
    assert.equal((await world.run(create())).exitCode, 11);
    assert.deepEqual([await payouts(), world.remembered.length], [1, 1]);
  });

  it('is the same whatever the form of its amount, the profile and the metadata', async () => {
    await world.lose(create());
    const minor = create().replace('--amount 10.00', '--amount-minor 1000');
    const keyFile = join(world.home, 'key');
    writeFileSync(keyFile, world.service.testKey, {mode: 0o600});
    const added = await world.run(
      `profiles add other --base-url http://127.0.0.1:4010/ --key-file ${keyFile}`,
      {env: {REMIT_API_KEY: '', REMIT_BASE_URL: ''}},
    );
    assert.equal(added.exitCode, 0, added.stderr);
    for (const line of [minor, minor.replace(' --currency USD', ''), create('--metadata order=18')])
      assert.equal((await world.run(line)).exitCode, 11, line);
    const elsewhere = await world.run(create('-p other'), {env: {REMIT_API_KEY: '', REMIT_BASE_URL: ''}});
    assert.equal(elsewhere.exitCode, 11, elsewhere.stderr);
    assert.match(elsewhere.error().hint!, / -p other /);
    assert.equal(await payouts(), 1);
  });

  it('does not stop another party, amount or currency', async () => {
    await world.lose(create());
    const {id: other} = await world.service.sandbox.ready('payee');
    for (const line of [
      create().replace('10.00', '10.01'),
      create().replace(payee, other),
      create().replace('10.00', '10').replace('USD', 'USN'),
    ]) {
      const ran = await world.run(line);
      assert.notEqual(ran.exitCode, 11, ran.stderr);
    }
  });

  it('is not silenced by another explicit key', async () => {
    await world.lose(create());
    const other = await world.run(create('--idempotency-key other'));
    assert.equal(other.exitCode, 11, other.stderr);
    const [, another] = commandsIn(other.error().hint);
    assert.ok(another!.join(' ').includes('--idempotency-key other'));
    assert.equal((await world.run(another!)).exitCode, 0);
    assert.deepEqual([world.posts[0]!.key, await payouts(), world.remembered.length], ['other', 2, 1]);
  });

  it('is asked about at a terminal: yes repeats it with its key', async () => {
    const first = await world.lose(create());
    const again = await world.run(create().replace(' --json', ''), {columns: 400, answers: [true]});
    assert.equal(again.exitCode, 0, again.stderr);
    assert.match(again.questions[0]!, /^Send it again with the earlier key, [0-9a-f-]{36}\?/);
    assert.match(again.stderr, /^\S*Warning:\S* the same payout \(10\.00 USD/);
    assert.deepEqual(
      world.posts.map(({key}) => key),
      [first.error().details!['idempotency_key']],
    );
    assert.deepEqual([await payouts(), world.remembered], [1, []]);
  });

  it('is refused at a terminal after a no, and remembered still', async () => {
    await world.lose(create());
    const again = await world.run(create().replace(' --json', ''), {columns: 400, answers: [false]});
    assert.equal(again.exitCode, 11, again.stderr);
    assert.match(again.stderr, /--accept new-payment=[0-9a-f]{8}/);
    assert.deepEqual([world.posts.length, await payouts(), world.remembered.length], [0, 1, 1]);
  });

  it('is forgotten after a refusal, and after a request that never left', async () => {
    const refused = await world.run(create().replace(payee, '018f0000-0000-7000-8000-000000000000'));
    assert.deepEqual([refused.exitCode, world.remembered], [4, []], refused.stderr);
    world.losing = 'request';
    const unsent = await world.run(create());
    assert.deepEqual([unsent.exitCode, world.remembered], [7, []], unsent.stderr);
  });

  it('is written before the request leaves, private and without account data', async () => {
    let seen: string[] = [];
    const send = world.transport.send;
    world.transport.send = (request) => {
      if (request.method === 'POST') {
        seen = world.remembered;
        const file = join(world.folder, seen[0]!);
        assert.equal(statSync(file).mode & 0o777, 0o600);
        assert.equal(statSync(world.folder).mode & 0o777, 0o700);
        assert.ok(readFileSync(file, 'utf8').includes(request.headers['idempotency-key']!));
      }
      return send(request);
    };
    assert.equal((await world.run(create())).exitCode, 0);
    assert.deepEqual([seen.length, world.remembered], [1, []]);
  });

  it('is neither remembered nor asked about by a dry run', async () => {
    assert.equal((await world.run(create('--dry-run'))).exitCode, 0);
    assert.deepEqual(world.remembered, []);
    await world.lose(create());
    for (const flags of ['--dry-run', '--dry-run --curl'])
      assert.equal((await world.run(create(flags))).exitCode, 0);
  });

  it('past the horizon never sends its key again, and shows the records that it may be', async () => {
    const first = await world.lose(create());
    world.clock.advance(24 * 3_600_000 + 1);
    for (const line of [
      create(),
      create(`--idempotency-key ${String(first.error().details!['idempotency_key'])}`),
    ]) {
      const again = await world.run(line);
      assert.equal(again.exitCode, 11, again.stderr);
      assert.match(again.error().message, /The key is not sent again: .* 24h\. It may be \S{36} \(created, /);
      const [check, another] = commandsIn(again.error().hint);
      assert.deepEqual(check, ['payouts', 'list', '--payee', payee]);
      assert.equal((await world.run(check)).exitCode, 0);
      assert.ok(!another!.includes('--idempotency-key'));
      assert.equal((again.error().details!['candidates'] as unknown[]).length, 1);
    }
    const asked = await world.run(create(), {columns: 400, answers: [false]});
    assert.deepEqual(asked.questions, ['Send another payout?']);
    assert.deepEqual([asked.exitCode, world.posts], [11, []]);
    const answered = await world.run(create(), {columns: 400, answers: [true]});
    assert.equal(answered.exitCode, 0, answered.stderr);
    assert.notEqual(world.posts[0]!.key, first.error().details!['idempotency_key']);
    assert.deepEqual([await payouts(), world.remembered.length], [2, 1]);
  });

  it('has the horizon of the service file', async () => {
    const service = join(world.home, 'service.json');
    writeFileSync(service, JSON.stringify({keys: {horizon: '12h'}}));
    const env = {REMIT_SERVICE_FILE: service};
    await world.lose(create(), {env});
    world.clock.advance(13 * 3_600_000);
    assert.match((await world.run(create(), {env})).error().message, /after 12h/);
    assert.match((await world.run(create())).error().hint!, /^remit payouts create .* --idempotency-key /);
  });

  it('stops a live payment if it cannot be remembered, and warns about a test payment', async () => {
    const file = join(world.home, '.local');
    writeFileSync(file, 'a file');
    const test = await world.run(create());
    assert.equal(test.exitCode, 0, test.stderr);
    assert.match(test.stderr, /Warning: .*\.local.* not remembered/);
    const live = await world.run(create('--live --yes'), {env: {REMIT_API_KEY: world.service.liveKey}});
    assert.deepEqual([live.exitCode, world.posts], [13, []], live.stderr);
    assert.match(live.error().message, /a live payment is only sent if it can be remembered/);
  });

  it('stops a live payment if a memory file is damaged, and names it', async () => {
    mkdirSync(world.folder, {recursive: true});
    const file = join(world.folder, '0123456789abcdef.json');
    for (const text of ['', '{', '{}', '{"kind":"payout"}', 'null']) {
      writeFileSync(file, text);
      const live = await world.run(create('--live --yes'), {env: {REMIT_API_KEY: world.service.liveKey}});
      assert.deepEqual([live.exitCode, live.error().code, world.posts], [13, 'STATE_DAMAGED', []]);
      assert.ok(live.error().message.includes(file));
      const test = await world.run(create());
      assert.equal(test.exitCode, 0, test.stderr);
      assert.ok(test.stderr.includes(file));
    }
  });
});
