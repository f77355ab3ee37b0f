import assert from 'node:assert/strict';
import {execFileSync, fork, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {cpSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {request} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {readText} from '../repo/tree.ts';
import {tableRows} from '../repo/markdown.ts';
import {REJECTIONS, signatureHeaders} from '../../src/webhooks/verify/signature.ts';
import {installPackage, linkPackages} from './installed-package.ts';
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

/** A request that promises more than it sends, and whose connection is cut. */
function abort(port: number, {signed}: {signed: boolean}): Promise<void> {
  return new Promise((resolve) => {
    const headers = {
      ...{'content-length': '5000', 'content-type': 'application/json'},
      ...(signed ? signatureHeaders(SECRET, EVENT, Date.now()) : {}),
    };
    const sent = request({port, host: 'localhost', path: '/hook', method: 'POST', agent: false, headers});
    sent.on('error', () => resolve());
    sent.on('close', () => resolve());
    sent.write('{"id":"e1"', () => setTimeout(() => sent.destroy(), 20));
  });
}

/** A good request whose body arrives byte by byte. */
function drip(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...{'content-length': String(EVENT.length), 'content-type': 'application/json'},
      ...signatureHeaders(SECRET, EVENT, Date.now()),
    };
    const sent = request({port, host: 'localhost', path: '/hook', method: 'POST', agent: false, headers});
    sent.on('response', (answer) => resolve(answer.resume().statusCode!));
    sent.on('error', reject);
    let at = 0;
    const next = () => {
      if (at === EVENT.length) return void sent.end();
      sent.write(EVENT.subarray(at, ++at));
      setTimeout(next, 5);
    };
    next();
  });
}

describe('remit-cli/webhooks, packed and installed', function () {
  this.timeout(180_000);
  let app: string;
  const children: ChildProcess[] = [];

  before(() => {
    ({app} = installPackage());
    linkPackages(app, ['express', 'express4', 'fastify', 'hono', '@hono/node-server']);
    writeFileSync(join(app, 'preload.cjs'), PRELOAD);
  });
  after(() => children.forEach((child) => child.kill('SIGKILL')));

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

  let started: Promise<{heading: string; port: number}[]> | undefined;
  /** The servers of the guide, started once. */
  const receivers = () => (started ??= startAll());
  function startAll() {
    const servers = ['node:http', 'Express', 'Fastify', 'Hono'].map(async (heading) => {
      const name = heading.replace(':', '-').toLowerCase();
      return {heading, port: await start(name, example(heading))};
    });
    const express4 = example('Express').replace("from 'express'", "from 'express4'");
    servers.push(start('express4', express4).then((port) => ({heading: 'Express 4', port})));
    const handler = join(app, 'handler.mjs');
    writeFileSync(handler, example('Fetch handlers'));
    const fetchServer = `
      import {serve} from '@hono/node-server';
      import {POST} from ${JSON.stringify(pathToFileURL(handler).href)};
      serve({fetch: POST, port: 0, overrideGlobalObjects: false});`;
    servers.push(start('fetch-server', fetchServer).then((port) => ({heading: 'Fetch handlers', port})));
    return Promise.all(servers);
  }

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

  it('verifies in every example of the guide, on the real framework', async () => {
    for (const {heading, port} of await receivers()) {
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

  it('survives aborted, huge, slow and unsigned requests in every example', async () => {
    for (const {heading, port} of await receivers()) {
      const good = async (what: string) => {
        const headers = {'content-type': 'application/json', ...signatureHeaders(SECRET, EVENT, Date.now())};
        assert.equal(await post(port, EVENT, headers), 204, `${heading} after ${what}`);
      };
      for (let turn = 0; turn < 5; turn++) {
        await abort(port, {signed: turn % 2 === 0});
        await good('an aborted request');
      }
      const huge = Buffer.alloc(2 * 1_048_576, 0x20);
      await Promise.all(
        Array.from({length: 5}, () =>
          post(port, huge, signatureHeaders(SECRET, huge, Date.now())).catch((error: Error) => error.message),
        ),
      );
      await good('huge requests');
      assert.equal(await drip(port), 204, `${heading}: slow`);
      await good('a slow request');
      // Its work fails after it has answered: the event has no data.
      const odd = Buffer.from('{"id":"e2","type":"payout.settled","data":null}');
      await post(port, odd, signatureHeaders(SECRET, odd, Date.now())).catch((error: Error) => error.message);
      await good('an event without data');
    }
    assert.deepEqual(
      children.map(({exitCode}) => exitCode),
      children.map(() => null),
    );
  });

  it('documents every reason', () => {
    const reasons = tableRows(GUIDE)
      .filter(({heading}) => heading === 'Reasons')
      .map(({cells: [reason, meaning]}) => [reason!.replaceAll('`', ''), meaning]);
    assert.deepEqual(reasons, Object.entries(REJECTIONS));
  });
});
