import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {signatureHeaders} from '../../../src/webhooks/verify/signature.ts';
import {Stop} from '../../../src/cli/runtime/stop.ts';
import {runCli, scratch, type CliOptions} from '../../cli/run-cli.ts';
import {delivery, forward, idOf, record} from '../../webhooks/record/deliveries.ts';

const SECRET = 'whsec_0123456789abcdef';
const TARGET = 'http://localhost:3000/';

async function place() {
  const cwd = scratch();
  const env = {HOME: cwd, REMIT_STATE_DIR: join(cwd, 'state'), REMIT_WEBHOOK_SECRET: SECRET};
  const folder = join(cwd, 'state', 'webhooks', 'record');
  const body = Buffer.from('{"id":"e3","type":"payin.failed","data":{"payin_id":"p3"}}');
  const signed = Object.entries(signatureHeaders(SECRET, body, delivery(3).receivedAtMs));
  await record(folder, [
    {kind: 'delivery', delivery: delivery(1, {targets: [TARGET]})},
    {kind: 'forward', forward: forward(1)},
    {
      kind: 'delivery',
      delivery: delivery(2, {verdict: 'rejected', reason: 'mismatch', eventId: null, eventType: null}),
    },
    {
      kind: 'delivery',
      delivery: delivery(3, {body, eventType: 'payin.failed', headers: signed, targets: [TARGET]}),
    },
    {kind: 'forward', forward: forward(3, {status: 500, attempt: 5, gaveUp: true})},
    {kind: 'delivery', delivery: delivery(4, {eventId: 'e1', attempt: 2, duplicateOf: idOf(1)})},
  ]);
  const run = (argv: readonly string[], options: CliOptions = {}) =>
    runCli(['webhooks', 'events', ...argv], {cwd, env, ...options});
  const found = async (...flags: string[]) => {
    const ran = await run(['list', '-o', 'ndjson', ...flags]);
    assert.equal(ran.exitCode, 0, ran.stderr);
    const lines = ran.stdout
      .trim()
      .split('\n')
      .filter((line) => line !== '');
    return lines.map((line) => Number((JSON.parse(line) as {delivery: string}).delivery.slice(4)));
  };
  return {cwd, folder, env, run, found};
}

/** A record with one delivery of this body. */
async function placeWith(body: string, facts: Parameters<typeof delivery>[1] = {}) {
  const cwd = scratch();
  const env = {HOME: cwd, REMIT_STATE_DIR: join(cwd, 'state'), NO_COLOR: '1'};
  await record(join(cwd, 'state', 'webhooks', 'record'), [
    {
      kind: 'delivery',
      delivery: delivery(1, {body: Buffer.from(body), eventType: 'payout.failed', ...facts}),
    },
  ]);
  return (argv: readonly string[], options: CliOptions = {}) =>
    runCli(['webhooks', 'events', ...argv], {cwd, env, ...options});
}

describe('the reason of a failure in webhooks events', () => {
  for (const [title, data] of [
    ['in transfer_details', {transfer_details: {failure: {code: 'R03', message: 'No account'}}}],
    ['in a plain field', {failure_reason: 'R03 No account'}],
    ['in two plain fields', {failure_code: 'R03', failure_message: 'No account'}],
  ] as const)
    it(`is shown as code and text, ${title}`, async () => {
      const run = await placeWith(JSON.stringify({id: 'e1', type: 'payout.failed', data}));
      const list = await run(['list'], {columns: 160});
      assert.match(list.stdout, /Forwards +Reason\n.* R03 No account\n/);
      assert.match((await run(['show', 'e1'])).stdout, /^Failure\tR03 No account$/m);
      const [row] = (await run(['list', '--json'])).json() as {reason: unknown}[];
      assert.equal(row?.reason, null, 'in JSON, reason is that of the verdict');
    });

  it('is that of the verdict for a rejected delivery', async () => {
    const run = await placeWith('{}', {
      verdict: 'rejected',
      reason: 'mismatch',
      eventId: null,
      eventType: null,
    });
    assert.match((await run(['list'], {columns: 120})).stdout, /Forwards +Reason\n.*rejected.* mismatch\n/);
  });

  it('has no column where no event says why', async () => {
    const run = await placeWith('{"id":"e1","type":"payout.settled","data":{"payout_id":"p1"}}');
    assert.doesNotMatch((await run(['list'], {columns: 120})).stdout, /Reason/);
  });
});

describe('the body in webhooks events show', () => {
  const exact = '{"id":"e1","data":{"amount":9007199254740993,"rate":1.10,"note":"caf\\u00e9"}}';

  it('is the JSON that was sent, one value per line at a terminal', async () => {
    const run = await placeWith(exact);
    const shown = (await run(['show', 'e1'], {columns: 100})).stdout;
    assert.match(shown, /^Body +\{\n +"id": "e1",\n/m);
    for (const part of ['"amount": 9007199254740993,\n', '"rate": 1.10,\n', '"note": "caf\\u00e9"\n'])
      assert.ok(shown.includes(part), part);
  });

  it('is on one line in a pipe, where a script can read it as JSON', async () => {
    const run = await placeWith(exact);
    const [, body] = /^Body\t(.*)$/m.exec((await run(['show', 'e1'])).stdout)!;
    assert.equal(body, exact);
  });

  it('is as it was sent also if it repeats a name, or has lines and spaces of its own', async () => {
    const sent =
      '{"id":"e1", "amount":1.10,"amount" : 9007199254740993,"account_number":"000123456789","b":"x\u202e"}';
    const run = await placeWith(sent, {eventId: 'e1'});
    const shown = sent.replace('000123456789', '…6789').replace('\u202e', '\\u202e');
    assert.ok((await run(['show', 'e1'])).stdout.split('\n').includes(`Body\t${shown}`));
    const lines = await placeWith('{\n "id": "e1",\n "id": "e2"}', {eventId: 'e1'});
    assert.match(
      (await lines(['show', 'e1'], {columns: 100})).stdout,
      /^Body +\{\n +"id": "e1",\n +"id": "e2"\}\n/m,
    );
    assert.match((await lines(['show', 'e1'])).stdout, /^Body\t\{ "id": "e1", "id": "e2"\}$/m);
  });

  it('has its digits in every format of list, show and export', async () => {
    const run = await placeWith(exact);
    for (const [words, digits] of [
      [['show', 'e1', '-o', 'json'], /"amount": 9007199254740993/],
      [['show', 'e1', '-o', 'yaml'], / amount: 9007199254740993/],
      [['show', 'e1', '-o', 'csv'], /,9007199254740993,/],
      [['list', '-o', 'ndjson'], /"amount":9007199254740993/],
      [['export'], /"amount":9007199254740993/],
    ] as const)
      assert.match((await run(words)).stdout, digits, words.join(' '));
    const queried = await run(['show', 'e1', '-o', 'json', '--query', 'body.data.amount']);
    assert.equal(queried.stdout, '9007199254740993\n');
    const [row] = (await run(['list', '--json'])).json() as {lost: unknown}[];
    assert.deepEqual(row!.lost, [{path: 'data.amount', kind: 'number', sent: '9007199254740993'}]);
  });

  it('keeps the lines of other text, and names bytes that are no text', async () => {
    const text = await placeWith('not json\r\nsecond line\n', {eventId: 'e1'});
    assert.match((await text(['show', 'e1'], {columns: 100})).stdout, /^Body +not json\n +second line\n/m);
    assert.match((await text(['show', 'e1'])).stdout, /^Body\tnot json; second line$/m);
    const bytes = await placeWith('', {eventId: 'e1', body: Buffer.from([0xff, 0xfe])});
    assert.match((await bytes(['show', 'e1'])).stdout, /^Body\t2 bytes, not UTF-8/m);
    assert.match((await (await placeWith('', {eventId: 'e1'}))(['show', 'e1'])).stdout, /^Body\t-$/m);
  });
});

describe('webhooks events', () => {
  it('list shows fifty, or with --all every one', async () => {
    const cwd = scratch();
    const env = {HOME: cwd, REMIT_STATE_DIR: join(cwd, 'state')};
    const many = Array.from({length: 60}, (_, n) => ({kind: 'delivery' as const, delivery: delivery(n + 1)}));
    await record(join(cwd, 'state', 'webhooks', 'record'), many);
    const listed = async (...flags: string[]) => {
      const ran = await runCli(['webhooks', 'events', 'list', '-o', 'id', ...flags], {cwd, env});
      return ran.stdout.trim().split('\n').length;
    };
    assert.deepEqual([await listed(), await listed('--all'), await listed('--limit', '7')], [50, 60, 7]);
  });

  it('list shows deliveries newest first, filtered', async () => {
    const {run, found} = await place();
    assert.deepEqual(await found(), [4, 3, 2, 1]);
    assert.deepEqual(
      await found('--type', 'payout.*'),
      [4, 2, 1].filter((number) => number !== 2),
    );
    assert.deepEqual(await found('--type', 'payin.failed,payin.settled'), [3]);
    assert.deepEqual(await found('--verdict', 'rejected'), [2]);
    assert.deepEqual(await found('--id', 'e1'), [4, 1]);
    assert.deepEqual(await found('--id', idOf(3)), [3]);
    assert.deepEqual(await found('--match', 'data.payin_id=p3'), [3]);
    assert.deepEqual(await found('--failed'), [3]);
    assert.deepEqual(
      await found('--since', '2026-01-01T00:00:02Z', '--before', '2026-01-01T00:00:04Z'),
      [3, 2],
    );
    assert.deepEqual(await found('--limit', '1'), [4]);
    const text = await run(['list', '--limit', '2']);
    assert.match(text.stdout, /^dlv_0{23}4\t.*\tpayout\.settled\te1\tverified\t2\t-\t-$/m);
    assert.match(text.stderr, /4 deliveries match; the newest 2 are shown\. --all shows all\./);
    assert.match(
      (await run(['list', '--limit', '1'])).stderr,
      /match; the newest is shown\. --all shows all\./,
    );
    assert.equal((await run(['list', '--all', '--limit', '2'])).exitCode, 2);
    const query = await run(['list', '--query', "[?body.data.payin_id=='p3'].id"]);
    assert.equal(query.stdout, 'e3\n');
    assert.equal((await run(['list', '--type', 'Nope!'])).exitCode, 2);
    assert.equal((await run(['list', '--match', 'nope'])).exitCode, 2);
  });

  it('show one with its headers, body and forwards', async () => {
    const {run} = await place();
    const text = await run(['show', idOf(3)]);
    assert.match(text.stdout, /^Forwards\thttp:\/\/localhost:3000\/: gave up, 1 attempt, last 500$/m);
    assert.match(text.stdout, /"payin_id":"p3"/);
    const json = (await run(['show', idOf(3), '--json'])).json() as Record<string, unknown>;
    assert.equal(Buffer.from(String(json['body_base64']), 'base64').toString(), JSON.stringify(json['body']));
    const raw = await run(['show', idOf(3), '--raw']);
    assert.equal(raw.stdout, '{"id":"e3","type":"payin.failed","data":{"payin_id":"p3"}}');
    assert.equal((await run(['show', 'dlv_1'])).exitCode, 4);
    const byEvent = (await run(['show', 'e3', '--json'])).json() as Record<string, unknown>;
    assert.equal(byEvent['delivery'], json['delivery'], 'an event stands for its last delivery');
  });

  it('export what verify reads', async () => {
    const {cwd, env, run} = await place();
    const exported = await run(['export', '--type', 'payin.*']);
    assert.equal(exported.exitCode, 0, exported.stderr);
    const verified = await runCli(['webhooks', 'verify', '-'], {cwd, env, stdin: exported.stdout});
    assert.equal(verified.exitCode, 0, verified.stderr);
    const byId = await runCli(['webhooks', 'verify', idOf(3)], {cwd, env});
    assert.equal(byId.exitCode, 0, byId.stderr);
    const file = await run(['export', '--out', 'all.ndjson', '--json']);
    assert.equal((file.json() as {deliveries: number}).deliveries, 4);
    const path = join(cwd, 'all.ndjson');
    assert.equal(readFileSync(path, 'utf8').trim().split('\n').length, 4);
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it('export into a pipe or a device, which stays what it is', async () => {
    const {cwd, run} = await place();
    const pipe = join(cwd, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const reader = spawn('cat', [pipe], {stdio: ['ignore', 'pipe', 'inherit']});
    const read = text(reader.stdout);
    const {exitCode, stderr} = await run(['export', '--out', pipe]);
    if (statSync(pipe).isFIFO() === false) reader.kill(); // nothing would ever arrive
    assert.equal(exitCode, 0, stderr);
    assert.equal((await read).trim().split('\n').length, 4);
    assert.ok(statSync(pipe).isFIFO());
  });

  it('tail shows the last ones, then what arrives, until it is stopped', async () => {
    const {folder, run} = await place();
    const stop = new Stop(() => assert.fail('a test must not end the process'));
    let lines = 0;
    const onOutput = (text: string) => {
      lines += text.split('\n').length - 1;
      if (lines === 2) void record(folder, [{kind: 'delivery', delivery: delivery(5)}]);
      if (lines === 3 && stop.reason === undefined) stop.receive('SIGINT');
    };
    const ran = await run(['tail', '--lines', '2'], {stop, onOutput});
    stop.release();
    assert.equal(ran.exitCode, 130, ran.stderr);
    const [, , third] = ran.stdout.split('\n');
    assert.match(ran.stdout, /^00:00:03Z {2}payin\.failed {16}verified {4}#1 {2}payin p3 {2}event e3$/m);
    assert.match(ran.stdout, /^\S+ {2}payout\.settled {14}duplicate {3}#2 {2}payout p4 {2}event e1$/m);
    assert.match(third!, /event e5$/);
  });

  it('the ids that list prints can be verified: the last delivery of the event', async () => {
    const {folder, cwd, env, run} = await place();
    const body = delivery(3).body;
    const headers = Object.entries(signatureHeaders(SECRET, body, delivery(6).receivedAtMs));
    await record(folder, [{kind: 'delivery', delivery: delivery(6, {body, headers, eventId: 'e3'})}]);
    assert.equal((await run(['list', '-o', 'id', '--limit', '1'])).stdout, 'e3\n');
    const ran = await runCli(['webhooks', 'verify', 'e3', '--json'], {cwd, env});
    assert.equal(ran.exitCode, 0, ran.stderr);
    const {delivery: id, event_id: event} = ran.json() as Record<string, unknown>;
    assert.deepEqual([id, event], [idOf(6), 'e3']);
    const unknown = await runCli(['webhooks', 'verify', 'nosuch'], {cwd, env});
    assert.equal(unknown.exitCode, 4);
    assert.equal(
      unknown.stderr,
      'Error: no recorded delivery or event "nosuch"\nHint: see remit webhooks events list; for a file: @FILE\n',
    );
  });

  it('prune removes what is old', async () => {
    const {run} = await place();
    assert.match((await run(['prune', '--json'])).stdout, /"deliveries": 0/);
    const text = await run(['prune', '--max-size', '0B']);
    assert.match(text.stdout, /^4 deliveries removed \(1 files, \d+ bytes\)\.$/m);
    assert.equal((await run(['list', '--json'])).stdout, '[]\n');
    assert.equal((await run(['prune', '--max-size', 'much'])).exitCode, 2);
  });
});
