import {commandsAs} from '../bare-commands.ts';
import assert from 'node:assert/strict';
import {FollowPace} from '../../../src/batch/follow/pace.ts';
import {FollowRun} from '../../../src/batch/follow/follow-run.ts';
import type {Goal} from '../../../src/batch/follow/counts.ts';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import {Wire} from '../../../src/batch/answers/wire.ts';
import {DEFAULT_TIMEOUTS} from '../../../src/client/transport/transport.ts';
import {readSummary} from '../../../src/batch/standing/read-summary.ts';
import type {Bench} from '../harness.ts';
import {planned} from '../planned.ts';
import type {TruthService} from '../truth-service.ts';

describe('the next command after accepted rows were followed', () => {
  let bench: Bench;
  let service: TruthService;
  beforeEach(async () => {
    ({bench, service} = await planned(2));
    assert.equal((await bench.run(service, {mode: 'live', key: 'live_key'})).next, null);
  });
  afterEach(() => bench.remove());

  async function next(status: string, until?: Goal): Promise<string | null> {
    for (const record of service.byId.values()) record.status = status;
    const {stateDir, clock} = bench;
    const batch = await openBatch({stateDir, kind: 'payout', batchId: 'b1', purpose: 'test', clock});
    const by = {mode: 'live', key: 'live_key', timeouts: DEFAULT_TIMEOUTS} as const;
    try {
      const {summary} = await new FollowRun({
        ...{batch, clock, transport: service.transport(), until, timeoutMs: 60_000, maxWaitMs: 900_000},
        wire: new Wire({kind: 'payout', namespace: batch.plan.namespace, ...by}),
        ...{before: readSummary(batch, clock.now()), out: undefined, pace: new FollowPace(undefined)},
        ...{commands: commandsAs('acme', 'live'), random: () => 0.5},
        ...{abort: new AbortController().signal, onProgress: () => undefined, onUnknown: () => undefined},
      }).run();
      return summary.next;
    } finally {
      await batch.close();
    }
  }

  for (const [words, status, until, command] of [
    ['carries --live where rows have failed', 'failed', undefined, 'retry b1 --live'],
    ['names a row whose record was canceled', 'canceled', undefined, 'retry b1 --row INV-1 --live'],
    ['carries --live where rows are under way', 'initiated', 'settled', 'resume b1 --until settled --live'],
  ] as const)
    it(words, async () => assert.equal(await next(status, until), `remit payouts batch ${command} -p acme`));

  it('is null when every row is settled', async () => assert.equal(await next('settled'), null));

  it('continues with a lost record', async () => {
    service.byId.clear();
    assert.equal(await next('settled'), 'remit payouts batch resolve b1 --from FILE -p acme');
  });
});
