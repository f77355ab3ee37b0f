import assert from 'node:assert/strict';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {answer} from '../client/transport/fake-transport.ts';
import {commandsIn, DoubtsWorld} from './doubts-world.ts';

let world: DoubtsWorld;
beforeEach(async () => {
  world = await DoubtsWorld.open();
});
afterEach(() => world.close());

const AMOUNT = '--amount 10.00 --currency USD --json';

describe('a payin in doubt', () => {
  it('is remembered, and repeated with its key', async () => {
    const {id} = await world.service.sandbox.ready('payer');
    const line = `payins create --payer ${id} ${AMOUNT}`;
    assert.equal((await world.lose(line)).exitCode, 12);
    const again = await world.run(line);
    assert.equal(again.exitCode, 11, again.stderr);
    assert.match(again.error().message, /the same payin \(10\.00 USD/);
    const [repeat] = commandsIn(again.error().hint);
    assert.equal((await world.run(repeat!)).exitCode, 0);
    assert.deepEqual([await world.countOf('/api/payins'), world.remembered], [1, []]);
  });

  it('is not a payout of the same amount', async () => {
    const {id: payer} = await world.service.sandbox.ready('payer');
    const {id: payee} = await world.service.sandbox.ready('payee');
    await world.lose(`payins create --payer ${payer} ${AMOUNT}`);
    assert.equal((await world.run(`payouts create --payee ${payee} ${AMOUNT}`)).exitCode, 0);
  });
});

describe('a request of api in doubt', () => {
  it('is the same payment as that of the command, both ways', async () => {
    const {id} = await world.service.sandbox.ready('payee');
    const body = JSON.stringify({payee_id: id, amount_in_minor_units: 1000, currency_code: 'USD'});
    const api = ['api', 'POST', '/api/payouts', '--data', body, '--json'];
    const command = `payouts create --payee ${id} ${AMOUNT}`;
    assert.equal((await world.lose(api)).exitCode, 12);
    assert.equal((await world.run(command)).exitCode, 11);
    const again = await world.run(api);
    assert.equal(again.exitCode, 11, again.stderr);
    const [repeat] = commandsIn(again.error().hint);
    assert.equal((await world.run(repeat!)).exitCode, 0);
    assert.deepEqual([await world.countOf('/api/payouts'), world.remembered], [1, []]);
    assert.equal((await world.lose(command)).exitCode, 12);
    assert.equal((await world.run(api)).exitCode, 11);
    assert.equal((await world.run([...api, '--dry-run'])).exitCode, 0);
    const [, another] = commandsIn((await world.run(api)).error().hint);
    assert.equal((await world.run(another!)).exitCode, 0);
    assert.deepEqual([await world.countOf('/api/payouts'), world.remembered.length], [3, 1]);
  });

  it('is not remembered if the request makes no payment', async () => {
    const line = ['api', 'POST', '/api/payees', '--data', '{"name":"Acme"}', '--json'];
    assert.equal((await world.lose(line)).exitCode, 12);
    assert.deepEqual(world.remembered, []);
    assert.equal((await world.run(line)).exitCode, 0);
  });
});

/** Writes without a key: what is typed, the list that shows them, and the command that lists them. */
interface Scene {
  line: string;
  path: string;
  lists: RegExp;
}

async function accounts(): Promise<[string, string]> {
  const {body} = await world.service.sandbox.get('/api/treasury/accounts');
  const sim = (body.data as {id: string; currency_code: string; type: string}[]).filter(
    (one) => one.currency_code === 'USD' && one.type === 'SIM',
  );
  return [sim[0]!.id, sim[1]!.id];
}

async function subaccount(name: string): Promise<string> {
  return (await world.service.sandbox.post('/api/subaccounts', {name})).body.id as string;
}

const SCENES: Readonly<Record<string, () => Promise<Scene>>> = {
  move: async () => ({
    line: `moves create --source ${await subaccount('a')} --destination ${await subaccount('b')} ${AMOUNT}`,
    path: '/api/subaccounts/move',
    lists: /^remit moves list$/,
  }),
  'account transfer': async () => {
    const [from, to] = await accounts();
    return {
      line: `transfers create --source ${from} --destination ${to} --rail book ${AMOUNT}`,
      path: '/api/treasury/account-transfers',
      lists: /^remit transfers list --account \S+$/,
    };
  },
  'bank transaction': async () => {
    const [account] = await accounts();
    return {
      line: `treasury simulate-credit ${account} ${AMOUNT}`,
      path: `/api/treasury/accounts/${account}/transactions`,
      lists: /^remit treasury transactions \S+$/,
    };
  },
};

describe('a simulated credit in doubt', () => {
  it('is no debit of the same amount', async () => {
    const {line} = await SCENES['bank transaction']!();
    await world.lose(line);
    const {send} = world.transport;
    const [id, other] = ['018f0000-0000-7000-8000-000000000001', '018f0000-0000-7000-8000-000000000002'];
    world.transport.send = (request) =>
      request.method === 'GET' && request.path.includes('/transactions')
        ? Promise.resolve(
            answer(200, {
              data: [
                {id, amount_in_minor_units: 1000, currency_code: 'USD', direction: 'debit'},
                {id: other, amount_in_minor_units: 1000, currency_code: 'USD', direction: 'credit'},
              ],
              next_cursor: null,
            }),
          )
        : send(request);
    const again = await world.run(line);
    const found = again.error().details!['candidates'] as {id: string}[];
    assert.deepEqual(
      found.map((one) => one.id),
      [other],
    );
  });
});

for (const [kind, scene] of Object.entries(SCENES))
  describe(`a ${kind} in doubt`, () => {
    it('is refused without a terminal, with the records that it may be and a command that sends another', async () => {
      const {line, path, lists} = await scene();
      const before = await world.countOf(path);
      const first = await world.lose(line);
      assert.equal(first.exitCode, 12, first.stderr);
      const again = await world.run(line);
      assert.deepEqual([again.exitCode, again.error().code], [11, 'GUARD_DUPLICATES'], again.stderr);
      assert.equal(world.posts.length, 0);
      assert.match(again.error().message, /It may be \S{36} \(/);
      assert.equal((again.error().details!['candidates'] as unknown[]).length, 1);
      const [check, another] = commandsIn(again.error().hint);
      assert.match(`remit ${check!.join(' ')}`, lists);
      assert.equal((await world.run(check!)).exitCode, 0);
      assert.equal((await world.run(another!)).exitCode, 0);
      assert.deepEqual([(await world.countOf(path)) - before, world.remembered.length], [2, 1]);
      assert.equal((await world.run(line)).exitCode, 11);
    });

    it('is named with its article', async () => {
      const {line} = await scene();
      await world.lose(line);
      const {message} = (await world.run(line)).error();
      assert.ok(
        message.includes(`${kind.startsWith('a') ? 'An' : 'A'} ${kind} has no idempotency key`),
        message,
      );
    });

    it('is asked about at a terminal, after its candidates are shown', async () => {
      const {line, path} = await scene();
      const before = await world.countOf(path);
      await world.lose(line);
      const no = await world.run(line, {columns: 400, answers: [false]});
      assert.deepEqual([no.exitCode, no.questions], [11, [`Send another ${kind}?`]], no.stderr);
      assert.match(no.stderr, /It may be \S{36} \(/);
      const yes = await world.run(line, {columns: 400, answers: [true]});
      assert.equal(yes.exitCode, 0, yes.stderr);
      assert.deepEqual([(await world.countOf(path)) - before, world.remembered.length], [2, 1]);
    });

    it('is not asked about by a dry run, and a new one is forgotten if it never left', async () => {
      const {line} = await scene();
      await world.lose(line);
      assert.equal((await world.run(`${line} --dry-run`)).exitCode, 0);
      const [, another] = commandsIn((await world.run(line)).error().hint);
      const before = world.remembered;
      world.losing = 'request';
      assert.equal((await world.run(another!)).exitCode, 7);
      assert.deepEqual(world.remembered, before);
    });
  });
