import assert from 'node:assert/strict';
import {existsSync, readFileSync, statSync, watch} from 'node:fs';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {EndpointService} from '../commands/webhooks/endpoint-service.ts';
import {cleanEnv, spawnCli, startCli, type Ran} from './spawn-cli.ts';

/** Where a run is killed: at its nth request, before or after the service has done what it asks for. */
interface Kill {
  nth: number;
  when: 'before' | 'after';
}

describe('webhooks endpoints rotate, killed', function () {
  let server: Server;
  let service: EndpointService;
  let old: string;
  let env: Record<string, string>;
  let secretFile: string;
  /** Set while a run is to be killed. */
  let onRequest: (when: Kill['when']) => boolean;

  beforeEach(async () => {
    service = new EndpointService();
    old = service.add().id;
    onRequest = () => false;
    server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        if (onRequest('before')) return;
        const {status, body: said} = service.handle(request.method!, request.url!, body);
        if (onRequest('after')) return;
        response.writeHead(status, {'content-type': 'application/json'});
        response.end(said === undefined ? '' : JSON.stringify(said));
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const {port} = server.address() as AddressInfo;
    env = cleanEnv({REMIT_API_KEY: 'test_0123456789abcdef', REMIT_BASE_URL: `http://127.0.0.1:${port}`});
    secretFile = join(env['HOME']!, 'new.secret');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const words = (...more: string[]) => [
    'webhooks',
    'endpoints',
    'rotate',
    old,
    '--yes',
    '--secret-file',
    secretFile,
    '-o',
    'json',
    ...more,
  ];

  async function killedAt({nth, when}: Kill): Promise<Ran> {
    const run = startCli(words('--confirmed'), env);
    let seen = 0;
    onRequest = (now) => {
      if (now === 'before') seen += 1;
      if (seen !== nth || now !== when) return false;
      run.child.kill('SIGKILL');
      return true;
    };
    const ran = await run.ended;
    onRequest = () => false;
    return ran;
  }

  /** The same command brings it to its end: one endpoint, and its secret in the file. */
  async function finishes(): Promise<void> {
    assert.ok(service.ids.length > 0, 'one endpoint at least is always there');
    const ran = await spawnCli(words('--confirmed'), env);
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(service.ids.length, 1);
    assert.notEqual(service.ids[0], old);
    const {secret} = service.endpoints.get(service.ids[0]!)!;
    assert.equal(readFileSync(secretFile, 'utf8'), `${secret}\n`);
    assert.equal(statSync(secretFile).mode & 0o777, 0o600);
  }

  // In order: the old endpoint is read, the new one created and read, the old one deleted, and the list read.
  for (const nth of [1, 2, 3, 4])
    for (const when of ['before', 'after'] as const)
      it(`continues when killed at request ${nth}, ${when} it took effect`, async () => {
        assert.equal((await killedAt({nth, when})).signal, 'SIGKILL');
        await finishes();
      });

  it('ends well when killed at the last request, after the deletion, and then has nothing to rotate', async () => {
    assert.equal((await killedAt({nth: 5, when: 'before'})).signal, 'SIGKILL');
    assert.deepEqual(service.ids.length, 1);
    assert.notEqual(service.ids[0], old);
    await finishes();
    const again = await spawnCli(words('--confirmed'), env);
    assert.equal(again.code, 4, 'the rotation is over, and the old endpoint gone');
  });

  it('continues when killed while the secret is written, and during the wait', async () => {
    const writing = startCli(words(), env);
    const watcher = watch(env['HOME']!, () => {
      if (existsSync(secretFile) && statSync(secretFile).size > 0) writing.child.kill('SIGKILL');
    });
    assert.equal((await writing.ended).signal, 'SIGKILL');
    watcher.close();
    assert.ok(service.ids.includes(old), 'the old endpoint is there');
    const waiting = startCli(words(), env);
    waiting.child.stderr!.on('data', (text: string) => {
      if (text.includes('Waiting for a delivery')) waiting.child.kill('SIGKILL');
    });
    assert.equal((await waiting.ended).signal, 'SIGKILL');
    assert.ok(service.ids.includes(old), 'the old endpoint is there');
    await finishes();
  });
});
