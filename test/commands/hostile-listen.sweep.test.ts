import assert from 'node:assert/strict';
import {connect} from 'node:net';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import {systemClock} from '../../src/clock.ts';
import {Stop} from '../../src/cli/runtime/stop.ts';
import type {ListenLine} from '../../src/webhooks/delivery/lines.ts';
import {signatureHeaders} from '../../src/webhooks/verify/signature.ts';
import {BASE_URL, runCli, scratch, TEST_KEY, type CliOptions, type CliResult} from '../cli/run-cli.ts';
import {activeIn} from '../sanitize/canaries.ts';
import {asHeader, checkForm, FORMATS, isVeryLong, TEXTS, withoutOurs, type Format} from './hostile-texts.ts';
import {EndpointService} from './webhooks/endpoint-service.ts';
import {SECRET} from './webhooks/listening.ts';
import {Receiver} from './webhooks/receiver.ts';

interface Sent {
  what: string;
  body: Buffer;
  headers: [string, string][];
  status: number;
  /** A copy of an event is not forwarded. */
  isAgain?: boolean;
}

/** Deliveries with the text in every place where a sender can put it. */
function deliveriesWith(text: string): Sent[] {
  const short = isVeryLong(text) ? text.slice(-300) : text;
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  const signed = (body: Buffer): [string, string][] => [
    ...Object.entries(signatureHeaders(SECRET, body, Date.now())),
    ['X-Note', asHeader(text)],
  ];
  const sent = (what: string, body: Buffer): Sent => ({what, body, headers: signed(body), status: 200});
  const event = {id: `e ${short}`, type: short, data: {[`${short}_id`]: short, note: text.slice(-500_000)}};
  const name = JSON.stringify(short);
  const [[timestamp = '', at = ''] = [], [signature = ''] = []] = signed(Buffer.from('{}'));
  const forged = (what: string, headers: [string, string][]): Sent => ({
    ...{what, headers, status: 401},
    body: json({id: `forged ${short}`, type: short}),
  });
  return [
    sent('an event', json(event)),
    {...sent('the same event again', json(event)), isAgain: true},
    sent(
      'an event of a failure',
      json({
        ...{id: 'e2', type: 'payout.failed'},
        data: {payout_id: {[short]: short}, failure_reason: short, amount_in_minor_units: short},
      }),
    ),
    sent(
      'names that occur twice',
      Buffer.from(`{"id":"e3","type":"x","data":{${name}:1,${name}:9007199254740993}}`),
    ),
    sent('an object that is no text', json({id: 'e4', type: 'x', data: {payout_id: {toString: short}}})),
    sent('no JSON', Buffer.from(text.slice(-500_000))),
    forged('a signature', [
      [timestamp, at],
      [signature, asHeader(text)],
    ]),
    forged('a timestamp', [
      [timestamp, asHeader(text)],
      [signature, 'ab'.repeat(32)],
    ]),
    forged('no signature', [['X-Note', asHeader(text)]]),
  ];
}

function jsonIn(body: Buffer): Record<string, unknown> | undefined {
  try {
    return JSON.parse(body.toString()) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** Node's own client refuses bytes that others send. Resolves to the status. */
function post(port: number, {body, headers}: Sent): Promise<number> {
  const head = [
    ['Host', 'localhost'],
    ['Content-Length', String(body.length)],
    ['Connection', 'close'],
    ...headers,
  ]
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`POST /?\u009b31m\u0085 HTTP/1.1\r\n${head}\r\n`, 'latin1');
      socket.write(body);
    });
    socket
      .on('data', (bytes) => (answer += bytes.toString('latin1')))
      .on('error', reject)
      .on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])));
  });
}

/** Every line of piped output begins with one of these; a forged line would begin with words of the sender. */
const OURS = /^(?:Listening on |Verifying with |Forwarding to |\d\d:\d\d:\d\dZ {2}| {11}|\d+ received, |$)/;

/** Waits until the output is as expected. */
type Until = (isReached: (said: string) => boolean) => Promise<void>;

/** The port of a listener that is ready; a target has another path. */
async function portOf(until: Until): Promise<number> {
  let port = 0;
  const ready = /http:\/\/127\.0\.0\.1:(\d+)\/(?!hook)/;
  await until((said) => (port = Number(ready.exec(said)?.[1] ?? 0)) > 0);
  return port;
}

describe('hostile text in webhooks', function () {
  let home: string;
  let target: Receiver;
  beforeEach(async () => {
    home = scratch();
    target = await Receiver.open();
  });
  afterEach(() => target.close());

  const environment = () => ({
    HOME: home,
    REMIT_STATE_DIR: join(home, 'state'),
    REMIT_WEBHOOK_SECRET: SECRET,
  });

  /** Runs a command until Ctrl-C, which is sent when `during` is done. */
  async function running(
    argv: readonly string[],
    options: CliOptions,
    during: (until: Until) => Promise<void>,
  ): Promise<CliResult> {
    const stop = new Stop(() => assert.fail('a test must not end the process'));
    let said = '';
    let result: CliResult | undefined;
    const ended = runCli(argv, {
      ...{env: environment(), stop, clock: systemClock, cwd: home, onOutput: (text) => (said += text)},
      ...options,
    });
    void ended.then((ran) => (result = ran));
    try {
      await during(async (isReached) => {
        while (!isReached(said)) {
          if (result !== undefined) assert.fail(`it ended: ${result.stderr}`);
          await wait(2);
        }
      });
    } finally {
      stop.receive('SIGINT');
      await ended;
      stop.release();
    }
    return ended;
  }

  /** Posts all of it to a listener that forwards it, and shows the answers. */
  function listened(
    words: readonly string[],
    sent: readonly Sent[],
    options: CliOptions = {},
  ): Promise<CliResult> {
    const argv = ['webhooks', 'listen', '--port', '0', '--forward-to', target.url, '--show-response'];
    return running([...argv, '--no-health-check', ...words], options, async (until) => {
      const port = await portOf(until);
      for (const one of sent) assert.equal(await post(port, one), one.status, one.what);
      const forwarded = sent.filter(({status, isAgain}) => status === 200 && !isAgain).length;
      await until(() => target.got.length >= forwarded);
    });
  }

  const check = ({stdout, stderr, exitCode}: CliResult, what: string) => {
    const where = `${what} (exit ${exitCode})\n${stdout}\n${stderr}`.slice(0, 4000);
    assert.notEqual(exitCode, 1, where);
    for (const written of [stdout, stderr]) assert.deepEqual(activeIn(withoutOurs(written)), [], where);
    assert.doesNotMatch(stderr, /a bug in remit/, where);
    return where;
  };

  for (const [kind, text] of Object.entries(TEXTS))
    it(`is exact in JSON lines, and one line of text: ${kind}`, async () => {
      const response = text.slice(-200);
      target.answer = (reply) => reply.end(response);
      const sent = deliveriesWith(text);

      const ran = await listened(['-o', 'ndjson'], sent);
      check(ran, 'listen -o ndjson');
      const lines = ran.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as ListenLine);
      const shown = lines.filter(
        (line) => line.type !== 'forward' && 'delivery' in line && 'headers' in line,
      );
      assert.equal(shown.length, sent.length);
      for (const [at, line] of shown.entries()) {
        const {what, body, headers} = sent[at]!;
        assert.deepEqual(
          line.headers.filter(([name]) => headers.some((pair) => pair[0] === name)),
          headers.map(([name, value]) => [name, value.replace(/^[ \t]+|[ \t]+$/g, '')]),
          what,
        );
        assert.equal(line.body_base64, body.toString('base64'), what);
        if (line.type === 'rejected') continue;
        const json = jsonIn(body);
        assert.deepEqual(line.body, json ?? null, what);
        assert.equal(line.id, json?.['id'] ?? null, what);
        assert.equal(line.event_type, json?.['type'] ?? null, what);
      }
      for (const line of lines)
        if (line.type === 'forward') assert.equal(line.response, Buffer.from(response).toString());
      assert.equal(lines.at(-1)!.type, 'summary');

      target.got.length = 0;
      const again = sent.map((one) => ({...one, isAgain: one.status === 200 && one.what !== 'no JSON'})); // known from the record
      const piped = await listened([], again);
      const where = check(piped, 'listen');
      const odd = piped.stdout.split('\n').filter((line) => !OURS.test(line));
      assert.deepEqual(odd, [], where);
      const deliveries = piped.stdout.split('\n').filter((line) => /^\d\d:\d\d:\d\dZ /.test(line));
      assert.equal(deliveries.length, sent.length, where);

      target.got.length = 0;
      check(await listened([], again, {columns: 80}), 'listen at a terminal');
    });

  for (const [first, [kind, text]] of Object.entries(TEXTS).entries())
    it(`is sane in what is read from the record, in every format: ${kind}`, async () => {
      target.answer = (reply) => reply.writeHead(500).end(text.slice(-200));
      const sent = deliveriesWith(text);
      await listened(['-o', 'ndjson', '--forward-attempts', '1'], sent);
      const events = async (words: readonly string[], format: Format) => {
        const argv = ['webhooks', ...words, ...(format === 'table' ? [] : ['-o', format])];
        const ran = await runCli(argv, {
          ...{env: environment(), clock: systemClock, cwd: home},
          ...(format === 'table' ? {columns: 80} : {}),
        });
        const where = check(ran, argv.join(' '));
        assert.notEqual(ran.exitCode, 2, where);
        checkForm(ran.stdout, format, where);
        return ran;
      };
      const listed = (await events(['events', 'list'], 'json')).json() as {delivery: string; body: unknown}[];
      const exact = sent.map(({body}) => jsonIn(body) ?? null);
      assert.deepEqual(
        listed.map(({body}) => body),
        exact.toReversed(),
      );
      for (const format of [...FORMATS, 'id'] as const) await events(['events', 'list'], format);
      for (const [at, {delivery}] of listed.entries())
        for (const words of [
          ['events', 'show', delivery],
          ['verify', delivery],
        ])
          await events(words, FORMATS[(first + at) % FORMATS.length]!);
      for (const format of FORMATS)
        await events(['events', 'replay', listed.at(-1)!.delivery, '--show-response'], format);
      await events(['events', 'export'], 'ndjson');
      await events(['events', 'export', '--out', `all-${first}.ndjson`], 'table');
      for (const format of ['table', 'ndjson'] as const) {
        const argv = ['webhooks', 'events', 'tail', '-o', format];
        const tail = await running(argv, format === 'table' ? {columns: 80} : {}, (until) =>
          until((said) => said.split('\n').length > sent.length),
        );
        checkForm(tail.stdout, format, check(tail, argv.join(' ')));
      }
    });

  for (const [kind, text] of Object.entries(TEXTS))
    it(`is sane in what is said about endpoints: ${kind}`, async () => {
      const short = isVeryLong(text) ? text.slice(-300) : text;
      const url = 'https://hooks.example.com/';
      for (const format of ['table', 'ndjson'] as const) {
        const service = new EndpointService();
        const other = service.add({id: `-x ${short}`, url});
        const options = {
          env: {...environment(), REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL},
          service: service.script(),
        };
        const argv = ['webhooks', 'listen', '--port', '0', '-o', format, '--register', '--public-url', url];
        const ran = await running(argv, options, async (until) => {
          const port = await portOf(until);
          for (const own of service.endpoints.values())
            if (own !== other) own.url = `https://evil.example/${short}`;
          const body = Buffer.from('{}');
          const headers = Object.entries(signatureHeaders('another', body, Date.now()));
          assert.equal(await post(port, {what: 'a mismatch', body, headers, status: 401}), 401);
          await until((said) => said.includes('now has the URL') && said.includes('has the same URL'));
        });
        const where = check(ran, argv.join(' '));
        checkForm(ran.stdout, format, where);
        if (format === 'ndjson') assert.ok(ran.stdout.includes('"type":"endpoint"'), where);
        assert.deepEqual(service.ids, [other.id], where);
      }
    });
});
