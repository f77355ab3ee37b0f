import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, writeFileSync} from 'node:fs';
import net from 'node:net';
import {join} from 'node:path';
import tls from 'node:tls';
import type {Summary} from '../../src/batch/standing/summary.ts';
import {startSandbox, type RunningSandbox} from '../../src/sandbox/server.ts';
import {certify} from '../network/authority.ts';
import {forwardProxy, type ForwardProxy, type ProxyOptions} from '../network/forward-proxy.ts';
import {BIN, cleanEnv, endOf, type Ran} from './spawn-cli.ts';

/** Not on this machine, so that the proxy is used; only the proxy knows where it leads. */
const HOST = 'api.pay.test';

/**
 * The sandbox behind TLS that requires a client certificate of a private authority, which can be reached through a proxy
 * alone, and a profile for it.
 */
export interface Scene {
  sandbox: RunningSandbox;
  proxy: ForwardProxy;
  env: Record<string, string>;
  payee: string;
  /** Runs the tool under the Node of the scene. */
  remit: (argv: readonly string[], env?: Record<string, string>) => Promise<Ran>;
  close(): Promise<void>;
}

export async function openScene(node: string, options: ProxyOptions = {}): Promise<Scene> {
  const home = cleanEnv();
  const folder = join(home['HOME'] ?? '', 'files');
  mkdirSync(folder, {mode: 0o700});
  const sandbox = await startSandbox({store: join(folder, 'sandbox.db')});
  const front = await tlsFront(Number(new URL(sandbox.baseUrl).port));
  const proxy = await forwardProxy({
    hosts: {[`${HOST}:443`]: front.port},
    credentials: 'jo:se cret',
    ...options,
  });
  for (const [name, text] of Object.entries(front.files))
    writeFileSync(join(folder, name), text, {mode: 0o600});
  const env = {...home, HTTPS_PROXY: proxy.url.replace('://', '://jo:se%20cret@')};
  const remit: Scene['remit'] = (argv, changes = {}) => run(node, argv, {...env, ...changes});
  writeFileSync(join(folder, 'key'), sandbox.testKey, {mode: 0o600});
  const added = await remit([
    ...['profiles', 'add', 'far', '--base-url', `https://${HOST}`, '--key-file', join(folder, 'key')],
    ...['--ca-file', join(folder, 'ca.pem')],
    ...['--client-cert', join(folder, 'client.pem'), '--client-key', join(folder, 'client-key.pem')],
  ]);
  assert.equal(added.code, 0, added.stderr);
  const {payees} = await sandbox.sandbox.seed({payees: 1, payers: 0});
  const close = async () => {
    await proxy.close();
    await front.close();
    await sandbox.close();
  };
  return {sandbox, proxy, env, payee: String(payees[0]?.id), remit, close};
}

/** Ends TLS and passes the bytes on to a port of this machine. */
async function tlsFront(port: number) {
  const ca = await certify({name: 'Private authority', isAuthority: true});
  const server = await certify({name: HOST, hosts: [HOST], issuer: ca});
  const client = await certify({name: 'client', issuer: ca});
  const sockets = new Set<net.Socket>();
  const front = tls.createServer(
    {
      ...{cert: server.certificate, key: server.key, ca: ca.certificate},
      ...{requestCert: true, rejectUnauthorized: true},
    },
    (socket) => {
      const inner = net.connect(port, '127.0.0.1');
      for (const one of [socket, inner])
        sockets.add(one.on('error', () => {}).on('close', () => sockets.delete(one)));
      socket.pipe(inner).pipe(socket);
      socket.on('close', () => inner.destroy());
      inner.on('close', () => socket.destroy());
    },
  );
  front.on('tlsClientError', () => {});
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  return {
    port: (front.address() as net.AddressInfo).port,
    files: {'ca.pem': ca.certificate, 'client.pem': client.certificate, 'client-key.pem': client.key},
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => front.close(resolve));
    },
  };
}

function run(node: string, argv: readonly string[], env: Record<string, string>): Promise<Ran> {
  const child = spawn(node, [BIN, ...argv], {env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000});
  return endOf(child);
}

/** A CSV of payouts of 1.00 and a cent more each. */
export function payoutFile({env, payee}: Scene, rows: number): string {
  const file = join(env['HOME'] ?? '', 'files', 'rows.csv');
  const lines = Array.from({length: rows}, (_, n) => `R-${n},${payee},${((100 + n) / 100).toFixed(2)},USD`);
  writeFileSync(file, `reference,payee_id,amount,currency_code\n${lines.join('\n')}\n`);
  return file;
}

/** Creates a payout of 1.00. */
export const createPayout = ({remit, payee}: Scene, ...flags: readonly string[]): Promise<Ran> =>
  remit(['payouts', 'create', '--payee', payee, '--amount', '1.00', '--currency', 'USD', '--json', ...flags]);

/** A payout, a list and a batch, each through the proxy; every row is paid once, and the proxy has seen no secret. */
export async function payThroughProxy(node: string, rows: number): Promise<string> {
  const scene = await openScene(node);
  try {
    const {remit, payee, proxy, sandbox} = scene;
    const single = await createPayout(scene);
    assert.equal(single.code, 0, single.stderr);
    const began = performance.now();
    const file = payoutFile(scene, rows);
    const batch = await remit(['payouts', 'batch', 'run', file, '--batch-id', 'far', '--yes', '--json']);
    const seconds = (performance.now() - began) / 1000;
    assert.equal(batch.code, 0, batch.stderr);
    const summary = JSON.parse(batch.stdout) as Summary;
    assert.deepEqual([summary.accepted, summary.in_doubt, summary.posts], [rows, 0, 2 * rows + 1]);
    const list = await remit(['payouts', 'list', '--all', '--json']);
    assert.equal(list.code, 0, list.stderr);
    const payouts = JSON.parse(list.stdout) as {id: string; client_metadata?: {remit_reference?: string}}[];
    const references = payouts.map((payout) => payout.client_metadata?.remit_reference);
    assert.equal(payouts.length, rows + 1);
    assert.equal(new Set(references).size, rows + 1, 'each row once, and the single payout');
    const seen = proxy.seen();
    for (const secret of [sandbox.testKey, payee, 'idempotency-key'])
      assert.ok(!seen.includes(secret), `the proxy has seen ${secret}`);
    for (const {stdout, stderr} of [single, batch, list])
      assert.ok(!/se cret|se%20cret/.test(stdout + stderr), 'the password of the proxy is shown');
    return `${rows} rows paid once each in ${seconds.toFixed(1)} s through ${proxy.connects.length} tunnels`;
  } finally {
    await scene.close();
  }
}
