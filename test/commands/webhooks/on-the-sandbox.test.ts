import assert from 'node:assert/strict';
import {after, before, describe, it} from 'mocha';
import {EVENT_TYPE_NAMES} from '../../../src/contract/events.ts';
import {BASE_URL, runCli, type CliResult} from '../../cli/run-cli.ts';
import {SandboxService} from '../sandbox-service.ts';

describe('webhook endpoints on the sandbox', () => {
  let service: SandboxService;
  let id: string;
  before(async () => {
    service = await SandboxService.open();
  });
  after(() => service.sandbox.close());

  const remit = (line: string): Promise<CliResult> => {
    const env = {REMIT_API_KEY: service.testKey, REMIT_BASE_URL: BASE_URL};
    return runCli(['webhooks', ...line.split(' ')], {service, clock: service.clock, env});
  };
  const record = async (line: string): Promise<Record<string, unknown>> => {
    const ran = await remit(`${line} --json`);
    assert.equal(ran.exitCode, 0, ran.stderr);
    return ran.json() as Record<string, unknown>;
  };

  it('can subscribe to the six event types of the interface document', async () => {
    const types = (await remit('event-types -o csv --fields type')).stdout.trim().split('\n').slice(1);
    assert.deepEqual(types, [...EVENT_TYPE_NAMES]);
  });

  it('are created with a secret that is never seen again', async () => {
    const created = await record('endpoints create --url https://example.com/a --event-types payout.settled');
    id = String(created['id']);
    assert.match(String(created['signing_secret']), /^whsec_[0-9a-f]{64}$/);
    assert.equal((await record(`endpoints get ${id}`))['signing_secret'], undefined);
    assert.doesNotMatch((await remit('endpoints list --json')).stdout, /whsec_/);
  });

  it('refuse an event type that the service does not know', async () => {
    const ran = await remit('endpoints create --url https://example.com/a --event-types move.settled');
    assert.equal(ran.exitCode, 5);
    assert.match(ran.stderr, /VALIDATION_ERROR/);
  });

  it('are changed, switched off and on, and deleted', async () => {
    const types = ['payout.failed', 'payin.failed'];
    const changed = await record(
      `endpoints update ${id} --event-types ${types.join(',')} --url https://example.com/b`,
    );
    assert.deepEqual(changed['event_types'], types);
    assert.equal(changed['url'], 'https://example.com/b');
    for (const [verb, active] of [
      ['disable', false],
      ['disable', false], // twice is not back
      ['enable', true],
    ] as const)
      assert.equal((await record(`endpoints ${verb} ${id}`))['is_active'], active);
    await record(`endpoints delete ${id}`);
    assert.equal((await remit(`endpoints get ${id}`)).exitCode, 4);
    assert.equal((await remit(`endpoints delete ${id}`)).exitCode, 4);
  });
});
