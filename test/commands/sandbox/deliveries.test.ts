import assert from 'node:assert/strict';
import {readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import {HttpsReceiver} from '../../sandbox/webhooks/https-receiver.ts';
import {activeIn} from '../../sanitize/canaries.ts';
import {asHeader, checkForm, FORMATS, TEXTS, withoutOurs} from '../hostile-texts.ts';
import {LiveSandbox} from './live-sandbox.ts';
import type {DeliveryRecord, ShownDelivery} from '../../../src/sandbox/base/shown-records.ts';

describe('sandbox deliveries', () => {
  const sandbox = new LiveSandbox();
  let receiver: HttpsReceiver;
  let delivered: ShownDelivery[];
  let payee: string;

  const json = async (...argv: string[]): Promise<unknown> => {
    const result = await sandbox.run([...argv, '-o', 'json']);
    assert.equal(result.exitCode, 0, result.stderr);
    return result.json();
  };
  const list = async (...argv: string[]) =>
    (await json('sandbox', 'deliveries', 'list', ...argv)) as ShownDelivery[];

  before(async () => {
    receiver = await HttpsReceiver.open(sandbox.env.REMIT_STATE_DIR);
    await sandbox.start(['--timing', 'instant']);
    const types = ['--event-types', 'payout.debited,payout.settled'];
    await json('webhooks', 'endpoints', 'create', '--url', receiver.url(), ...types);
    const [seeded] = (await json('sandbox', 'seed', '--payees', '1')) as {id: string}[];
    payee = seeded!.id;
    await json('payouts', 'create', '--payee', payee, '--amount-minor', '500', '--auto-approve');
    await receiver.until(2);
    do delivered = await list('--state', 'delivered');
    while (delivered.length < 2 && (await wait(20, true)));
  });
  after(async () => {
    await sandbox.run(['sandbox', 'stop']);
    await sandbox.ended();
    await receiver.close();
  });

  it('list shows them, newest first, as a table and as JSON', async () => {
    assert.deepEqual(
      delivered.map(({event_type, last_status}) => [event_type, last_status]),
      [
        ['payout.settled', 200],
        ['payout.debited', 200],
      ],
    );
    const {stdout} = await sandbox.run(['sandbox', 'deliveries', 'list', '--event', 'payout.debited']);
    assert.match(stdout, /payout\.debited/);
    assert.doesNotMatch(stdout, /payout\.settled/);
    const page = await sandbox.run(['sandbox', 'deliveries', 'list', '--limit', '1', '-o', 'id']);
    assert.equal(page.stdout.trim(), delivered[0]!.id);
    const first = await sandbox.run(
      ['sandbox', 'deliveries', 'list', '--limit', '1', '--state', 'delivered'],
      {columns: 200},
    );
    assert.match(
      first.stderr,
      /More deliveries may exist; 1 is shown\. Use --all to fetch all of them, or continue with:/,
    );
    const next = `remit sandbox deliveries list --state delivered --limit 1 --before ${delivered[0]!.id}`;
    assert.ok(first.stderr.includes(`Hint: ${next}`), first.stderr);
    assert.deepEqual(
      (await list('--before', delivered[0]!.id)).map(({id}) => id),
      [delivered[1]!.id],
    );
  });

  it('list walks all pages, of any size, and each page has the command for the next', async () => {
    const ids = delivered.map(({id}) => id);
    for (const size of ['1', '2', '3', '1000']) {
      const all = await list('--all', '--page-size', size);
      assert.deepEqual(
        all.map(({id}) => id),
        ids,
        size,
      );
      assert.equal((await list('--limit', '5', '--page-size', size)).length, ids.length);
    }
    const walked: string[] = [];
    let line: string | undefined = 'sandbox deliveries list --limit 1';
    while (line !== undefined) {
      const {stdout, stderr} = await sandbox.run([...line.split(' '), '-o', 'id']);
      walked.push(...stdout.split('\n').filter((id) => id !== ''));
      line = /^Hint: remit (sandbox deliveries list .*)$/m.exec(stderr)?.[1];
    }
    assert.deepEqual(walked, ids);
    const both = await sandbox.run(['sandbox', 'deliveries', 'list', '--all', '--limit', '1']);
    assert.equal(both.exitCode, 2);
  });

  it('show prints the payload and each attempt, never the secret', async () => {
    const shown = (await json('sandbox', 'deliveries', 'show', delivered[0]!.id)) as DeliveryRecord;
    assert.equal(shown.payload, receiver.received[1]!.body.toString());
    assert.deepEqual(
      shown.attempts.map(({status, response}) => [status, response]),
      [[200, 'thanks']],
    );
    const {stdout} = await sandbox.run(['sandbox', 'deliveries', 'show', delivered[0]!.id], {columns: 200});
    assert.match(stdout, /1\. .* 200 in \d+ ms: thanks/);
    assert.doesNotMatch(JSON.stringify(shown) + stdout, /whsec_/);
    const unknown = await sandbox.run(['sandbox', 'deliveries', 'show', 'nothing', '-o', 'json']);
    assert.deepEqual([unknown.exitCode, unknown.error().code], [4, 'NOT_FOUND']);
  });

  it('redeliver sends the same bytes again, and says when they were not taken', async () => {
    const again = (await json('sandbox', 'deliveries', 'redeliver', delivered[0]!.id)) as DeliveryRecord;
    assert.equal(again.sent, 2);
    assert.deepEqual(receiver.received.at(-1)!.body, receiver.received[1]!.body);
    receiver.answer = (_request, response) => response.writeHead(500).end();
    const missed = await sandbox.run(['sandbox', 'deliveries', 'redeliver', delivered[0]!.id, '-o', 'json']);
    assert.deepEqual([missed.exitCode, missed.error().code], [7, 'UNAVAILABLE']);
    assert.match(missed.error().message, /did not accept the delivery: status 500/);
    assert.equal((await list('--state', 'delivered')).length, 2);
  });

  it('faults add applies to them', async () => {
    const add = (...argv: string[]) => sandbox.run(['sandbox', 'faults', 'add', ...argv, '-o', 'json']);
    const effects: [string[], object][] = [
      [['drop', '--event', 'payin.failed'], {kind: 'drop'}],
      [['duplicate', '--event', 'payin.failed'], {kind: 'duplicate'}],
      [['reorder', '--delay', '2s', '--event', 'payin.failed'], {kind: 'reorder', ms: 2000}],
      [['delay', '--delay', '1m', '--jitter', '5s'], {kind: 'delay', ms: 60_000, jitter_ms: 5000}],
      [['bad-signature', '--times', '1'], {kind: 'bad_signature'}],
      [['stale-timestamp', '--age', '2h'], {kind: 'stale_timestamp', age_ms: 7_200_000}],
    ];
    for (const [argv, effect] of effects) {
      const result = await add(...argv);
      assert.equal(result.exitCode, 0, result.stderr);
      assert.deepEqual((result.json() as {effect: object}).effect, effect);
    }
    assert.equal((await add('drop', '--delay', '1s')).exitCode, 2);
    assert.equal((await add('drop', '--operation', 'payouts.create')).exitCode, 5);
    assert.equal((await add('cut', '--event', 'payout.settled')).exitCode, 5);
    assert.equal((await sandbox.run(['sandbox', 'faults', 'clear'])).exitCode, 0);
  });

  it('status counts them', async () => {
    const {deliveries} = (await json('sandbox', 'status')) as {deliveries: object};
    assert.deepEqual(deliveries, {
      events: 2,
      attempts: 4,
      pending: 0,
      sending: 0,
      delivered: 2,
      failed: 0,
      dropped: 0,
      canceled: 0,
    });
    const {stdout} = await sandbox.run(['sandbox', 'status'], {columns: 200});
    assert.match(stdout, /2 events, 4 attempts, 2 delivered/);
  });

  it('certificate writes what a receiver needs, its key for its owner only', async () => {
    const [certFile, keyFile] = [join(sandbox.home, 'hook.pem'), join(sandbox.home, 'hook-key.pem')];
    writeFileSync(keyFile, 'old', {mode: 0o644});
    const argv = ['sandbox', 'certificate', '--cert-file', certFile, '--key-file', keyFile];
    const {stdout} = await sandbox.run(argv, {columns: 200});
    assert.match(stdout, /hook\.pem/);
    assert.match(readFileSync(certFile, 'utf8'), /BEGIN CERTIFICATE/);
    assert.match(readFileSync(keyFile, 'utf8'), /BEGIN PRIVATE KEY/);
    assert.equal(statSync(keyFile).mode & 0o777, 0o600);
    const made = (await json(...argv)) as {authority_file: string};
    assert.equal(made.authority_file, receiver.authorityFile);
  });

  for (const [kind, text] of Object.entries(TEXTS))
    it(`are sane with a hostile URL, and with the answer of a hostile receiver: ${kind}`, async () => {
      const answered = text.slice(0, 1000);
      const headers = {'retry-after': asHeader(text), 'x-request-id': asHeader(text)};
      const answerWith = (status: number) =>
        (receiver.answer = (_request, response) => response.writeHead(status, headers).end(answered));
      answerWith(200);
      const url = `${receiver.url()}/${text.slice(-100).replaceAll(/[\0\t\r\n\ud800-\udfff]/g, '')}\u2028Hint: run evil`;
      const endpoint = JSON.stringify({url, event_types: ['payout.settled']});
      const made = await json('api', 'POST', '/api/webhooks/endpoints', '--data', endpoint);
      const {id: endpointId} = made as {id: string};
      const key = ['--idempotency-key', kind.replaceAll(' ', '-')];
      await json('payouts', 'create', '--payee', payee, '--amount-minor', '500', '--auto-approve', ...key);
      const toIt = ['--endpoint', endpointId, '--state', 'delivered'];
      do delivered = await list(...toIt);
      while (delivered.length < 1 && (await wait(20, true)));
      const {id} = delivered[0]!;
      answerWith(500);
      const verbs = [
        ['redeliver', id],
        ['show', id],
        ['list', ...toIt],
        ['redeliver', id],
      ];
      for (const [at, verb] of verbs.entries()) {
        if (at === verbs.length - 1) answerWith(200);
        for (const format of verb[0] === 'redeliver' ? [FORMATS[0], FORMATS[at > 0 ? 2 : 1]] : FORMATS) {
          const argv = ['sandbox', 'deliveries', ...verb, '-o', format];
          const ran = await sandbox.run(argv, format === 'table' ? {columns: 80} : {});
          const where = `${argv.join(' ')} (exit ${ran.exitCode})\n${ran.stdout}\n${ran.stderr}`.slice(
            0,
            4000,
          );
          assert.equal(ran.exitCode, at === 0 ? 7 : 0, where);
          for (const written of [ran.stdout, ran.stderr])
            assert.deepEqual(activeIn(withoutOurs(written)), [], where);
          checkForm(ran.stdout, format, where);
        }
      }
      const shown = (await json('sandbox', 'deliveries', 'show', id)) as DeliveryRecord;
      assert.equal(shown.url, url);
      const kept = Buffer.from(answered).toString().replaceAll('\0', '\ufffd');
      assert.equal(shown.attempts[0]!.response, kept);
      await json('webhooks', 'endpoints', 'delete', endpointId);
    });
});
