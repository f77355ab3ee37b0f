import assert from 'node:assert/strict';
import {statusOfBatch} from '../../../src/batch/overview/status.ts';
import {Bench} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

/** Behaves until its n-th request, which it takes and never answers, and then the process is gone. */
function dyingTransport(service: TruthService, dieAt: number) {
  const inner = service.transport();
  let sent = 0;
  return {
    ...inner,
    send: async (request: Parameters<typeof inner.send>[0]) => {
      if (++sent > dieAt) throw new Error('killed');
      const answer = await inner.send(request);
      if (sent === dieAt) throw new Error('killed');
      return answer;
    },
  };
}

describe('a row that a killed run left open', () => {
  let bench: Bench;
  let service: TruthService;
  const status = () =>
    statusOfBatch({kind: 'payout', batchId: 'b1', stateDir: bench.stateDir, clock: bench.clock});
  beforeEach(() => {
    bench = new Bench();
    service = new TruthService();
  });
  afterEach(() => bench.remove());

  it('is in doubt, not staged, if its release may be in progress', async () => {
    await bench.plan(bench.payouts(2));
    await bench.run(service, {path: 'stage-only'});
    await assert.rejects(
      bench.run(service, {transport: dyingTransport(service, 2), maxInFlight: 1}),
      /killed/,
    );
    const {summary} = await status();
    assert.deepEqual([summary.staged, summary.in_doubt, summary.state], [0, 2, 'interrupted']);
    assert.equal((await bench.run(service)).accepted, 2);
    assert.ok(service.paid.every(({approvals}) => approvals === 1));
  });

  it('is in doubt, not unapproved, if it was being released again', async () => {
    service.approvalFails = () => true;
    await bench.plan(bench.payouts(2));
    assert.equal((await bench.run(service)).unapproved, 2);
    service.approvalFails = () => false;
    const again = {path: 'release', settings: {retryUnapproved: true}, maxInFlight: 1} as const;
    await assert.rejects(bench.run(service, {...again, transport: dyingTransport(service, 3)}), /killed/); // after the probe and a GET
    assert.equal((await status()).summary.in_doubt, 2);
    const before = service.posts;
    const summary = await bench.run(service);
    assert.equal(summary.accepted, 2, 'one was released by the lost request, the other is released now');
    assert.equal(service.posts - before, 2, 'the probe and one release');
  });

  it('is still staged if the run was stopped before its release', async () => {
    await bench.plan(bench.payouts(5));
    await bench.run(service, {path: 'stage-only'});
    const drain = new AbortController();
    service.fault = ({body}) => {
      if (body.includes('"auto_approve":true')) drain.abort(new Error('Ctrl-C'));
      return undefined;
    };
    const stopped = await bench.run(service, {drain: drain.signal, maxInFlight: 1});
    assert.deepEqual([stopped.accepted, stopped.staged, stopped.state], [1, 4, 'interrupted']);
    const {summary} = await status();
    assert.deepEqual([summary.accepted, summary.staged, summary.in_doubt], [1, 4, 0]);
  });

  it('does not ask about a key past the horizon: a forgotten one would stop the rows that can be released', async () => {
    await bench.plan(bench.payouts(1));
    await bench.run(service, {path: 'stage-only'});
    bench.clock.advance(25 * 3_600_000);
    service.forgetKeys();
    const before = service.posts;
    const summary = await bench.run(service);
    assert.deepEqual([summary.staged, summary.state, service.posts - before], [1, 'held', 0]);
  });
});
