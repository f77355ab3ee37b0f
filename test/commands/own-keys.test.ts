import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {Stop} from '../../src/cli/runtime/stop.ts';
import type {CliOptions, CliResult} from '../cli/run-cli.ts';
import {BASE_URL, LIVE_KEY, runCli, scratch, TEST_KEY} from '../cli/run-cli.ts';
import {answer, lost, type Script} from '../client/transport/fake-transport.ts';
import {commandsIn, DoubtsWorld} from './doubts-world.ts';
import {METHOD_ID, PAYEE_ID, PAYER_ID, PAYOUT_ID, payin, payout} from './fixtures.ts';

const KINDS = [
  {topic: 'payouts', noun: 'payout', party: 'payee', id: PAYEE_ID, record: payout},
  {topic: 'payins', noun: 'payin', party: 'payer', id: PAYER_ID, record: payin},
] as const;

/** A sandbox with two parties, and ways to create for each. */
async function open(kind: (typeof KINDS)[number], options?: Parameters<typeof DoubtsWorld.open>[0]) {
  const world = await DoubtsWorld.open(options);
  const {topic, party} = kind;
  const [p, q] = [await world.service.sandbox.ready(party), await world.service.sandbox.ready(party)];
  const command = (id: string, amount: string, more = '') =>
    `${topic} create --${party} ${id} --amount ${amount} --currency USD --idempotency-key k-1 --json ${more}`.trim();
  const statusOf = async (id: string) => {
    const {body} = await world.service.sandbox.get(`/api/${topic}/${id}`);
    return body.status as string;
  };
  const approvals = () =>
    world.posts.map(({line, body}) =>
      line.endsWith('/approve') ? 'approve' : (body as {auto_approve?: boolean}).auto_approve === true,
    );
  return {...kind, world, p: p.id, q: q.id, command, statusOf, approvals};
}
const idOf = (ran: CliResult) => (ran.json() as {id: string}).id;

for (const kind of KINDS)
  describe(`${kind.topic} create with a key of the caller's`, () => {
    it('never approves the record of another party, by create or by api', async () => {
      const {world, p, q, command, statusOf, topic, party} = await open(kind);
      const first = idOf(await world.run(command(p, '1.00')));
      const body = {[`${party}_id`]: q, amount_in_minor_units: 999_900, auto_approve: true};
      const api = ['api', 'POST', `/api/${topic}`, '-d', JSON.stringify(body), '--idempotency-key', 'k-1'];
      for (const words of [command(q, '9999.00', '--auto-approve'), [...api, '--json']]) {
        const ran = await world.run(words);
        assert.deepEqual([ran.exitCode, ran.error().code, ran.stdout], [6, 'KEY_REUSED', ''], ran.stderr);
        assert.match(ran.error().message, new RegExp(`belongs to another ${kind.noun}, ${first}`));
        assert.equal(ran.error().hint, `remit ${topic} get ${first}`);
        assert.equal(await statusOf(first), 'created');
      }
      await world.close();
    });

    it('creates, compares and releases; typed again it changes nothing', async () => {
      const {world, p, command, approvals} = await open(kind);
      const line = command(p, '10.00', '--auto-approve');
      const ran = await world.run(line);
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.deepEqual(approvals(), [false, true]);
      const sure = `has the same ${kind.party}${kind.noun === 'payout' ? ', amount and currency' : ' and amount'}`;
      assert.match(
        ran.stderr,
        new RegExp(`${idOf(ran)} exists \\(status: created\\) and ${sure}\\. Its approval is sent now`),
      );
      const again = await world.run(line);
      assert.deepEqual([again.exitCode, idOf(again)], [0, idOf(ran)], again.stderr);
      assert.match(again.stderr, /Nothing new was created/);
      await world.close();
    });

    for (const flags of [[], ['--json']])
      it(`interrupted between the two requests, prints the id and the command${flags.join()}`, async () => {
        const {world, p, command, statusOf, approvals} = await open(kind);
        const stop = new Stop(() => {});
        const service = {
          ...world.transport,
          send: async (request: Parameters<typeof world.transport.send>[0]) => {
            if (request.signal?.aborted) throw lost('aborted', {sent: false});
            const answered = await world.transport.send(request);
            if (request.method === 'POST') stop.receive('SIGINT');
            return answered;
          },
        };
        const line = command(p, '10.00', '--auto-approve').replace('--json', flags.join());
        const ran = await world.run(line.split(' ').filter(Boolean), {stop, service, columns: 400});
        assert.equal(ran.exitCode, 130, ran.stderr);
        const [id = ''] = /[0-9a-f]{8}-[0-9a-f-]{27}(?= exists)/.exec(ran.stderr) ?? [];
        assert.equal(await statusOf(id), 'created');
        const last = flags.length === 0 ? ran.stderr.trimEnd().split('\n').at(-1) : ran.error().hint;
        const next = commandsIn(last)[0]!;
        if (flags.length > 0) assert.equal(ran.error().details?.['id'], id);
        else assert.ok(ran.stderr.split('\n').slice(-4).join().includes(id), ran.stderr);
        const repeated = await world.run([...next, ...(flags.length === 0 ? ['--json'] : [])]);
        assert.deepEqual([repeated.exitCode, idOf(repeated)], [0, id], repeated.stderr);
        assert.deepEqual(approvals(), [false, true]);
        await world.close();
      });

    it('says what exists if the service compares whole bodies, and the printed command approves it', async () => {
      const {world, p, command, statusOf} = await open(kind, {strictAutoApprove: true});
      const ran = await world.run(command(p, '10.00', '--auto-approve'));
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.match(ran.stderr, /was not approved: the service answered 409/);
      const [next] = commandsIn(/Hint: (.*)/.exec(ran.stderr)?.[1]);
      assert.equal((await world.run(next!)).exitCode, 0);
      assert.notEqual(await statusOf(idOf(ran)), 'created');
      await world.close();
    });

    it('a dead key prints the command that creates a new one, and it works', async () => {
      const {world, p, command, topic} = await open(kind);
      const first = idOf(await world.run(command(p, '10.00')));
      await world.run(`${topic} cancel ${first} --json`);
      for (const more of ['', '--auto-approve']) {
        const ran = await world.run(command(p, '10.00', more));
        assert.deepEqual([ran.exitCode, ran.error().code], [6, 'IDEMPOTENCY_KEY_CONFLICT'], ran.stderr);
        assert.match(ran.error().message, /without this key creates a new one, which moves money again/);
        const created = await world.run(commandsIn(ran.error().hint)[0]!);
        assert.equal(created.exitCode, 0, created.stderr);
        assert.notEqual(idOf(created), first);
      }
      await world.close();
    });

    const CREATE = `${kind.topic} create --${kind.party} ${kind.id} --amount 125.00 --currency USD --auto-approve`;
    const run = (service: CliOptions['service'], ...more: string[]) =>
      runCli([...CREATE.split(' '), '--idempotency-key', 'k-1', ...more], {service: service!});
    const created = answer(201, kind.record({status: 'created'}));

    it('409 to the first request: exit 12, the key is in use, and the list may show its record', async () => {
      const time = {created_at: new Date().toISOString()};
      const found = answer(200, {data: [kind.record({status: 'approved', ...time})], next_cursor: null});
      for (const more of [[], ['--auto-approve']]) {
        const ran = await run([answer(409, {message: 'busy'}), found], '--json', ...more);
        assert.deepEqual([ran.exitCode, ran.error().code], [12, 'IN_DOUBT'], ran.stderr);
        assert.deepEqual(
          ran.requests.map(({method}) => method),
          ['POST', 'GET'],
        );
        assert.match(ran.error().message, /The idempotency key is in use/);
        assert.match(
          ran.error().message,
          new RegExp(`Key \\S+ may already have made this ${kind.noun}: check .* It may be ${PAYOUT_ID}`),
        );
        const list = `remit ${kind.topic} list --${kind.party} ${kind.id}`;
        assert.deepEqual([ran.error().details?.['next'], ran.error().hint?.startsWith(list)], [list, true]);
      }
    });

    it('a 207 to either request: exit 8', async () => {
      const warned = answer(207, kind.record({status: 'created', warning: 'no funds'}));
      for (const service of [[warned], [created, warned]]) {
        const ran = await run(service);
        assert.deepEqual([ran.exitCode, ran.requests.length], [8, service.length], ran.stderr);
        assert.match(ran.stderr, /Warning: no funds/);
        assert.match(ran.stderr, new RegExp(`Hint: remit ${kind.topic} approve ${PAYOUT_ID}`));
      }
    });

    it('a 207 with a record that cannot be compared leads to the record, not to its approval', async () => {
      const warning = 'no funds';
      const record = kind.record({status: 'created', [`${kind.party}_id`]: null, warning});
      const ran = await run([answer(207, record)]);
      assert.deepEqual([ran.exitCode, ran.requests.length], [8, 1], ran.stderr);
      assert.match(ran.stderr, new RegExp(`Hint: remit ${kind.topic} get ${PAYOUT_ID}$`, 'm'));
      assert.doesNotMatch(ran.stderr, /approve/);
    });

    it('an answer without party or amount is not released: exit 8', async () => {
      const noAmount = {amount_in_minor_units: undefined, amount_in_cents: undefined};
      for (const missing of [{[`${kind.party}_id`]: null}, noAmount]) {
        const ran = await run([answer(200, kind.record({status: 'created', ...missing}))]);
        assert.deepEqual([ran.exitCode, ran.requests.length], [8, 1], ran.stderr);
        assert.match(ran.stderr, /was not approved: the answer has no/);
        assert.match(ran.stderr, new RegExp(`Hint: remit ${kind.topic} get ${PAYOUT_ID}$`, 'm'));
      }
    });

    it('lost answers to the second request: exit 12 with the id, and the command continues', async () => {
      const script: Script = ({method, body}) => {
        if (method === 'GET') return answer(200, kind.record({status: 'created'}));
        return body?.includes('"auto_approve":false') ? created : lost();
      };
      const ran = await run(script, '--json');
      assert.deepEqual([ran.exitCode, ran.error().details?.['id']], [12, PAYOUT_ID], ran.stderr);
      assert.match(
        ran.error().message,
        new RegExp(`${PAYOUT_ID} exists; whether it was approved is not known`),
      );
      assert.equal(ran.error().hint, `remit ${CREATE} --json --idempotency-key k-1`);
    });

    it('a refused approval keeps its exit code and names the record', async () => {
      const ran = await run([created, answer(422, {error_code: 'INVALID_PAYMENT_DETAILS'})], '--json');
      assert.deepEqual([ran.exitCode, ran.error().details?.['id']], [5, PAYOUT_ID], ran.stderr);
      assert.match(ran.error().message, new RegExp(`${PAYOUT_ID} exists; it was not approved`));
    });
  });

describe('a create with a key of the caller', () => {
  const body = {payee_id: PAYEE_ID, amount_in_minor_units: 12_500, auto_approve: true};
  const api = (...words: string[]) => ['api', 'POST', ...words, '--idempotency-key', 'k-1', '--json'];

  it('is approved by id after a 409, if the profile allows it', async () => {
    const home = scratch();
    const env = {HOME: home};
    const key = join(home, 'key.txt');
    writeFileSync(key, 'test_0123456789abcdef', {mode: 0o600});
    const add = `profiles add work --base-url http://127.0.0.1:4010 --key-file ${key}`;
    assert.equal((await runCli(add.split(' '), {env})).exitCode, 0);
    await runCli('profiles set work --approve-by-id'.split(' '), {env});
    const create = `payouts create --payee ${PAYEE_ID} --amount 125.00 --currency USD --auto-approve --idempotency-key k-1 -p work --json`;
    const service = [answer(201, payout()), answer(409), answer(200, payout())];
    const approved = answer(200, payout({status: 'approved'}));
    const ran = await runCli(create.split(' '), {
      env: {...env, REMIT_API_KEY: '', REMIT_BASE_URL: ''},
      service: [...service, approved],
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual(ran.requests.map(({method, path}) => `${method} ${path}`).slice(2), [
      `GET /api/payouts/${PAYOUT_ID}`,
      `POST /api/payouts/${PAYOUT_ID}/approve`,
    ]);
  });

  it('is compared under a path and names of a service file too', async () => {
    const home = scratch();
    const file = join(home, 'service.json');
    const service = {
      routes: {'payouts.create': 'POST /v1/disbursements'},
      fields: {payouts: {payee_id: 'to', auto_approve: 'flags.now', amount_in_minor_units: 'sum'}},
      units: {'payouts.amount_in_minor_units': 'major'},
    };
    writeFileSync(file, JSON.stringify(service));
    const env = {HOME: home, REMIT_SERVICE_FILE: file, REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL};
    const wire = (changes: object) => {
      const unmapped = {payee_id: undefined, amount_in_minor_units: undefined, amount_in_cents: undefined};
      return JSON.parse(
        JSON.stringify({...payout(), ...unmapped, to: PAYEE_ID, sum: '125.00', ...changes}),
      ) as unknown;
    };
    const typed = JSON.stringify({
      to: PAYEE_ID,
      sum: '125.00',
      currency_code: 'USD',
      flags: {now: true},
      own: 1,
    });
    const words = api('/v1/disbursements', '-d', typed);
    const other = await runCli(words, {env, service: [answer(200, wire({to: METHOD_ID}))]});
    assert.deepEqual([other.exitCode, other.error().code], [6, 'KEY_REUSED'], other.stderr);
    assert.deepEqual(
      other.requests.map((sent) => JSON.parse(sent.body!) as unknown),
      [{to: PAYEE_ID, sum: '125.00', currency_code: 'USD', flags: {now: false}, own: 1}],
    );
    const replies = [answer(201, wire({})), answer(201, wire({status: 'approved'}))];
    const same = await runCli(words, {env, service: replies});
    assert.equal(same.exitCode, 0, same.stderr);
    assert.deepEqual(same.json(), wire({status: 'approved'}));
    assert.equal(same.requests[1]?.body, typed);
  });

  it('by api ends like create: dry run, 207, dead key, interruption', async () => {
    const words = api('/api/payouts', '-d', JSON.stringify(body));
    const dry = await runCli([...words, '--dry-run'], {service: []});
    assert.match(
      dry.stderr,
      /This is the first of two requests\. .* only if the first answer is this payment/,
    );
    assert.deepEqual((dry.json() as {body: unknown}).body, {...body, auto_approve: false});
    const warned = await runCli(words, {service: [answer(207, payout())]});
    assert.deepEqual([warned.exitCode, warned.requests.length], [8, 1], warned.stderr);
    const unread = await runCli(words, {service: [answer(200, payout({payee_id: null}))]});
    assert.deepEqual([unread.exitCode, unread.requests.length], [8, 1], unread.stderr);
    const dead = await runCli(words, {service: [answer(200, payout({status: 'failed'}))]});
    assert.deepEqual([dead.exitCode, dead.error().code], [6, 'IDEMPOTENCY_KEY_CONFLICT'], dead.stderr);
    assert.ok(!commandsIn(dead.error().hint)[0]!.includes('--idempotency-key'));
    const stop = new Stop(() => {});
    const service: Script = () => {
      stop.receive('SIGTERM');
      return answer(201, payout());
    };
    const ended = await runCli(words, {service, stop});
    assert.deepEqual([ended.exitCode, ended.error().details?.['id']], [143, PAYOUT_ID], ended.stderr);
    assert.match(ended.error().hint ?? '', /^remit api POST .*--idempotency-key k-1$/);
  });

  it('is shown as a curl command that approves nothing', async () => {
    const create = `payouts create --payee ${PAYEE_ID} --amount 125.00 --currency USD --auto-approve`;
    for (const words of [create.split(' '), ['api', 'POST', '/api/payouts', '-d', JSON.stringify(body)]]) {
      const stepped = await runCli([...words, '--idempotency-key', 'k-1', '--dry-run', '--curl']);
      assert.match(stepped.stdout, /"auto_approve":\s?false/, stepped.stderr);
      assert.doesNotMatch(stepped.stdout, /"auto_approve":\s?true/);
      const own = await runCli([...words, '--dry-run', '--curl']);
      assert.match(own.stdout, /"auto_approve":\s?true/, 'its key has no other record');
      assert.doesNotMatch(own.stderr, /two requests/);
    }
  });

  it('is refused under another spelling of the path, where its answer could not be compared', async () => {
    for (const path of ['/api/payouts/', '/api//payouts', '/API/payouts', '/api/%70ayouts']) {
      const ran = await runCli(api(path, '-d', JSON.stringify(body)), {service: [answer(201, payout())]});
      assert.deepEqual([ran.exitCode, ran.error().code], [11, 'GUARD_TARGET'], ran.stderr);
      assert.deepEqual(ran.requests, []);
    }
  });

  it('with a live key is granted as both requests, and nothing else', async () => {
    const env = {REMIT_API_KEY: LIVE_KEY, REMIT_BASE_URL: BASE_URL};
    const service: Script = ({method, body: sent}) =>
      method === 'GET'
        ? answer(404, {error_code: 'NOT_FOUND'})
        : answer(201, payout({status: sent?.includes('"auto_approve":true') ? 'approved' : 'created'}));
    const create = `payouts create --payee ${PAYEE_ID} --amount 125.00 --currency USD --auto-approve --idempotency-key k-1 --json`;
    for (const words of [create.split(' '), api('/api/payouts', '-d', JSON.stringify(body))]) {
      const ran = await runCli([...words, '--live', '--yes'], {env, service});
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.equal(ran.requests.filter(({method}) => method === 'POST').length, 2);
      assert.equal(ran.stderr.match(/LIVE/g)?.length, 1);
    }
  });

  it('for a payin notes the currency of the destination account', async () => {
    const line = `payins create --payer ${PAYER_ID} --amount 125.00 --currency USD --idempotency-key k-1`;
    const ran = await runCli(line.split(' '), {service: [answer(201, payin({currency_code: 'CAD'}))]});
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(
      ran.stderr,
      /is shown in CAD, the currency of the destination account; requested in USD; if this service differs, set fields\.payins\.currency_code in the service file\.$/m,
    );
  });
});
