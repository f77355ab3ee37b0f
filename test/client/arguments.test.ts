import assert from 'node:assert/strict';
import {readdirSync} from 'node:fs';
import {Batches} from '../../src/automation/index.ts';
import {RemitClient, RemitError} from '../../src/library/index.ts';
import {WEBHOOK_HEADERS} from '../../src/contract/events.ts';
import {startSandbox} from '../../src/sandbox/index.ts';
import type {RunningHarness} from '../../src/sandbox/running-harness.ts';
import {
  diagnose,
  readRawBody,
  ReplayMemory,
  secretFingerprint,
  signatureHeaders,
  signWebhook,
  verifyWebhook,
} from '../../src/webhooks/index.ts';

const CONFIRMED = {confirm: {count: 1, totals: {USD: '1.00'}}};

/** As a program without types sees them. */
type Untyped = (...args: unknown[]) => unknown;

describe('the library, called without types', () => {
  let sandbox: RunningHarness;
  let client: Record<string, Record<string, Untyped>> & Record<string, Untyped>;
  before(async () => {
    sandbox = await startSandbox();
    client = new RemitClient({baseUrl: sandbox.baseUrl, key: sandbox.testKey}) as unknown as typeof client;
  });
  after(async () => {
    await client['close']!();
    await sandbox.stop();
  });

  const circle: Record<string, unknown> = {};
  circle['again'] = circle;
  const of = (made: unknown) => made as Record<string, Untyped>;
  const list = (...args: unknown[]) =>
    (client['payouts']!['list']!(...args) as AsyncIterable<unknown> & {toArray: Untyped}).toArray();
  const named = () => ({baseUrl: sandbox.baseUrl, key: sandbox.testKey});
  const batches = () => of(new Batches(named()));
  const newBatches = (options: object) => new Batches(options as never);
  const newClient = (options: object) => new RemitClient({...named(), ...options});
  const plan = (options: object) => batches()['plan']!({id: 'a', ...options});
  const run = (options: object, id: unknown = 'a') => batches()['run']!(id, {...CONFIRMED, ...options});
  const create = (options: object) =>
    client['payouts']!['create']!({payee_id: 'p', amount_in_minor_units: 1, auto_approve: true}, options);
  const request = (options: object) =>
    client['request']!('POST', '/api/payouts', {body: {payee_id: 'p', amount_in_minor_units: 1}, ...options});
  const wait = (...args: unknown[]) => client['wait']!(...args);
  const verify = (options: object) =>
    (verifyWebhook as Untyped)({body: Buffer.from(''), headers: {}, secrets: 'a', ...options});

  for (const [words, call, message] of [
    [
      'a client without options',
      () => new (RemitClient as unknown as new () => unknown)(),
      /options of RemitClient/,
    ],
    ['a get of null', () => client['payouts']!['get']!(null), /parameters must be an object, not null/],
    [
      'a get with options null',
      () => client['payouts']!['get']!({id: 'x'}, null),
      /options of payouts.get must be an object, not null/,
    ],
    [
      'a signal that is none',
      () => client['payouts']!['get']!({id: 'x'}, {signal: 'stop'}),
      /AbortSignal, not string/,
    ],
    [
      'a body that refers to itself',
      () => client['payouts']!['create']!(circle),
      /cannot be written as JSON: .*; nothing/,
    ],
    [
      'a bigint in a body',
      () => client['payouts']!['create']!({amount_in_minor_units: 5n}),
      /cannot be written as JSON/,
    ],
    ['a list of null', () => list(null), /filters must be an object, not null/],
    ['a list with options null', () => list({}, null), /options of payouts.list must be an object, not null/],
    ['a cursor that is a number', () => list({}, {cursor: 5}), /cursor must be text, not number/],
    ['a wait for nothing', () => client['wait']!('payouts'), /parameters must be an object, not undefined/],
    ['a request without a method', () => client['request']!(), /method must be text, not undefined/],
    ['a request without a path', () => client['request']!('GET'), /path must be text, not undefined/],
    [
      'a webhook without input',
      () => (verifyWebhook as Untyped)(),
      /input of verifyWebhook must be an object/,
    ],
    [
      'a webhook without headers',
      () => (verifyWebhook as Untyped)({body: Buffer.from(''), secrets: 'a'}),
      /headers must be/,
    ],
    ['batches without options', () => new (Batches as unknown as new () => unknown)(), /options of Batches/],
    ['a plan of nothing', () => batches()['plan']!(), /the plan must be an object/],
    [
      'a plan without rows and file',
      () => batches()['plan']!({id: 'a'}),
      /^file must be non-empty text, not undefined/,
    ],
    ['a run without options', () => batches()['run']!('a'), /the options must be an object, not undefined/],
    ['a run of no batch', () => batches()['run']!(undefined, {}), /the id of a batch must be text/],
    [
      'a sandbox with options null',
      () => (startSandbox as Untyped)(null),
      /options of startSandbox must be an object/,
    ],
    ['a fault of nothing', () => of(sandbox)['addFault']!(), /the fault must be an object/],
    ['a sandbox reset with null', () => of(sandbox)['reset']!(null), /options of reset must be an object/],
    ['deliveries of null', () => of(sandbox)['deliveries']!(null), /the filters must be an object/],

    ['a run with live as text', () => run({live: 'false'}), /^live must be true or false, not string$/],
    [
      'a resume with live as a number',
      () => batches()['resume']!('a', {...CONFIRMED, live: 1}),
      /^live must be true or/,
    ],
    [
      'a client with live as text',
      () => newClient({live: 'true'}),
      /^live must be true or false, not string$/,
    ],
    [
      'a client with approveById as text',
      () => newClient({approveById: 'no'}),
      /^approveById must be true or/,
    ],
    [
      'a create with mayApproveAtOnce as text',
      () => create({mayApproveAtOnce: 'no'}),
      /^mayApproveAtOnce must/,
    ],
    [
      'an approval as text',
      () => client['payouts']!['create']!({payee_id: 'p', amount_in_minor_units: 1, auto_approve: 'false'}),
      /^auto_approve must be true or false, not string$/,
    ],
    ['a raw request by text', () => request({isRaw: 'false'}), /^isRaw must be true or false, not string$/],
    ['a list of all by text', () => list({}, {all: 'no'}), /^all must be true or false, not string$/],
    ['a webhook with lenient as text', () => verify({lenient: 'no'}), /^lenient must be true or false/],

    [
      'batches of an undefined profile',
      () => newBatches({profile: undefined}),
      /^the options of Batches name no service$/,
    ],
    [
      'batches of an undefined service',
      () => newBatches({baseUrl: undefined, key: undefined}),
      /name no service$/,
    ],
    ['batches without a service', () => newBatches({stateDir: '/tmp'}), /name no service$/],
    ['batches without a key', () => newBatches({...named(), key: undefined}), /name no service$/],
    [
      'batches with an empty key',
      () => newBatches({...named(), key: ''}),
      /^key must be non-empty text, not ''$/,
    ],
    ['batches with an empty profile', () => newBatches({profile: ' '}), /^profile must be non-empty text/],
    [
      'batches with profile null',
      () => newBatches({...named(), profile: null}),
      /^profile must be non-empty text/,
    ],
    [
      'batches of two services',
      () => newBatches({...named(), profile: 'a'}),
      /^baseUrl cannot be used with profile$/,
    ],
    [
      'a service file of a profile',
      () => newBatches({profile: 'a', serviceFile: 'b'}),
      /^serviceFile cannot be used/,
    ],
    [
      'an empty state folder',
      () => newBatches({...named(), stateDir: ''}),
      /^stateDir must be non-empty text/,
    ],
    ['a state folder that is a number', () => newBatches({...named(), stateDir: 5}), /^stateDir must be/],
    [
      'an unknown kind of batch',
      () => newBatches({...named(), kind: 'payout'}),
      /^kind must be payouts or payins/,
    ],
    [
      'a misspelt option of batches',
      () => newBatches({...named(), stateDirectory: 'a'}),
      /^unknown option stateDirectory/,
    ],

    ...[false, 0, 5, ['a'], {}].map(
      (idempotencyKey) =>
        [
          `the idempotency key ${JSON.stringify(idempotencyKey)}`,
          () => create({idempotencyKey}),
          /^idempotencyKey must be text, not/,
        ] as const,
    ),
    [
      'a generated key that is a number',
      () =>
        of(newClient({newKey: () => 7}))['call']!('payouts.create', {
          body: {payee_id: 'p', amount_in_minor_units: 1},
        }),
      /^idempotencyKey must be text/,
    ],
    [
      'a request with a key that is a number',
      () => request({idempotencyKey: 7}),
      /^idempotencyKey must be text/,
    ],
    [
      'a misspelt key',
      () => create({idempotency_key: 'a'}),
      /^unknown option idempotency_key in the options of payouts.create$/,
    ],
    ['a misspelt key of a request', () => request({idempotencykey: 'a'}), /^unknown option idempotencykey/],
    [
      'a key for an operation without one',
      () => client['payouts']!['approve']!({id: 'x'}, {idempotencyKey: 'a'}),
      /^unknown option idempotencyKey in the options of payouts.approve$/,
    ],
    [
      'a key beside the options of a call',
      () => client['call']!('payouts.create', {idempotencyKey: 'a'}),
      /^unknown option idempotencyKey in the parts/,
    ],

    ...[new Headers({a: 'b'}), new Map([['a', 'b']]), [['a', 'b']], 'a: b', 5, null].map(
      (headers) => ['other headers', () => request({headers}), /^headers must be an object/] as const,
    ),
    [
      'a header that is a number',
      () => request({headers: {a: 5}}),
      /^the header a must be text, not number$/,
    ],
    ['a header that is undefined', () => request({headers: {a: undefined}}), /^the header a must be text/],

    ...['x', null, {}, new Set()].map(
      (rows) => ['rows that are no list', () => plan({rows}), /^rows must be a list/] as const,
    ),
    ['a row of null', () => plan({rows: [null]}), /^row 1 must be an object, not null$/],
    [
      'metadata of null',
      () => plan({rows: [{metadata: null}]}),
      /^row 1: metadata must be an object, not null$/,
    ],
    ['rows and a file', () => plan({rows: [], file: 'a.csv'}), /^file cannot be used with rows$/],
    ['a sheet of rows', () => plan({rows: [], sheet: 'a'}), /^sheet cannot be used with rows$/],
    ['a misspelt part of a plan', () => plan({row: []}), /^unknown option row in the plan$/],
    ['the id of a batch with a NUL', () => plan({rows: [], id: 'a\0b'}), /is not a batch id/],
    ...['/tmp/a.csv', './a.csv', 'a/b', '-', '--help', 'a b', ''].flatMap((id) => [
      [`a run of ${id}`, () => run({}, id), /is not a batch id$/] as const,
      [`the summary of ${id}`, () => batches()['summary']!(id), /is not a batch id$/] as const,
    ]),
    [
      'a run of the name of a file',
      () =>
        run(
          {},
          readdirSync('/').find((name) => /^[a-z]+$/.test(name)),
        ),
      / is a file in \/, which run would pay/,
    ],
    ['what is accepted as text', () => run({accept: 'duplicates=2'}), /^accept must be a list, not string$/],
    ['what is accepted as null', () => run({accept: null}), /^accept must be a list, not null$/],
    ['what is accepted as numbers', () => run({accept: [5]}), /^each of accept must be text, not number$/],
    [
      'a run that states nothing',
      () => run({confirm: undefined}),
      /^confirm must be an object, not undefined$/,
    ],
    ['a count that is text', () => run({confirm: {count: '1', totals: {}}}), /^count must be a whole number/],
    [
      'a total that is a number',
      () => run({confirm: {count: 1, totals: {USD: 1}}}),
      /^totals.USD must be text/,
    ],
    ['a misspelt option of a run', () => run({Live: true}), /^unknown option Live in the options$/],
    [
      'a signal that cannot be left',
      () => run({signal: {aborted: false, addEventListener() {}}}),
      /^signal must be an AbortSignal/,
    ],
    [
      'a list with another target of events',
      () => list({}, {signal: new EventTarget()}),
      /^signal must be an AbortSignal/,
    ],

    [
      'a base URL that is an object',
      () => newClient({baseUrl: new URL('http://127.0.0.1')}),
      /^baseUrl must be text/,
    ],
    ['a key that is a list', () => newClient({key: ['test_a']}), /^key must be text, not a list$/],
    [
      'a misspelt option of a client',
      () => newClient({retry: 1}),
      /^unknown option retry in the options of RemitClient$/,
    ],
    ...[Number.NaN, 'x', Infinity, -1, 1.5, 21].flatMap((retries) => [
      [
        `a client with ${retries} retries`,
        () => newClient({retries}),
        /^retries must be a whole number from 0 to 20/,
      ] as const,
      [
        `a call with ${retries} retries`,
        () => create({retries}),
        /^retries must be a whole number from 0 to 20/,
      ] as const,
    ]),
    [
      'a longest wait that is no number',
      () => newClient({maxWaitMs: Number.NaN}),
      /^maxWaitMs must be a whole number .*, not NaN$/,
    ],
    ['an unknown timeout', () => newClient({timeouts: {foo: 1}}), /^unknown option foo in timeouts$/],
    ['timeouts that are a number', () => newClient({timeouts: 5}), /^timeouts must be an object/],
    [
      'a timeout that is text',
      () => newClient({timeouts: {totalMs: '10'}}),
      /^totalMs must be a number of milliseconds above 0/,
    ],
    [
      'a transport without methods',
      () => newClient({transport: {}}),
      /^transport must be an object with the methods send, close, not another object$/,
    ],
    [
      'a clock without a method',
      () => newClient({clock: {now: Date.now, monotonic: Date.now}}),
      /^clock must be an object with the methods now, monotonic, sleep/,
    ],
    [
      'a fault with a bigint',
      () => of(sandbox)['addFault']!({effect: {kind: 'latency', ms: 5n}}),
      /^ms must be a number, not bigint$/,
    ],
    [
      'a fault that refers to itself',
      () => of(sandbox)['addFault']!({effect: circle}),
      /^the argument of \/faults cannot be written as JSON/,
    ],
    ...['signatureHeader', 'timestampHeader', 'timestampPart', 'idHeader', 'signaturePrefix', 'signed'].map(
      (part) =>
        [
          `a form whose ${part} is a number`,
          () => verify({form: {[part]: 5}}),
          new RegExp(`^form.${part} must be text, not number$`),
        ] as const,
    ),
    ...['timestamp', 'signatureEncoding', 'secretEncoding'].map(
      (part) =>
        [
          `a form with an unknown ${part}`,
          () => verify({form: {[part]: 'x'}}),
          new RegExp(`^form.${part} must be .*, not "x"$`),
        ] as const,
    ),
    ['a diagnosis of nothing', () => (diagnose as Untyped)(), /^the input of diagnose must be an object/],
    [
      'a diagnosis with headers null',
      () => (diagnose as Untyped)({body: Buffer.from(''), headers: null, secrets: 'a'}),
      /^headers must be an object, not null$/,
    ],
    ['the raw body of nothing', () => (readRawBody as Untyped)(), /^the request must be an object/],
    [
      'a raw body with options null',
      () => (readRawBody as Untyped)(new Request('http://localhost'), null),
      /^the options of readRawBody must be an object, not null$/,
    ],
    [
      'a signature of an object',
      () => (signWebhook as Untyped)('a', '5', {}),
      /^payload must be text or bytes .*, not another object$/,
    ],
    [
      'a signature at no time',
      () => (signWebhook as Untyped)('a'),
      /^timestamp must be text, not undefined$/,
    ],
    [
      'a signature with a list of secrets',
      () => (signWebhook as Untyped)(['a'], '5', ''),
      /^secret must be text or bytes, not a list$/,
    ],
    [
      'the fingerprint of no secret',
      () => (secretFingerprint as Untyped)(),
      /^secret must be text or bytes, not undefined$/,
    ],
    [
      'a replay memory with options null',
      () => new (ReplayMemory as unknown as new (options: null) => unknown)(null),
      /^the options of ReplayMemory must be an object, not null$/,
    ],
    [
      'headers of a time that no date has',
      () => (signatureHeaders as Untyped)('a', 'b', 1e20, 'iso8601'),
      /^nowMs must be a time in milliseconds since the epoch, not 100000000000000000000$/,
    ],
    ['a debug sink that is a number', () => newClient({onDebug: 5}), /^onDebug must be a function/],
    ['a call without an operation', () => client['call']!(), /^the operation must be text, not undefined$/],
    ['a list without an operation', () => client['list']!(), /^the operation must be text, not undefined$/],
    [
      'an id that is a list',
      () => client['payouts']!['approve']!({id: ['x']}),
      /^id must be text, not a list$/,
    ],

    [
      'a wait for a move',
      () => wait('moves', {id: 'x'}),
      /^what is waited for must be payins or payouts, not "moves"$/,
    ],
    [
      'a wait with a time that is text',
      () => wait('payouts', {id: 'x'}, {timeoutMs: 'abc'}),
      /^timeoutMs must be a number of milliseconds, not string$/,
    ],

    [
      'a tolerance of null',
      () => verify({toleranceSeconds: null}),
      /^toleranceSeconds must be a finite number/,
    ],
    ['a form of null', () => verify({form: null}), /^form must be an object, not null$/],
    [
      'an unknown format of a timestamp',
      () => verify({timestampFormat: 'hours'}),
      /^timestampFormat must be one of/,
    ],
    ['a replay memory of nothing', () => verify({replays: {}}), /^replays must be a ReplayMemory/],
    [
      'a replay memory without a size',
      () => new ReplayMemory({maxEntries: Number.NaN}),
      /^maxEntries must be/,
    ],
    ['a body without a limit', () => (readRawBody as Untyped)({}, {maxBytes: 'x'}), /^maxBytes must be/],
  ] as [string, () => unknown, RegExp][])
    it(`refuses ${words} by an error of its own, and sends nothing`, async () => {
      await assert.rejects(
        async () => call(),
        (error) => {
          assert.ok(error instanceof RemitError, String(error));
          assert.match(error.message, message);
          return true;
        },
      );
      const {entities} = await sandbox.audit();
      assert.ok(entities.every(({payouts}) => Object.keys(payouts).length === 0));
    });

  it('names the nearest option for a misspelt one', async () => {
    for (const [misspelt, meant] of [
      ['idempotency_key', 'idempotencyKey'],
      ['idempotencykey', 'idempotencyKey'],
    ])
      await assert.rejects(async () => create({[misspelt!]: 'a'}), {hint: `did you mean ${meant}?`});
  });

  it('accepts options that are undefined, and a profile that is undefined beside an address and key', async () => {
    newBatches({...named(), profile: undefined, stateDir: undefined});
    await of(newClient({live: undefined, retries: undefined, timeouts: undefined}))['close']!();
    await list(undefined, {signal: undefined, limit: undefined});
  });

  it('accepts a signal of another realm, and stops with it', async () => {
    const stopping = new AbortController();
    const {signal} = stopping;
    const foreign = {
      get aborted() {
        return signal.aborted;
      },
      get reason(): unknown {
        return signal.reason as unknown;
      },
      addEventListener: signal.addEventListener.bind(signal),
      removeEventListener: signal.removeEventListener.bind(signal),
    };
    await sandbox.seed({payees: 2});
    const payees = client['payees']!['list']!({}, {signal: foreign, pageSize: 1}) as AsyncIterable<object>;
    await assert.rejects(
      async () => {
        for await (const payee of payees) stopping.abort(new Error(`read ${typeof payee}`));
      },
      {code: 'INTERRUPTED'},
    );
  });

  it('verifies headers in a Map, whatever the case of their names, and ignores a value that is not text', () => {
    const reasonWith = (headers: unknown) => (verify({headers}) as {reason: string}).reason;
    assert.equal(reasonWith(new Map()), 'no_timestamp');
    const names = WEBHOOK_HEADERS;
    assert.equal(reasonWith(new Map([[names.timestamp.toUpperCase(), '1']])), 'no_signature');
    assert.equal(reasonWith({[names.timestamp]: 1_700_000_000}), 'no_timestamp');
    assert.equal(reasonWith({[names.timestamp]: [1, '1']}), 'no_signature');
  });
});
