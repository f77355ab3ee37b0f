import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {secretFingerprint} from '../../../src/webhooks/verify/secrets.ts';
import {signatureHeaders, signWebhook, verifyWebhook} from '../../../src/webhooks/verify/signature.ts';
import {runCli, scratch, type CliOptions} from '../../cli/run-cli.ts';
import {delivery, record} from '../../webhooks/record/deliveries.ts';
import {Receiver} from './receiver.ts';

const SECRET = 'whsec_0123456789abcdef';
const BODY = '{"id":"e1","type":"payout.settled","data":{"payout_id":"p1"}}';
const TS = '1770000000';
const AT = ['--at', '2026-02-02T02:40:05Z'];
const SIGNED = ['--signature', signWebhook(SECRET, TS, BODY), '--timestamp', TS];

function place(env: Record<string, string> = {}) {
  const cwd = scratch();
  writeFileSync(join(cwd, 'body.json'), BODY);
  writeFileSync(join(cwd, 'hook.secret'), `${SECRET}\n`, {mode: 0o600});
  const run = (argv: readonly string[], options: CliOptions = {}) =>
    runCli(['webhooks', ...argv], {cwd, env: {HOME: cwd, REMIT_WEBHOOK_SECRET: SECRET, ...env}, ...options});
  return {cwd, run};
}

describe('webhooks verify', () => {
  it('verifies a file with signature and timestamp', async () => {
    const {run} = place();
    const text = await run(['verify', '@body.json', ...SIGNED, ...AT]);
    assert.equal(text.exitCode, 0, text.stderr);
    assert.match(
      text.stdout,
      /^verified {2}payout\.settled {2}e1 {2}5 s old, secret [0-9a-f]{8} \(REMIT_WEBHOOK_SECRET\)\n$/,
    );
    const json = await run(['verify', '@body.json', ...SIGNED, ...AT, '--json']);
    const fingerprint = secretFingerprint(SECRET);
    const source = 'REMIT_WEBHOOK_SECRET';
    assert.deepEqual(json.json(), {
      ...{delivery: null, verdict: 'verified', reason: null, matches_if: [], diagnosis: []},
      ...{event_id: 'e1', event_type: 'payout.settled', age_seconds: 5, recorded_fingerprint: null},
      ...{secret_fingerprint: fingerprint, secret_position: 1, secret_source: source},
      secrets_tried: [{position: 1, fingerprint, source}],
    });
    assert.doesNotMatch(text.stdout + text.stderr + json.stdout, new RegExp(SECRET));
  });

  it('takes the payload from stdin, and headers from a file in either form', async () => {
    const {cwd, run} = place();
    const headers = {
      'content-type': 'application/json',
      ...signatureHeaders(SECRET, BODY, Number(TS) * 1000),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    writeFileSync(join(cwd, 'lines'), `POST /hook HTTP/1.1\r\n${lines.join('')}`);
    writeFileSync(join(cwd, 'object'), JSON.stringify(headers));
    writeFileSync(join(cwd, 'pairs'), JSON.stringify(Object.entries(headers)));
    for (const file of ['@lines', 'object', '@pairs']) {
      const ran = await run(['verify', '-', '--headers', file, ...AT], {stdin: BODY});
      assert.equal(ran.exitCode, 0, `${file}: ${ran.stderr}`);
    }
  });

  it('says how much of a body is missing, by its Content-Length', async () => {
    const {cwd, run} = place();
    const headers = signatureHeaders(SECRET, BODY, Number(TS) * 1000);
    writeFileSync(join(cwd, 'h'), JSON.stringify({...headers, 'Content-Length': String(BODY.length)}));
    const cut = await run(['verify', '-', '--headers', '@h', ...AT], {stdin: BODY.slice(0, -3)});
    assert.equal(cut.exitCode, 14);
    assert.match(cut.stderr, /The body is incomplete: it is 3 bytes shorter than its Content-Length/);
    const json = await run(['verify', '-', '--headers', '@h', ...AT, '--json'], {stdin: BODY.slice(0, -3)});
    assert.equal(json.error().details?.['bytes_missing'], 3);
    assert.equal((await run(['verify', '-', '--headers', '@h', ...AT], {stdin: BODY})).exitCode, 0);
  });

  it('names the flag for a timestamp in another format, if the signature is right', async () => {
    const {run} = place();
    for (const [format, timestamp] of [
      ['milliseconds', `${TS}000`],
      ['iso8601', new Date(Number(TS) * 1000).toISOString()],
    ] as const) {
      const words = ['verify', '@body.json', '--timestamp', timestamp, '--signature'];
      const ran = await run([...words, signWebhook(SECRET, timestamp, BODY), ...AT]);
      assert.equal(ran.exitCode, 14);
      assert.match(
        ran.stderr,
        new RegExp(`matches if the timestamp is read with --timestamp-format ${format}\n`),
      );
      const wrong = await run([...words, signWebhook('another', timestamp, BODY), ...AT]);
      assert.doesNotMatch(wrong.stderr, /--timestamp-format/);
    }
  });

  it('ends with 14, the reason and what would have matched', async () => {
    const {cwd, run} = place();
    writeFileSync(join(cwd, 'body.json'), `${BODY}\n`);
    const text = await run(['verify', '@body.json', ...SIGNED, ...AT]);
    assert.equal(text.exitCode, 14);
    assert.equal(
      text.stderr,
      'Error: not verified: the signature does not match the body, the timestamp and the secret\n' +
        `  checked against the secret ${secretFingerprint(SECRET)} (REMIT_WEBHOOK_SECRET)\n  matches if the final newline is removed\n`,
    );
    const json = await run(['verify', '@body.json', ...SIGNED, ...AT, '--json']);
    assert.equal(json.exitCode, 14);
    const {code, details} = json.error();
    assert.equal(code, 'SIGNATURE');
    assert.deepEqual(details!['matches_if'], ['the final newline is removed']);
    assert.equal(details!['reason'], 'mismatch');
    assert.doesNotMatch(
      json.stderr,
      new RegExp(`${SECRET}|${signWebhook(SECRET, TS, `${BODY}\n`)}`),
      'no oracle',
    );
  });

  it('checks freshness against the current time by default', async () => {
    const {run} = place();
    const old = await run(['verify', '@body.json', ...SIGNED, '--at', '2026-02-02T02:50:00Z', '--json']);
    assert.equal(old.exitCode, 14);
    assert.equal(old.error().details!['reason'], 'too_old');
    const wide = ['--at', '2026-02-02T02:50:00Z', '--tolerance', '1h'];
    assert.equal((await run(['verify', '@body.json', ...SIGNED, ...wide])).exitCode, 0);
    const upper = ['--signature', SIGNED[1]!.toUpperCase(), '--timestamp', TS, ...AT];
    assert.equal((await run(['verify', '@body.json', ...upper])).exitCode, 14);
    assert.equal((await run(['verify', '@body.json', ...upper, '--lenient'])).exitCode, 0);
  });

  it('reads lines of listen, each at its time of receipt', async () => {
    const {run} = place();
    const line = (type: string, body: string, more: Record<string, unknown> = {}) =>
      JSON.stringify({
        type,
        delivery: `dlv_${type}`,
        received_at: '2026-02-02T02:40:05.000Z',
        headers: Object.entries(signatureHeaders(SECRET, BODY, Number(TS) * 1000)),
        body_base64: Buffer.from(body).toString('base64'),
        ...more,
      });
    const ready = JSON.stringify({type: 'ready', url: 'http://127.0.0.1:1/', path: '/'});
    const good = await run(['verify', '-', '-o', 'ndjson'], {stdin: `${ready}\n${line('event', BODY)}\n`});
    assert.equal(good.exitCode, 0, good.stderr);
    const mixed = `${line('event', BODY)}\n${line('rejected', `${BODY} `)}\n`;
    const both = await run(['verify', '-', '-o', 'ndjson'], {stdin: mixed});
    assert.equal(both.exitCode, 14);
    const results = both.stdout
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one) as Record<string, unknown>);
    assert.deepEqual(
      results.map(({delivery, verdict, reason}) => [delivery, verdict, reason]),
      [
        ['dlv_event', 'verified', null],
        ['dlv_rejected', 'rejected', 'mismatch'],
      ],
    );
    for (const stdin of ['', BODY, 'no json', ready]) {
      const ran = await run(['verify', '-'], {stdin});
      assert.equal(ran.exitCode, 5, stdin);
      assert.match(ran.stderr, /--signature HEX --timestamp TS/);
    }
  });

  it('takes secrets from files or the environment, several at once, and says what is odd about them', async () => {
    const {cwd, run} = place({REMIT_WEBHOOK_SECRET: 'another'});
    const argv = ['verify', '@body.json', ...SIGNED, ...AT];
    assert.equal((await run(argv)).exitCode, 14);
    assert.equal((await run([...argv, '--secret-from', 'hook.secret'])).exitCode, 0);
    writeFileSync(join(cwd, 'odd.secret'), ` ${SECRET}\n`, {mode: 0o600});
    const odd = await run([...argv, '--secret-from', 'odd.secret']);
    assert.equal(odd.exitCode, 14);
    assert.match(odd.stderr, /white space at its start or end/);
    assert.match(odd.stderr, /matches if the white space around the secret is removed/);
    const two = await run([...argv, '--secret-from', 'odd.secret', '--secret-from', 'hook.secret']);
    assert.equal(two.exitCode, 0);
    const list = place({REMIT_WEBHOOK_SECRET: `another,${SECRET}`});
    assert.equal((await list.run(argv)).exitCode, 0);
    const none = place({REMIT_WEBHOOK_SECRET: ''});
    const asked = await none.run(argv);
    assert.equal(asked.exitCode, 2);
    assert.match(asked.stderr, /REMIT_WEBHOOK_SECRET or --secret-from FILE/);
    const typed = await none.run(argv, {columns: 80, answers: [SECRET]});
    assert.equal(typed.exitCode, 0, typed.stderr);
    writeFileSync(join(cwd, 'empty.secret'), '\n', {mode: 0o600});
    assert.equal((await run([...argv, '--secret-from', 'empty.secret'])).exitCode, 5);
  });

  describe('with several secrets', () => {
    const OLD = 'whsec_old_old_old_old';
    const argv = ['verify', '@body.json', ...SIGNED, ...AT];
    const several = () => {
      const at = place();
      writeFileSync(join(at.cwd, 'both.secret'), `${OLD}\n\n${SECRET}\n`, {mode: 0o600});
      writeFileSync(join(at.cwd, 'old.secret'), `${OLD}\n`, {mode: 0o600});
      return at;
    };
    const [old, own] = [OLD, SECRET].map(secretFingerprint);

    it('says which one matched, by fingerprint, position and source', async () => {
      const {run} = several();
      const both = [...argv, '--secret-from', 'old.secret', '--secret-from', 'both.secret'];
      const text = await run(both);
      assert.match(text.stdout, new RegExp(`5 s old, secret ${own} \\(both\\.secret, line 3; 3 of 3\\)\n$`));
      const result = (await run([...both, '--json'])).json() as Record<string, unknown>;
      assert.deepEqual(
        [result['secret_fingerprint'], result['secret_position'], result['secret_source']],
        [own, 3, 'both.secret, line 3'],
      );
      assert.deepEqual(result['secrets_tried'], [
        {position: 1, fingerprint: old, source: 'old.secret'},
        {position: 2, fingerprint: old, source: 'both.secret, line 1'},
        {position: 3, fingerprint: own, source: 'both.secret, line 3'},
      ]);
      const list = place({REMIT_WEBHOOK_SECRET: `${OLD},${SECRET}`});
      assert.match((await list.run(argv)).stdout, /\(REMIT_WEBHOOK_SECRET, number 2; 2 of 2\)/);
    });

    it('names those that do not match, and the one that would', async () => {
      const {cwd, run} = several();
      writeFileSync(join(cwd, 'body.json'), `${BODY}\n`);
      const text = await run([...argv, '--secret-from', 'both.secret']);
      assert.equal(text.exitCode, 14);
      assert.ok(
        text.stderr.endsWith(
          `\n  checked against 2 secrets: ${old} (both.secret, line 1), ${own} (both.secret, line 3)` +
            `\n  matches the secret ${own} (both.secret, line 3) if the final newline is removed\n`,
        ),
        text.stderr,
      );
      const {details} = (await run([...argv, '--secret-from', 'both.secret', '--json'])).error();
      assert.deepEqual(details!['diagnosis'], [
        {
          code: 'body.final_newline_removed',
          matches_if: 'the final newline is removed',
          secret_position: 2,
        },
      ]);
      assert.deepEqual([details!['secret_fingerprint'], details!['secret_position']], [null, null]);
      assert.equal((details!['secrets_tried'] as unknown[]).length, 2);
      writeFileSync(join(cwd, 'many'), Array.from({length: 8}, (_, at) => `whsec_${at}`).join('\n'), {
        mode: 0o600,
      });
      const many = await run([...argv, '--secret-from', 'many']);
      assert.match(many.stderr, /checked against 8 secrets: .*line 5\), 3 more\n/);
      assert.doesNotMatch(text.stderr + many.stderr, /whsec_/);
    });

    it('names the one that a stale delivery matches, its age and the limit', async () => {
      const {run} = several();
      for (const [at, reason, words] of [
        ['2026-02-02T02:50:00Z', 'too_old', /in the past: it is 600 s old, and the limit is 300 s \(--tol/],
        ['2026-02-04T02:39:59Z', 'too_old', /in the past: it is 172799 s old, and/],
        ['2026-02-04T02:40:00Z', 'too_old', /in the past: it is 172800 s \(2 days\) old, and/],
        ['2026-02-02T02:30:00Z', 'in_the_future', /is 600 s ahead, .* is 300 s \(--tolerance-future\)/],
      ] as const) {
        const stale = ['verify', '@body.json', ...SIGNED, '--at', at, '--secret-from', 'both.secret'];
        const text = await run(stale);
        assert.match(text.stderr, words);
        assert.ok(
          text.stderr.includes(`matches the secret ${own} (both.secret, line 3; 2 of 2)`),
          text.stderr,
        );
        const {details} = (await run([...stale, '--json'])).error();
        assert.deepEqual([details!['reason'], details!['secret_position']], [reason, 2]);
      }
    });

    it('names the secret with which a recorded delivery verified when it arrived', async () => {
      const {cwd, run} = several();
      const line = {
        ...{type: 'event', delivery: 'dlv_1', received_at: '2026-02-02T02:40:05.000Z'},
        headers: Object.entries(signatureHeaders(SECRET, BODY, Number(TS) * 1000)),
        ...{body_base64: Buffer.from(BODY).toString('base64'), secret_fingerprint: own},
      };
      const before = ['verify', '-', '--secret-from', 'old.secret'];
      const wrong = await run(before, {stdin: JSON.stringify(line)});
      assert.match(wrong.stderr, new RegExp(`it verified with another secret when it arrived: ${own}\n`));
      const altered = {...line, body_base64: Buffer.from(`${BODY} `).toString('base64')};
      const known = await run(['verify', '-', '--secret-from', 'both.secret'], {
        stdin: JSON.stringify(altered),
      });
      assert.doesNotMatch(known.stderr, /when it arrived/, 'it is among those that were tried');
      await record(join(cwd, 'state', 'webhooks', 'record'), [
        {
          kind: 'delivery',
          delivery: delivery(1, {headers: line.headers, body: Buffer.from(BODY), secret: own!}),
        },
      ]);
      const env = {HOME: cwd, REMIT_STATE_DIR: join(cwd, 'state')};
      const stored = await run(['verify', delivery(1).id, ...before.slice(2), '--json'], {env});
      assert.equal(stored.error().details!['recorded_fingerprint'], own);
    });

    it('names them once for lines, and none if no secret was needed', async () => {
      const {run} = several();
      const signed = Object.entries(signatureHeaders(SECRET, BODY, Number(TS) * 1000));
      const line = (headers: readonly string[][]) =>
        JSON.stringify({
          ...{type: 'rejected', delivery: 'dlv_1', received_at: '2026-02-02T02:40:05.000Z', headers},
          body_base64: Buffer.from('{}').toString('base64'),
        });
      const from = ['verify', '-', '--secret-from', 'old.secret'];
      const two = await run(from, {stdin: `${line(signed)}\n${line(signed)}\n`});
      assert.equal(two.stderr.split(`checked against the secret ${old} (old.secret)`).length, 2, two.stderr);
      const unsigned = await run([...from, '--json'], {stdin: line([])});
      assert.deepEqual(unsigned.error().details!['secrets_tried'], []);
    });
  });

  it('decodes secrets only on request', async () => {
    const {cwd, run} = place();
    const bytes = Buffer.from('0123456789abcdef', 'hex');
    writeFileSync(join(cwd, 'hex.secret'), bytes.toString('hex'), {mode: 0o600});
    const signed = ['--signature', signWebhook(bytes, TS, BODY), '--timestamp', TS, ...AT];
    const argv = ['verify', '@body.json', ...signed, '--secret-from', 'hex.secret'];
    const plain = await run(argv);
    assert.match(plain.stderr, /matches if the secret is decoded from hexadecimal/);
    assert.equal((await run([...argv, '--secret-encoding', 'hex'])).exitCode, 0);
    assert.equal((await run([...argv, '--secret-encoding', 'base64'])).exitCode, 14);
  });

  it('refuses what cannot be meant', async () => {
    const {run} = place();
    const file = await run(['verify', 'body.json', '--json']);
    assert.deepEqual([file.exitCode, file.error().hint], [4, 'for the file of this name: @body.json']);
    for (const argv of [
      ['@body.json'],
      ['body.json', ...SIGNED],
      ['@body.json', '--signature', 'x'],
      ['@body.json', ...SIGNED, '--headers', '@x'],
      ['@body.json', ...SIGNED, '--at', 'yesterday'],
      [`dlv_${'0'.repeat(24)}`, ...SIGNED],
    ])
      assert.equal((await run(['verify', ...argv])).exitCode, 2, argv.join(' '));
    assert.equal((await run(['verify', `dlv_${'0'.repeat(24)}`])).exitCode, 4);
    assert.equal((await run(['verify', '@nowhere', ...SIGNED])).exitCode, 13);
  });
});

describe('webhooks sign', () => {
  it('prints headers that verify', async () => {
    const {run} = place();
    const text = await run(['sign', '@body.json', '--timestamp', TS]);
    assert.equal(text.stdout, `X-Webhook-Timestamp: ${TS}\nX-Webhook-Signature: ${SIGNED[1]}\n`);
    const json = (await run(['sign', '-', '--json'], {stdin: BODY})).json() as {
      headers: Record<string, string>;
    };
    const nowMs = Number(json.headers['X-Webhook-Timestamp']) * 1000;
    const {headers} = json;
    assert.equal(verifyWebhook({body: Buffer.from(BODY), headers, secrets: SECRET, nowMs}).ok, true);
  });
});

describe('webhooks send', () => {
  async function receiver(status: number, use: (port: number) => Promise<void>) {
    const open = await Receiver.open();
    open.answerWith(status, 'thanks\u001b[2J');
    try {
      await use(open.port);
    } finally {
      open.close();
    }
    return open.got;
  }

  it('posts the bytes, signed, and shows the answer', async () => {
    const {cwd, run} = place();
    const bytes = Buffer.from([0x7b, 0xff, 0x0d, 0x0a]);
    writeFileSync(join(cwd, 'bytes'), bytes);
    const got = await receiver(200, async (port) => {
      const ran = await run(['send', `127.0.0.1:${port}/hook`, '@bytes', '-H', 'X-Trace: 1']);
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.match(ran.stdout, /^200 {2}http:\/\/127\.0\.0\.1:\d+\/hook {2}[\d.]+ ms\nthanks\[2J\n$/);
    });
    const {request, body} = got[0]!;
    assert.deepEqual(body, bytes);
    assert.equal(`${request.method} ${request.url}`, 'POST /hook');
    assert.equal(request.headers['x-trace'], '1');
    const nowMs = Number(request.headers['x-webhook-timestamp']) * 1000;
    assert.equal(verifyWebhook({body, headers: request.rawHeaders, secrets: SECRET, nowMs}).ok, true);
  });

  it('ends with 8 for another status, and with 7 without an answer', async () => {
    const {run} = place();
    let closed = 0;
    await receiver(500, async (port) => {
      closed = port;
      const ran = await run(['send', String(port), '@body.json', '--json']);
      assert.equal(ran.exitCode, 8);
      assert.equal((ran.json() as {status: number}).status, 500);
    });
    const ran = await run(['send', String(closed), '@body.json']);
    assert.equal(ran.exitCode, 7);
    assert.match(ran.stderr, /connection refused/);
  });

  it('asks for a file if the payload itself is typed', async () => {
    const {run} = place();
    const ran = await run(['send', '3000/hook', '{"id":"e1"}']);
    assert.equal(ran.exitCode, 2);
    assert.match(ran.stderr, /^Hint: save the payload to a file, then write @FILE$/m);
    const named = await run(['send', '3000/hook', 'body.json']);
    assert.match(named.stderr, /^Hint: write @body\.json for the contents of that file$/m);
  });

  it('refuses a header that cannot be sent, and sends nothing', async () => {
    const {run} = place();
    const got = await receiver(200, async (port) => {
      for (const value of ['a\u0001b', 'a\u007f', '\u001b[2J', 'a\nb', '€']) {
        const ran = await run(['send', String(port), '@body.json', '-H', `X-Trace: ${value}`]);
        assert.equal(ran.exitCode, 2, `${JSON.stringify(value)}: ${ran.stderr}`);
        assert.match(ran.stderr, /X-Trace/);
        assert.doesNotMatch(ran.stderr, /[\u0001\u001b\u007f]/);
      }
      for (const name of ['Host', 'content-length', 'Transfer-Encoding', 'Connection']) {
        const ran = await run(['send', String(port), '@body.json', '-H', `${name}: 1`]);
        assert.equal(ran.exitCode, 2, name);
        assert.ok(ran.stderr.includes(`--header cannot set ${name}`), ran.stderr);
      }
      assert.equal((await run(['send', String(port), '@body.json', '-H', 'X-Trace: a\tb é'])).exitCode, 0);
    });
    assert.equal(got.length, 1);
  });

  it('prints the command with the receiver first if the two were swapped', async () => {
    const {run} = place();
    const ran = await run(['send', '@body.json', 'http://localhost:1/hook', '--json']);
    assert.equal(ran.exitCode, 2, ran.stderr);
    assert.equal(ran.error().hint, 'remit webhooks send http://localhost:1/hook @body.json');
    assert.doesNotMatch((await run(['sign', 'http://localhost:1/hook'])).stderr, /write @http/);
  });

  it('sends to this machine only, by default', async () => {
    const {run} = place();
    for (const to of ['https://example.com/hook', '10.0.0.1:3000', '[::2]:3000', 'localhost.example.com']) {
      const ran = await run(['send', to, '@body.json']);
      assert.equal(ran.exitCode, 11, to);
      assert.match(ran.stderr, /--allow-external/);
    }
    assert.equal((await run(['send', 'ftp://localhost/', '@body.json'])).exitCode, 2);
    assert.equal((await run(['send', '3000', '@body.json', '-H', 'x-webhook-signature: 1'])).exitCode, 2);
  });
});
