import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {Agent, request as httpRequest, type IncomingHttpHeaders} from 'node:http';
import {connect} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {RemitError} from '../../src/errors.ts';
import {FaultRule} from '../../src/sandbox/outcomes/fault-schema.ts';
import {startSandbox, type RunningSandbox} from '../../src/sandbox/server.ts';
import type {FaultRuleInput} from './outcomes/fault-rule.ts';

interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

describe('sandbox server', () => {
  let folder: string;
  let running: RunningSandbox;
  let payee: string;
  const bugs: unknown[] = [];
  const agent = new Agent({keepAlive: true});

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'remit-server-'));
    running = await startSandbox({
      store: join(folder, 'sandbox.db'),
      timing: 'instant',
      requestTimeoutMs: 300,
      onBug: (error) => bugs.push(error),
    });
    payee = (await running.sandbox.seed({payees: 1, payers: 0})).payees[0]!.id;
  });
  after(async () => {
    agent.destroy();
    await running.close();
    rmSync(folder, {recursive: true, force: true});
    assert.deepEqual(bugs, []);
  });

  const send = (method: string, path: string, body?: string, headers: Record<string, string> = {}) =>
    new Promise<Answered>((resolve, reject) => {
      const request = httpRequest(`${running.baseUrl}${path}`, {
        method,
        agent,
        headers: {'x-api-key': running.testKey, 'content-type': 'application/json', ...headers},
      });
      request.on('error', reject);
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      });
      request.end(body);
    });
  const pay = (headers: Record<string, string> = {}) =>
    send('POST', '/api/payouts', JSON.stringify({payee_id: payee, amount_in_minor_units: 5}), headers);
  const count = async () =>
    (JSON.parse((await send('GET', '/api/payouts?limit=100')).text) as {data: unknown[]}).data.length;
  const inject = (effect: FaultRuleInput['effect']) =>
    running.sandbox.faults.add(FaultRule.parse({match: {operation: 'payouts.create'}, times: 1, effect}));
  /** Sends bytes as they are and gives back everything until the server closes. */
  const exchange = (bytes: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(running.baseUrl).port), '127.0.0.1', () => socket.write(bytes));
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk));
      socket.on('error', reject);
      socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
    });

  it('answers over HTTP as the function does', async () => {
    const created = await pay({'idempotency-key': 'over-http'});
    assert.equal(created.status, 201);
    assert.match(created.headers['content-type'] ?? '', /^application\/json/);
    assert.match(String(created.headers['x-request-id']), /^req_/);
    assert.equal(Number(created.headers['content-length']), Buffer.byteLength(created.text));
    assert.equal((await pay({'idempotency-key': 'over-http'})).status, 200);
  });

  it('says what time it is here where that is behind the machine, and what time it is there where not', async () => {
    const dateOf = async (frozenAtMs: number) => {
      const store = join(folder, `frozen-${frozenAtMs}.db`);
      const other = await startSandbox({store, frozenAtMs, onBug: (error) => bugs.push(error)});
      const {headers} = await fetch(`${other.baseUrl}/api/payouts`, {headers: {'x-api-key': other.testKey}});
      await other.close();
      return Date.parse(headers.get('date')!);
    };
    const past = Date.UTC(2026, 0, 1);
    assert.equal(await dateOf(past), past);
    assert.ok(Math.abs((await dateOf(Date.now() + 86_400_000)) - Date.now()) < 60_000);
  });

  it('lets timers fire by themselves', async () => {
    const body = JSON.stringify({payee_id: payee, amount_in_minor_units: 5, auto_approve: true});
    const {id} = JSON.parse((await send('POST', '/api/payouts', body)).text) as {id: string};
    for (let tries = 0; ; tries += 1) {
      const {status} = JSON.parse((await send('GET', `/api/payouts/${id}`)).text) as {status: string};
      if (status === 'settled') break;
      assert.ok(tries < 500, `still ${status}`);
    }
  });

  it('resets the connection: before the record exists, and after', async () => {
    const before = await count();
    inject({kind: 'reset', when: 'before'});
    await assert.rejects(pay(), {code: 'ECONNRESET'});
    assert.equal(await count(), before);
    inject({kind: 'reset', when: 'after'});
    await assert.rejects(pay({'idempotency-key': 'lost'}), {code: 'ECONNRESET'});
    assert.equal(await count(), before + 1);
    assert.equal((await pay({'idempotency-key': 'lost'})).status, 200);
  });

  it('can send an answer slowly, which is complete in the end', async () => {
    inject({kind: 'slow', ms: 200});
    const started = performance.now();
    const answer = await pay({'idempotency-key': 'slow'});
    assert.ok(performance.now() - started >= 190);
    assert.deepEqual([answer.status, typeof (JSON.parse(answer.text) as {id: string}).id], [201, 'string']);
    assert.equal((await pay({'idempotency-key': 'slow'})).status, 200);
  });

  it('cuts an answer in the middle of its body', async () => {
    inject({kind: 'cut'});
    await assert.rejects(pay({'idempotency-key': 'cut'}), /aborted|socket hang up/);
    assert.equal((await pay({'idempotency-key': 'cut'})).status, 200);
  });

  it('answers 429 with Retry-After, non-JSON, and nothing', async () => {
    inject({kind: 'status', status: 429, retry_after: 3});
    assert.equal((await pay()).headers['retry-after'], '3');
    inject({kind: 'non_json'});
    assert.match((await pay()).text, /^<html>/);
    inject({kind: 'empty'});
    assert.deepEqual([(await pay()).text], ['']);
  });

  it('refuses a body above 1 MiB, declared and chunked, and lives on', async () => {
    const large = JSON.stringify({name: 'x'.repeat(2 * 1024 * 1024)});
    assert.equal((await send('POST', '/api/payees', large)).status, 400);
    const chunked = await send('POST', '/api/payees', large, {'transfer-encoding': 'chunked'});
    assert.equal(chunked.status, 400);
    assert.match(chunked.text, /larger than/);
    assert.equal((await pay()).status, 201);
  });

  it('takes a chunked body of ordinary size', async () => {
    const headers = {'transfer-encoding': 'chunked'};
    assert.equal((await send('POST', '/api/payees', '{"name":"Elm"}', headers)).status, 201);
  });

  it('answers bytes that are not HTTP in the documented shape', async () => {
    assert.match(await exchange('hello\r\n\r\n'), /^HTTP\/1\.1 400 [^]*"error_code":"VALIDATION_ERROR"/);
    assert.match(
      await exchange('GET /api/payouts HTTP/1.1\r\nhost: bad host\r\nconnection: close\r\n\r\n'),
      /^HTTP\/1\.1 400 [^]*"error_code":"VALIDATION_ERROR"/,
    );
  });

  it('cuts off clients that are too slow, in the headers and in the body', async () => {
    const head = 'POST /api/payees HTTP/1.1\r\nhost: localhost\r\n';
    assert.match(await exchange(head), /^HTTP\/1\.1 400 [^]*took too long/);
    const key = `x-api-key: ${running.testKey}\r\ncontent-type: application/json\r\n`;
    assert.match(
      await exchange(`${head}${key}content-length: 50\r\n\r\n{"na`),
      /^HTTP\/1\.1 400 [^]*took too long/,
    );
  });

  it('listens on loopback only', () => {
    assert.match(running.baseUrl, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal(running.controlUrl, `${running.baseUrl}/sandbox`);
  });

  it('answers control calls under its own host and port only', async () => {
    const token = {'x-sandbox-token': running.controlToken};
    assert.equal((await send('GET', '/sandbox/status', undefined, token)).status, 200);
    const {port} = new URL(running.baseUrl);
    assert.equal(
      (await send('GET', '/sandbox/status', undefined, {...token, host: `localhost:${port}`})).status,
      200,
    );
    for (const host of ['localhost', `localhost:${Number(port) + 1}`, `rebound.example:${port}`])
      assert.equal((await send('GET', '/sandbox/status', undefined, {...token, host})).status, 403, host);
  });

  it('refuses a used port with PORT_IN_USE, and does not touch its store', async () => {
    const store = join(folder, 'second.db');
    const port = Number(new URL(running.baseUrl).port);
    const isTaken = (error: unknown) => error instanceof RemitError && error.code === 'PORT_IN_USE';
    await assert.rejects(startSandbox({store, port}), isTaken);
    const second = await startSandbox({store});
    await second.close();
  });

  it('refuses a store that another sandbox has open with LOCKED', async () => {
    const isLocked = (error: unknown) => error instanceof RemitError && error.code === 'LOCKED';
    await assert.rejects(startSandbox({store: join(folder, 'sandbox.db')}), isLocked);
  });

  it('closes twice without harm, with a keep-alive connection open', async () => {
    const other = await startSandbox({store: join(folder, 'third.db')});
    await fetch(`${other.baseUrl}/api/payouts`).then((response) => response.text());
    await Promise.all([other.close(), other.close()]);
    await assert.rejects(fetch(`${other.baseUrl}/api/payouts`));
  });
});
