import assert from 'node:assert/strict';
import {rmSync, writeFileSync} from 'node:fs';
import type {ServerResponse} from 'node:http';
import {join} from 'node:path';
import {tableRows} from '../../repo/markdown.ts';
import {readText} from '../../repo/tree.ts';
import {systemClock} from '../../../src/clock.ts';
import {objectText} from '../../../src/cli/webhooks/listen/view.ts';
import {plainPaint} from '../../../src/output/text/colour.ts';
import type {ObjectLine} from '../../../src/webhooks/delivery/lines.ts';
import {readAllEntries} from '../../../src/webhooks/record/reader.ts';
import {secretFingerprint} from '../../../src/webhooks/verify/secrets.ts';
import {signatureHeaders, verifyWebhook} from '../../../src/webhooks/verify/signature.ts';
import {BASE_URL, runCli, scratch, TEST_KEY, type CliOptions} from '../../cli/run-cli.ts';
import {answer, type Script} from '../../client/transport/fake-transport.ts';
import {LINE, LINES} from '../../../src/webhooks/delivery/line-schemas.ts';
import {EndpointService} from './endpoint-service.ts';
import {body, Listening, SECRET} from './listening.ts';
import {Receiver, type Received} from './receiver.ts';

const seen = new Set<string>();

describe('webhooks listen', () => {
  let home: string;
  let env: Record<string, string>;
  let listening: Listening | undefined;
  const targets: Receiver[] = [];
  const got: Received[] = [];

  beforeEach(() => {
    home = scratch();
    env = {HOME: home, REMIT_STATE_DIR: join(home, 'state'), REMIT_WEBHOOK_SECRET: SECRET};
    got.length = 0;
  });
  afterEach(async () => {
    if (listening?.stop.reason === undefined) await listening?.end();
    for (const line of listening?.lines ?? []) {
      const parsed = LINE.safeParse(line);
      assert.ok(parsed.success, `${JSON.stringify(line)}: ${parsed.error?.message}`);
      seen.add(line.type);
    }
    listening = undefined;
    for (const receiver of targets.splice(0)) receiver.close();
  });

  const recordFolder = () => join(home, 'state', 'webhooks', 'record');
  const recorded = () =>
    [...readAllEntries(recordFolder())].flatMap((entry) =>
      entry.kind === 'delivery' ? [entry.delivery] : [],
    );
  const open = async (...words: string[]) => (listening = await Listening.open(env, words));

  /** A target that answers as it is told; its address. */
  async function target(
    answer: (response: ServerResponse, nth: number) => void = (response) => response.end(),
  ) {
    const receiver = await Receiver.open((response, received) => {
      got.push(received);
      answer(response, receiver.got.length);
    });
    targets.push(receiver);
    return receiver.url;
  }

  it('verifies, records, answers and shows deliveries, and sums up', async () => {
    const at = await open('--path', '/hook');
    assert.match(at.ready.url, /^http:\/\/127\.0\.0\.1:\d+\/hook$/);
    const bytes = Buffer.concat([Buffer.from('\ufeff'), body(1), Buffer.from('\r\n')]);
    assert.equal(await at.post(bytes), 200);
    const [delivery] = recorded();
    assert.deepEqual(delivery!.body, bytes);
    assert.equal(
      await at.post(Buffer.concat([bytes, bytes]), signatureHeaders(SECRET, bytes, Date.now())),
      401,
    );
    const old = signatureHeaders(SECRET, bytes, Date.now() - 400_000);
    assert.equal(await at.post(bytes, old), 401);
    assert.equal(await at.post(Buffer.from('not json')), 200);
    await at.until(({type}) => type === 'event', 2);
    const [event, plain] = at.of('event');
    assert.deepEqual(event!.headers, delivery!.headers);
    assert.equal(Buffer.from(event!.body_base64, 'base64').compare(bytes), 0);
    assert.deepEqual(
      [event!.id, event!.event_type, event!.verdict, event!.attempt],
      ['e1', 'payout.settled', 'verified', 1],
    );
    assert.deepEqual([plain!.id, plain!.body], [null, null]);
    assert.deepEqual(
      at.of('rejected').map(({reason}) => reason),
      ['mismatch', 'too_old'],
    );
    const ended = await at.end();
    assert.equal(ended.exitCode, 130, ended.stderr);
    const {received, verified, rejected} = at.of('summary')[0]!;
    assert.deepEqual([received, verified, rejected], [4, 2, 2]);
    assert.equal(recorded().length, 4);
  });

  it('names what the JSON of a verified body does not show', async () => {
    const at = await open();
    const bytes = Buffer.from(
      '{"id":"e1","type":"payout.settled","data":{"payout_id":"p1","payout_id":"p2","amount":9007199254740993}}',
    );
    assert.equal(await at.post(bytes, {}), 401);
    assert.equal(await at.post(bytes), 200);
    const deep = Buffer.from('['.repeat(400_000) + ']'.repeat(400_000));
    assert.equal(await at.post(deep), 200);
    await at.until(({type}) => type === 'event', 2);
    assert.ok(!('lost' in at.of('rejected')[0]!), 'only after it verified');
    const lost = [
      {path: 'data.payout_id', kind: 'duplicate_key', sent: null},
      {path: 'data.amount', kind: 'number', sent: '9007199254740993'},
    ];
    const [event, second] = at.of('event');
    assert.deepEqual(event!.lost, lost);
    assert.deepEqual([second!.body, second!.lost?.[0]?.kind], [null, 'too_deep']);
    const events = (...words: string[]) => runCli(['webhooks', ...words], {env});
    const text = await events('events', 'show', event!.delivery);
    assert.match(text.stdout, /^Lost in JSON\tdata\.payout_id: present more than once; .*9007199254740993$/m);
    assert.equal((await events('events', 'export', '--out', join(home, 'all.ndjson'))).exitCode, 0);
    const verified = await events('verify', event!.delivery);
    assert.match(
      verified.stderr,
      /data\.amount was sent as 9007199254740993: most programs read 9007199254740992/,
    );
    assert.deepEqual(
      ((await events('verify', event!.delivery, '--json')).json() as {lost: unknown}).lost,
      lost,
    );
  });

  it('takes POST on its path alone', async () => {
    const at = await open('--path', '/hook');
    assert.equal(await at.request('GET', '/healthz'), 200);
    assert.equal(await at.request('POST', '/healthz'), 405);
    assert.equal(await at.request('GET', '/hook'), 405);
    assert.equal(await at.request('POST', '/'), 404);
    assert.equal(await at.request('POST', '/hook/'), 404);
    assert.equal(
      await at.request('POST', '/hook?a=1', body(1), signatureHeaders(SECRET, body(1), Date.now())),
      200,
    );
  });

  it('prints each other path that gets a POST once, and counts the requests', async () => {
    const at = new Listening();
    let text = '';
    const onOutput = (more: string) => (text += more);
    const words = ['webhooks', 'listen', '--port', '0', '--no-color'];
    const ran = runCli(words, {env, columns: 200, clock: systemClock, stop: at.stop, onOutput});
    while (!text.includes('Listening on')) await new Promise((resolve) => setImmediate(resolve));
    at.lines.push({
      ...{type: 'ready', url: 'http://x', path: '/', port: Number(/:(\d+)\//.exec(text)![1])},
      ...{endpoint_id: null, recorded: true, ui_url: null},
    });
    const others = Array.from({length: 20}, (_, n) => `/${n}'`);
    for (const path of ['/hooks?a=1', '/hooks', ...others]) assert.equal(await at.request('POST', path), 404);
    assert.equal(await at.request('GET', '/favicon.ico'), 404);
    at.stop.receive('SIGINT');
    const {stderr} = await ran;
    at.stop.release();
    const printed = stderr.match(/404 for POST .*/g)!;
    assert.equal(
      printed[0],
      '404 for POST /hooks: this listener answers only at /. To receive it there: --path /hooks',
    );
    assert.match(printed[1]!, /--path '\/0'\\'''$/);
    assert.equal(printed.length, 10);
    assert.match(text, /0 received.*, 22 to other paths \(404\)/);
  });

  it('refuses large bodies with 413', async () => {
    const at = await open('--max-body', '1KB');
    const large = Buffer.alloc(1025, 0x20);
    assert.equal(await at.post(large), 413);
    assert.equal(await at.post(Buffer.alloc(1024, 0x20)), 200);
    assert.equal(at.of('rejected')[0]!.reason, 'body_too_large');
  });

  it('keeps all of a large body that verified, and the start of one that did not', async () => {
    const at = await open();
    const large = Buffer.alloc(100_000, 0x20);
    assert.equal(await at.post(large), 200);
    assert.equal(await at.post(large, signatureHeaders('another', large, Date.now())), 401);
    await at.until(({type}) => type === 'rejected');
    const [rejected] = at.of('rejected');
    assert.deepEqual([rejected!.reason, rejected!.body_bytes], ['mismatch', 100_000]);
    assert.deepEqual(
      recorded().map(({body: kept, bodyBytes}) => [kept.length, bodyBytes]),
      [
        [100_000, undefined],
        [16_384, 100_000],
      ],
    );
    const verify = (...words: string[]) => runCli(['webhooks', 'verify', ...words], {env});
    const cut = await verify(rejected!.delivery);
    assert.equal(cut.exitCode, 14);
    assert.match(cut.stderr, /kept only the start of its large body/);
    assert.equal((await verify(at.of('event')[0]!.delivery)).exitCode, 0);
    const shown = await runCli(['webhooks', 'events', 'show', rejected!.delivery], {env});
    assert.match(shown.stdout, /^Body bytes\t100000$/m);
  });

  it('shows each event once, and marks what comes again, also after a restart', async () => {
    let at = await open();
    assert.equal(await at.post(body(1)), 200);
    assert.equal(await at.post(body(1)), 200);
    await at.until(({type}) => type === 'duplicate');
    assert.equal(at.of('duplicate')[0]!.first_delivery, at.of('event')[0]!.delivery);
    await at.end();
    at = await open();
    assert.equal(await at.post(body(1)), 200);
    assert.equal(await at.post(Buffer.concat([body(1), Buffer.from(' ')])), 200);
    await at.until(({type}) => type === 'event');
    assert.deepEqual(
      [at.of('duplicate')[0]!.attempt, at.of('event')[0]!.attempt],
      [3, 4],
      'other bytes are shown',
    );
  });

  it('accepts any of several secrets, and unverified deliveries only when told to', async () => {
    env['REMIT_WEBHOOK_SECRET'] = `another,${SECRET}`;
    let at = await open();
    assert.equal(await at.post(body(1)), 200);
    await at.end();
    at = await open('--allow-unverified');
    assert.equal(await at.post(body(2), {}), 200);
    assert.equal(await at.post(body(3)), 200);
    await at.until(({type}) => type === 'event', 2);
    assert.deepEqual(
      at.of('event').map(({verdict, secret_fingerprint: secret}) => [verdict, secret]),
      [
        ['unverified', null],
        ['verified', secretFingerprint(SECRET)],
      ],
    );
    await at.end();
    env['REMIT_WEBHOOK_SECRET'] = '';
    const none = await runCli(['webhooks', 'listen', '--port', '0'], {env});
    assert.equal(none.exitCode, 2);
    assert.match(none.stderr, /REMIT_WEBHOOK_SECRET, --secret-from FILE or --register/);
  });

  it('takes a secret that is added to the file of --secret-from', async () => {
    const file = join(home, 'hook.secret');
    writeFileSync(file, `${SECRET}\n`, {mode: 0o600});
    const at = await open('--secret-from', file);
    assert.equal(await at.post(body(1)), 200);
    const added = 'whsec_added_added';
    writeFileSync(file, `${SECRET}\n${added}\n`);
    assert.equal(await at.post(body(2), signatureHeaders(added, body(2), Date.now())), 200);
    assert.equal(await at.post(body(3)), 200);
    const {stderr} = await at.end();
    const now = `${secretFingerprint(SECRET)} (${file}, line 1), ${secretFingerprint(added)} (${file}, line 2)`;
    assert.equal(stderr, `Verifying with secrets ${now} from now on.\n`);
  });

  it('records and counts what --events leaves out, and neither shows nor forwards it', async () => {
    const at = await open('--events', 'payin.*,payout.failed', '--forward-to', await target());
    for (const [number, type] of ['payout.settled', 'payin.settled', 'payout.failed'].entries())
      assert.equal(await at.post(body(number, type)), 200);
    await at.until(({type}) => type === 'forward', 2);
    assert.deepEqual(
      at.of('filtered').map(({event_type}) => event_type),
      ['payout.settled'],
    );
    assert.equal(got.length, 2);
    assert.equal(recorded().length, 3);
  });

  it('forwards bytes and headers as they came, to every target of the type', async () => {
    const [all, some] = [await target(), await target()];
    const at = await open('--forward-to', all, '--route', `payin.*=${some}`, '--show-response');
    const headers = {
      'x-TRACE': 'b',
      Connection: 'close',
      ...signatureHeaders(SECRET, body(1), Date.now()),
    };
    assert.equal(await at.post(body(1), headers), 200);
    await at.until(({type}) => type === 'forward');
    assert.equal(await at.post(body(2, 'payin.failed')), 200);
    await at.until(({type}) => type === 'forward', 3);
    assert.equal(got.length, 3);
    const {request, body: bytes} = got[0]!;
    assert.deepEqual(bytes, body(1));
    const sent = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'Connection'));
    const passed = request.rawHeaders.filter((_, index) => index % 2 === 0);
    for (const name of Object.keys(sent)) assert.ok(passed.includes(name), name);
    assert.equal(verifyWebhook({body: bytes, headers: request.rawHeaders, secrets: SECRET}).ok, true);
    assert.deepEqual([...new Set(at.of('forward').map(({target: to}) => to))].sort(), [all, some].sort());
  });

  it('re-signs forwards with another secret when told to', async () => {
    writeFileSync(join(home, 'local.secret'), 'local secret\n', {mode: 0o600});
    const at = await open('--forward-to', await target(), '--resign', 'local.secret');
    const late = signatureHeaders(SECRET, body(1), Date.now() - 200_000);
    assert.equal(await at.post(body(1), late), 200);
    await at.until(({type}) => type === 'forward');
    const {request, body: bytes} = got[0]!;
    const verified = verifyWebhook({body: bytes, headers: request.rawHeaders, secrets: 'local secret'});
    assert.ok(verified.ok && verified.ageSeconds < 5);
  });

  it('retries a failed forward, gives up, and forwards a duplicate again until one arrived', async () => {
    const failing = await target((response, nth) => response.writeHead(nth === 2 ? 200 : 500).end());
    const at = await open('--forward-to', failing, '--forward-attempts', '1');
    await at.post(body(1));
    await at.until(({type}) => type === 'dead');
    await at.post(body(1));
    await at.until(({type}) => type === 'forward', 2);
    await at.post(body(1));
    await at.post(body(2));
    await at.until(({type}) => type === 'forward', 3);
    assert.deepEqual(
      at.of('forward').map(({status}) => status),
      [500, 200, 500],
    );
    await at.end();
    const listed = await runCli(['webhooks', 'events', 'list', '--failed', '-o', 'json'], {env});
    assert.equal((listed.json() as unknown[]).length, 2);
  });

  it('refuses a second listener on the same record, which can run without one', async () => {
    const at = await open();
    const argv = ['webhooks', 'listen', '--port', '0', '-o', 'ndjson'];
    const second = await runCli(argv, {env, clock: systemClock});
    assert.equal(second.exitCode, 13, second.stderr);
    assert.match(second.error().message, /^a webhook listener is already running: process /);
    assert.match(second.error().hint!, /add --no-record --port 0$/);
    assert.equal(second.stdout, '', 'it took no port, and no delivery');
    const beside = await Listening.open(env, ['--no-record']);
    assert.equal(await beside.post(body(1)), 200);
    await beside.end();
    assert.equal(recorded().length, 0);
    const taken = await runCli([...argv.slice(0, 3), String(at.ready.port)], {
      env: {...env, REMIT_STATE_DIR: home},
    });
    assert.equal(taken.exitCode, 13, taken.stderr);
    await at.end();
    await (await open()).end();
  });

  it('refuses with 503 beyond the backlog, and shows the refusal, while a target hangs', async () => {
    const at = await open('--forward-to', await target(() => undefined), '--max-backlog', '2');
    assert.equal(await at.post(body(1)), 200);
    assert.equal(await at.post(body(2)), 200);
    assert.equal(await at.post(body(3)), 503);
    await at.until(({type}) => type === 'refused');
    assert.equal(at.of('refused')[0]!.reason, 'backlog');
    assert.equal(recorded().length, 2);
    at.stop.receive('SIGINT');
    at.stop.receive('SIGINT');
    await at.ended();
    assert.equal(at.of('event').length, 2);
  });

  it('goes on with what an earlier run did not forward', async () => {
    const hanging = await target((response, nth) => nth > 1 && response.end());
    let at = await open('--forward-to', hanging);
    await at.post(body(1));
    while (got.length === 0) await new Promise((resolve) => setImmediate(resolve));
    at.stop.receive('SIGINT');
    at.stop.receive('SIGINT');
    await at.ended();
    at = await open('--forward-to', hanging);
    await at.until(({type}) => type === 'forward');
    assert.deepEqual(got.at(-1)!.body, body(1));
  });

  it('answers with what the target answers, when told to', async () => {
    const at = await open(
      '--respond',
      'downstream',
      '--forward-to',
      await target((response, nth) => response.writeHead(nth === 1 ? 500 : 202).end()),
    );
    assert.equal(await at.post(body(1)), 500);
    assert.equal(await at.post(body(1)), 202);
    await at.end();
    assert.deepEqual([at.of('dead'), at.of('summary')[0]!.failed], [[], 0]);
    const failed = await runCli(['webhooks', 'events', 'list', '--failed', '-o', 'json'], {env});
    assert.deepEqual(failed.json(), []);
  });

  it('answers 503 and claims nothing when the delivery cannot be recorded', async () => {
    const at = await open();
    rmSync(recordFolder(), {recursive: true});
    writeFileSync(recordFolder(), '');
    assert.equal(await at.post(body(1)), 503);
    await at.until(({type}) => type === 'refused');
    rmSync(recordFolder());
    assert.equal(await at.post(body(1)), 200);
    await at.until(({type}) => type === 'event');
    assert.equal(at.of('event').length, 1);
    assert.equal(at.of('duplicate').length, 0);
    assert.equal(recorded().length, 1);
  });

  it('reports a target that is not there', async () => {
    const url = await target();
    targets.pop()!.close();
    const at = await open('--forward-to', url, '--forward-attempts', '1');
    await at.until(({type}) => type === 'target');
    assert.equal(at.of('target')[0]!.error, 'connection refused');
    await at.post(body(1));
    await at.until(({type}) => type === 'dead');
  });

  it('ends with 0 when the expected event arrived, and with 10 when it did not', async () => {
    const words = ['--expect', 'payout.settled', '--match', 'payout_id=p2', '--timeout'];
    let at = await open(...words, '60s');
    await at.post(body(1));
    await at.post(body(2));
    assert.equal((await at.ended()).exitCode, 0);
    assert.equal(at.of('expect')[0]!.delivery, at.of('event')[1]!.delivery);
    at.stop.receive('SIGINT');
    at = await open(...words, '50ms');
    assert.equal((await at.ended()).exitCode, 10);
    assert.equal(at.of('expect')[0]!.matched, false);
    at.stop.receive('SIGINT');
  });

  const payout = {
    ...{id: 'p1', status: 'settled', amount_in_minor_units: 150_075},
    ...{currency_code: 'USD', rail: 'wire'},
  };
  const notFound = (path: string) =>
    `the service answered 404 NOT_FOUND: no such payout (GET ${BASE_URL}/api/${path})`;
  const openWith = async (service: Script, words: readonly string[]) => {
    Object.assign(env, {REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL});
    const run = (argv: readonly string[], options: CliOptions) => runCli(argv, {...options, service});
    return (listening = await Listening.open(env, words, run));
  };
  const openExpanding = (service: Script, words: readonly string[] = []) =>
    openWith(service, ['--expand', ...words]);

  it('--expand shows the object of each verified event once, or why it was not read', async () => {
    const paths: string[] = [];
    const at = await openExpanding(
      ({method, path}) => {
        paths.push(`${method} ${path}`);
        return path === '/api/payouts/p1'
          ? answer(200, payout)
          : answer(404, {error_code: 'NOT_FOUND', message: 'no such payout'});
      },
      ['--allow-unverified', '--events', 'payout.settled,payin.failed'],
    );
    await at.post(body(1));
    await at.post(body(1));
    await at.post(body(2));
    await at.post(body(3), {});
    await at.post(body(4, 'payout.failed'));
    await at.post(Buffer.from('{"id":"e5","type":"payin.failed","data":{"payin_id":"p5/../x"}}'));
    await at.post(Buffer.from('{"id":"e6","type":"payin.failed","data":{"payin_id":7}}'));
    await at.until(({type}) => type === 'object', 4);
    await at.end();
    assert.deepEqual(
      at.of('object').map(({resource, id, object, error}) => [resource, id, object, error]),
      [
        ['payout', 'p1', payout, null],
        ['payout', 'p2', null, notFound('payouts/p2')],
        ['payin', 'p5/../x', null, notFound('payins/p5%2F..%2Fx')],
        ['payin', '7', null, notFound('payins/7')],
      ],
    );
    assert.equal(at.of('object')[0]!.delivery, at.of('event')[0]!.delivery);
    assert.deepEqual(paths, [
      'GET /api/payouts/p1',
      'GET /api/payouts/p2',
      'GET /api/payins/p5%2F..%2Fx',
      'GET /api/payins/7',
    ]);
    assert.equal(at.lines.at(-1)!.type, 'summary');
  });

  it('--expand delays nothing while the service hangs, and holds a bounded number of events', async () => {
    let asked = 0;
    const at = await openExpanding(() => {
      asked += 1;
      return new Promise<never>(() => undefined);
    });
    for (let number = 0; number < 103; number += 1) assert.equal(await at.post(body(number)), 200);
    await at.until(({type}) => type === 'object');
    assert.deepEqual([asked, at.of('event').length], [2, 103]);
    const [refused, ...others] = at.of('object');
    assert.deepEqual(others, []);
    assert.deepEqual([refused!.id, refused!.error], ['p102', '100 objects are already waiting']);
    at.stop.receive('SIGINT');
    at.stop.receive('SIGINT');
    assert.equal((await at.ended()).exitCode, 130);
  });

  it('--expand needs a key, and has one line for people', async () => {
    const none = await runCli(['webhooks', 'listen', '--port', '0', '--expand'], {env});
    assert.equal(none.exitCode, 3, none.stderr);
    const screen = {paint: plainPaint, columns: 60, isTerminal: true};
    const line: ObjectLine = {
      ...{type: 'object', delivery: 'dlv_1', resource: 'payout', id: 'p1', object: payout, error: null},
    };
    assert.equal(objectText(line, screen), '           payout p1  settled  1,500.75 USD  wire');
    const returned = {status: 'failed', transfer_details: {failure: {code: 'R03', message: 'no account'}}};
    assert.match(objectText({...line, object: returned}, screen), /p1 {2}failed {2}R03 no account$/);
    const failed = objectText({...line, object: null, error: 'no such payout '.repeat(9)}, screen);
    assert.match(failed, /^ {11}payout p1 {2}not read: no such payout .*…$/);
    assert.equal(failed.length, 60);
  });

  it('--register looks for other endpoints of its URL after a delivery that does not match', async () => {
    const service = new EndpointService();
    const url = 'https://hooks.example.com/';
    const at = await openWith(service.script(), ['--register', '--public-url', url]);
    const other = service.add({url});
    assert.equal(await at.post(body(1), signatureHeaders(other.secret, body(1), Date.now())), 401);
    await at.until(({type}) => type === 'endpoint');
    const ended = await at.end();
    assert.deepEqual(at.of('endpoint'), [
      {
        ...{type: 'endpoint', endpoint_id: at.ready.endpoint_id, state: 'active', error: null},
        same_url: [other.id],
      },
    ]);
    assert.match(ended.stderr, new RegExp(`remit webhooks endpoints delete ${other.id}`));
    assert.deepEqual([service.ids, at.of('summary')[0]!.endpoints_left], [[other.id], []]);
  });

  it('refuses flags that cannot be meant, and targets that are not local', async () => {
    for (const [words, code] of [
      [['--path', 'hook'], 2],
      [['--register'], 2],
      [['--match', 'a=b'], 2],
      [['--respond', 'downstream'], 2],
      [['--route', 'payout.*'], 2],
      [['--events', 'No!'], 2],
      [['--forward-to', 'https://example.com'], 11],
    ] as const) {
      const ran = await runCli(['webhooks', 'listen', '--port', '0', ...words], {env});
      assert.equal(ran.exitCode, code, `${words.join(' ')}: ${ran.stderr}`);
    }
  });

  it('names types that do not exist, and files that cannot be read', async () => {
    const at = await open('--expect', 'payout.setled', '--events', 'payout.*,payins.*', '--timeout', '1ms');
    const {stderr, exitCode} = await at.ended();
    assert.equal(exitCode, 10);
    assert.match(
      stderr,
      /no documented event type matches payins\.\*\n.*event type matches payout\.setled\n/,
    );
    const refused = (...words: string[]) => runCli(['webhooks', 'listen', '--port', '0', ...words], {env});
    const none = await refused('--register', '--tls', '--events', 'payouts.*');
    assert.equal(none.exitCode, 2, none.stderr);
    assert.match(none.stderr, /payouts\.\* matches no event type.*\nHint: remit webhooks event-types\n/);
    for (const flag of ['--resign', '--secret-from']) {
      const unread = await refused(flag, 'nowhere');
      assert.equal(unread.exitCode, 13, unread.stderr);
      assert.match(unread.stderr, /Could not read .*nowhere: it does not exist\n/);
    }
    const elsewhere = await refused('--host', '192.0.2.1');
    assert.equal(elsewhere.exitCode, 13);
    assert.match(elsewhere.stderr, /does not have this address\nHint: choose an address of this machine/);
    at.stop.receive('SIGINT');
  });

  it('shows people one line a delivery, which fits 80 columns', async () => {
    let text = '';
    const at = new Listening();
    const onOutput = (more: string) => (text += more);
    const failing = await target((response) => response.writeHead(500).end());
    const words = ['--no-color', '--route', `payin.*=${failing}`, '--forward-attempts', '1'];
    const ran = runCli(['webhooks', 'listen', '--port', '0', ...words], {
      env,
      columns: 80,
      clock: systemClock,
      stop: at.stop,
      onOutput,
    });
    while (!text.includes('Listening on')) await new Promise((resolve) => setImmediate(resolve));
    const port = Number(/:(\d+)\//.exec(text)![1]);
    at.lines.push({
      ...{type: 'ready', url: 'http://x', path: '/', port},
      ...{endpoint_id: null, recorded: true, ui_url: null},
    });
    const credit = Buffer.from(
      '{"id":"019b76da-a800-7000-8235-80d251bba0e9","type":"subaccount.credit_received","data":{"subaccount_id":"019b76da-a7ff-7000-9d0c-4f2f6a1b3c5d","amount_in_minor_units":500,"amount_cents":500}}',
    );
    await at.post(credit);
    await at.post(credit, {});
    await at.post(Buffer.from('{"id":"e9","type":"payout.settled","data":{"amount":9007199254740993}}'));
    await at.post(body(7, 'payin.failed'));
    await at.post(body(8), signatureHeaders(SECRET, body(8), Date.now(), 'milliseconds'));
    await at.post(body(8), signatureHeaders('another', body(8), Date.now(), 'iso8601'));
    while (!['no_timestamp', 'most programs', 'gave up'].every((part) => text.includes(part)))
      await new Promise((resolve) => setImmediate(resolve));
    at.stop.receive('SIGINT');
    await ran;
    at.stop.release();

    assert.ok(text.includes(`Verifying with secret ${secretFingerprint(SECRET)} (REMIT_WEBHOOK_SECRET)\n`));
    const lines = text.replace(/\r\u001b\[K/g, '\n').split('\n');
    for (const line of lines) assert.ok(line.length <= 80, line);
    const shown = lines.filter((line) => /^\d\d:\d\d:\d\d/.test(line));
    assert.match(
      shown[0]!,
      /^\S+ {2}subaccount\.credit_received {2}verified {4}#1 {2}500 minor units {2}s.*…$/,
    );
    assert.match(shown[1]!, /^\S+ {2}- {27}rejected {4}no_timestamp/);
    assert.equal(
      lines.filter((line) => /the signature matches with --timestamp-format milliseconds$/.test(line)).length,
      1,
    );
    assert.doesNotMatch(text, /--timestamp-format iso8601/, 'its signature is wrong');
    assert.match(text, /6 received, 3 verified, 3 rejected, 0 duplicates, 0 forwarded, 1 failed/);
    assert.match(text, /^Hint: remit webhooks events replay --failed$/m);
  });

  it('continues while its lines are not read, and reports how many it omitted', async () => {
    let read = () => {};
    const stdoutStalled = new Promise<void>((resolve) => (read = resolve));
    const at = (listening = await Listening.open(env, [], (argv, options) =>
      runCli(argv, {...options, stdoutStalled}),
    ));
    const large = (number: number) =>
      Buffer.from(`{"id":"e${number}","type":"payout.settled","data":{"note":"${'x'.repeat(900_000)}"}}`);
    for (let number = 0; number < 12; number += 1) assert.equal(await at.post(large(number)), 200);
    assert.equal(recorded().length, 12);
    read();
    await at.until(({type}) => type === 'gap');
    const shown = at.of('event').length;
    assert.ok(shown > 3 && shown < 11, `${shown} lines of 1.2 MB`);
    assert.equal(at.of('gap')[0]!.lines, 12 - shown);
    assert.equal(await at.post(body(20)), 200);
    await at.until((line) => line.type === 'event' && line.id === 'e20');
  });

  it('documents every line, and writes each kind in these tests', () => {
    const rows = tableRows(readText('docs/reference/listen-lines.md')).map(({cells}) =>
      cells[0]!.replaceAll('`', ''),
    );
    assert.deepEqual(rows, Object.keys(LINES));
    assert.deepEqual([...seen].sort(), Object.keys(LINES).sort());
  });
});
