import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import {systemClock} from '../../../src/clock.ts';
import {Stop} from '../../../src/cli/runtime/stop.ts';
import {readAllEntries} from '../../../src/webhooks/record/reader.ts';
import {verifyWebhook} from '../../../src/webhooks/verify/signature.ts';
import {runCli, scratch, type CliResult} from '../../cli/run-cli.ts';
import {rowIds} from '../../webhooks/inspector/page-client.ts';
import {record, delivery, idOf} from '../../webhooks/record/deliveries.ts';
import {body, Listening, SECRET} from './listening.ts';
import {Receiver} from './receiver.ts';

/** What the target answers. */
const ANSWER = `answer \x1b[31m${SECRET}`;

describe("the inspector's commands", () => {
  let home: string;
  let env: Record<string, string>;
  let target: Receiver;
  let listening: Listening | undefined;

  beforeEach(async () => {
    home = scratch();
    env = {HOME: home, REMIT_STATE_DIR: join(home, 'state'), REMIT_WEBHOOK_SECRET: SECRET};
    target = await Receiver.open();
    target.answerWith(200, ANSWER);
  });
  afterEach(async () => {
    if (listening?.stop.reason === undefined) await listening?.end();
    listening = undefined;
    target.close();
  });
  const listen = async (words: string[] = [], more: Record<string, string> = {}) =>
    (listening = await Listening.open({...env, ...more}, words));
  const recordFolder = () => join(home, 'state', 'webhooks', 'record');

  /** The page as its script sees it. */
  function page(url: string) {
    const {origin, hash} = new URL(url);
    const headers = {'x-remit-token': hash.slice('#open='.length), origin};
    const get = async (path: string) => (await fetch(origin + path, {headers})).text();
    const replay = async (id: string, resign: boolean, to = target.url) => {
      const answer = await fetch(`${origin}/deliveries/${id}/replay`, {
        method: 'POST',
        headers: {...headers, 'content-type': 'application/json'},
        body: JSON.stringify({target: to, resign}),
      });
      return (await answer.json()) as {good: boolean; message: string; response: string};
    };
    /** Waits until a path shows this. */
    const until = async (path: string, pattern: RegExp) => {
      for (;;) {
        const text = await get(path);
        if (pattern.test(text)) return text;
        await wait(20);
      }
    };
    return {origin, get, replay, until};
  }

  it('listen --ui names the page in its ready line, and shows what arrives and what is replayed', async () => {
    const at = await listen(['--ui', '--forward-to', target.url]);
    assert.match(at.ready.ui_url!, /^http:\/\/127\.0\.0\.1:\d+\/#open=[\w-]{32}$/);
    const {get, until, replay} = page(at.ready.ui_url!);
    assert.match(await get('/deliveries'), /No delivery has arrived yet/);
    target.answerWith(500, ANSWER);
    await at.post(body(1));
    const [id] = rowIds(await until('/deliveries', /payout\.settled/));
    await at.until(({type}) => type === 'forward');
    target.answerWith(200, ANSWER);
    const same = await replay(id!, false);
    assert.deepEqual(
      [same.good, same.message.replace(/[\d.]+ ms/, 'N ms')],
      [true, '200 in N ms. Fixed: the previous attempt ended with 500.'],
    );
    assert.equal(same.response, 'answer [31mwhsec_…cdef', 'neither control characters nor a known secret');
    assert.deepEqual(target.got.at(-1)!.body, body(1));
    assert.equal(
      target.got.at(-1)!.request.headers['x-webhook-signature'],
      target.got[0]!.request.headers['x-webhook-signature'],
    );
    target.answerWith(500, ANSWER);
    assert.match(
      (await replay(id!, true)).message,
      /^500 in .* ms, re-signed\. Regressed: the previous attempt was answered with 200\.$/,
    );
    const {headers} = target.got.at(-1)!.request;
    assert.equal(verifyWebhook({body: body(1), headers, secrets: SECRET, nowMs: Date.now()}).ok, true);
    await until(`/deliveries/${id}`, /replay, re-signed/);
    assert.match(
      (await replay(id!, false, 'http://192.0.2.1/')).message,
      /not on this machine.*--allow-external/,
    );
    assert.match((await replay(id!, false, '127.0.0.1:1')).message, /^connection refused in /);
    await at.end();
    const replays = [...readAllEntries(recordFolder())].filter(
      (entry) => entry.kind === 'forward' && entry.forward.cause === 'replay',
    );
    assert.equal(replays.length, 3);
    await assert.rejects(fetch(page(at.ready.ui_url!).origin), 'the page ends with its listener');
  });

  it('listen --ui --no-record shows what arrived since its start', async () => {
    const at = await listen(['--ui', '--no-record', '--forward-to', target.url]);
    const {until, replay} = page(at.ready.ui_url!);
    await at.post(body(1));
    await at.post(body(2), {});
    await at.until(({type}) => type === 'forward');
    const [, id] = rowIds(await until('/deliveries', /data-total="2"/));
    assert.match((await replay(id!, false)).message, /Still passing/);
    await until(`/deliveries/${id}`, /replay/);
    await at.end();
    assert.deepEqual([...readAllEntries(recordFolder())], []);
  });

  it('listen --ui signs with the secret that the delivery verified with, or with that of --resign', async () => {
    const at = await listen(['--ui'], {REMIT_WEBHOOK_SECRET: `whsec_another_one_0,${SECRET}`});
    const {until, replay} = page(at.ready.ui_url!);
    await at.post(body(1));
    const [id] = rowIds(await until('/deliveries', /payout\.settled/));
    assert.match((await replay(id!, true)).message, /This is the first attempt there\./);
    const {headers} = target.got.at(-1)!.request;
    assert.equal(verifyWebhook({body: body(1), headers, secrets: SECRET, nowMs: Date.now()}).ok, true);
    await at.end();
    const file = join(home, 'own.secret');
    writeFileSync(file, 'own-secret-of-the-receiver\n', {mode: 0o600});
    const resigning = await listen(['--ui', '--resign', file]);
    await page(resigning.ready.ui_url!).replay(id!, true);
    const own = {body: body(1), headers: target.got.at(-1)!.request.headers, nowMs: Date.now()};
    assert.equal(verifyWebhook({...own, secrets: 'own-secret-of-the-receiver'}).ok, true);
  });

  it('listen without --ui serves no page, and --ui-port needs --ui', async () => {
    const at = await listen();
    assert.equal(at.ready.ui_url, null);
    await at.end();
    const refused = await runCli(['webhooks', 'listen', '--ui-port', '4601'], {env});
    assert.deepEqual([refused.exitCode, /--ui-port needs --ui/.test(refused.stderr)], [2, true]);
  });

  it('listen --ui ends with its endpoint and record closed when the port of the page is taken', async () => {
    const {port} = target;
    const result = await runCli(['webhooks', 'listen', '--port', '0', '--ui', '--ui-port', String(port)], {
      env,
      clock: systemClock,
    });
    assert.match(result.stderr, new RegExp(`port ${port} of 127.0.0.1 is in use`));
    assert.notEqual(result.exitCode, 0);
  });

  /** Runs `events inspect` while `use` works with the page. */
  async function inspect(words: string[], use: (url: string) => Promise<void>): Promise<CliResult> {
    const stop = new Stop(() => assert.fail('a test must not end the process'));
    let text = '';
    const onOutput = (more: string) => (text += more);
    const ran = runCli(['webhooks', 'events', 'inspect', ...words], {
      env,
      stop,
      clock: systemClock,
      onOutput,
    });
    let ended = false;
    void ran.then(() => (ended = true));
    let url: string | undefined;
    while ((url = /http:\/\/127\.0\.0\.1:\d+\/#open=[\w-]+/.exec(text)?.[0]) === undefined) {
      assert.ok(!ended, text);
      await wait(2);
    }
    await use(url);
    stop.receive('SIGINT');
    const result = await ran;
    stop.release();
    return result;
  }

  it('events inspect serves the record without a listener, until Ctrl-C', async () => {
    await record(recordFolder(), [{kind: 'delivery', delivery: delivery(1)}]);
    const result = await inspect(['--forward-to', target.url], async (url) => {
      const {get, replay} = page(url);
      assert.deepEqual(rowIds(await get('/deliveries')), [idOf(1)]);
      assert.match(await get(`/deliveries/${idOf(1)}`), new RegExp(`data-target="${target.url}"`));
      assert.equal((await replay(idOf(1), false)).good, true);
    });
    assert.equal(result.exitCode, 130);
    assert.match(result.stdout, /^Inspect deliveries at http:\/\/127\.0\.0\.1:\d+\/#open=/);
    assert.deepEqual(
      [...readAllEntries(recordFolder())].map(({kind}) => kind),
      ['delivery', 'forward'],
    );
  });

  it('events inspect -o ndjson writes a line with the target.url; without a secret it cannot sign', async () => {
    await record(recordFolder(), [{kind: 'delivery', delivery: delivery(1)}]);
    delete env['REMIT_WEBHOOK_SECRET'];
    const result = await inspect(['-o', 'ndjson'], async (url) => {
      const {get, replay} = page(url);
      assert.match(await get('/'), /Re-signing needs --secret-from FILE/);
      assert.match((await replay(idOf(1), true)).message, /no secret to sign with.*--secret-from FILE/);
      assert.match((await replay(idOf(1), false, '192.0.2.1:80')).message, /--allow-external/);
    });
    const [line] = result.stdout
      .split('\n')
      .map((one) => JSON.parse(one || '{}') as {type: string; ui_url: string});
    assert.deepEqual([line!.type, Object.keys(line!)], ['ready', ['type', 'ui_url']]);
  });

  it('events inspect refuses a target that is not on this machine', async () => {
    const refused = await runCli(['webhooks', 'events', 'inspect', '--forward-to', 'http://example.com/'], {
      env,
    });
    assert.equal(refused.exitCode, 11);
  });
});
