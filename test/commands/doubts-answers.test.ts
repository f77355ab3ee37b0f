import assert from 'node:assert/strict';
import {afterEach, beforeEach, describe, it} from 'mocha';
import type {TransportAnswer, TransportRequest} from '../../src/client/transport/transport.ts';
import {answer, lost} from '../client/transport/fake-transport.ts';
import {commandsIn, DoubtsWorld} from './doubts-world.ts';
import {METHOD_ID, payout} from './fixtures.ts';

let world: DoubtsWorld;
let payee: string;
beforeEach(async () => {
  world = await DoubtsWorld.open();
  payee = (await world.service.sandbox.ready('payee')).id;
});
afterEach(() => world.close());

const create = (more = '') =>
  `payouts create --payee ${payee} --amount 10.00 --currency USD --auto-approve --json ${more}`.trim();
const payouts = () => world.countOf(`/api/payouts?payee_id=${payee}`);

type Reply = TransportAnswer | undefined;
/** Answers some POSTs itself, after the sandbox has done the work. */
function answering(reply: (request: TransportRequest, sent: TransportAnswer) => Reply): void {
  const {service} = world;
  world.transport.send = async (request) => {
    world.sent.push({line: `${request.method} ${request.path}`, key: undefined, body: null});
    const sent = await service.send(request);
    return (request.method === 'POST' ? reply(request, sent) : undefined) ?? sent;
  };
}
const approves = ({body}: TransportRequest): boolean => body?.includes('"auto_approve":true') === true;
const foreign = answer(201, payout({id: METHOD_ID, payee_id: METHOD_ID, status: 'approved'}));

describe('an approval that is answered with another payout', () => {
  it('is read; the payment stays in doubt with its own id if it cannot be', async () => {
    const {send} = world.transport;
    let id = '';
    world.transport.send = async (request) => {
      if (request.method === 'GET') return answer(503);
      const sent = await send(request);
      if (approves(request)) return foreign;
      id = String((JSON.parse(String(sent.body)) as {id: string}).id);
      return sent;
    };
    const ran = await world.run(create('--idempotency-key mix1'));
    const {code, details, message} = ran.error();
    assert.deepEqual([ran.exitCode, code, details?.['id']], [12, 'IN_DOUBT', id], ran.stderr);
    assert.doesNotMatch(message, /new key/);
    assert.deepEqual([world.remembered.length, world.entries()[0]!['recordId']], [1, id]);
    world.transport.send = send;
    assert.equal((await world.run(create())).exitCode, 11);
  });

  it('succeeds in part if the record that was created is approved', async () => {
    answering((request) => (approves(request) ? foreign : undefined));
    const ran = await world.run(create('--idempotency-key mix1'));
    assert.equal(ran.exitCode, 8, ran.stderr);
    assert.match(ran.stderr, new RegExp(`another payout, ${METHOD_ID}`));
    assert.deepEqual([(ran.json() as {payee_id: string}).payee_id, world.remembered], [payee, []]);
  });
});

describe('a generated key that is answered with another payout', () => {
  it('stays in doubt, also when it is repeated', async () => {
    answering(() => foreign);
    const ran = await world.run(create());
    assert.deepEqual(
      [ran.exitCode, world.remembered.length, world.entries()[0]!['recordId']],
      [6, 1, null],
      ran.stderr,
    );
    const asked = await world.run(create());
    assert.equal(asked.exitCode, 11, asked.stderr);
    assert.equal((await world.run(commandsIn(asked.error().hint)[0]!)).exitCode, 6);
    assert.equal(world.remembered.length, 1);
  });
});

describe('a remembered key that the service has forgotten', () => {
  const forgetful = () => {
    answering(() => undefined);
    const {send} = world.transport;
    world.transport.send = (request) =>
      send({...request, headers: {...request.headers, 'idempotency-key': `${Math.random()}`}});
  };

  /** The approval of the first try is lost, after or before the service acts, and nothing can be read. */
  const loseApproval = async (when: 'after' | 'before'): Promise<string> => {
    const {send} = world.transport;
    world.transport.send = async (request) => {
      if (request.method === 'GET') return answer(503);
      if (approves(request) && when === 'before') throw lost();
      const sent = await send(request);
      if (approves(request)) throw lost();
      return sent;
    };
    const first = await world.run(create('--idempotency-key k-1'));
    assert.equal(first.exitCode, 12, first.stderr);
    return String(first.error().details!['id']);
  };
  const again = () => world.run(create('--idempotency-key k-1'));

  it('is not sent if the record is approved', async () => {
    const id = await loseApproval('after');
    forgetful();
    const ran = await again();
    assert.deepEqual([ran.exitCode, (ran.json() as {id: string}).id, world.posts], [0, id, []], ran.stderr);
    assert.deepEqual([await payouts(), world.remembered], [1, []]);
  });

  it('is not sent if the record cannot be read', async () => {
    const id = await loseApproval('after');
    const {service} = world;
    for (const reply of [answer(503), answer(200, payout({id, payee_id: METHOD_ID, status: 'settled'}))]) {
      world.transport.send = async (request) => {
        world.sent.push({line: `${request.method} ${request.path}`, key: undefined, body: null});
        return request.method === 'GET' ? reply : service.send(request);
      };
      const ran = await again();
      assert.deepEqual([ran.exitCode, ran.error().details?.['id'], world.posts], [12, id, []], ran.stderr);
      assert.match(ran.error().message, /Nothing was sent now/);
      assert.equal(world.remembered.length, 1);
    }
  });

  it('ends once the record that waits is approved and the second one canceled, as printed', async () => {
    const id = await loseApproval('before');
    forgetful();
    const {details, hint, message} = (await again()).error();
    const second = String(details?.['second_id']);
    assert.deepEqual([details?.['id'], details?.['status'], await payouts()], [id, 'created', 2]);
    assert.match(message, new RegExp(`${second} .*is new, and payout ${id}, .*still waits for approval`));
    const next = commandsIn(hint);
    assert.deepEqual(
      next.map((words) => words.slice(0, 3)),
      [
        ['payouts', 'approve', id],
        ['payouts', 'cancel', second],
      ],
    );
    const still = (await again()).error();
    assert.deepEqual([still.hint, await payouts()], [hint, 2]); // the second one is not doubled
    for (const words of next) assert.equal((await world.run(words)).exitCode, 0);
    const ran = await again();
    assert.deepEqual([ran.exitCode, (ran.json() as {id: string}).id, world.remembered], [0, id, []]);
    assert.equal(await payouts(), 2);
  });

  it('ends with a warning if the second record was approved instead', async () => {
    const id = await loseApproval('before');
    forgetful();
    const second = String((await again()).error().details?.['second_id']);
    await world.run(`payouts approve ${second}`);
    const ran = await again();
    assert.deepEqual([ran.exitCode, (ran.json() as {id: string}).id], [8, second], ran.stderr);
    assert.match(ran.stderr, new RegExp(`payout ${id}, .*still waits for approval: cancel it`));
    assert.deepEqual([world.posts, world.remembered], [[], []]);
  });

  it('stays in doubt while one record is canceled and the other waits, and ends if both are canceled', async () => {
    const id = await loseApproval('before');
    forgetful();
    const second = String((await again()).error().details?.['second_id']);
    await world.run(`payouts cancel ${second}`);
    const open = (await again()).error();
    assert.deepEqual([open.exit_code, world.remembered.length], [12, 1]);
    assert.deepEqual(
      commandsIn(open.hint).map((words) => words.slice(0, 3)),
      [['payouts', 'approve', id]],
    );
    await world.run(`payouts cancel ${id}`);
    const dead = (await again()).error();
    assert.deepEqual([dead.code, dead.details?.['id']], ['IDEMPOTENCY_KEY_CONFLICT', id]);
    assert.deepEqual([await payouts(), world.remembered], [2, []]);
  });

  it('names both records if the first one is not found, also when it is repeated', async () => {
    const id = await loseApproval('after');
    forgetful();
    const {send} = world.transport;
    world.transport.send = async (request) =>
      request.path.endsWith(`/${id}`)
        ? answer(404, {error_code: 'NOT_FOUND', message: 'no'})
        : await send(request);
    for (const records of [2, 2]) {
      const ran = await again();
      const {details, message, hint} = ran.error();
      assert.deepEqual([ran.exitCode, details?.['id']], [12, id], ran.stderr);
      const second = String(details?.['second_id']);
      assert.ok(message.includes(id) && message.includes(second), message);
      assert.match(message, /in-doubt/);
      assert.ok(
        hint?.includes(`payouts approve ${second}`) && hint.includes(`payouts cancel ${second}`),
        String(hint),
      );
      assert.deepEqual([await payouts(), world.remembered.length], [records, 1]);
    }
  });

  it('is not released if only its one request was lost, with another body now', async () => {
    await world.lose(create());
    const asked = await world.run(create('--metadata order=17'));
    const repeat = commandsIn(asked.error().hint).find((words) => words.includes('--idempotency-key'));
    forgetful();
    const again = await world.run(repeat!);
    const {details} = again.error();
    assert.deepEqual([again.exitCode, details?.['id']], [12, null], again.stderr);
    assert.equal(world.entries()[0]!['secondId'], details?.['second_id']);
  });

  it('is not released under another API key, where the service may not know the key', async () => {
    const lostOne = await world.lose(create());
    const [repeat] = commandsIn(lostOne.error().hint);
    assert.ok(repeat?.includes('--idempotency-key'), String(lostOne.error().hint));
    const bodies: string[] = [];
    const service = (request: TransportRequest) => {
      bodies.push(request.body ?? '');
      return answer(201, payout({payee_id: payee, amount_in_minor_units: 1000, status: 'created'}));
    };
    const again = await world.run(repeat!, {
      service,
      env: {REMIT_API_KEY: 'test_another_key_of_the_account'},
    });
    assert.deepEqual([again.exitCode, again.error().code], [12, 'IN_DOUBT'], again.stderr);
    assert.deepEqual(
      bodies.map((body) => body.includes('"auto_approve":true')),
      [false],
    );
    assert.equal(world.remembered.length, 1);
  });

  it('has a way on if its record is canceled under another API key', async () => {
    const env = {REMIT_API_KEY: 'test_another_key_of_the_account'};
    const [repeat] = commandsIn((await world.lose(create())).error().hint);
    const canceled = () =>
      answer(200, payout({payee_id: payee, amount_in_minor_units: 1000, status: 'canceled'}));
    const dead = (await world.run(repeat!, {service: canceled, env})).error();
    assert.deepEqual([dead.code, dead.exit_code], ['IDEMPOTENCY_KEY_CONFLICT', 6]);
    assert.equal(dead.details?.['next'], dead.hint);
    const [next] = commandsIn(dead.hint);
    const approved = () =>
      answer(201, payout({payee_id: payee, amount_in_minor_units: 1000, status: 'approved'}));
    const paid = await world.run(next!, {service: approved, env});
    assert.equal(paid.exitCode, 0, paid.stderr);
    assert.equal(world.remembered.length, 1); // it may still have been paid with the first API key
  });

  it('is sent as usual if no approval was sent before', async () => {
    const {send} = world.transport;
    world.transport.send = () => Promise.reject(lost());
    await world.run(create('--idempotency-key k-1'));
    world.transport.send = send;
    const again = await world.run(create('--idempotency-key k-1'));
    assert.deepEqual([again.exitCode, await payouts(), world.remembered], [0, 1, []], again.stderr);
  });
});

describe('a status that remit does not know', () => {
  const reviewed = () => {
    let status = 'under_review';
    answering((_, sent) => {
      const record = JSON.parse(String(sent.body)) as object;
      return answer(sent.status, {...record, status});
    });
    return (known: string) => (status = known);
  };

  it('after an approval is remembered, so the same command asks; its key ends the doubt', async () => {
    const set = reviewed();
    const ran = await world.run(create());
    assert.equal(ran.exitCode, 8, ran.stderr);
    assert.match(ran.stderr, /whether the payout was approved is unknown: it is under_review/);
    assert.doesNotMatch(ran.stderr, /row 63/);
    const {id} = ran.json() as {id: string};
    assert.equal(world.entries()[0]!['recordId'], id);
    const again = await world.run(create());
    assert.equal(again.exitCode, 11, again.stderr);
    assert.match(again.error().message, new RegExp(`Payout ${id} exists, and whether it was approved is`));
    set('settled');
    assert.equal((await world.run(commandsIn(again.error().hint)[0]!)).exitCode, 0);
    assert.deepEqual([await payouts(), world.remembered], [1, []]);
  });

  it('after an approval by api is remembered too', async () => {
    reviewed();
    const body = {payee_id: payee, amount_in_minor_units: 1000, currency_code: 'USD', auto_approve: true};
    const line = ['api', 'POST', '/api/payouts', '-d', JSON.stringify(body), '--json'];
    await world.run(line);
    assert.equal((await world.run(line)).exitCode, 11);
  });

  it('that ends while it is waited for is no doubt', async () => {
    answering((request, sent) =>
      approves(request)
        ? answer(201, {...(JSON.parse(String(sent.body)) as object), status: 'under_review'})
        : undefined,
    );
    world.service.clock.advance(0);
    const ran = await world.run(create('--wait'));
    assert.deepEqual([ran.exitCode, world.remembered], [0, []], ran.stderr);
  });

  it('without an approval is no doubt', async () => {
    reviewed();
    const line = create().replace('--auto-approve ', '');
    await world.run(line);
    assert.deepEqual(world.remembered, []);
  });
});
