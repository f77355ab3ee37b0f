import assert from 'node:assert/strict';
import {execFile, spawnSync} from 'node:child_process';
import {promisify} from 'node:util';
import type * as z from 'zod';
import {EVENT_TYPE_NAMES} from '../../../src/contract/events.ts';
import {CONTROL_ANSWERS, type ControlAnswer} from '../../../src/sandbox/control/answers.ts';
import {controlCalls, type ControlCallId} from '../../../src/sandbox/control/calls.ts';
import {sandboxOpenApi} from '../../../src/sandbox/control/openapi.ts';
import {startSandbox} from '../../../src/sandbox/server.ts';
import {STATEMENT_FILE_FORMATS} from '../../../src/sandbox/statement/formats.ts';
import {readText} from '../../repo/tree.ts';
import {UNKNOWN_ID} from '../harness.ts';
import {fileStore} from '../test-store.ts';
import {WebhookWorld} from '../webhooks/world.ts';

const declared = controlCalls().map(([, {method, path}]) => `${method} ${path}`);

/** Checks that a body is exactly what the documents say of an answer. */
function assertShape(answer: ControlAnswer, body: unknown): void {
  const result = (CONTROL_ANSWERS[answer] as z.ZodType).safeParse(body);
  assert.ok(result.success, `${answer}: ${JSON.stringify(result.error?.issues)} in ${JSON.stringify(body)}`);
}

describe('the documented control calls', () => {
  it('are those of docs/reference/control.md and of the OpenAPI document, both ways', () => {
    const page = readText('docs/reference/control.md');
    const listed = [...page.matchAll(/^\| \[\w+\]\(#\w+\) \| `(\w+ \/sandbox\/\S+)` \|$/gm)].map(
      ([, call]) => call!,
    );
    assert.deepEqual(listed, declared);
    const paths = sandboxOpenApi()['paths'] as Record<string, Record<string, {operationId: string}>>;
    const described = Object.entries(paths)
      .filter(([path]) => path.startsWith('/sandbox/'))
      .flatMap(([path, item]) =>
        Object.keys(item)
          .filter((method) => method !== 'parameters')
          .map((method) => `${method.toUpperCase()} ${path}`),
      );
    assert.deepEqual(described.sort(), [...declared].sort());
    assert.deepEqual(
      JSON.parse(readText('docs/reference/openapi.json')),
      JSON.parse(JSON.stringify(sandboxOpenApi())),
    );
  });

  it('leave an OpenAPI document that passes a linter that is not ours', async () => {
    const {createConfig, lintFromString} = await import('@redocly/openapi-core'); // takes half a second
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: {'no-ambiguous-paths': 'off'}, // see test/contract/openapi/openapi.test.ts
    });
    const source = JSON.stringify(sandboxOpenApi());
    const problems = await lintFromString({source, absoluteRef: 'openapi.json', config});
    assert.equal(
      problems
        .map(({ruleId, message, location}) => `${ruleId}: ${message} at ${location[0]?.pointer}`)
        .join('\n'),
      '',
    );
  });

  it('answer as documented, each of them', async () => {
    const world = await WebhookWorld.open();
    const at = world.sandbox;
    const asked = new Set<ControlCallId>();
    const ask = async (id: ControlCallId, params: Record<string, string> = {}, body?: object, query = '') => {
      const [, {method, path, ok}] = controlCalls().find(([name]) => name === id)!;
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => params[name]!);
      const answer = await at.control(method, filled + query, method === 'POST' ? (body ?? {}) : undefined);
      const [status, shape] = ok;
      assert.equal(answer.status, status, `${id}: ${JSON.stringify(answer.body)}`);
      if (shape === null) assert.equal(answer.body, undefined, id);
      else assertShape(shape, answer.body);
      asked.add(id);
      return answer.body as {id: string; data: {id: string}[]; payees: {id: string}[]};
    };
    const {payees} = await ask('seed', {}, {payees: 1, payers: 1});
    await world.subscribe(EVENT_TYPE_NAMES);
    world.receiver.answers.push({status: 500});
    const {body: payout} = await at.payout(payees[0]!.id, {auto_approve: true});
    await ask('simulate', {}, {kind: 'payout', id: payout.id as string, outcome: 'settle'});
    for (const by of [{ms: 0}, {until: 'next'}, {until: 'idle'}]) await ask('advance', {}, by);
    const {data} = await ask('deliveries');
    assert.equal(data.length, 2);
    for (const {id} of data) await ask('delivery', {delivery_id: id});
    await ask('redeliver', {delivery_id: data[0]!.id});
    for (const mode of [{mode: 'accelerated', speed: 60}, {mode: 'real'}]) await ask('setClock', {}, mode);
    await ask('clock');
    for (const effect of [{kind: 'latency', ms: 1}, {kind: 'drop'}])
      await ask('addFault', {}, {effect, match: {mode: 'live'}, times: 1, probability: 0.5});
    await ask('faults');
    await ask('removeFault', {fault_id: 'fault_1'});
    await ask('clearFaults');
    await ask('saveCheckpoint', {}, {name: 'one'});
    await ask('checkpoints');
    await ask('restoreCheckpoint', {name: 'one'});
    await ask('issueKey', {}, {mode: 'live', scope: 'read'});
    await ask('keys');
    await ask('magicValues');
    await ask('audit');
    await ask('status');
    await ask('hello', {}, undefined, `?nonce=${'0a'.repeat(16)}`);
    await ask('pageLink');
    const {data: accounts} = await ask('setBankDialect', {}, {dialect: 'trace'});
    const {account_id: account} = accounts[0] as unknown as {account_id: string};
    for (const format of STATEMENT_FILE_FORMATS)
      await ask('statement', {}, undefined, `?account_id=${account}&format=${format}`);
    await ask('reset', {}, {main_balance_in_minor_units: 5});
    assert.equal((await at.control('GET', `/sandbox/deliveries/${UNKNOWN_ID}`)).status, 404);
    await world.close();
    // `stop` needs a server; server.test.ts calls it.
    assert.deepEqual(
      controlCalls()
        .map(([id]) => id)
        .filter((id) => !asked.has(id)),
      ['stop'],
    );
  });
});

describe('the curl session of the guide', () => {
  if (spawnSync('curl', ['--version']).status !== 0) {
    it('skipped: curl is not installed', () => undefined);
    return;
  }

  it('runs as it is written, and each answer is as documented', async () => {
    const section = readText('docs/guides/sandbox.md').split('## Control calls\n')[1]!;
    const session = /```sh\n([\s\S]+?)```/.exec(section)![1]!;
    const store = await fileStore();
    const server = await startSandbox({store: store.place});
    try {
      const env = {...process.env, CONTROL_URL: server.controlUrl, CONTROL_TOKEN: server.controlToken};
      const {stdout} = await promisify(execFile)('sh', ['-eu', '-c', session], {env});
      const answers: (ControlAnswer | null)[] = [
        'Seeded',
        'Clock',
        'Fault',
        'Advanced',
        'Deliveries',
        'Truth',
        null,
        'Status',
      ];
      const lines = stdout.replace(/\n$/, '').split('\n');
      assert.equal(lines.length, answers.length, stdout);
      for (const [at, answer] of answers.entries())
        if (answer === null) assert.equal(lines[at], '');
        else assertShape(answer, JSON.parse(lines[at]!));
    } finally {
      await server.close();
      await store.drop();
    }
  });
});
