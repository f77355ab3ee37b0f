import assert from 'node:assert/strict';
import {mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {systemClock} from '../../../src/clock.ts';
import {readAllEntries} from '../../../src/webhooks/record/reader.ts';
import {collect} from '../../../src/webhooks/record/state.ts';
import {signatureHeaders, verifyWebhook} from '../../../src/webhooks/verify/signature.ts';
import {runCli, scratch, type CliOptions} from '../../cli/run-cli.ts';
import {tableRows} from '../../repo/markdown.ts';
import {readText} from '../../repo/tree.ts';
import {delivery, forward, idOf, record} from '../../webhooks/record/deliveries.ts';
import {body, Listening, SECRET} from './listening.ts';
import {Receiver} from './receiver.ts';

type Row = Record<string, unknown>;

describe('webhooks events replay', () => {
  let home: string;
  let env: Record<string, string>;
  let target: Receiver;
  let url: string;

  beforeEach(async () => {
    home = scratch();
    env = {HOME: home, REMIT_STATE_DIR: join(home, 'state'), REMIT_WEBHOOK_SECRET: SECRET};
    target = await Receiver.open();
    target.answerWith(200);
    ({url} = target);
  });
  afterEach(() => target.close());

  const folder = () => join(home, 'state', 'webhooks', 'record');
  const run = (argv: readonly string[], options: CliOptions = {}) =>
    runCli(['webhooks', 'events', 'replay', ...argv], {cwd: home, env, clock: systemClock, ...options});
  const rows = async (...argv: string[]) => (await run([...argv, '-o', 'json'])).json() as Row[];
  const paths = () => target.got.map(({body: bytes}) => (JSON.parse(bytes.toString()) as {id: string}).id);

  /** Four deliveries: accepted, a dead letter, never forwarded, rejected. */
  async function place(): Promise<void> {
    const dead = {status: 500, attempt: 5, gaveUp: true};
    await record(folder(), [
      {kind: 'delivery', delivery: delivery(1, {targets: [url]})},
      {kind: 'forward', forward: forward(1, {target: url})},
      {kind: 'delivery', delivery: delivery(2, {targets: [url, `${url}/2`], eventType: 'payin.failed'})},
      {kind: 'forward', forward: forward(2, {...dead, target: url})},
      {kind: 'forward', forward: forward(2, {target: `${url}/2`})},
      {kind: 'delivery', delivery: delivery(3)},
      {
        kind: 'delivery',
        delivery: delivery(4, {verdict: 'rejected', reason: 'mismatch', eventId: null, eventType: null}),
      },
    ]);
  }

  it('signs a rejected delivery again only if it is meant', async () => {
    await place();
    const words = ['--since', '99999d', '--resign', '--forward-to', url, '-o', 'json'];
    const all = await run(words);
    const replayed = (all.json() as Row[]).map(({delivery: id}) => id);
    assert.deepEqual(replayed, [idOf(1), idOf(2), idOf(3)]);
    assert.match(
      all.stderr,
      /Warning: 1 rejected delivery is left out: --resign would give it a valid signature/,
    );
    for (const meant of [
      [idOf(4), ...words.slice(2)],
      [...words, '--verdict', 'rejected'],
    ]) {
      const ran = await run(meant);
      assert.deepEqual(
        (ran.json() as Row[]).map(({delivery: id}) => id),
        [idOf(4)],
      );
    }
    assert.equal((await rows('--since', '99999d', '--forward-to', url)).length, 4, 'as it was signed');
  });

  it('sends the dead letters again, where they failed, and they are dead no longer', async () => {
    await place();
    const listed = async () => runCli(['webhooks', 'events', 'list', '--failed', '-o', 'json'], {env});
    assert.equal(((await listed()).json() as Row[]).length, 1);
    const ran = await run(['--failed', '-o', 'json']);
    assert.equal(ran.exitCode, 0, ran.stderr);
    const [row, ...others] = ran.json() as Row[];
    assert.deepEqual(others, []);
    assert.deepEqual(
      [row!['delivery'], row!['id'], row!['event_type'], row!['target'], row!['outcome']],
      [idOf(2), 'e2', 'payin.failed', url, 'fixed'],
    );
    assert.deepEqual(
      [row!['status'], row!['status_before'], row!['attempt'], row!['resigned']],
      [200, 500, 2, false],
    );
    assert.deepEqual(paths(), ['e2']);
    assert.deepEqual(target.got[0]!.body, delivery(2).body);
    assert.deepEqual((await listed()).json(), []);
    assert.match(ran.stderr, /1 replayed: 1 fixed/);
    const show = await runCli(['webhooks', 'events', 'show', idOf(2)], {env});
    assert.match(show.stdout, /hook: forwarded, 2 attempts, last 200 \(replayed\);/);
  });

  it('sends with --failed what the list shows as given up after replays to another target', async () => {
    await record(folder(), [{kind: 'delivery', delivery: delivery(3)}]);
    target.answerWith(500);
    for (const outcome of ['failing', 'still_failing']) {
      const ran = await run([idOf(3), '--forward-to', url, '-o', 'json']);
      assert.deepEqual([ran.exitCode, (ran.json() as Row[])[0]!['outcome']], [8, outcome]);
    }
    const listed = await runCli(['webhooks', 'events', 'show', idOf(3)], {env});
    assert.match(listed.stdout, /gave up, 2 attempts/);
    target.answerWith(200);
    const [row] = await rows('--failed');
    assert.deepEqual([row!['target'], row!['outcome']], [url, 'fixed']);
    const none = await run(['--failed', '--type', 'payout.*']);
    assert.deepEqual([none.exitCode, none.stdout], [0, '']);
    assert.match(none.stderr, /^0 deliveries match --type and --failed$/m);
    assert.match((await run([idOf(3), '--failed'])).stderr, /^0 deliveries match these ids and --failed$/m);
  });

  it('guards a deployment: 8 when something that was accepted is refused now', async () => {
    await place();
    target.answerWith(500);
    const worse = await run(['--type', 'payout.*', '--verdict', 'verified', '-o', 'ndjson']);
    assert.equal(worse.exitCode, 8, worse.stderr);
    assert.equal((JSON.parse(worse.stdout) as Row)['outcome'], 'regressed');
    const still = await run([idOf(1), '--failed']);
    assert.equal(still.exitCode, 0, 'a regression is no dead letter: nothing is selected');
    const same = await run([idOf(1), '-o', 'json']);
    assert.equal((same.json() as Row[])[0]!['outcome'], 'still_failing');
    assert.equal(same.exitCode, 8, 'the same answer again');
    target.answerWith(204);
    assert.equal((await rows('e1'))[0]!['outcome'], 'fixed');
    assert.equal((await rows('e1'))[0]!['outcome'], 'still_passing');
    target.answerWith(404);
    const first = await run([idOf(3), '--forward-to', url, '-o', 'json']);
    assert.equal(first.exitCode, 8);
    assert.equal((first.json() as Row[])[0]!['outcome'], 'failing');
  });

  it('sends several ids to other addresses, and shows the answers on request', async () => {
    await place();
    const port = new URL(url).port;
    const sent = await rows(
      idOf(3),
      'e1',
      '--forward-to',
      `${port}/a`,
      '--forward-to',
      `${port}/b`,
      '--show-response',
    );
    assert.deepEqual(
      sent.map((row) => [
        row['delivery'],
        new URL(String(row['target'])).pathname,
        row['outcome'],
        row['response'],
      ]),
      [
        [idOf(1), '/a', 'passing', 'answered 200'],
        [idOf(1), '/b', 'passing', 'answered 200'],
        [idOf(3), '/a', 'passing', 'answered 200'],
        [idOf(3), '/b', 'passing', 'answered 200'],
      ],
    );
    assert.deepEqual(
      target.got.map(({request}) => request.url),
      ['/a', '/b', '/a', '/b'],
    );
  });

  it('signs again with a secret from a file or the environment', async () => {
    const bytes = body(7);
    const old = Object.entries(signatureHeaders('whsec_gone', bytes, 1_700_000_000_000));
    await record(folder(), [
      {kind: 'delivery', delivery: delivery(7, {body: bytes, headers: old, targets: [url]})},
    ]);
    writeFileSync(join(home, 'new.secret'), 'whsec_new\n', {mode: 0o600});
    const ran = await run([idOf(7), '--resign', '--secret-from', 'new.secret', '-o', 'json']);
    assert.equal((ran.json() as Row[])[0]!['resigned'], true);
    await run([idOf(7), '--resign']);
    await run([idOf(7)]);
    const verified = target.got.map(({request}) =>
      verifyWebhook({body: bytes, headers: request.rawHeaders, secrets: ['whsec_new', SECRET, 'whsec_gone']}),
    );
    assert.deepEqual(
      verified.map((one) => (one.ok ? one.secret : one.reason)),
      [0, 1, 'too_old'],
    );
    const again = [...readAllEntries(folder())].flatMap((entry) =>
      entry.kind === 'forward' ? [entry.forward.resigned] : [],
    );
    assert.deepEqual(again, [true, true, false], 'marked in the record');
    assert.doesNotMatch(ran.stdout + ran.stderr, /whsec_new/);
    delete env['REMIT_WEBHOOK_SECRET'];
    assert.equal((await run([idOf(7), '--resign'])).exitCode, 2, 'no secret and no terminal');
  });

  it('refuses before anything is sent', async () => {
    await place();
    await record(folder(), [{kind: 'delivery', delivery: delivery(8, {targets: ['https://example.com/']})}]);
    for (const [words, code, pattern] of [
      [[], 2, /name the deliveries to replay by id, or select them with filters/],
      [[idOf(1), 'dlv_1'], 4, /has no delivery or event dlv_1/],
      [[idOf(3)], 2, /this delivery was not forwarded anywhere/],
      [['--verdict', 'verified'], 11, /example\.com is not on this machine/],
      [[idOf(1), '--forward-to', 'https://example.com'], 11, /--allow-external/],
      [[idOf(1), '--nope'], 2, /--nope/],
      [[idOf(1), '--secret-from', 'a.secret'], 2, /--secret-from needs --resign/],
      [['--type', 'No!'], 2, /No!/],
    ] as const) {
      const ran = await run(words);
      assert.equal(ran.exitCode, code, `${words.join(' ')}: ${ran.stderr}`);
      assert.match(ran.stderr, pattern);
    }
    assert.equal(target.got.length, 0);
  });

  describe('without deliveries or a target, prints a command that works', () => {
    /** Types the command of the hint; its target is the receiver of this test. */
    const typed = async (argv: readonly string[]) => {
      const refused = await run([...argv, '-o', 'json']);
      const hint = refused.error().hint!;
      assert.match(hint, /^remit webhooks events replay /);
      const words = hint.replace('3000/hook', url).split(' ').slice(4);
      return {code: refused.exitCode, hint, ran: await run(words)};
    };

    it('the failed ones, if there are any, with the flags that were typed', async () => {
      await place();
      const {code, hint, ran} = await typed(['--forward-to', url]);
      assert.deepEqual(
        [code, hint, ran.exitCode, paths()],
        [2, `remit webhooks events replay --forward-to ${url} -o json --failed`, 0, ['e2']],
      );
    });

    it('the last one that was not rejected, and a target if it has none', async () => {
      await record(folder(), [
        {kind: 'delivery', delivery: delivery(3)},
        {kind: 'delivery', delivery: delivery(4, {verdict: 'rejected', reason: 'mismatch'})},
      ]);
      const {hint, ran} = await typed([]);
      assert.equal(hint, `remit webhooks events replay -o json ${idOf(3)}`);
      assert.equal(ran.exitCode, 2, ran.stderr);
      const next = await typed([idOf(3)]);
      assert.equal(next.hint, `remit webhooks events replay ${idOf(3)} -o json --forward-to 3000/hook`);
      assert.deepEqual([next.ran.exitCode, paths()], [0, ['e3']], next.ran.stderr);
    });

    it('a listener that forwards to the targets that were typed, if nothing is recorded', async () => {
      const ran = await run(['--forward-to', url, '-o', 'json']);
      const listen = 'remit webhooks listen --register --tls';
      assert.deepEqual([ran.exitCode, ran.error().hint], [4, `${listen} --forward-to ${url}`]);
      const outside = await run([...['--forward-to', 'a.example', '--allow-external'], '-o', 'json']);
      assert.equal(outside.error().hint, `${listen} --forward-to a.example --allow-external`);
      assert.equal((await run(['-o', 'json'])).error().hint, listen);
    });
  });

  describe('with deliveries that are not accepted, names them and a command that sends them again', () => {
    const hintIn = (stderr: string) => /^Hint: when the receiver works again: (.+)$/m.exec(stderr)?.[1];
    const retyped = (hint: string) => run(hint.split(' ').slice(4));

    it('with --failed: exit 8 until they are accepted', async () => {
      await place();
      target.answerWith(500);
      const failed = await run(['--failed', '--timeout', '5s']);
      assert.equal(failed.exitCode, 8);
      assert.match(
        failed.stderr,
        new RegExp(`^Warning: 1 delivery not accepted: 1 at ${url} \\(answered 500\\)$`, 'm'),
      );
      assert.equal(hintIn(failed.stderr), 'remit webhooks events replay --failed --timeout 5s');
      target.answerWith(200);
      const fixed = await retyped(hintIn(failed.stderr)!);
      assert.equal(fixed.exitCode, 0);
      assert.doesNotMatch(fixed.stderr, /not accepted/);
    });

    it('with another target: the same target, and only what failed', async () => {
      await place();
      target.answer = (response, {body: bytes}) =>
        response.writeHead((JSON.parse(bytes.toString()) as {id: string}).id === 'e2' ? 503 : 200).end();
      const ran = await run(['--verdict', 'verified', '--forward-to', `${url}/new`]);
      assert.match(ran.stderr, new RegExp(`1 delivery not accepted: 1 at ${url}/new \\(answered 503\\)`));
      assert.equal(
        hintIn(ran.stderr),
        `remit webhooks events replay --verdict verified --forward-to ${url}/new ${idOf(2)}`,
      );
      target.got.length = 0;
      await retyped(hintIn(ran.stderr)!);
      assert.deepEqual(paths(), ['e2']);
    });
  });

  it('has text, csv and ids like other lists', async () => {
    await place();
    const text = await run([idOf(1), idOf(2), '--no-color'], {columns: 80});
    assert.match(text.stdout, /payout\.settled\s+still passing\s+200/);
    assert.match(text.stdout, /payin\.failed\s+fixed\s+200\s+500/);
    for (const line of text.stdout.split('\n')) assert.ok(line.length <= 80, line);
    assert.match(text.stderr, /3 replayed: 2 still passing, 1 fixed/);
    const csv = await run([idOf(1), '-o', 'csv', '--fields', 'delivery,outcome,status']);
    assert.equal(csv.stdout, `delivery,outcome,status\n${idOf(1)},still_passing,200\n`);
    assert.equal((await run([idOf(1), '-o', 'id'])).stdout, 'e1\n');
    const none = await run(['--since', '2030-01-01', '-o', 'json']);
    assert.deepEqual([none.exitCode, none.stdout], [0, '[]\n']);
  });

  it('names a target that does not answer, and says what could not be recorded', async () => {
    await place();
    target.answer = () => undefined;
    const late = await run([idOf(1), '--timeout', '50ms', '-o', 'json']);
    const [row] = late.json() as Row[];
    assert.deepEqual([row!['status'], row!['error']], [null, 'no answer within 0.05 s']);
    assert.equal(late.exitCode, 8);
    target.answer = (response) => {
      rmSync(folder(), {recursive: true});
      mkdirSync(join(folder(), '..'), {recursive: true});
      writeFileSync(folder(), '');
      response.end();
    };
    const lost = await run([idOf(1), '-o', 'json']);
    assert.equal(lost.exitCode, 13);
    assert.match(lost.error().message, /was sent, but its result is not recorded/);
    assert.equal((lost.json() as Row[])[0]!['outcome'], 'fixed');
  });

  it('shows the body of the answers to people only with --show-response', async () => {
    await place();
    for (const columns of [undefined, 80, 120]) {
      const screen = columns === undefined ? {} : {columns};
      const shown = await run([idOf(1), '--show-response'], screen);
      assert.match(shown.stdout, /answered 200/, shown.stdout);
      assert.doesNotMatch((await run([idOf(1)], screen)).stdout, /answered 200|Response/);
    }
  });

  it('has the documented fields', async () => {
    await place();
    const [row] = await rows(idOf(1), '--show-response');
    const fields = (heading: string) => {
      const page = readText('docs/reference/webhook-records.md');
      const section = page.split(/^## /m).find((part) => part.startsWith(heading))!;
      return tableRows(section).map(({cells}) => cells[0]!.replaceAll('`', ''));
    };
    assert.deepEqual(Object.keys(row!), fields('`webhooks events replay`'));
    const large = delivery(9, {targets: [url], body: Buffer.from('{"id":"e9","amount":9007199254740993}')});
    await record(folder(), [{kind: 'delivery', delivery: large}]);
    const shown = await runCli(['webhooks', 'events', 'show', idOf(9), '-o', 'json'], {env});
    const names = Object.entries(shown.json() as Row).flatMap(([name, value]) =>
      name === 'forwards'
        ? [name, ...Object.keys((value as Row[])[0]!).map((inner) => `${name}.${inner}`)]
        : [name],
    );
    assert.deepEqual(names, fields('`webhooks events list`'));
  });

  it('finds each delivery that a listener calls dead in its record', async () => {
    target.answerWith(500);
    const listening = await Listening.open(env, ['--forward-to', url, '--forward-attempts', '1']);
    const states: (string | undefined)[] = [];
    listening.onLine = (line) => {
      if (line.type !== 'dead') return;
      states.push(collect(readAllEntries(folder())).get(line.delivery)?.targets.get(url)?.state);
    };
    await Promise.all(Array.from({length: 40}, (_, index) => listening.post(body(index))));
    await listening.until(({type}) => type === 'dead', 40);
    await listening.end();
    assert.deepEqual(
      states,
      Array.from({length: 40}, () => 'dead'),
    );
  });

  it('works next to a listener that is writing the same record', async () => {
    target.answer = (response, {request}) =>
      response.writeHead(request.rawHeaders.includes('x-late') ? 200 : 500).end();
    const listening = await Listening.open(env, ['--forward-to', url, '--forward-attempts', '1']);
    for (let number = 1; number <= 5; number += 1) assert.equal(await listening.post(body(number)), 200);
    await listening.until(({type}) => type === 'dead', 5);
    target.answerWith(200);
    const [replayed] = await Promise.all([
      rows('--failed'),
      ...Array.from({length: 20}, (_, index) => listening.post(body(100 + index))),
    ]);
    assert.deepEqual(
      replayed.map(({outcome}) => outcome),
      Array.from({length: 5}, () => 'fixed'),
    );
    await listening.until(({type}) => type === 'forward', 25);
    const ended = await listening.end();
    assert.equal(ended.exitCode, 130, ended.stderr);
    const found = [...collect(readAllEntries(folder())).values()];
    assert.equal(found.length, 25);
    for (const {targets} of found) assert.equal(targets.get(url)!.state, 'forwarded');
  });
});
