import assert from 'node:assert/strict';
import {RemitClient} from '../../../../src/client/client.ts';
import {Commands} from '../../../../src/cli/line/command-line.ts';
import {OwnEndpoint, type WatchContext} from '../../../../src/cli/webhooks/registration/own-endpoint.ts';
import type {EndpointLine} from '../../../../src/webhooks/delivery/lines.ts';
import {answer, FakeTransport, lost, type Reply} from '../../../client/transport/fake-transport.ts';
import {RecordingClock} from '../../../client/recording-clock.ts';
import {EndpointService, type StoredEndpoint} from '../../../commands/webhooks/endpoint-service.ts';
import {BASE_URL, TEST_KEY} from '../../run-cli.ts';

const URL = 'https://localhost:4600/';

describe('the endpoint of a running listener', () => {
  let service: EndpointService;
  let own: StoredEndpoint;
  let clock: RecordingClock;
  let said: string[];
  let lines: EndpointLine[];
  /** What the service answers in place of its own answer. */
  let instead: ((request: string) => Reply | undefined) | undefined;
  let watched: OwnEndpoint;

  beforeEach(() => {
    [service, clock, said, lines, instead] = [new EndpointService(), new RecordingClock(), [], [], undefined];
    own = service.add({url: URL});
    const transport = new FakeTransport(service.script((request) => instead?.(request)));
    const client = new RemitClient({baseUrl: BASE_URL, key: TEST_KEY, transport, clock, retries: 0});
    const say = (text: string) => void said.push(text);
    const out = {settings: {quiet: false}, warn: say, hint: say, note: say};
    const commands = new Commands({profile: 'work', mode: 'test', named: false});
    const context = {client, clock, commands, out} as unknown as WatchContext; // of Output only these
    watched = new OwnEndpoint(context, {id: own.id, url: URL}, (line) => lines.push(line));
  });

  const line = (changes: Partial<EndpointLine>): EndpointLine => ({
    ...{type: 'endpoint', endpoint_id: own.id, state: 'active', error: null, same_url: [], ...changes},
  });
  const texts = () => said.splice(0).join('\n');

  it('is read every 30 seconds until the end, and not reported while nothing changes', async () => {
    clock.onSleep = (nth) => {
      if (nth === 3) watched.end();
    };
    await watched.watch();
    assert.deepEqual(clock.sleeps, [30_000, 30_000, 30_000, 30_000]);
    assert.deepEqual([service.requests, lines, said], [['GET 01', 'GET 01', 'GET 01'], [], []]);
  });

  it('is reported once when it is disabled, with the command that enables it, and when it is back', async () => {
    own.is_active = false;
    await watched.check();
    await watched.check();
    assert.deepEqual(lines, [line({state: 'disabled'})]);
    assert.match(texts(), new RegExp(`disabled.*\nremit webhooks endpoints enable ${own.id} -p work$`));
    own.is_active = true;
    await watched.check();
    assert.deepEqual(lines.slice(1), [line({})]);
    assert.match(texts(), /is active again\.$/);
  });

  it('is reported when it is gone, with the endpoint that replaces it', async () => {
    const {id} = service.add({
      url: URL,
      description: `remit webhooks listen 0 (replaces endpoint ${own.id})`,
    });
    service.add({url: 'https://localhost:4601/'});
    service.endpoints.delete(own.id);
    await watched.check();
    assert.deepEqual(lines, [line({state: 'deleted', same_url: [id]})]);
    const [gone, other, hint, ...more] = said;
    assert.match(gone!, /does not exist any more, so no events arrive here\..* start it again/);
    assert.match(other!, new RegExp(`the endpoint ${id} has the same URL as the endpoint ${own.id}`));
    assert.deepEqual([hint, more], [`remit webhooks endpoints delete ${id} -p work`, []]);
    assert.ok(service.ids.includes(id), 'it is only named');
  });

  it('is not gone because of a 404 as long as the service lists it, or if the list cannot be read', async () => {
    instead = (request) => (request === 'GET 01' ? answer(404, '<html>no</html>') : undefined);
    await watched.check();
    assert.deepEqual(lines, [
      line({state: 'unknown', error: 'the service answered 404, but still lists it'}),
    ]);
    instead = () => answer(404, {error_code: 'NOT_FOUND', message: 'no'});
    service.endpoints.delete(own.id);
    await watched.check();
    assert.equal(lines.length, 1, 'still unknown');
    assert.doesNotMatch(texts(), /does not exist any more/);
  });

  it('is reported when it has another URL, or cannot be read', async () => {
    own.url = 'https://example.com/';
    await watched.check();
    own.url = 'https://LOCALHOST:4600';
    await watched.check();
    instead = () => lost('refused', {sent: false});
    await watched.check();
    assert.deepEqual(
      lines.map(({state}) => state),
      ['changed', 'active', 'unknown'],
    );
    assert.match(
      texts(),
      new RegExp(
        `now has the URL https://example\\.com/.*\nremit webhooks endpoints update ${own.id} --url ${URL} -p work\n.*active again.*\n.*could not be checked: .*it was a refused`,
      ),
    );
  });

  it('is compared with others of its URL after a delivery that does not match, at most every 30 seconds', async () => {
    const {id} = service.add({url: URL});
    for (let delivery = 0; delivery < 1000; delivery += 1) watched.mismatch();
    await watched.check();
    assert.deepEqual(lines, [line({same_url: [id]})]);
    assert.deepEqual(service.requests, ['GET 01', 'GET all', 'GET 01']);
    assert.match(texts(), new RegExp(`remit webhooks endpoints delete ${id} -p work$`));
    clock.advance(30_000);
    watched.mismatch();
    await watched.check();
    assert.equal(service.requests.filter((request) => request === 'GET all').length, 2);
    assert.deepEqual([lines.length, said], [1, []], 'each is named once');
  });

  it('is not reported after the end', async () => {
    instead = () => {
      watched.end();
      return answer(200, {id: own.id, url: URL, is_active: false});
    };
    await watched.check();
    await watched.check();
    assert.deepEqual([service.requests.length, lines, said], [1, [], []]);
  });
});
