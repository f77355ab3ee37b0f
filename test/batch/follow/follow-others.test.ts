import {commandsAs} from '../bare-commands.ts';
import assert from 'node:assert/strict';
import {FollowPace} from '../../../src/batch/follow/pace.ts';
import {FollowRun} from '../../../src/batch/follow/follow-run.ts';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import {synchroniseBatch} from '../../../src/batch/registry/synchronise.ts';
import {Wire} from '../../../src/batch/answers/wire.ts';
import {DEFAULT_TIMEOUTS} from '../../../src/client/transport/transport.ts';
import {readSummary} from '../../../src/batch/standing/read-summary.ts';
import type {Summary} from '../../../src/batch/standing/summary.ts';
import {Bench} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

describe('a refresh of a row whose release was interrupted', () => {
  const bench = new Bench();
  const service = new TruthService();
  after(() => bench.remove());

  it('counts it once, wherever it was before', async () => {
    await bench.plan(bench.payouts(1));
    service.approvalFails = () => true;
    assert.equal((await bench.run(service)).unapproved, 1);
    await bench.inJournal(({journal}) =>
      journal.openWindow({phase: 'release', first: 1, last: 1, takes: ['unapproved'], at: bench.clock.now()}),
    );
    for (const record of service.byId.values()) record.status = 'approved';
    const {unapproved, in_doubt: doubts, accepted, state} = await refreshed(bench, service, 'b1');
    assert.deepEqual(
      {unapproved, doubts, accepted, state},
      {unapproved: 0, doubts: 0, accepted: 1, state: 'complete'},
    );
  });
});

describe('a refresh of a batch that waits for another batch', () => {
  const bench = new Bench();
  const service = new TruthService();
  after(() => bench.remove());

  it('counts rows that the other batch has paid since', async () => {
    const file = bench.payouts(2);
    for (const batchId of ['b1', 'b2']) await bench.plan(file, {batchId});
    await bench.run(service, {batchId: 'b1', path: 'stage-only'});
    assert.equal((await bench.run(service, {batchId: 'b2'})).conflict, 2);
    await bench.run(service, {batchId: 'b1'});

    const summary = await refreshed(bench, service, 'b2');
    const now = await bench.inClaims((_claims, batch) => readSummary(batch, bench.clock.now()), {
      batchId: 'b2',
    });
    const told = ({state, conflict, already_paid: paid, next}: Summary) => ({state, conflict, paid, next});
    assert.deepEqual(told(summary), {state: 'complete', conflict: 0, paid: 2, next: null});
    assert.deepEqual(told(now), told(summary));
  });
});

/** What `status --refresh` says. */
async function refreshed(bench: Bench, service: TruthService, batchId: string): Promise<Summary> {
  const {stateDir, clock} = bench;
  const batch = await openBatch({stateDir, kind: 'payout', batchId, purpose: 'test', clock});
  try {
    const wire = new Wire({
      ...{kind: 'payout', namespace: batch.plan.namespace, mode: 'test'},
      ...{key: 'test_key', timeouts: DEFAULT_TIMEOUTS},
    });
    const {summary} = await new FollowRun({
      ...{batch, clock, wire, transport: service.transport(), maxWaitMs: 900_000},
      ...{before: readSummary(batch, clock.now()), out: undefined, pace: new FollowPace(undefined)},
      ...{commands: commandsAs('acme', 'test'), random: () => 0.5},
      ...{abort: new AbortController().signal, onProgress: () => undefined, onUnknown: () => undefined},
      beforeResults: () => synchroniseBatch(batch, {stateDir, clock}),
    }).run();
    return summary;
  } finally {
    await batch.close();
  }
}
