import assert from 'node:assert/strict';
import {Batches} from '../../src/automation/index.ts';
import {RemitClient, RemitError} from '../../src/library/index.ts';
import {startSandbox} from '../../src/sandbox/index.ts';
import type {RunningHarness} from '../../src/sandbox/running-harness.ts';
import {verifyWebhook} from '../../src/webhooks/index.ts';

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
  const batches = () => of(new Batches({baseUrl: sandbox.baseUrl, key: sandbox.testKey}));

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
      /options must be an object, not null/,
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
    ['a list with options null', () => list({}, null), /options must be an object, not null/],
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
      /the file of a plan without rows must be text/,
    ],
    ['a run without options', () => batches()['run']!('a'), /the options must be an object, not undefined/],
    ['a run of no batch', () => batches()['run']!(undefined, {}), /the id of a batch must be text/],
    [
      'a sandbox with options null',
      () => (startSandbox as Untyped)(null),
      /options of startSandbox must be an object/,
    ],
    ['a fault of nothing', () => of(sandbox)['addFault']!(), /the fault must be an object/],
  ] as const)
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
});
