import assert from 'node:assert/strict';
import {mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import type {TransportRequest} from '../../src/client/transport/transport.ts';
import {describeSelf, systemProbe} from '../../src/store/locks/lock-holder.ts';
import type {CliResult} from '../cli/run-cli.ts';
import {answer} from '../client/transport/fake-transport.ts';
import {commandsIn, DoubtsWorld} from './doubts-world.ts';
import {page, payout} from './fixtures.ts';

const HOUR_MS = 3_600_000;
const PAST_HORIZON_MS = 24 * HOUR_MS + 1;
const NOW_MS = 1_700_000_000_000;
const NOW = '2023-11-14T22:13:20Z';
const idOf = (nth: number) => `0192a000-0000-7000-8000-${String(nth).padStart(12, '0')}`;

let world: DoubtsWorld;
let payee: string;
beforeEach(async () => {
  world = await DoubtsWorld.open();
  payee = (await world.service.sandbox.ready('payee')).id;
});
afterEach(() => world.close());

const create = (more = '') =>
  `payouts create --payee ${payee} --amount 10.00 --currency USD --json ${more}`.trim();
const api = (body: Record<string, unknown>) => [
  ...['api', 'POST', '/api/payouts', '--data', JSON.stringify({payee_id: payee, ...body}), '--json'],
];
const keyIn = (ran: CliResult) => String(ran.error().details!['idempotency_key']);
/** The command of a refusal that sends another payment. */
const another = (ran: CliResult): string[] => commandsIn(ran.error().hint)[1]!;
/** Answers lists of payouts with these. */
const listing = (records: readonly unknown[]) => {
  const {send} = world.transport;
  world.transport.send = (request: TransportRequest) =>
    request.path.startsWith('/api/payouts?') ? Promise.resolve(page([...records])) : send(request);
};
/** Loses a payout, and after some time another one like it. */
const loseTwo = async (first: string, second: string, laterMs: number): Promise<void> => {
  await world.lose(first);
  world.clock.advance(laterMs);
  assert.equal((await world.lose(another(await world.run(second)))).exitCode, 12);
};

describe('the refusal of a payout in doubt', () => {
  it('has its details for a script', async () => {
    const first = await world.lose(create());
    const again = await world.run(create());
    const [repeat, other] = commandsIn(again.error().hint).map((words) => `remit ${words.join(' ')}`);
    assert.deepEqual(again.error().details, {
      ...{idempotency_key: keyIn(first), first_sent_at: NOW, next: repeat, another: other},
      file: join(world.folder, world.remembered[0]!),
    });
    assert.equal(again.error().hint, `${repeat}; to send another payout all the same: ${other}`);
    assert.equal(
      again.error().message,
      `refused: the same payout (10.00 USD (1000 minor units), payee ${payee}) was sent at ${NOW} with idempotency key ${keyIn(first)}, and whether it was created is unknown. Nothing was sent now. Repeat it with its key`,
    );
  });

  it('advises to check if the content differs or the key is too old', async () => {
    await world.lose(create());
    const other = await world.run(create('--metadata invoice=18'));
    assert.match(other.error().message, /Nothing was sent now\. Check whether it exists$/);
    world.clock.advance(PAST_HORIZON_MS);
    const old = await world.run(create());
    assert.match(old.error().message, /Nothing was sent now\. Check whether it exists$/);
    assert.doesNotMatch(old.error().hint ?? '', /if it is the same/);
  });

  it('has the amount and currency of either request', async () => {
    const both = /\(10\.00 USD \(1000 minor units\), payee/;
    const own = create().replace('--amount 10.00 --currency USD', '--amount-minor 1000');
    await world.lose(create());
    assert.match((await world.run(own)).error().message, both);
    assert.match((await world.run(api({amount_in_minor_units: 'ten'}))).error().message, both);
    rmSync(world.folder, {recursive: true});
    await world.lose(own);
    assert.match((await world.run(create())).error().message, both);
    assert.match(
      (await world.run(own)).error().message,
      /\(1000 minor units of the source account's currency,/,
    );
  });

  it('says if neither amount can be read', async () => {
    const line = api({amount_in_minor_units: 'ten', currency_code: 'USD'});
    await world.lose(line);
    assert.match((await world.run(line)).error().message, /the same payout \(its amount cannot be read, /);
  });

  it('says that other fields differ if they are not shown', async () => {
    const body = {amount_in_minor_units: 1000, currency_code: 'USD'};
    await world.lose(api({...body, note: 'a'}));
    assert.doesNotMatch((await world.run(api({...body, note: 'a'}))).error().message, /differ/);
    assert.match(
      (await world.run(api({...body, note: 'b'}))).error().message,
      /\. It differs: other fields differ\. /,
    );
    const shown = await world.run(api({...body, note: 'b', rail: 'wire'}));
    assert.match(shown.error().message, /\. It differs: rail was - and is now wire\. /);
  });

  it('does not list a field as changed if it was missing and is now null', async () => {
    const body = {amount_in_minor_units: 1000, currency_code: 'USD'};
    await world.lose(api({...body, rail: null}));
    assert.match((await world.run(api(body))).error().message, /It differs: other fields differ/);
    rmSync(world.folder, {recursive: true});
    await world.lose(api(body));
    assert.match((await world.run(api({...body, rail: null}))).error().message, /: other fields differ/);
  });

  it('names a change of the approval, and only a change', async () => {
    await world.lose(create('--auto-approve'));
    const other = await world.run(create());
    assert.match(other.error().message, /\. It differs: auto_approve was true and is now false\. /);
    assert.doesNotMatch((await world.run(create('--auto-approve'))).error().message, /differs/);
  });

  it('mentions another API key without a profile, which may be the same account: a terminal asks', async () => {
    const env = {REMIT_API_KEY: 'test_another_key_of_the_account'};
    await world.lose(create());
    assert.doesNotMatch((await world.run(create())).error().message, /another API key/);
    const asked = await world.run(create(), {env, columns: 400, answers: [false]});
    assert.deepEqual([asked.exitCode, asked.questions.length], [11, 1], asked.stderr);
    const sentence = /\. It was sent with another API key, and this command has another one\. Nothing/;
    assert.match(asked.error().message, sentence);
  });

  it('names no key of an operation without keys', async () => {
    const {id: a} = (await world.service.sandbox.post('/api/subaccounts', {name: 'a'})).body;
    const {id: b} = (await world.service.sandbox.post('/api/subaccounts', {name: 'b'})).body;
    const line = `moves create --source ${String(a)} --destination ${String(b)} --amount 10.00 --currency USD --json`;
    await world.lose(line);
    const {message, details} = (await world.run(line)).error();
    assert.ok(message.includes(`was sent at ${NOW}, and whether it was created is unknown`), message);
    assert.doesNotMatch(message, /The key is not sent again/);
    assert.equal(details?.['idempotency_key'], null);
  });

  it('has the horizon of a service in seconds if it is no whole number of hours', async () => {
    const file = join(world.home, 'service.json');
    writeFileSync(file, JSON.stringify({keys: {horizon: '90m'}}));
    const env = {REMIT_SERVICE_FILE: file};
    await world.lose(create(), {env});
    world.clock.advance(1.5 * HOUR_MS + 1);
    const {message} = (await world.run(create(), {env})).error();
    assert.match(message, /The key is not sent again: the service may have forgotten it after 5400s\. /);
  });

  it('names the record of a payin whose approval is in doubt, and the command that reads it', async () => {
    const {id: payer} = await world.service.sandbox.ready('payer');
    const line = `payins create --payer ${payer} --amount 10.00 --currency USD --auto-approve --json`;
    const {send} = world.transport;
    world.transport.send = async (request) => {
      world.losing = request.body?.includes('"auto_approve":true') === true ? 'answer' : 'nothing';
      return request.method === 'GET' ? answer(503) : send(request);
    };
    const first = await world.run(`${line} --idempotency-key k-1`);
    world.losing = 'nothing';
    world.transport.send = send;
    const id = String(first.error().details!['id']);
    world.clock.advance(PAST_HORIZON_MS);
    const again = await world.run(line);
    assert.ok(again.error().message.includes(`Payin ${id} exists, and whether it was approved is unknown`));
    assert.equal(again.error().details?.['id'], id);
    assert.equal(again.error().details?.['next'], `remit payins get ${id}`);
  });
});

describe('two payouts in doubt', () => {
  it('are both mentioned, the other one by its time', async () => {
    await loseTwo(create(), create(), HOUR_MS);
    const again = await world.run(create());
    assert.match(again.error().message, /was sent at 2023-11-14T23:13:\d\dZ with idempotency key/);
    assert.match(again.error().message, new RegExp(`\\. Also in doubt: those sent at ${NOW}\\. Nothing`));
    rmSync(join(world.folder, world.remembered[0]!));
    assert.doesNotMatch((await world.run(create())).error().message, /Also in doubt/);
  });

  it('are told apart by their content', async () => {
    await loseTwo(create('--metadata invoice=17'), create('--metadata invoice=18'), HOUR_MS);
    const again = await world.run(create('--metadata invoice=17'));
    assert.doesNotMatch(again.error().message, /It differs/);
    assert.equal(again.error().details?.['first_sent_at'], NOW);
    const third = await world.run(create('--metadata invoice=19'));
    assert.match(third.error().message, /metadata was {"invoice":"18"} and is now {"invoice":"19"}/);
  });

  it('are searched for since the earliest one', async () => {
    await loseTwo(create(), create(), HOUR_MS);
    world.clock.advance(PAST_HORIZON_MS);
    const made = (nth: number, ms: number) =>
      payout({
        ...{id: idOf(nth), payee_id: payee, created_at: new Date(ms).toISOString()},
        ...{amount_in_minor_units: 1000, amount_in_cents: 1000},
      });
    listing([made(1, NOW_MS + 2 * HOUR_MS), made(2, NOW_MS), made(3, NOW_MS - 25 * HOUR_MS)]);
    const found = (await world.run(create())).error().details!['candidates'] as {id: string}[];
    assert.deepEqual(
      found.map(({id}) => id),
      [idOf(1), idOf(2)],
    );
  });

  it('are repeated by the key that the service still knows', async () => {
    const old = '--idempotency-key old --metadata invoice=17';
    await loseTwo(create(old), create('--idempotency-key new --metadata invoice=18'), PAST_HORIZON_MS);
    const again = await world.run(create('--metadata invoice=17'));
    assert.equal(keyIn(again), 'new', again.stderr);
    assert.doesNotMatch(again.error().message, /The key is not sent again/);
  });

  it('are refused if the forgotten key is typed, which is not sent even with --accept', async () => {
    await loseTwo(create('--idempotency-key old'), create('--idempotency-key new'), PAST_HORIZON_MS);
    const line = create('--idempotency-key old');
    const again = await world.run(line);
    const {message, details} = again.error();
    assert.deepEqual([again.exitCode, keyIn(again), world.posts], [11, 'old', []], again.stderr);
    assert.match(
      message,
      /with idempotency key old, .* Also in doubt: those sent at 2023-11-15T22:13:\d\dZ\./,
    );
    assert.match(message, /The key is not sent again/);
    assert.ok(Array.isArray(details?.['candidates']));
    const [, accept = ''] = / (--accept \S+)/.exec(another(again).join(' ')) ?? [];
    for (const words of [line, `${line} ${accept}`]) {
      const asked = await world.run(words, {columns: 400, answers: [true]});
      assert.deepEqual([asked.exitCode, asked.questions, world.posts], [11, [], []], asked.stderr);
    }
    const sent = await world.run(another(again));
    assert.deepEqual([sent.exitCode, world.posts.length], [0, 1], sent.stderr);
    assert.notEqual(world.posts[0]!.key, 'old');
  });

  it('are each repeated by their own key, without a question', async () => {
    await loseTwo(create('--idempotency-key one'), create('--idempotency-key two'), HOUR_MS);
    for (const key of ['one', 'two']) {
      const ran = await world.run(create(`--idempotency-key ${key}`), {columns: 400, answers: []});
      assert.deepEqual([ran.exitCode, world.posts[0]?.key], [0, key], ran.stderr);
    }
    assert.deepEqual(world.remembered, []);
  });
});

describe('the entry of a payout', () => {
  it('has what was sent, and whether an approval was requested', async () => {
    await world.lose(create('--rail same_day_ach --metadata invoice=17'));
    const [entry] = world.entries();
    const {content, idempotencyKey, keyFingerprint, ...rest} = entry!;
    for (const text of [content, idempotencyKey, keyFingerprint]) assert.equal(typeof text, 'string');
    assert.deepEqual(rest, {
      ...{kind: 'payout', mode: 'test', baseUrl: 'http://127.0.0.1:4010', party: payee, source: null},
      ...{amountMinor: '1000', currency: 'USD', isOwnKey: true, approves: false, mayBeApproved: false},
      shown: {rail: 'same_day_ach', metadata: {invoice: '17'}},
      ...{recordId: null, secondId: null, acceptedMs: null, firstSentMs: NOW_MS, profile: null, sender: null},
    });
  });

  it('may be approved only if the request with the approval was sent', async () => {
    for (const [flags, approves, mayBeApproved] of [
      ['--auto-approve', true, true],
      ['--auto-approve --idempotency-key k-1', true, false],
      ['--idempotency-key k-2', false, false],
    ] as const) {
      rmSync(world.folder, {recursive: true, force: true});
      await world.lose(create(flags));
      const [entry] = world.entries();
      assert.deepEqual([entry!['approves'], entry!['mayBeApproved']], [approves, mayBeApproved], flags);
    }
  });

  it('keeps the approval, the time and the content of its first request', async () => {
    await world.lose(create('--auto-approve'));
    const [before] = world.entries();
    world.clock.advance(HOUR_MS);
    await world.lose(create(`--idempotency-key ${String(before!['idempotencyKey'])}`));
    assert.deepEqual(world.entries(), [{...before, isOwnKey: false}]);
  });
});

describe('a payout that another command is sending', () => {
  /** An entry of this process, as if another command in it waited for an answer. */
  const beingSent = async (onSleep: (nth: number, file: string) => void): Promise<void> => {
    await world.lose(create());
    const file = join(world.folder, world.remembered[0]!);
    const sender = describeSelf(systemProbe, 'create', 'token', NOW_MS);
    writeFileSync(file, JSON.stringify({...world.entries()[0], sender}));
    const {clock} = world;
    clock.sleeps.length = 0;
    const before = clock.onSleep;
    clock.onSleep = (nth) => {
      before(nth);
      onSleep(nth, file);
    };
  };

  const endsAtSecondCheck = () =>
    beingSent((nth, file) => {
      if (nth === 1) rmSync(file);
    });

  it('makes the second command wait, with one note, and refuse once it has ended', async () => {
    await endsAtSecondCheck();
    const ran = await world.run(create());
    assert.deepEqual([ran.exitCode, world.clock.sleeps, world.posts], [11, [200, 200], []], ran.stderr);
    const notes = ran.stderr.match(/Another remit command is creating the same payout\. Waiting for/g);
    assert.equal(notes?.length, 1);
    assert.match(
      ran.stderr,
      /another remit command has just sent the same payout\. Nothing was sent by this/,
    );
    const again = await world.run(create());
    assert.equal(again.exitCode, 0, again.stderr);
  });

  for (const [answer, exit, posts] of [
    [false, 11, 0],
    [true, 0, 1],
  ] as const)
    it(`is asked about at a terminal once it has ended: ${answer ? 'yes' : 'no'}`, async () => {
      await endsAtSecondCheck();
      const ran = await world.run(create(), {columns: 400, answers: [answer]});
      assert.deepEqual([ran.exitCode, ran.questions], [exit, ['Send another payout?']], ran.stderr);
      assert.equal(world.posts.length, posts);
    });

  it('is no other payment if the key is the same', async () => {
    await endsAtSecondCheck();
    const {idempotencyKey} = world.entries()[0]!;
    const ran = await world.run(create(`--idempotency-key ${String(idempotencyKey)}`));
    assert.equal(ran.exitCode, 0, ran.stderr);
  });

  it('is asked about if its command ends without an answer', async () => {
    await beingSent((_, file) => {
      writeFileSync(file, JSON.stringify({...world.entries()[0], sender: null}));
    });
    const ran = await world.run(create());
    assert.deepEqual([ran.exitCode, world.clock.sleeps, world.posts], [11, [200], []], ran.stderr);
  });
});

describe('two commands with the same payout at the same time', () => {
  it('ask about the one that was first', async () => {
    await world.lose(create());
    const rival = {...world.entries()[0], idempotencyKey: 'rival'};
    const addRival = () => {
      writeFileSync(join(world.folder, '0123456789abcdef.json'), JSON.stringify(rival), {mode: 0o600});
      return Promise.resolve(true);
    };
    world.clock.sleeps.length = 0;
    const asked = await world.run(create(), {columns: 400, answers: [addRival, false]});
    assert.equal(asked.exitCode, 11, asked.stderr);
    assert.deepEqual(
      world.entries().map(({sender}) => sender),
      [null, null],
    );
  });

  it('leave no entry of the one that waits', async () => {
    world.losing = 'answer';
    await world.run(create());
    world.losing = 'nothing';
    world.clock.advance(PAST_HORIZON_MS);
    const rival = {...world.entries()[0], idempotencyKey: 'rival'};
    const addRival = () => {
      writeFileSync(join(world.folder, '0123456789abcdef.json'), JSON.stringify(rival), {mode: 0o600});
      return Promise.resolve(true);
    };
    const asked = await world.run(create(), {columns: 400, answers: [addRival, false]});
    assert.deepEqual([asked.exitCode, asked.questions.length], [11, 2], asked.stderr);
    assert.equal(world.remembered.length, 2);
  });
});

describe('an entry that cannot be removed', () => {
  it('is a warning: the payout is made', async () => {
    const {send} = world.transport;
    world.transport.send = (request) => {
      const [name] = world.remembered;
      if (request.method === 'POST' && name !== undefined) {
        rmSync(join(world.folder, name));
        mkdirSync(join(world.folder, name));
      }
      return send(request);
    };
    const ran = await world.run(create());
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(
      ran.stderr,
      /Warning: .*in-doubt.*The next command with the same payment will ask about this/,
    );
  });
});
