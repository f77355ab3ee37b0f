import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {connect} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {startSandbox, type RunningSandbox} from '../../../src/sandbox/server.ts';
import {allOperations} from '../../../src/contract/operations/operations.ts';
import {BROKEN_JSON, NAUGHTY_STRINGS} from '../naughty.ts';

const DEADLINE_MS = 400;

/** Over real sockets: whatever comes in, the documented shape goes out, and the server goes on. */
describe('sandbox server: bad input', () => {
  let folder: string;
  let running: RunningSandbox;
  let payee: string;
  const bugs: unknown[] = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'remit-bad-input-'));
    running = await startSandbox({
      store: join(folder, 'sandbox.db'),
      requestTimeoutMs: DEADLINE_MS,
      checkAnswers: true,
      onBug: (error) => bugs.push(error),
    });
    payee = (await running.sandbox.seed({payees: 1, payers: 0})).payees[0]!.id;
  });
  afterEach(async () => {
    assert.deepEqual(bugs, []);
    assert.equal((await call('GET', '/api/payees')).status, 200); // it lives on
  });
  after(async () => {
    await running.close();
    rmSync(folder, {recursive: true, force: true});
  });

  interface Answered {
    status: number;
    // Tests look into answers freely.
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    body: any;
  }

  const call = async (
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<Answered> => {
    const response = await fetch(`${running.baseUrl}${path}`, {
      method,
      headers: {
        'x-api-key': running.testKey,
        ...(body === undefined ? {} : {'content-type': 'application/json'}),
        ...headers,
      },
      ...(body === undefined ? {} : {body}),
    });
    const text = await response.text();
    return {status: response.status, body: text === '' ? undefined : JSON.parse(text)};
  };

  /** Sends bytes, in pieces, and gives back everything until the server closes. */
  const exchange = (pieces: readonly string[], options: {everyMs?: number; end?: boolean} = {}) =>
    new Promise<string>((resolve, reject) => {
      const chunks: Buffer[] = [];
      const left = [...pieces];
      const socket = connect({
        port: Number(new URL(running.baseUrl).port),
        host: '127.0.0.1',
        allowHalfOpen: true,
      });
      const next = () => {
        const piece = left.shift();
        if (piece !== undefined && socket.writable) socket.write(piece);
        else if (options.end === true) socket.end();
      };
      socket.on('connect', next);
      const timer = setInterval(next, options.everyMs ?? 1);
      socket.on('data', (chunk) => chunks.push(chunk));
      socket.on('end', () => socket.end());
      socket.on('error', (error: NodeJS.ErrnoException) =>
        error.code === 'EPIPE' || error.code === 'ECONNRESET' ? undefined : reject(error),
      );
      socket.on('close', () => {
        clearInterval(timer);
        resolve(Buffer.concat(chunks).toString('utf8'));
      });
    });
  const head = (method: string, path: string, more: readonly string[] = []) =>
    [`${method} ${path} HTTP/1.1`, 'host: localhost', `x-api-key: ${running.testKey}`, ...more, '', ''].join(
      '\r\n',
    );

  const refusedWith = ({status, body}: Answered, about: string) => {
    assert.ok(status >= 400 && status < 500, `${about}: ${status}`);
    assert.equal(typeof body.error_code, 'string', about);
    assert.equal(typeof body.message, 'string', about);
    assert.ok(JSON.stringify(body).length < 20_000, `${about}: the refusal repeats what it refuses`);
  };

  it('refuses broken JSON for every operation with a body', async () => {
    for (const {id, operation} of allOperations()) {
      if (operation.body === undefined) continue;
      const path = operation.path.replace(/\{\w+\}/g, payee);
      for (const text of BROKEN_JSON) {
        const answer = await call(operation.method, path, text);
        if (answer.status >= 300) refusedWith(answer, `${id} ${text.slice(0, 40)}`);
        else
          assert.ok(
            !/^[^{]|[^}]$/.test(text.trim().replace(/^\ufeff/, '')),
            `${id} took ${text.slice(0, 40)}`,
          );
      }
    }
  });

  it('is not changed by __proto__ and constructor in a body', async () => {
    for (const text of [
      '{"__proto__":{"is_active":true},"name":"x"}',
      '{"constructor":{"prototype":{"polluted":1}},"name":"x"}',
      '{"name":"x","metadata":{"__proto__":{"polluted":"1"}}}',
    ])
      await call('POST', '/api/payees', text);
    assert.equal(({} as {polluted?: unknown}).polluted, undefined);
    const named = await call(
      'POST',
      '/api/payees',
      '{"name":"x","metadata":{"constructor":"c","toString":"t"}}',
    );
    assert.deepEqual([named.status, named.body.metadata], [201, {constructor: 'c', toString: 't'}]);
  });

  it('uses the last of two equal keys, as JSON readers do', async () => {
    const answer = await call('POST', '/api/payees', '{"name":"first","name":"last"}');
    assert.deepEqual([answer.status, answer.body.name], [201, 'last']);
  });

  it('keeps every naughty string unchanged, or refuses it', async () => {
    let kept = 0;
    for (const text of NAUGHTY_STRINGS) {
      const {status, body} = await call(
        'POST',
        '/api/payees',
        JSON.stringify({name: text, metadata: {k: text}}),
      );
      const about = JSON.stringify(text.slice(0, 40));
      if (status === 201) {
        kept += 1;
        assert.deepEqual([body.name, body.metadata.k], [text.trim(), text], about);
        const read = await call('GET', `/api/payees/${body.id}`);
        assert.deepEqual(read.body, body, about);
      } else refusedWith({status, body}, about);
    }
    assert.ok(kept > NAUGHTY_STRINGS.length / 2, String(kept));
  });

  it('refuses naughty strings as id, cursor, key, type or day', async () => {
    for (const text of NAUGHTY_STRINGS.filter(({length}) => length < 1000)) {
      const part = encodeURIComponent(Buffer.from(text).toString());
      const json = (body: object) => JSON.stringify({payee_id: payee, amount_in_minor_units: 1, ...body});
      const answers = [
        ...(part === '' || /^\.+$/.test(text) ? [] : [await call('GET', `/api/payouts/${part}`)]),
        await call('GET', `/api/payouts?cursor=${part}`),
        await call('GET', `/api/payouts?limit=${part}`),
        await call('POST', '/api/payouts', json({payee_id: text})),
        await call('POST', '/api/payouts', json({scheduled_date: text})),
        await call('POST', '/api/payouts', json({rail: text})),
        await call('POST', '/api/payouts', json({[text]: text})),
        await call('POST', '/api/webhooks/endpoints', JSON.stringify({url: text, event_types: [text]})),
      ];
      for (const [at, answer] of answers.entries()) refusedWith(answer, `${at} ${JSON.stringify(text)}`);
    }
  });

  it('refuses other content types, including charsets that it would misread', async () => {
    for (const type of [
      'text/plain',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/json5',
      '',
    ])
      refusedWith(await call('POST', '/api/payees', '{"name":"x"}', {'content-type': type}), type);
  });

  it('refuses 10 MB, at once, in chunks and compressed, without reading all of it', async () => {
    const large = JSON.stringify({name: 'x'.repeat(10 * 1024 * 1024)});
    refusedWith(await call('POST', '/api/payees', large).catch(cutOff), 'whole');
    const chunked = await exchange([
      head('POST', '/api/payees', [
        'content-type: application/json',
        'transfer-encoding: chunked',
        'connection: close',
      ]),
      ...Array.from({length: 10}, () => `100000\r\n${'x'.repeat(0x100000)}\r\n`),
      '0\r\n\r\n',
    ]);
    assert.match(chunked, /^HTTP\/1\.1 400 [^]*"error_code":"VALIDATION_ERROR"/);
    const packed = await call('POST', '/api/payees', '{"name":"x"}', {'content-encoding': 'gzip'});
    assert.ok(packed.status === 201 || packed.status === 400);
  });

  it('answers 404 to a method that a path does not have', async () => {
    for (const {operation} of allOperations()) {
      const path = operation.path.replace(/\{\w+\}/g, payee);
      for (const method of ['PUT', 'OPTIONS', 'PROPFIND'])
        refusedWith(await call(method, path), `${method} ${path}`);
    }
  });

  it('disconnects clients that drip headers or a body, and keeps serving others', async () => {
    const dripped = [
      exchange(['GET /api/payees HTTP/1.1\r\n', ...Array.from({length: 1000}, (_, at) => `x-${at}: y\r\n`)], {
        everyMs: 20,
      }),
      exchange(
        [
          head('POST', '/api/payees', ['content-type: application/json', 'content-length: 5000']),
          ...Array.from({length: 1000}, () => '{'),
        ],
        {everyMs: 20},
      ),
    ];
    assert.equal((await call('GET', '/api/payees')).status, 200);
    for (const answer of await Promise.all(dripped))
      assert.match(answer, /^HTTP\/1\.1 400 [^]*took too long/);
  });

  it('answers pipelined requests in order', async () => {
    const get = (path: string, more: string[] = []) => head('GET', path, more);
    const all = await exchange([
      get(`/api/payees/${payee}`) + get('/api/nothing') + get('/api/payouts?limit=x', ['connection: close']),
    ]);
    assert.deepEqual(
      [...all.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status),
      ['200', '404', '400'],
    );
  });

  it('answers a client that has closed its side, and drops one that disconnects', async () => {
    const half = await exchange([head('GET', '/api/payees', ['connection: close'])], {end: true});
    assert.match(half, /^HTTP\/1\.1 200 /);
    const gone = connect(Number(new URL(running.baseUrl).port), '127.0.0.1');
    gone.write(head('POST', '/api/payees', ['content-type: application/json', 'content-length: 100']));
    await new Promise((resolve) => gone.once('connect', resolve));
    gone.destroy();
  });

  it('refuses headers without end, and requests that smuggle', async () => {
    const many = await exchange([head('GET', '/api/payees', [`x-long: ${'y'.repeat(100_000)}`])]);
    assert.match(many, /^HTTP\/1\.1 4\d\d /);
    const two = ['content-length: 4', 'transfer-encoding: chunked', 'content-type: application/json'];
    assert.match(await exchange([`${head('POST', '/api/payees', two)}0\r\n\r\n`]), /^HTTP\/1\.1 400 /);
  });

  it('refuses control calls with another host, from another origin, or without the token', async () => {
    const token = `x-sandbox-token: ${running.controlToken}`;
    const {host} = new URL(running.baseUrl);
    const ask = (...headers: string[]) =>
      exchange([['GET /sandbox/status HTTP/1.1', ...headers, 'connection: close', '', ''].join('\r\n')]);
    assert.match(await ask(`host: ${host}`, token), /^HTTP\/1\.1 200 /);
    assert.match(await ask('host: evil.example', token), /^HTTP\/1\.1 403 /);
    assert.match(await ask(`host: ${host}`, token, 'origin: https://evil.example'), /^HTTP\/1\.1 403 /);
    assert.match(await ask(`host: ${host}`, token, 'origin: null'), /^HTTP\/1\.1 403 /);
    assert.match(await ask(`host: ${host}`), /^HTTP\/1\.1 401 /);
    assert.match(await ask(`host: ${host}`, 'x-sandbox-token: x'), /^HTTP\/1\.1 401 /);
  });
});

/** A server that refuses early may close before all was sent; that is a refusal too. */
const cutOff = (): {status: number; body: object} => ({
  status: 400,
  body: {error_code: 'cut off', message: 'cut off'},
});
