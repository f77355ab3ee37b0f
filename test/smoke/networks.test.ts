import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import type {Summary} from '../../src/batch/standing/summary.ts';
import {openScene, payoutFile, payThroughProxy, type Scene} from './networks.ts';

const errorOf = (stderr: string) =>
  (JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as {error: Record<string, unknown>}).error;
const create = ({payee}: Scene) => [
  'payouts',
  'create',
  '--payee',
  payee,
  '--amount',
  '1.00',
  '--currency',
  'USD',
  '--json',
];

describe('a service behind a proxy, with a private authority and client certificates', function () {
  this.timeout(120_000);

  it('is paid through: a payout, a batch, a list', async () => {
    assert.match(await payThroughProxy(process.execPath, 60), /^60 rows paid once each/);
  });

  it('has got nothing when the proxy refuses, and every row of a batch is not sent', async () => {
    const scene = await openScene(process.execPath, {answer: '403 Forbidden'});
    try {
      const single = await scene.remit([...create(scene), '--retries', '0']);
      assert.equal(single.code, 7, single.stderr);
      const {message, details, hint} = errorOf(single.stderr);
      assert.match(
        String(message),
        /nothing was sent: the proxy http:.* refused to connect to api\.pay\.test:443 \(403/,
      );
      const {failure, reason, may_have_taken_effect} = details as Record<string, unknown>;
      assert.deepEqual([failure, reason, may_have_taken_effect], ['proxy', 'proxy-denied', false]);
      assert.match(
        String(hint),
        /^correct HTTPS_PROXY, .*NO_PROXY=api\.pay\.test; then remit payouts create /,
      );
      const argv = [
        'payouts',
        'batch',
        'run',
        payoutFile(scene, 5),
        '--batch-id',
        'no',
        '--yes',
        '--max-wait',
        '1s',
      ];
      const batch = await scene.remit([...argv, '--json']);
      assert.equal(batch.code, 7, batch.stderr);
      const summary = JSON.parse(batch.stdout) as Summary;
      assert.deepEqual([summary.not_sent, summary.in_doubt, summary.posts], [5, 0, 0]);
    } finally {
      await scene.close();
    }
  });

  it('has got nothing when the client certificate is missing, and every row of a batch is not sent', async () => {
    const scene = await openScene(process.execPath);
    try {
      const unset = await scene.remit(['profiles', 'unset', 'far', '--client-cert']);
      assert.equal(unset.code, 0, unset.stderr);
      const single = await scene.remit([...create(scene), '--retries', '0']);
      assert.equal(single.code, 7, single.stderr);
      const {message, hint} = errorOf(single.stderr);
      assert.match(String(message), /nothing was sent: the server requires a client certificate/);
      assert.match(
        String(hint),
        /^remit profiles set far --client-cert FILE --client-key FILE; then remit payouts create/,
      );
      const argv = [
        'payouts',
        'batch',
        'run',
        payoutFile(scene, 5),
        '--batch-id',
        'no',
        '--yes',
        '--max-wait',
        '1s',
      ];
      const batch = await scene.remit([...argv, '--json']);
      assert.equal(batch.code, 7, batch.stderr);
      const summary = JSON.parse(batch.stdout) as Summary;
      assert.deepEqual([summary.not_sent, summary.in_doubt, summary.posts], [5, 0, 0]);
      assert.match(String(summary.stopped_because?.message), /the server requires a client certificate/);
      assert.match(batch.stderr, /remit profiles set far --client-cert FILE --client-key FILE/);
    } finally {
      await scene.close();
    }
  });
});
