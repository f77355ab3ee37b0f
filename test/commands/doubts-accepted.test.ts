import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import type {CliResult} from '../cli/run-cli.ts';
import {answer} from '../client/transport/fake-transport.ts';
import {commandsIn, DoubtsWorld} from './doubts-world.ts';
import {METHOD_ID} from './fixtures.ts';

let world: DoubtsWorld;
let payee: string;
const open = async (options?: Parameters<typeof DoubtsWorld.open>[0]) => {
  await world?.close();
  world = await DoubtsWorld.open(options);
  payee = (await world.service.sandbox.ready('payee')).id;
};
beforeEach(() => open());
afterEach(async () => {
  await world.close();
});

const create = (more = '') =>
  `payouts create --payee ${payee} --amount 10.00 --currency USD --json ${more}`.trim();
const payouts = () => world.countOf(`/api/payouts?payee_id=${payee}`);
/** The list comes first if the content differs. */
const [REPEAT, ANOTHER, REPEAT_OTHER] = [0, 1, 2];
const printed = (ran: CliResult, at: number): string[] => commandsIn(ran.error().hint)[at]!;
/** Answers the next POST like this instead of sending it. */
const answering = (status: number, body: unknown) => {
  const {send} = world.transport;
  world.transport.send = (request) => {
    if (request.method !== 'POST') return send(request);
    world.transport.send = send;
    return Promise.resolve(answer(status, body));
  };
};

describe('--accept new-payment=ID', () => {
  it('covers the doubts that were seen, and no later one', async () => {
    await world.lose(create());
    const accepting = printed(await world.run(create()), ANOTHER);
    assert.match(accepting.join(' '), /--accept new-payment=[0-9a-f]{8}$/);
    assert.equal((await world.lose(accepting)).exitCode, 12);
    const again = await world.run(accepting);
    assert.deepEqual([again.exitCode, world.posts, await payouts()], [11, [], 2], again.stderr);
    const both = printed(again, ANOTHER);
    assert.match(both.join(' '), /--accept new-payment=[0-9a-f]{8},[0-9a-f]{8}$/);
    assert.equal((await world.run(both)).exitCode, 0);
    assert.deepEqual([await payouts(), world.remembered.length], [3, 2]);
  });

  it('keeps the accepted doubt: later commands and batches ask about it, and its key resolves it', async () => {
    await world.lose(create());
    const accepting = printed(await world.run(create()), ANOTHER);
    assert.equal((await world.run(accepting)).exitCode, 0);
    assert.equal(world.remembered.length, 1);
    const later = await world.run(create());
    assert.deepEqual([later.exitCode, world.posts], [11, []], later.stderr);
    assert.match(later.error().message, /Another payout was sent all the same at 2023-11-14T22:13:\d\dZ/);
    const file = join(world.home, 'rows.csv');
    writeFileSync(file, `reference,payee_id,amount,currency_code\nINV-1,${payee},10.00,USD\n`);
    const batch = await world.run(['payouts', 'batch', 'run', file, '--yes', '--json']);
    assert.equal(batch.exitCode, 11, batch.stderr);
    assert.match(batch.error().message, /of a single command in doubt/);
    assert.equal((await world.run(accepting)).exitCode, 0);
    assert.equal((await world.run(printed(later, REPEAT))).exitCode, 0);
    assert.deepEqual([await payouts(), world.remembered], [3, []]);
  });

  it('without an id accepts nothing, and anything else is not understood', async () => {
    const bare = create('--accept new-payment');
    assert.equal((await world.run(bare)).exitCode, 0);
    await world.lose(create());
    assert.equal((await world.run(bare)).exitCode, 11);
    for (const value of ['new-payment=', 'new-payment=1', 'new', 'new-payment=0123456789'])
      assert.equal((await world.run(create(`--accept ${value}`))).exitCode, 2, value);
  });

  it('keeps a doubt about other content, and the question names what differs', async () => {
    await world.lose(create('--metadata invoice=17 --rail same_day_ach'));
    const next = await world.run(create('--metadata invoice=18'));
    assert.match(
      next.error().message,
      /It differs: rail was same_day_ach and is now -; metadata was {"invoice":"17"} and is now {"invoice":"18"}/,
    );
    const hints = commandsIn(next.error().hint).map((words) => words.join(' '));
    assert.equal(hints.length, 3);
    assert.deepEqual(
      [hints[0], hints[1]?.includes('--accept'), hints[2]?.includes('--idempotency-key')],
      [`payouts list --payee ${payee}`, true, true],
    );
    assert.equal(next.error().details?.['next'], `remit ${hints[0]}`);
    assert.equal((await world.run(printed(next, ANOTHER))).exitCode, 0);
    assert.equal(world.remembered.length, 1);
    const first = await world.run(create('--metadata invoice=17 --rail same_day_ach'));
    assert.equal(first.exitCode, 11, first.stderr);
    assert.equal((await world.run(printed(first, REPEAT))).exitCode, 0);
    assert.deepEqual([await payouts(), world.remembered], [2, []]);
  });

  it('keeps the doubt until the new payment has an answer that shows its record', async () => {
    await world.lose(create());
    const accepting = printed(await world.run(create()), ANOTHER);
    answering(401, {error_code: 'AUTHENTICATION_ERROR', message: 'no'});
    assert.equal((await world.run(accepting)).exitCode, 3);
    assert.equal((await world.run(create())).exitCode, 11);
    assert.equal((await world.run(accepting)).exitCode, 0);
    assert.deepEqual([await payouts(), world.remembered.length], [2, 1]);
  });

  it('past the horizon keeps a doubt about other content too, and says how it ends', async () => {
    await world.lose(create('--metadata invoice=17'));
    world.clock.advance(24 * 3_600_000 + 1);
    const asked = await world.run(create('--metadata invoice=18'), {columns: 400, answers: [true]});
    assert.deepEqual([asked.exitCode, asked.questions], [0, ['Send another payout?']], asked.stderr);
    assert.match(asked.stderr, /you can delete .*in-doubt\/[0-9a-f]{16}\.json/);
    assert.deepEqual([await payouts(), world.remembered.length], [2, 1]);
  });

  it('past the horizon leaves out the key of the caller only if it is the old one', async () => {
    await world.lose(create('--idempotency-key old'));
    world.clock.advance(24 * 3_600_000 + 1);
    for (const [key, kept] of [
      ['old', false],
      ['new', true],
    ] as const) {
      const another = printed(await world.run(create(`--idempotency-key ${key}`)), ANOTHER).join(' ');
      assert.equal(another.includes(`--idempotency-key ${key}`), kept, another);
    }
  });
});

describe('the key of a remembered payment', () => {
  it('takes two requests if the first try asked for no approval, and the doubt stays while it is open', async () => {
    await open({strictAutoApprove: true});
    const first = await world.lose(create());
    const again = await world.run(create('--auto-approve'));
    assert.match(again.error().message, /auto_approve was false and is now true/);
    const repeated = await world.run(printed(again, REPEAT));
    assert.deepEqual([repeated.exitCode, world.posts.length], [8, 2], repeated.stderr);
    assert.match(repeated.stderr, /was not approved: the service answered 409/);
    assert.ok(first.error().details!['idempotency_key'] === world.posts[1]!.key);
    assert.equal(await payouts(), 1);
  });

  it('stays in doubt after a 409 to another body than that of the first try', async () => {
    await open({strictAutoApprove: true});
    await world.lose(create('--auto-approve'));
    const repeated = await world.run(printed(await world.run(create()), REPEAT));
    assert.deepEqual([repeated.exitCode, repeated.error().code], [12, 'IN_DOUBT'], repeated.stderr);
    assert.doesNotMatch(repeated.error().message, /creates a new one/);
    assert.equal(repeated.error().hint, `remit payouts list --payee ${payee}`);
    assert.equal(world.remembered.length, 1);
  });

  it('is no longer its own once it was sent with another body', async () => {
    world.losing = 'request';
    await world.lose(create());
    world.losing = 'answer';
    const other = create('--metadata invoice=18');
    const repeat = printed(await world.run(other), REPEAT_OTHER);
    await world.lose(repeat);
    assert.equal(world.entries()[0]!['isOwnKey'], false);
    const approving = await world.run(printed(await world.run(create('--auto-approve')), REPEAT));
    assert.equal(world.posts[0]!.line, 'POST /api/payouts', approving.stderr);
    assert.equal((world.posts[0]!.body as {auto_approve: boolean}).auto_approve, false);
  });

  it('is named in the question if another one was typed', async () => {
    const first = await world.lose(create());
    const key = String(first.error().details!['idempotency_key']);
    const asked = await world.run(create('--idempotency-key other'), {columns: 400, answers: [false]});
    assert.match(asked.questions[0]!, new RegExp(`with the earlier key, ${key}, not with other\\?`));
  });

  it('under another profile is neither sent nor forgotten, and the first profile is named', async () => {
    const bare = {env: {REMIT_API_KEY: '', REMIT_BASE_URL: ''}};
    for (const [name, key] of [
      ['ht', world.service.testKey],
      ['ht2', `${world.service.testKey}2`],
    ] as const) {
      const file = join(world.home, `${name}.key`);
      writeFileSync(file, key, {mode: 0o600});
      const add = `profiles add ${name} --base-url http://127.0.0.1:4010/ --key-file ${file}`;
      assert.equal((await world.run(add, bare)).exitCode, 0);
    }
    await world.lose(create('-p ht'), bare);
    const other = await world.run(create('-p ht2'), {...bare, columns: 400, answers: [true]});
    assert.deepEqual([other.exitCode, other.questions], [11, []], other.stderr);
    assert.match(other.error().message, /sent with the API key of profile ht at that time/);
    const repeat = printed(other, REPEAT);
    assert.match(repeat.join(' '), /-p ht$/);
    const wrong = repeat.map((word) => (word === 'ht' ? 'ht2' : word));
    answering(404, {error_code: 'NOT_FOUND', message: 'no payee'});
    assert.equal((await world.run(wrong, bare)).exitCode, 4);
    assert.equal(world.remembered.length, 1);
    assert.equal((await world.run(repeat, bare)).exitCode, 0);
    assert.deepEqual([await payouts(), world.remembered], [1, []]);
  });
});

describe('a payment that was added while the question was open', () => {
  it('is asked about too, and the one that was to be repeated is still remembered', async () => {
    await world.lose(create());
    const [file = ''] = world.remembered;
    const rival = {...world.entries()[0]!, idempotencyKey: 'rival'};
    const addRival = () => {
      writeFileSync(join(world.folder, '0123456789abcdef.json'), JSON.stringify(rival), {mode: 0o600});
      return Promise.resolve(true);
    };
    const asked = await world.run(create(), {columns: 400, answers: [addRival, false]});
    assert.deepEqual([asked.exitCode, asked.questions.length, world.posts], [11, 2, []], asked.stderr);
    assert.ok(world.remembered.includes(file));
  });
});

describe('a payout whose approval is in doubt', () => {
  it('is remembered with its id, which the question shows', async () => {
    const {send} = world.transport;
    world.transport.send = async (request) => {
      world.losing = request.body?.includes('"auto_approve":true') === true ? 'answer' : 'nothing';
      return request.method === 'GET' ? answer(503) : send(request);
    };
    const ran = await world.run(create('--auto-approve --idempotency-key k-1'));
    assert.equal(ran.exitCode, 12, ran.stderr);
    world.losing = 'nothing';
    const id = String(ran.error().details!['id']);
    world.transport.send = send;
    const again = await world.run(create('--auto-approve'));
    assert.match(
      again.error().message,
      new RegExp(`Payout ${id} exists, and whether it was approved is unknown`),
    );
    world.clock.advance(24 * 3_600_000 + 1);
    assert.deepEqual(printed(await world.run(create()), REPEAT), ['payouts', 'get', id]);
  });
});

describe('a request of api whose amount cannot be read', () => {
  for (const change of [{auto_approve: 1}, {amount_in_minor_units: '1000'}, {metadata: {fee: 5}}, {x: 0}])
    it(`is remembered all the same: ${JSON.stringify(change)}`, async () => {
      const amount = 'x' in change ? {amount_in_minor_units: 'ten'} : {amount_in_minor_units: 1000};
      const body = JSON.stringify({payee_id: payee, ...amount, currency_code: 'USD', ...change});
      const line = ['api', 'POST', '/api/payouts', '--data', body, '--json'];
      world.losing = 'answer';
      assert.equal((await world.run(line)).exitCode, 12);
      assert.equal(world.remembered.length, 1);
      assert.equal(world.entries()[0]!['approves'], 'auto_approve' in change);
      world.losing = 'nothing';
      assert.equal((await world.run(line)).exitCode, 11);
      assert.equal((await world.run(create())).exitCode, 11);
    });
});

describe('a request of api whose payee cannot be read', () => {
  const api = (fields: object) => [
    ...['api', 'POST', '/api/payouts', '--data', JSON.stringify({amount_in_minor_units: 1000, ...fields})],
    '--json',
  ];

  it('may be any payout in doubt with its amount', async () => {
    await world.lose(create());
    const digits = payee.replaceAll('-', '');
    for (const payee_id of [
      ...[undefined, null, {id: payee}, [payee], 7, '', 'Acme Ltd'],
      ...[`{${payee}}`, `urn:uuid:${payee}`, digits, ` ${payee} `],
    ]) {
      const ran = await world.run(api({payee_id, currency_code: 'USD'}));
      assert.deepEqual([ran.exitCode, world.posts], [11, []], `${JSON.stringify(payee_id)} ${ran.stderr}`);
      assert.equal(ran.error().code, 'GUARD_DUPLICATES');
    }
    const other = await world.run(api({payee_id: METHOD_ID, currency_code: 'USD'}));
    assert.notEqual(other.exitCode, 11, other.stderr);
  });

  it('is remembered, and every payee with its amount may be its payee', async () => {
    const line = api({currency_code: 'USD'});
    world.losing = 'answer';
    assert.equal((await world.run(line)).exitCode, 12);
    world.losing = 'nothing';
    assert.equal(world.entries()[0]!['party'], null);
    const again = await world.run(create());
    assert.deepEqual([again.exitCode, world.posts], [11, []], again.stderr);
  });

  it('is asked about in any case of the currency, and if its two amounts differ', async () => {
    await world.lose(create());
    for (const fields of [{currency_code: 'usd'}, {currency_code: 'USD', amount_in_cents: 2}]) {
      const ran = await world.run(api({payee_id: payee, ...fields}));
      assert.deepEqual([ran.exitCode, world.posts], [11, []], ran.stderr);
    }
  });
});

describe('a damaged memory file', () => {
  it('does not switch off the memory of the others', async () => {
    await world.lose(create());
    writeFileSync(join(world.folder, '0123456789abcdef.json'), '{');
    const again = await world.run(create());
    assert.deepEqual([again.exitCode, world.posts], [11, []], again.stderr);
    assert.match(again.stderr, /Warning: .*0123456789abcdef\.json .*is damaged/);
  });
});
