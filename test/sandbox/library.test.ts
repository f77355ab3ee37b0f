import assert from 'node:assert/strict';
import {existsSync, mkdtempSync, readdirSync, rmSync} from 'node:fs';
import {connect} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {RemitClient} from '../../src/library/index.ts';
import {RemitError} from '../../src/errors.ts';
import {FAULT_KINDS} from '../../src/cli/sandbox/fault-flags.ts';
import {CONTROL_ANSWERS} from '../../src/sandbox/control/answers.ts';
import {
  startSandbox,
  type FaultEffect,
  type HarnessOptions,
  type ReceivedWebhook,
} from '../../src/sandbox/index.ts';
import {verifyWebhook} from '../../src/webhooks/index.ts';

const FROZEN = {frozenAtMs: Date.UTC(2026, 2, 2, 15)};

/** Starts a sandbox, and stops it however the test ends. */
async function withSandbox<T>(
  options: HarnessOptions,
  use: (sandbox: Awaited<ReturnType<typeof startSandbox>>, client: RemitClient) => Promise<T>,
): Promise<T> {
  const sandbox = await startSandbox(options);
  const client = new RemitClient({baseUrl: sandbox.baseUrl, key: sandbox.testKey});
  try {
    return await use(sandbox, client);
  } finally {
    await client.close();
    await sandbox.stop();
  }
}

const temporary = () => readdirSync(tmpdir()).filter((name) => name.startsWith('remit-sandbox-'));
const refusal = (code: string) => (error: unknown) => error instanceof RemitError && error.code === code;

describe('remit-cli/sandbox', () => {
  it('starts, seeds, advances and stops, and leaves nothing behind', async () => {
    const before = temporary();
    const address = await withSandbox(FROZEN, async (sandbox, client) => {
      const {payees} = await sandbox.seed({payees: 1});
      const body = {payee_id: payees[0]!.id, amount_in_minor_units: 12_500, auto_approve: true};
      const {data} = await client.payouts.create(body);
      const {now, idle} = await sandbox.advance({until: 'idle'});
      assert.ok(idle === true && Date.parse(now) > FROZEN.frozenAtMs);
      assert.equal((await client.payouts.get({id: data.id})).data.status, 'settled');
      const audit = await sandbox.audit();
      assert.ok(audit.balanced);
      assert.deepEqual(audit.entities.find(({mode}) => mode === 'test')?.payouts, {
        settled: {count: 1, amount: '12500'},
      });
      return new URL(sandbox.baseUrl);
    });
    assert.deepEqual(temporary(), before);
    const refused = new Promise((resolve) =>
      connect(Number(address.port), address.hostname).on('error', resolve),
    );
    assert.match(String(await refused), /ECONNREFUSED/);
  });

  it('refuses options that do not exist or have an invalid value, before anything is started', async () => {
    const before = temporary();
    for (const [options, message] of [
      [{frozen: 1}, /^unknown option frozen in the options of startSandbox$/],
      [{port: 70_000}, /^port must be a whole number from 0 to 65535, not 70000$/],
      [{timing: 'slow'}, /^timing must be one of fast, instant, real, not "slow"$/],
      [{frozenAtMs: Number.NaN}, /must be a time in milliseconds since the epoch/],
      [{frozenAtMs: new Date(0)}, /must be a time in milliseconds since the epoch/],
      [{mainBalanceMinor: -1}, /must be a whole number of minor units/],
      [{store: ''}, /store must be non-empty text/],
      [{service: 'service.json'}, /service must be an object/],
      [{onWebhook: 204}, /must be a function/],
      [{seed: 7}, /seed must be non-empty text, not number/],
      [{strictAutoApprove: 1}, /must be true or false/],
    ] as [object, RegExp][])
      await assert.rejects(startSandbox(options), (error: unknown) => {
        assert.ok(refusal('USAGE')(error), String(error));
        assert.match((error as RemitError).message, message);
        return true;
      });
    assert.deepEqual(temporary(), before);
    await (await startSandbox({...FROZEN, port: undefined, timing: undefined, store: undefined})).stop();
  });

  it('compares bodies like a strict service', async () => {
    const sandbox = await startSandbox({...FROZEN, strictAutoApprove: true});
    const {payees} = await sandbox.seed({payees: 1});
    const send = (autoApprove: boolean) =>
      fetch(`${sandbox.baseUrl}/api/payouts`, {
        method: 'POST',
        headers: {
          ...{'x-api-key': sandbox.testKey, 'content-type': 'application/json'},
          'idempotency-key': 'k',
        },
        body: JSON.stringify({
          ...{payee_id: payees[0]!.id, amount_in_minor_units: 100},
          auto_approve: autoApprove,
        }),
      });
    assert.deepEqual([(await send(false)).status, (await send(true)).status], [201, 409]);
    await sandbox.stop();
  });

  it('says that it has been stopped', async () => {
    const sandbox = await startSandbox(FROZEN);
    await Promise.all([sandbox.stop(), sandbox.stop()]);
    for (const call of [
      () => sandbox.reset(),
      () => sandbox.advance({ms: 1}),
      () => sandbox.seed({payees: 1}),
      () => sandbox.faults(),
      () => sandbox.audit(),
    ])
      await assert.rejects(call, {code: 'NOT_RUNNING', message: 'this sandbox has been stopped'});
  });

  it('gives the same ids for the same seed and calls', async () => {
    const create = () =>
      withSandbox({...FROZEN, seed: 'a'}, async (sandbox, client) => {
        const {payees} = await sandbox.seed({payees: 1});
        return (await client.payouts.create({payee_id: payees[0]!.id, amount_in_minor_units: 1})).data.id;
      });
    assert.equal(await create(), await create());
  });

  it('resets its records and faults, and keeps keys and the clock', () =>
    withSandbox(FROZEN, async (sandbox, client) => {
      await sandbox.seed({payees: 2});
      await sandbox.advance({ms: 1000});
      await sandbox.addFault({effect: {kind: 'status', status: 503}});
      await sandbox.reset();
      assert.deepEqual(await sandbox.faults(), []);
      assert.deepEqual(await client.payees.list().toArray(), []);
      assert.equal(Date.parse((await sandbox.advance({ms: 0})).now), FROZEN.frozenAtMs + 1000);
    }));

  it('simulates outcomes and injects faults', () =>
    withSandbox(FROZEN, async (sandbox, client) => {
      const {payees} = await sandbox.seed({payees: 1});
      const body = {payee_id: payees[0]!.id, amount_in_minor_units: 100};
      const fault = await sandbox.addFault({
        match: {operation: 'payouts.create'},
        times: 1,
        effect: {kind: 'reset', after: true},
      });
      const {data, attempts} = await client.payouts.create({...body, auto_approve: true});
      assert.ok(attempts === 2);
      assert.deepEqual(
        (await sandbox.faults()).map(({id, hits}) => ({id, hits})),
        [{id: fault.id, hits: 1}],
      );
      const {status, code} = await sandbox.simulate({
        kind: 'payout',
        id: data.id,
        outcome: 'fail',
        code: 'R03',
      });
      assert.deepEqual({status, code}, {status: 'failed', code: 'R03'});
      await sandbox.clearFaults();
      assert.deepEqual(await sandbox.faults(), []);
    }));

  it('hands signed webhooks to a function, and sends again what it refuses', async () => {
    const received: ReceivedWebhook[] = [];
    const statuses = [500, 204];
    const onWebhook = (webhook: ReceivedWebhook): number => {
      received.push(webhook);
      const status = statuses.shift();
      if (status === undefined) throw new Error('nothing listens');
      return status;
    };
    await withSandbox({...FROZEN, onWebhook}, async (sandbox, client) => {
      const {data: endpoint} = await client.webhookEndpoints.create({
        url: 'https://app.test/hook',
        event_types: ['payout.settled'],
      });
      const {payees} = await sandbox.seed({payees: 1});
      const body = {payee_id: payees[0]!.id, amount_in_minor_units: 100, auto_approve: true};
      await client.payouts.create(body);
      await sandbox.advance({until: 'idle'});
      assert.deepEqual(
        received.map(({url}) => url),
        ['https://app.test/hook', 'https://app.test/hook'],
      );
      const [{headers, body: raw}] = received as [ReceivedWebhook];
      const nowMs = Number(headers['x-webhook-timestamp']) * 1000;
      assert.ok(verifyWebhook({body: raw, headers, secrets: endpoint.signing_secret, nowMs}).ok);
      await client.payouts.create(body); // its receiver throws, which counts as a connection that failed
      assert.ok((await sandbox.advance({until: 'idle'})).attempts > 1);
    });
  });

  it('refuses with a RemitError, and releases its resources', async () => {
    await withSandbox(FROZEN, async (sandbox) => {
      await assert.rejects(sandbox.advance({to: '2020-01-01T00:00:00Z'}), refusal('VALIDATION_ERROR'));
      const id = '00000000-0000-4000-8000-000000000001';
      await assert.rejects(sandbox.simulate({kind: 'payout', id, outcome: 'settle'}), refusal('NOT_FOUND'));
      const before = temporary();
      const port = Number(new URL(sandbox.baseUrl).port);
      await assert.rejects(startSandbox({port}), refusal('PORT_IN_USE'));
      assert.deepEqual(temporary(), before);
    });
  });

  it('keeps a store that it was given, also when a control call stops it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'remit-kept-'));
    const store = join(folder, 'sandbox.db');
    const payees = await withSandbox({store}, async (sandbox) => {
      const seeded = await sandbox.seed({payees: 1});
      const headers = {'x-sandbox-token': sandbox.controlToken, 'content-type': 'application/json'};
      await fetch(`${sandbox.controlUrl}/stop`, {method: 'POST', headers, body: '{}'});
      return seeded.payees.map(({id}) => id);
    });
    assert.ok(existsSync(store));
    await withSandbox({store}, async (_sandbox, client) =>
      assert.deepEqual(
        (await client.payees.list().toArray()).map(({id}) => id),
        payees,
      ),
    );
    rmSync(folder, {recursive: true});
  });

  it('has a method for clock, checkpoints, deliveries and scenarios', () =>
    withSandbox({...FROZEN, onWebhook: () => 500}, async (sandbox, client) => {
      assert.deepEqual(await sandbox.clock(), {
        ...{mode: 'frozen', now: '2026-03-02T15:00:00.000Z', timing: 'fast'},
      });
      assert.equal((await sandbox.setClock({mode: 'accelerated', speed: 2})).speed, 2);
      await sandbox.setClock({mode: 'frozen'});
      const {payees} = await sandbox.seed({payees: 1});
      await client.webhookEndpoints.create({url: 'https://app.test/hook', event_types: ['payout.failed']});
      const body = {payee_id: payees[0]!.id, amount_in_minor_units: 100, auto_approve: true};
      assert.equal((await sandbox.saveCheckpoint('before')).name, 'before');
      await client.payouts.create({...body, ...sandbox.scenario('fails_after_debited')});
      await sandbox.advance({until: 'idle'});
      const [delivery] = await sandbox.deliveries({state: 'failed', event: 'payout.failed', limit: 1});
      assert.deepEqual(await sandbox.deliveries({state: 'delivered'}), []);
      const {attempts, sent} = await sandbox.delivery(delivery!.id);
      assert.deepEqual([attempts.length, attempts[0]?.status], [sent, 500]);
      assert.equal((await sandbox.redeliver(delivery!.id)).sent, sent + 1);
      await sandbox.restoreCheckpoint('before');
      assert.deepEqual(await sandbox.deliveries(), []);
      assert.deepEqual(
        (await sandbox.checkpoints()).map(({name}) => name),
        ['before'],
      );
      await assert.rejects(sandbox.delivery(delivery!.id), refusal('NOT_FOUND'));
      assert.throws(() => sandbox.scenario('stuck' as 'stuck_initiated'), refusal('USAGE'));
    }));

  it('takes faults in the words of the command, all of them', () =>
    withSandbox(FROZEN, async (sandbox) => {
      const effects: {[Kind in FaultEffect['kind']]: FaultEffect & {kind: Kind}} = {
        latency: {kind: 'latency', ms: 1, jitterMs: 1},
        status: {kind: 'status', status: 503, after: true, retryAfter: 1, errorCode: 'a'},
        reset: {kind: 'reset'},
        cut: {kind: 'cut'},
        slow: {kind: 'slow', ms: 1},
        'non-json': {kind: 'non-json'},
        'wrong-type': {kind: 'wrong-type', type: 'text/html'},
        empty: {kind: 'empty'},
        'missing-fields': {kind: 'missing-fields', fields: ['id']},
        'unknown-status': {kind: 'unknown-status', value: 'a'},
        'unknown-value': {kind: 'unknown-value', field: 'rail', value: 'a'},
        drop: {kind: 'drop'},
        duplicate: {kind: 'duplicate'},
        reorder: {kind: 'reorder', ms: 1},
        delay: {kind: 'delay', ms: 1, jitterMs: 1},
        'bad-signature': {kind: 'bad-signature'},
        'stale-timestamp': {kind: 'stale-timestamp', ageMs: 1},
      };
      assert.deepEqual(Object.keys(effects), [...FAULT_KINDS]);
      for (const effect of Object.values(effects)) await sandbox.addFault({effect});
      const match = {operation: 'payouts.get', afterReads: 2} as const;
      const {id} = await sandbox.addFault({match, effect: {kind: 'reset', after: true}});
      assert.equal((await sandbox.faults()).length, FAULT_KINDS.length + 1);
      await sandbox.removeFault(id);
      assert.equal((await sandbox.faults()).length, FAULT_KINDS.length);
      for (const wrong of [{kind: 'cut', after: true}, {kind: 'bad-sign'}, 'reset'])
        await assert.rejects(sandbox.addFault({effect: wrong as FaultEffect}), refusal('VALIDATION_ERROR'));
    }));

  it('answers with the documented shapes of the control calls', () =>
    withSandbox(FROZEN, async (sandbox) => {
      const {Seeded, Advanced, Truth} = CONTROL_ANSWERS;
      Seeded.parse(await sandbox.seed({payees: 1, payers: 1}));
      Advanced.parse(await sandbox.advance({until: 'next'}));
      Truth.parse(await sandbox.audit());
    }));
});
