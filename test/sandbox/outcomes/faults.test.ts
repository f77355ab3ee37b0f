import assert from 'node:assert/strict';
import {Faults} from '../../../src/sandbox/outcomes/faults.ts';
import {FaultRule} from '../../../src/sandbox/outcomes/fault-schema.ts';
import {seededRandom} from '../../../src/sandbox/base/random.ts';
import {TestSandbox} from '../harness.ts';
import type {FaultRuleInput} from './fault-rule.ts';

const CREATE = {method: 'POST', path: '/api/payouts', operation: 'payouts.create', mode: 'test'} as const;
const GET = {method: 'GET', path: '/api/payouts/1', operation: 'payouts.get', mode: 'live'} as const;
const rules = (...inputs: FaultRuleInput[]) => {
  const faults = new Faults(seededRandom('faults'));
  for (const input of inputs) faults.add(FaultRule.parse(input));
  return faults;
};
const reset = {kind: 'reset', when: 'after'} as const;

describe('sandbox fault rules', () => {
  it('match by method, operation, mode of the key and prefix of the path', () => {
    const faults = rules({match: {operation: 'payouts.create'}, effect: reset});
    assert.equal(faults.judge(GET), undefined);
    assert.deepEqual(faults.judge(CREATE)?.effect, reset);
    assert.equal(rules({match: {method: 'GET'}, effect: reset}).judge(CREATE), undefined);
    assert.ok(rules({match: {mode: 'live'}, effect: reset}).judge(GET));
    assert.equal(rules({match: {mode: 'live'}, effect: reset}).judge(CREATE), undefined);
    assert.ok(rules({match: {path: '/api/pay'}, effect: reset}).judge(GET));
    assert.equal(rules({match: {path: '/api/payins'}, effect: reset}).judge(GET), undefined);
  });

  it('apply to the n-th match only, and at most N times', () => {
    const third = rules({match: {nth: 3}, effect: reset});
    assert.deepEqual(
      [1, 2, 3, 4].map(() => third.judge(CREATE) !== undefined),
      [false, false, true, false],
    );
    const twice = rules({times: 2, effect: reset});
    assert.deepEqual(
      [1, 2, 3].map(() => twice.judge(CREATE) !== undefined),
      [true, true, false],
    );
    assert.deepEqual([twice.list()[0]?.seen, twice.list()[0]?.hits], [3, 2]);
  });

  it('apply with the given probability, the same way for the same seed', () => {
    const run = () => {
      const faults = rules({probability: 0.3, effect: reset});
      return Array.from({length: 1000}, () => faults.judge(CREATE) !== undefined);
    };
    const hits = run().filter(Boolean).length;
    assert.ok(hits > 240 && hits < 360, `${hits} hits of 1000`);
    assert.deepEqual(run(), run());
  });

  it('add up latencies, and apply the first other effect', () => {
    const faults = rules(
      {effect: {kind: 'latency', ms: 10}},
      {effect: {kind: 'empty'}},
      {effect: {kind: 'cut'}},
      {effect: {kind: 'latency', ms: 5}},
    );
    assert.deepEqual(faults.judge(CREATE), {latencyMs: 15, effect: {kind: 'empty'}});
    assert.deepEqual(
      faults.list().map(({hits}) => hits),
      [1, 1, 0, 1],
    );
  });

  it('apply to reads of a path after its first N, counted for each path', () => {
    const faults = rules({match: {operation: 'payouts.get', after_reads: 2}, times: 3, effect: reset});
    const read = (path: string) => faults.judge({...GET, path}) !== undefined;
    assert.deepEqual(
      [1, 2, 3, 4].map(() => read('/api/payouts/1')),
      [false, false, true, true],
    );
    assert.deepEqual(
      [1, 2, 3, 4].map(() => read('/api/payouts/2')),
      [false, false, true, false], // three times in all
    );
    assert.deepEqual([faults.list()[0]?.seen, faults.list()[0]?.hits], [4, 3]);
    const any = rules({match: {after_reads: 1}, effect: reset});
    assert.deepEqual(
      [CREATE, CREATE, GET, CREATE, GET].map((facts) => any.judge(facts) !== undefined),
      [false, false, false, false, true],
    );
  });

  it('refuse --after-reads for a method that is not a read', () => {
    const refused = (input: object) => assert.equal(FaultRule.safeParse(input).success, false);
    refused({match: {method: 'POST', after_reads: 3}, effect: reset});
    refused({match: {after_reads: 0}, effect: reset});
    refused({match: {after_reads: 3}, effect: {kind: 'drop'}});
  });

  it('refuse an invalid rule', () => {
    const wrong = [
      {},
      {effect: {kind: 'boom'}},
      {effect: reset, match: {operation: 'x'}},
      {effect: reset, probability: 2},
    ];
    for (const rule of wrong) assert.equal(FaultRule.safeParse(rule).success, false, JSON.stringify(rule));
  });
});

describe('sandbox fault effects', () => {
  let at: TestSandbox;
  let payee: string;
  const inject = (effect: FaultRuleInput['effect']) =>
    at.sandbox.faults.add(FaultRule.parse({match: {operation: 'payouts.create'}, times: 1, effect}));
  const count = async () => (await at.get('/api/payouts?limit=100')).body.data.length as number;
  const raw = () =>
    at.sandbox.fetch(
      new Request('http://localhost/api/payouts', {
        method: 'POST',
        headers: {'x-api-key': at.sandbox.testKey, 'content-type': 'application/json'},
        body: JSON.stringify({payee_id: payee, amount_in_minor_units: 5}),
      }),
    );
  before(async () => {
    at = await TestSandbox.open();
    payee = (await at.ready('payee')).id;
  });
  beforeEach(() => at.sandbox.faults.clear());
  after(() => at.close());

  it('answer a status before anything happened, with Retry-After as number or date', async () => {
    const before = await count();
    for (const retry_after of [7, 'Wed, 21 Oct 2026 07:28:00 GMT']) {
      inject({kind: 'status', status: 429, retry_after});
      const answer = await at.payout(payee);
      assert.deepEqual([answer.status, answer.body.error_code], [429, 'RATE_LIMITED']);
      assert.equal(answer.headers.get('retry-after'), String(retry_after));
    }
    assert.equal(await count(), before);
  });

  it('answer a status after the record was made', async () => {
    const before = await count();
    inject({kind: 'status', status: 502, when: 'after'});
    const answer = await at.payout(payee, {}, {idempotencyKey: 'lost-502'});
    assert.equal(answer.status, 502);
    assert.equal(await count(), before + 1);
    assert.equal((await at.payout(payee, {}, {idempotencyKey: 'lost-502'})).status, 200);
  });

  it('reset the connection before the record exists, or after', async () => {
    const before = await count();
    inject({kind: 'reset', when: 'before'});
    await assert.rejects(raw(), /reset/);
    assert.equal(await count(), before);
    inject({kind: 'reset', when: 'after'});
    await assert.rejects(raw(), /reset/);
    assert.equal(await count(), before + 1);
  });

  it('cut the answer in the middle of its body', async () => {
    inject({kind: 'cut'});
    const response = await raw();
    assert.equal(response.status, 201);
    await assert.rejects(response.text());
  });

  it('answer with something other than JSON, or with an empty body', async () => {
    inject({kind: 'non_json'});
    const html = await raw();
    assert.deepEqual([html.status, html.headers.get('content-type')], [201, 'text/html']);
    assert.match(await html.text(), /^<html>/);
    inject({kind: 'empty'});
    const empty = await raw();
    assert.deepEqual([empty.status, await empty.text()], [201, '']);
  });

  it('omit fields, and answer with an unknown status', async () => {
    inject({kind: 'missing_fields', fields: ['id', 'status']});
    const answer = await at.payout(payee);
    assert.deepEqual([answer.status, 'id' in answer.body, 'status' in answer.body], [201, false, false]);
    inject({kind: 'unknown_status'});
    assert.equal((await at.payout(payee)).body.status, 'under_review');
  });

  it('answer with unknown values, in every record of a list', async () => {
    inject({kind: 'unknown_value', field: 'rail', value: 'pigeon'});
    assert.equal((await at.payout(payee)).body.rail, 'pigeon');
    const list = async () => (await at.get('/api/payouts?limit=2')).body as {data: object[]};
    const onLists = (effect: FaultRuleInput['effect']) =>
      at.sandbox.faults.add(FaultRule.parse({match: {operation: 'payouts.list'}, times: 1, effect}));
    onLists({kind: 'unknown_value', field: 'rail'});
    const {data} = (await list()) as {data: {rail: string}[]};
    assert.deepEqual(
      data.map(({rail}) => rail),
      ['unheard_of', 'unheard_of'],
    );
    onLists({kind: 'missing_fields', fields: ['id', 'next_cursor']});
    const page = await list();
    assert.deepEqual(['id' in page.data[0]!, 'next_cursor' in page, page.data.length], [false, false, 2]);
    inject({kind: 'unknown_value', field: 'mood'});
    assert.equal('mood' in (await at.payout(payee)).body, false);
  });

  it('answer the right body under another content type', async () => {
    inject({kind: 'wrong_type'});
    const response = await raw();
    assert.deepEqual([response.status, response.headers.get('content-type')], [201, 'text/plain']);
    assert.equal(typeof ((await response.json()) as {id: string}).id, 'string');
  });

  it('wait on the clock', async () => {
    inject({kind: 'latency', ms: 700});
    const before = at.clock.now();
    assert.equal((await at.payout(payee)).status, 201);
    assert.equal(at.clock.now() - before, 700);
  });

  it('do not shift the ids that a seed gives', async () => {
    const ids = async (fault: boolean) => {
      const fresh = await TestSandbox.open();
      if (fault)
        fresh.sandbox.faults.add(
          FaultRule.parse({probability: 0.5, effect: {kind: 'latency', ms: 0, jitter_ms: 9}}),
        );
      const made = [await fresh.party('payee'), await fresh.party('payer')];
      await fresh.close();
      return made.map((id) => id.slice(14));
    };
    assert.deepEqual(await ids(true), await ids(false));
  });

  it('are counted by the answer that they caused', async () => {
    const before = at.sandbox.requests();
    inject({kind: 'status', status: 429});
    await at.payout(payee);
    inject({kind: 'reset', when: 'after'});
    await raw().catch(() => undefined);
    const {answers, posts} = at.sandbox.requests();
    assert.equal(answers['payouts.create 429'], (before.answers['payouts.create 429'] ?? 0) + 1);
    assert.equal(answers['payouts.create reset'], (before.answers['payouts.create reset'] ?? 0) + 1);
    assert.equal(posts, before.posts + 2);
  });
});
