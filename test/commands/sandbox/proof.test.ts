import assert from 'node:assert/strict';
import {spawn, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, writeFileSync} from 'node:fs';
import {createServer, type IncomingMessage, type Server} from 'node:http';
import {join} from 'node:path';
import {HttpTransport} from '../../../src/client/transport/http-transport.ts';
import {sandboxPlace, writeRecord, type SandboxPlace} from '../../../src/cli/sandbox/recorded/place.ts';
import {portOf} from '../../../src/narrow.ts';
import {describeSelf, systemProbe} from '../../../src/store/locks/lock-holder.ts';
import {runCli, scratch, TEST_KEY, type CliResult} from '../../cli/run-cli.ts';
import {answer} from '../../client/transport/fake-transport.ts';
import {LiveSandbox, RealClock} from './live-sandbox.ts';

const TOKEN = 'control-token-of-the-sandbox-that-ended';
const KEY = 'test_sandbox_AAAAAAAAAAAAAAAAAAAAAAAA';
const CONTROL_COMMANDS = [
  'sandbox status',
  'sandbox keys',
  'sandbox keys --issue test',
  'sandbox advance 1h',
  'sandbox seed --payees 1',
  'sandbox faults list',
  'sandbox faults clear',
  'sandbox open',
  'sandbox stop',
];

/** Real connections to whatever base URL a command chose. */
const transport = async (_kind: unknown, baseUrl: string) => new HttpTransport({baseUrl});

describe('a program that has the port of a recorded sandbox', () => {
  const requests: IncomingMessage[] = [];
  /** How it answers `hello`. */
  let reply: [status: number, body: string];
  let server: Server;
  let url: string;
  let home: string;
  let place: SandboxPlace;

  before(async () => {
    server = createServer((request, response) => {
      requests.push(request);
      response.writeHead(reply[0], {'content-type': 'application/json'}).end(reply[1]);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${portOf(server)}`;
  });
  after(() => void server.close());

  beforeEach(() => {
    requests.length = 0;
    reply = [200, '{}'];
    home = scratch();
    place = sandboxPlace(join(home, 'state'));
    mkdirSync(place.folder, {recursive: true});
  });

  const record = (pid: number) => {
    const started = {pid, started_at: '2026-01-01T00:00:00Z', store: place.store};
    writeRecord(place, {base_url: url, control_url: `${url}/sandbox`, ...started}, TOKEN);
  };
  const profile = (name: string) => {
    mkdirSync(join(home, 'config'), {recursive: true});
    const profiles = {[name]: {base_url: url, mode: 'test', key: {stored: KEY}}};
    const text = JSON.stringify({version: 1, default: name, profiles});
    writeFileSync(join(home, 'config/config.json'), text, {mode: 0o600});
  };
  const run = (line: string, env: Record<string, string> = {}): Promise<CliResult> =>
    runCli(line.split(' '), {
      env: {HOME: home, REMIT_STATE_DIR: join(home, 'state'), REMIT_CONFIG_DIR: join(home, 'config'), ...env},
      transport,
      clock: new RealClock(),
    });
  const assertNothingSecret = (line: string) => {
    assert.deepEqual(
      requests.map(({method, url: path}) => [method, path?.split('?')[0]]),
      [['GET', '/sandbox/hello']],
      line,
    );
    const sent = JSON.stringify(requests.map(({rawHeaders, url: path}) => [rawHeaders, path]));
    assert.doesNotMatch(sent, /x-sandbox-token|authorization|control-token-of|test_sandbox_/i, line);
    requests.length = 0;
  };

  it('gets no control token, whatever it answers', async () => {
    record(2 ** 22 + 1); // there is no such process
    const proofs = [{proof: ''}, {proof: 'ab'.repeat(32)}, {proof: TOKEN}, {proof: null}, [], null];
    const bodies = [...proofs.map((proof) => JSON.stringify(proof)), '<html>', ''];
    const replies = [...bodies.map((body) => [200, body]), [404, '{}'], [503, '{}']] as [number, string][];
    for (reply of replies) {
      const ran = await run('sandbox status -o json');
      assert.deepEqual([ran.exitCode, ran.error().code], [13, 'NOT_RUNNING'], ran.stderr);
      assertNothingSecret(reply.join(' '));
    }
    for (const line of CONTROL_COMMANDS) {
      const ran = await run(`${line} -o json`);
      assert.deepEqual([ran.exitCode, ran.error().code], [13, 'NOT_RUNNING'], `${line}: ${ran.stderr}`);
      assert.match(
        ran.error().message,
        /has ended, and another program answers there; the control token was/,
      );
      assert.equal(ran.error().hint, 'remit sandbox start --port 0');
      assertNothingSecret(line);
    }
  });

  it('gets no key of the sandbox, neither while one is recorded there nor after', async () => {
    for (const isRecorded of [false, true]) {
      if (isRecorded) record(process.pid);
      profile('sandbox');
      for (const line of [
        'payouts list',
        'payouts list --all',
        'payees create --name Elm',
        'api GET /api/payouts',
      ]) {
        const ran = await run(`${line} -o json`);
        assert.deepEqual([ran.exitCode, ran.error().code], [13, 'NOT_RUNNING'], `${line}: ${ran.stderr}`);
        assert.match(ran.error().message, /the API key was not sent to http:/);
        assertNothingSecret(line);
      }
    }
    profile('other');
    assert.equal((await run('payouts list')).exitCode, 13, 'recorded at its address');
    assertNothingSecret('of another profile');
    const env = {REMIT_API_KEY: KEY, REMIT_BASE_URL: url};
    assert.equal((await run('payouts list', env)).exitCode, 13, 'recorded at its address');
    assertNothingSecret('from the environment');
    const below = {...env, REMIT_BASE_URL: `${url.replace('127.0.0.1', 'localhost')}/x`};
    assert.equal((await run('payouts list', below)).exitCode, 13, 'recorded at its origin');
    const paths = requests.map(({url: path}) => path?.split('?')[0]);
    assert.deepEqual(paths, ['/sandbox/hello'], 'where a sandbox proves itself');
    assert.equal(requests[0]?.headers['x-api-key'], undefined);
  });

  it('is named in the hint as something to restart, while the recorded process may be a sandbox', async () => {
    record(process.pid);
    for (const line of ['sandbox status', 'sandbox advance 1h']) {
      reply = [404, '{"error_code":"NOT_FOUND","message":"no control call"}'];
      const {hint, message} = (await run(`${line} -o json`)).error();
      assert.match(
        message,
        /^the control token was not sent to http:\S+: what answers there did not prove that/,
      );
      const port = new URL(url).port;
      assert.equal(hint, `restart it: remit sandbox stop, then remit sandbox start --port ${port}`);
    }
    const {hint} = (await run('sandbox stop -o json')).error();
    assert.equal(hint, `if process ${process.pid} is the sandbox, end it: kill ${process.pid}`);
  });

  it('is ended by `sandbox stop` if it is the process that holds the store: an earlier version', async () => {
    if (systemProbe.startTime(process.pid) === undefined) return; // the system does not identify processes
    const leave = `process.on('SIGTERM', () => { require('fs').rmSync(${JSON.stringify(place.record)}); process.exit() })`;
    const child: ChildProcess = spawn(process.execPath, [
      '-e',
      `${leave}; setInterval(() => {}, 1e6); console.log(1)`,
    ]);
    await once(child.stdout!, 'data');
    const pid = child.pid!;
    record(pid);
    reply = [401, '{"error_code":"AUTHENTICATION_ERROR","message":"control calls need the control token"}'];
    const lockOf = (startTime: string | null) =>
      writeFileSync(
        `${place.store}-lock`,
        JSON.stringify({...describeSelf({...systemProbe, pid}, 'sandbox', 'any', Date.now()), startTime}),
      );
    lockOf('1'); // an earlier process with the same pid
    assert.equal((await run('sandbox stop')).exitCode, 13);
    assert.equal(child.exitCode, null);
    lockOf(systemProbe.startTime(pid) ?? null);
    requests.length = 0;
    const stopped = await run('sandbox stop -o json');
    assert.deepEqual([stopped.exitCode, (stopped.json() as {pid: number}).pid], [0, pid], stopped.stderr);
    assertNothingSecret('sandbox stop');
  });

  it('is not asked for a proof when the key is no sandbox key', async () => {
    record(process.pid);
    const asked: string[] = [];
    const ran = await runCli(['payouts', 'list'], {
      env: {HOME: home, REMIT_STATE_DIR: join(home, 'state'), REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: url},
      service: ({path}) => {
        asked.push(path.split('?')[0]!);
        return answer(200, {data: []});
      },
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual(asked, ['/api/payouts']);
  });
});

describe('a running sandbox', () => {
  it('is asked once for each command', async () => {
    const sandbox = new LiveSandbox();
    await sandbox.start();
    const paths: string[] = [];
    const counted = async (_kind: unknown, baseUrl: string) => {
      const inner = new HttpTransport({baseUrl});
      return {
        send: (request: Parameters<typeof inner.send>[0]) => {
          paths.push(request.path.split('?')[0]!);
          return inner.send(request);
        },
        close: () => inner.close(),
      };
    };
    for (const line of ['payouts list', 'sandbox status --audit', 'doctor', 'sandbox seed --payees 1']) {
      paths.length = 0;
      const ran = await sandbox.run(line.split(' '), {transport: counted});
      assert.ok([0, 8].includes(ran.exitCode), ran.stderr);
      assert.equal(paths[0], '/sandbox/hello', line);
      assert.equal(paths.filter((path) => path === '/sandbox/hello').length, 1, line);
    }
    sandbox.stop.receive('SIGTERM');
    await sandbox.ended();
  });

  it('is said not to answer, as before, once it has ended', async () => {
    const sandbox = new LiveSandbox();
    await sandbox.start();
    sandbox.stop.receive('SIGTERM');
    await sandbox.ended();
    for (const line of ['payouts list', 'payees create --name Elm']) {
      const ran = await sandbox.run([...line.split(' '), '--retries', '0', '-o', 'json'], {transport});
      assert.deepEqual([ran.exitCode, ran.error().code], [7, 'UNAVAILABLE'], ran.stderr);
      assert.match(ran.error().hint!, /^remit sandbox start --port \d+/);
      assert.doesNotMatch(ran.error().message, /hello|nonce/);
    }
  });
});
