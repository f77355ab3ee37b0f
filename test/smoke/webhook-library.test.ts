import assert from 'node:assert/strict';
import {
  execFileSync,
  fork,
  spawnSync,
  type ChildProcess,
  type ExecFileSyncOptionsWithStringEncoding,
} from 'node:child_process';
import {once} from 'node:events';
import {cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {request} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {readJson, readText, ROOT} from '../repo/tree.ts';
import {tableRows} from '../repo/markdown.ts';
import {REJECTIONS, signatureHeaders} from '../../src/webhooks/signature.ts';
import {cleanEnv} from './spawn-cli.ts';

const GUIDE = readText('docs/guides/verify-webhooks.md');
const SECRET = 'whsec_0123456789abcdef';
const EVENT = Buffer.from('\ufeff{"id":"e1","type":"payout.settled","data":{"payout_id":"p1"}}');

/** Tells the test which port a server got. */
const PRELOAD = `
const {Server} = require('node:net');
const {listen} = Server.prototype;
Server.prototype.listen = function (...args) {
  this.once('listening', () => process.send({port: this.address().port}));
  return listen.apply(this, args);
};`;

/** A project of its own in which the packed package is installed by npm, without a registry. */
function install(): string {
  const folder = mkdtempSync(join(tmpdir(), 'remit-library-'));
  const quiet: ExecFileSyncOptionsWithStringEncoding = {encoding: 'utf8', stdio: 'pipe'};
  const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: ROOT,
    ...quiet,
  });
  const [{filename}] = JSON.parse(packed) as [{filename: string}];
  const {dependencies} = readJson('package.json') as {dependencies: Record<string, string>};
  const local = Object.keys(dependencies).map((name) => [name, `file:${join(ROOT, 'node_modules', name)}`]);
  const app = join(folder, 'app');
  mkdirSync(app);
  const manifest = {
    private: true,
    dependencies: {...Object.fromEntries(local), 'remit-cli': `file:../${filename}`},
  };
  writeFileSync(join(app, 'package.json'), JSON.stringify(manifest));
  execFileSync('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: app,
    ...quiet,
  });
  // What a user of the examples installs as well.
  mkdirSync(join(app, 'node_modules', '@hono'), {recursive: true});
  mkdirSync(join(app, 'node_modules', '@types'), {recursive: true});
  for (const name of ['express', 'fastify', 'hono', '@hono/node-server', '@types/node'])
    symlinkSync(join(ROOT, 'node_modules', name), join(app, 'node_modules', name));
  writeFileSync(join(app, 'preload.cjs'), PRELOAD);
  return app;
}

/** The code under a heading of the guide. */
const example = (heading: string): string =>
  new RegExp(`^## ${heading}\\n[^]*?\`\`\`js\\n([^]*?)\`\`\``, 'm').exec(GUIDE)![1]!;

function post(port: number, body: Buffer, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({port, host: 'localhost', path: '/hook', method: 'POST', agent: false, headers});
    sent.on('response', (answer) => resolve(answer.resume().statusCode!));
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('remit-cli/webhooks, packed and installed', function () {
  this.timeout(180_000);
  let app: string;
  const children: ChildProcess[] = [];

  before(() => (app = install()));
  after(() => children.forEach((child) => child.kill('SIGKILL')));

  const run = (...argv: string[]) =>
    execFileSync(process.execPath, argv, {cwd: app, env: cleanEnv(), encoding: 'utf8', timeout: 120_000});

  async function start(name: string, code: string): Promise<number> {
    writeFileSync(join(app, `${name}.mjs`), code);
    const child = fork(join(app, `${name}.mjs`), {
      cwd: app,
      env: cleanEnv({PORT: '0', REMIT_WEBHOOK_SECRET: `another,${SECRET}`}),
      execArgv: ['--require', './preload.cjs'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    children.push(child);
    const [{port}] = (await once(child, 'message')) as [{port: number}];
    return port;
  }

  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    target: 'es2022',
    types: ['node'],
  };
  const check = (name: string, files: Record<string, string>, options: Record<string, unknown>) => {
    for (const [file, text] of Object.entries(files)) writeFileSync(join(app, file), text);
    const config = {compilerOptions: {...compilerOptions, ...options}, files: Object.keys(files)};
    writeFileSync(join(app, `${name}.json`), JSON.stringify(config));
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    try {
      run(tsc, '-p', `${name}.json`, '--pretty', 'false');
    } catch (error) {
      assert.fail(`${name}: ${(error as {stdout: string}).stdout}`);
    }
  };

  it('is loaded by import and by require, without another package or the command', () => {
    // Alone in a folder, without its dependencies and without the command.
    const folder = join(mkdtempSync(join(tmpdir(), 'remit-library-')), 'node_modules', 'remit-cli');
    cpSync(join(app, 'node_modules', 'remit-cli'), folder, {recursive: true, dereference: true});
    rmSync(join(folder, 'dist', 'remit.cjs'));
    const names = (...words: string[]) =>
      execFileSync(process.execPath, words, {
        cwd: join(folder, '..', '..'),
        env: cleanEnv(),
        encoding: 'utf8',
      });
    const print = `console.log(Object.keys(library).sort().join())`;
    const esm = names('--input-type=module', '-e', `import * as library from 'remit-cli/webhooks'; ${print}`);
    const cjs = names('-e', `const library = require('remit-cli/webhooks'); ${print}`);
    assert.equal(cjs, esm);
    assert.match(esm, /parseEvent,readRawBody,.*verifyWebhook/);
  });

  it('has a main entry that import and require load alike, without a warning', () => {
    const print = `console.log(Object.keys(library).sort().join(), new library.RemitClient({
      baseUrl: 'http://127.0.0.1:1', key: 'test_0123456789abcdef'}).baseUrl)`;
    const load = (...words: string[]) => {
      const options = {cwd: app, env: cleanEnv(), encoding: 'utf8', timeout: 60_000} as const;
      const {status, stdout, stderr} = spawnSync(process.execPath, words, options);
      assert.deepEqual([status, stderr], [0, '']);
      return stdout;
    };
    const esm = load('--input-type=module', '-e', `import * as library from 'remit-cli'; ${print}`);
    const cjs = load('-e', `const library = require('remit-cli'); ${print}`);
    assert.equal(cjs, esm);
    assert.match(esm, /RemitClient.* http:\/\/127\.0\.0\.1:1\n$/);
  });

  it('has a main entry with types for NodeNext in both formats', () => {
    const client = `export const read = async (id: string): Promise<string> =>
      (await new RemitClient({baseUrl: 'https://example.com', key: 'test_a'}).payouts.get({id})).data.status;`;
    const files = {
      'd.mts': `import {RemitClient} from 'remit-cli'; ${client}`,
      'e.cts': `import remit = require('remit-cli'); const {RemitClient} = remit; ${client}`,
    };
    // Its declarations name those of zod: checking all of them takes several seconds.
    check('main', files, {module: 'nodenext', moduleResolution: 'nodenext', skipLibCheck: true});
  });

  it('has types for strict projects: NodeNext in both formats, and bundlers', () => {
    const source = (load: string) => `${load}
      declare const request: import('node:http').IncomingMessage;
      declare const parsed: {id: string};
      declare const text: string;
      export async function receive(): Promise<string> {
        const body = await readRawBody(request);
        const headers = request.rawHeaders;
        const verified = verifyWebhook({body, headers, secrets: 'a'});
        verifyWebhook({body, headers: request.headers, secrets: ['a', Buffer.from('b')], replays: new ReplayMemory()});
        verifyWebhook({body, headers: new Headers(), secrets: 'a', toleranceSeconds: {past: 1, future: 2}});
        // @ts-expect-error text is not the raw body
        verifyWebhook({body: text, headers, secrets: 'a'});
        // @ts-expect-error neither is what a parser made of it
        verifyWebhook({body: parsed, headers, secrets: 'a'});
        // @ts-expect-error a secret is needed
        verifyWebhook({body, headers});
        if (!verified.ok) return verified.reason satisfies RejectReason;
        const event = parseEvent(body);
        if (event === undefined) return 'no event';
        switch (event.type) {
          case 'payout.debited':
          case 'payout.settled':
          case 'payout.failed':
            return event.data.payout_id;
          case 'payin.settled':
          case 'payin.failed':
            return event.data.payin_id;
          case 'subaccount.credit_received':
            return String(event.data.amount_in_minor_units.toFixed());
          default:
            return String(event satisfies UnknownWebhookEvent);
        }
      }`;
    const names =
      'parseEvent, readRawBody, ReplayMemory, verifyWebhook, type RejectReason, type UnknownWebhookEvent';
    const imported = source(`import {${names}} from 'remit-cli/webhooks';`);
    const required = source(`import webhooks = require('remit-cli/webhooks');
      const {parseEvent, readRawBody, ReplayMemory, verifyWebhook} = webhooks;
      type RejectReason = webhooks.RejectReason; type UnknownWebhookEvent = webhooks.UnknownWebhookEvent;`);
    check(
      'nodenext',
      {'a.mts': imported, 'b.cts': required},
      {module: 'nodenext', moduleResolution: 'nodenext'},
    );
    check('bundler', {'c.ts': imported}, {module: 'esnext', moduleResolution: 'bundler'});
  });

  it('verifies in every example of the guide, on the real framework', async () => {
    const servers = ['node:http', 'Express', 'Fastify', 'Hono'].map(async (heading) => {
      const name = heading.replace(':', '-').toLowerCase();
      return {heading, port: await start(name, example(heading))};
    });
    const handler = join(app, 'handler.mjs');
    writeFileSync(handler, example('Fetch handlers'));
    const fetchServer = `
      import {serve} from '@hono/node-server';
      import {POST} from ${JSON.stringify(pathToFileURL(handler).href)};
      serve({fetch: POST, port: 0, overrideGlobalObjects: false});`;
    servers.push(start('fetch-server', fetchServer).then((port) => ({heading: 'Fetch handlers', port})));
    for (const {heading, port} of await Promise.all(servers)) {
      const headers = {'content-type': 'application/json', ...signatureHeaders(SECRET, EVENT, Date.now())};
      assert.equal(await post(port, EVENT, headers), 204, heading);
      assert.equal(
        await post(port, EVENT.subarray(3), headers),
        401,
        `${heading}: without its byte order mark`,
      );
      assert.equal(
        await post(port, EVENT, {'content-type': 'application/json'}),
        401,
        `${heading}: unsigned`,
      );
      const old = signatureHeaders(SECRET, EVENT, Date.now() - 301_000);
      assert.equal(await post(port, EVENT, {'content-type': 'text/plain', ...old}), 401, `${heading}: old`);
      const binary = Buffer.from([0xff, 0x00]);
      assert.equal(await post(port, binary, signatureHeaders(SECRET, binary, Date.now())), 204, heading);
      const large = Buffer.alloc(1_048_577, 0x20);
      const answered = await post(port, large, headers).catch((error: Error) => error.message);
      assert.ok(
        answered === 413 || answered === 'write EPIPE' || answered === 'read ECONNRESET',
        `${heading}: ${answered}`,
      );
    }
  });

  it('documents every reason', () => {
    const reasons = tableRows(GUIDE)
      .filter(({heading}) => heading === 'Reasons')
      .map(({cells: [reason, meaning]}) => [reason!.replaceAll('`', ''), meaning]);
    assert.deepEqual(reasons, Object.entries(REJECTIONS));
  });

  it('is packed in both formats', () => {
    const at = join(app, 'node_modules', 'remit-cli', 'dist');
    for (const file of ['lib/webhooks/index.d.ts', 'cjs/webhooks/index.d.ts'])
      assert.match(readFileSync(join(at, file), 'utf8'), /verifyWebhook/);
  });
});
