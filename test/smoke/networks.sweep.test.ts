import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import type {Summary} from '../../src/batch/standing/summary.ts';
import {createPayout, openScene, payoutFile, payThroughProxy, type Scene} from './networks.ts';

const errorOf = (stderr: string) =>
  (JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as {error: Record<string, unknown>}).error;
/** A batch of five rows that cannot reach the service: no row is sent, and none is in doubt. */
async function sendsNothing(scene: Scene): Promise<{summary: Summary; stderr: string}> {
  const words = ['payouts', 'batch', 'run', payoutFile(scene, 5), '--batch-id', 'no', '--yes'];
  const {code, stdout, stderr} = await scene.remit([...words, '--max-wait', '1s', '--json']);
  assert.equal(code, 7, stderr);
  const summary = JSON.parse(stdout) as Summary;
  assert.deepEqual([summary.not_sent, summary.in_doubt, summary.posts], [5, 0, 0]);
  return {summary, stderr};
}

describe('a service behind a proxy, with a private authority and client certificates', function () {
  this.timeout(120_000);

  it('is paid through: a payout, a batch, a list', async () => {
    assert.match(await payThroughProxy(process.execPath, 60), /^60 rows paid once each/);
  });

  it('has got nothing when the proxy refuses, and every row of a batch is not sent', async () => {
    const scene = await openScene(process.execPath, {answer: '403 Forbidden'});
    try {
      const single = await createPayout(scene, '--retries', '0');
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
      await sendsNothing(scene);
    } finally {
      await scene.close();
    }
  });

  it('has got nothing when the client certificate is missing, and every row of a batch is not sent', async () => {
    const scene = await openScene(process.execPath);
    try {
      const unset = await scene.remit(['profiles', 'unset', 'far', '--client-cert']);
      assert.equal(unset.code, 0, unset.stderr);
      const single = await createPayout(scene, '--retries', '0');
      assert.equal(single.code, 7, single.stderr);
      const {message, hint} = errorOf(single.stderr);
      assert.match(String(message), /nothing was sent: the server requires a client certificate/);
      assert.match(
        String(hint),
        /^remit profiles set far --client-cert FILE --client-key FILE; then remit payouts create/,
      );
      const {summary, stderr} = await sendsNothing(scene);
      assert.match(String(summary.stopped_because?.message), /the server requires a client certificate/);
      assert.match(stderr, /remit profiles set far --client-cert FILE --client-key FILE/);
    } finally {
      await scene.close();
    }
  });
});
