import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {signatureHeaders} from '../../../src/webhooks/verify/signature.ts';
import {BASE_URL, LIVE_KEY, runCli, scratch, TEST_KEY, type CliOptions} from '../../cli/run-cli.ts';
import {answer, type Script} from '../../client/transport/fake-transport.ts';
import {EndpointService, type StoredEndpoint} from './endpoint-service.ts';
import {body, Listening} from './listening.ts';

const PUBLIC = 'https://hooks.example.com/remit';
const words = ['--register', '--public-url', PUBLIC];

type Note = Record<string, unknown> & {holder: Record<string, unknown>};

describe('webhooks listen --register after a listener was killed', () => {
  let home: string;
  let env: Record<string, string>;
  let service: EndpointService;
  let folder: string;

  beforeEach(() => {
    home = scratch();
    env = {
      ...{HOME: home, REMIT_STATE_DIR: join(home, 'state')},
      ...{REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL},
    };
    service = new EndpointService();
    folder = join(home, 'state', 'webhooks', 'registered');
  });

  const open = (more: readonly string[] = [], options: CliOptions = {}) =>
    Listening.open(env, [...words, ...more], (argv, given) =>
      runCli(argv, {cwd: home, service: service.script(), ...given, ...options}),
    );
  const refused = (more: readonly string[] = []) =>
    runCli(['webhooks', 'listen', '--port', '0', ...words, ...more], {
      ...{cwd: home, env, service: service.script()},
    });

  /** What SIGKILL leaves: the endpoint, the note, the secret; the process is gone. */
  async function killed({
    more = [],
    note: changes = {},
    holder = {pid: 4_190_000, startTime: '1'},
  }: {
    more?: string[];
    note?: Record<string, unknown>;
    holder?: Record<string, unknown>;
  } = {}): Promise<StoredEndpoint> {
    const at = await open(more);
    const endpoint = service.endpoints.get(at.ready.endpoint_id!)!;
    const files = readdirSync(folder)
      .filter((name) => !name.endsWith('.lock'))
      .map((name) => ({file: join(folder, name), text: readFileSync(join(folder, name), 'utf8')}));
    await at.end();
    mkdirSync(folder, {recursive: true});
    for (const {file, text} of files) {
      const note = () => JSON.parse(text) as Note;
      const kept = file.endsWith('.json')
        ? JSON.stringify({...note(), ...changes, holder: {...note().holder, ...holder}})
        : text;
      writeFileSync(file, kept, {mode: 0o600});
    }
    service.endpoints.set(endpoint.id, endpoint);
    service.requests.length = 0;
    return endpoint;
  }
  const secretFile = () =>
    join(
      folder,
      readdirSync(folder).find((name) => name.endsWith('.secret'))!,
    );
  const noteFile = () =>
    join(
      folder,
      readdirSync(folder).find((name) => name.endsWith('.json'))!,
    );

  it('uses its endpoint again: a delivery with its secret verifies, and the end removes it', async () => {
    const {id, secret} = await killed();
    const at = await open();
    assert.equal(at.ready.endpoint_id, id);
    assert.equal(await at.post(body(1), signatureHeaders(secret, body(1), Date.now())), 200);
    const ended = await at.end();
    assert.equal(ended.exitCode, 130, ended.stderr);
    assert.doesNotMatch(ended.stdout + ended.stderr, new RegExp(secret));
    assert.deepEqual([service.ids, readdirSync(folder)], [[], []]);
    assert.ok(!service.requests.includes('POST all'), 'no other endpoint was created');
  });

  it('knows its secret before the port is open', async () => {
    const {secret} = await killed();
    let status: number | undefined;
    const isRead = (request: string) => request.startsWith('GET');
    const script: Script = async (request, nth) => {
      if (status === undefined && isRead(request.method)) {
        status = 0;
        status = await early(signatureHeaders(secret, body(1), Date.now()));
      }
      return service.script()(request, nth);
    };
    const port = 20_000 + Math.floor(Math.random() * 20_000);
    const early = async (headers: Record<string, string>) =>
      (await fetch(`http://127.0.0.1:${port}/`, {method: 'POST', headers, body: new Uint8Array(body(1))}))
        .status;
    const at = await Listening.open(env, words, (argv, given) =>
      runCli(
        argv.map((word, nth) => (argv[nth - 1] === '--port' ? String(port) : word)),
        {cwd: home, ...given, service: script},
      ),
    );
    await at.end();
    assert.equal(status, 200);
  });

  for (const file of ['a', 'b'])
    it(`has its secret in ${file === 'a' ? 'the same' : 'another'} --secret-file, and nowhere else`, async () => {
      const {secret, id} = await killed({more: ['--secret-file', 'a']});
      writeFileSync(join(home, 'a'), `${secret}\n`, {mode: 0o600});
      const at = await open(['--secret-file', file]);
      assert.equal(at.ready.endpoint_id, id);
      assert.equal(readFileSync(join(home, file), 'utf8'), `${secret}\n`);
      assert.equal(existsSync(join(home, 'a')), file === 'a');
      await at.end();
      assert.equal(existsSync(join(home, file)), false);
    });

  it('does not overwrite a --secret-file, and leaves the endpoint to the next start', async () => {
    const {id} = await killed();
    writeFileSync(join(home, 'mine'), 'mine');
    assert.equal((await refused(['--secret-file', 'mine'])).exitCode, 13);
    const at = await open();
    assert.equal(at.ready.endpoint_id, id);
    await at.end();
  });

  for (const [title, note] of [
    ['another profile', {owner: 'profile other'}],
    ['another key', {owner: 'key 0123456789abcdef'}],
  ] as const)
    it(`leaves the endpoint of ${title} alone, and names it`, async () => {
      const {id} = await killed({note});
      const at = await open();
      assert.notEqual(at.ready.endpoint_id, id);
      const ended = await at.end();
      assert.deepEqual([service.ids, existsSync(secretFile())], [[id], true]);
      assert.match(
        ended.stderr,
        new RegExp(`A killed listener with ${title.replace('another p', 'the p')}.* left the endpoint ${id}`),
      );
      assert.equal(service.requests.filter((request) => request.endsWith(id.slice(-2))).length, 0);
    });

  for (const [title, note] of [
    ['in the other mode', {mode: 'live'}],
    ['at another base URL', {base_url: 'https://other.example.com'}],
  ] as const)
    it(`leaves an endpoint ${title} alone`, async () => {
      const {id} = await killed({note});
      const at = await open();
      assert.notEqual(at.ready.endpoint_id, id);
      await at.end();
      assert.deepEqual(service.ids, [id]);
    });

  it('needs --live and a confirmation to use an endpoint of live mode again', async () => {
    env['REMIT_API_KEY'] = LIVE_KEY;
    const live = ['--live', '--yes'];
    const {id} = await killed({more: live});
    for (const more of [[], ['--live']]) {
      const ran = await refused(more);
      assert.equal(ran.exitCode, 11, ran.stderr);
      assert.match(ran.stderr, /use a webhook endpoint again and delete it at the end/);
    }
    assert.deepEqual(service.ids, [id]);
    const at = await open(live);
    assert.equal(at.ready.endpoint_id, id);
    await at.end();
    assert.deepEqual(service.ids, []);
  });

  it('says that it is not known what was dropped, if the service has no list of deliveries', async () => {
    const url = 'https://old.example.com/';
    const left = await killed({note: {url}});
    const {id} = left;
    service.endpoints.set(id, {...left, url});
    const at = await open();
    const ended = await at.end();
    assert.match(
      ended.stderr,
      new RegExp(
        `whether deliveries waited for the endpoint ${id} of an earlier listener is not known, because the service has no list of them\\. Any that did were dropped with it, because this listener has another address \\(https://hooks\\.example\\.com/remit\\)`,
      ),
    );
    assert.deepEqual(at.of('dropped')[0], {
      ...{type: 'dropped', endpoint_id: id, reason: 'address', deliveries: null},
    });
    assert.deepEqual([at.of('summary')[0]!.deliveries_dropped, ended.exitCode], [null, 130]);
    const [made, removed] = ['POST all', `DELETE ${id.slice(-2)}`].map((one) =>
      service.requests.indexOf(one),
    );
    assert.ok(made! < removed!, 'the old endpoint is removed after the new one exists');
  });

  it('removes an endpoint whose secret was lost, or is not that of the note', async () => {
    for (const text of ['', 'whsec_of_another_endpoint\n']) {
      const {id} = await killed();
      writeFileSync(secretFile(), text);
      const at = await open();
      assert.notEqual(at.ready.endpoint_id, id);
      assert.equal(at.of('dropped')[0]!.reason, 'secret');
      await at.end();
      assert.deepEqual([service.ids, readdirSync(folder)], [[], []]);
    }
  });

  it('finds the endpoint by its description if it was killed after it had kept the secret', async () => {
    const {id, secret} = await killed({note: {endpoint_id: null, fingerprint: ''}});
    const at = await open();
    assert.equal(at.ready.endpoint_id, id);
    assert.equal(await at.post(body(1), signatureHeaders(secret, body(1), Date.now())), 200);
    await at.end();
    assert.deepEqual([service.ids, readdirSync(folder)], [[], []]);
  });

  it('creates another endpoint if the service cannot say whether the old one exists, and keeps its files', async () => {
    const {id} = await killed();
    const script = service.script((request) =>
      request === `GET ${id.slice(-2)}` ? answer(500, {error_code: 'INTERNAL', message: 'later'}) : undefined,
    );
    const at = await open([], {service: script});
    assert.notEqual(at.ready.endpoint_id, id);
    const ended = await at.end();
    assert.match(ended.stderr, new RegExp(`the endpoint ${id} of an earlier listener could not be read`));
    assert.deepEqual([service.ids, existsSync(secretFile())], [[id], true]);
  });

  it('forgets an endpoint that is gone, and leaves alone one with another URL', async () => {
    const gone = await killed();
    service.endpoints.delete(gone.id);
    await (await open()).end();
    assert.deepEqual([service.ids, readdirSync(folder)], [[], []]);
    const changed = await killed();
    service.endpoints.set(changed.id, {...changed, url: 'https://mine.example.com/'});
    const ended = await (await open()).end();
    assert.match(ended.stderr, /now has another URL, so it was not removed/);
    assert.deepEqual([service.ids, readdirSync(folder)], [[changed.id], []]);
  });

  it('takes an endpoint of another machine once the lock has had no heartbeat', async () => {
    const {id} = await killed({holder: {host: 'elsewhere'}});
    const lock = `${noteFile()}.lock`;
    const {holder} = JSON.parse(readFileSync(noteFile(), 'utf8')) as Note;
    const locked = (secondsAgo: number) => {
      writeFileSync(lock, JSON.stringify(holder));
      const at = Date.now() / 1000 - secondsAgo;
      utimesSync(lock, at, at);
    };
    locked(1);
    let at = await open();
    assert.notEqual(at.ready.endpoint_id, id, 'it is alive');
    await at.end();
    assert.deepEqual(service.ids, [id]);
    locked(40);
    at = await open();
    assert.equal(at.ready.endpoint_id, id);
    await at.end();
    assert.deepEqual([service.ids, readdirSync(folder)], [[], []]);
  }).timeout(20_000);

  it('does not delete its endpoint once another listener has it', async () => {
    const at = await open();
    const id = at.ready.endpoint_id!;
    const lock = `${noteFile()}.lock`;
    const mine = JSON.parse(readFileSync(lock, 'utf8')) as Record<string, unknown>;
    writeFileSync(lock, JSON.stringify({...mine, host: 'elsewhere', token: 'another'}));
    const ended = await at.end();
    assert.match(
      ended.stderr,
      new RegExp(`the endpoint ${id} was not removed, because another listener uses it`),
    );
    assert.deepEqual([ended.exitCode, service.ids, existsSync(secretFile())], [8, [id], true]);
  });
});
