import {bareCommands} from '../bare-commands.ts';
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {FollowPace} from '../../../src/batch/follow/pace.ts';
import {FollowRun} from '../../../src/batch/follow/follow-run.ts';
import {type OpenBatch, openBatch} from '../../../src/batch/journal/open-batch.ts';
import {Registry} from '../../../src/batch/registry/registry.ts';
import {synchroniseBatch} from '../../../src/batch/registry/synchronise.ts';
import {resolveRow} from '../../../src/batch/repair/resolve.ts';
import {prepareRetry, type RetryFacts} from '../../../src/batch/repair/retry.ts';
import type {Summary} from '../../../src/batch/standing/summary.ts';
import {Wire} from '../../../src/batch/answers/wire.ts';
import {DEFAULT_TIMEOUTS} from '../../../src/client/transport/transport.ts';
import {readSummary} from '../../../src/batch/standing/read-summary.ts';
import {Bench, payeeId} from '../harness.ts';
import {type TruthRecord, TruthService} from '../truth-service.ts';

const HEADER = 'reference,payee_id,amount,currency_code,rail\n';
const line = (n: number, amount = '10.00', rail = '') => `INV-${n},${payeeId(n)},${amount},USD,${rail}\n`;

/** A crash: what was committed stays, what comes after it does not. */
const KILLED = new Error('killed');

describe('a record that has ended', () => {
  let bench: Bench;
  let service: TruthService;
  beforeEach(() => {
    bench = new Bench();
    service = new TruthService();
  });
  afterEach(() => bench.remove());

  const planRows = (batchId: string, ...lines: string[]) =>
    bench.plan(bench.file(`${batchId}.csv`, HEADER + lines.join('')), {batchId});
  const recordsOf = (n: number): TruthRecord[] =>
    [...service.byId.values()].filter(
      ({body}) => (body['metadata'] as Record<string, string>)['remit_reference'] === `INV-${n}`,
    );
  const open = (batchId: string) =>
    openBatch({
      ...{stateDir: bench.stateDir, kind: 'payout', batchId},
      ...{purpose: 'test', clock: bench.clock},
    });
  async function within<T>(batchId: string, work: (batch: OpenBatch) => Promise<T>): Promise<T> {
    const batch = await open(batchId);
    try {
      return await work(batch);
    } finally {
      await batch.close();
    }
  }
  const wireOf = ({plan}: OpenBatch) =>
    new Wire({
      ...{kind: 'payout', mode: 'test', namespace: plan.namespace, key: 'test_key'},
      ...{overrides: {}, timeouts: DEFAULT_TIMEOUTS},
    });
  const registryOf = ({plan}: OpenBatch) =>
    Registry.open({
      ...{stateDir: bench.stateDir, clock: bench.clock},
      scope: {mode: 'test', baseUrl: 'https://api.test', kind: 'payout', namespace: plan.namespace},
      claimant: {profile: 'acme', batchId: plan.batchId, journalId: plan.journalId},
    });

  /** `status --refresh`: a GET of every accepted row that is not at its end. */
  const refresh = (batchId: string) =>
    within(batchId, (batch) =>
      new FollowRun({
        ...{batch, wire: wireOf(batch), transport: service.transport(), clock: bench.clock},
        ...{before: readSummary(batch, bench.clock.now()), out: undefined, commands: bareCommands(null)},
        ...{pace: new FollowPace(undefined), random: () => 0.5, until: undefined, maxWaitMs: 900_000},
        ...{abort: new AbortController().signal, onProgress: () => undefined, onUnknown: () => undefined},
        beforeResults: () => synchroniseBatch(batch, {stateDir: bench.stateDir, clock: bench.clock}),
      }).run(),
    );
  const status = (batchId: string): Promise<Summary> =>
    within(batchId, async (batch) => {
      await synchroniseBatch(batch, {stateDir: bench.stateDir, clock: bench.clock});
      return readSummary(batch, bench.clock.now());
    });
  const rowOf = (batchId: string, n: number) =>
    within(batchId, async ({journal}) => journal.rows.of(`INV-${n}`)!);
  const entryOf = (batchId: string, n: number) =>
    within(batchId, async (batch) => {
      const registry = await registryOf(batch);
      try {
        return registry.entries.find(`INV-${n}`);
      } finally {
        await registry.close();
      }
    });
  const retry = (
    batchId: string,
    named: string[] = [],
    hurt?: (batch: OpenBatch) => void,
  ): Promise<RetryFacts> =>
    within(batchId, async (batch) => {
      const registry = await registryOf(batch);
      hurt?.(batch);
      try {
        return await prepareRetry({
          ...{journal: batch.journal, plan: batch.plan, wire: wireOf(batch), registry, named},
          ...{transport: service.transport(), clock: bench.clock, stop: new AbortController().signal},
        });
      } finally {
        await registry.close();
      }
    });

  /** Batch b1 paid two rows, and a GET showed that the record of the second has failed. */
  async function failSecond(): Promise<void> {
    await planRows('b1', line(1), line(2));
    assert.equal((await bench.run(service)).state, 'complete');
    recordsOf(2)[0]!.status = 'failed';
    await refresh('b1');
  }

  it('makes its batch incomplete, with a next command, and puts its row into failed.csv', async () => {
    await failSecond();
    const summary = await status('b1');
    assert.deepEqual(
      [summary.state, summary.failed, summary.next],
      ['incomplete', 1, 'remit payouts batch retry b1'],
    );
    const again = await bench.run(service); // sends nothing, and writes the results
    assert.deepEqual([again.posts, again.state], [0, 'incomplete']);
    assert.match(
      readFileSync(again.failed_file!, 'utf8'),
      /^"reference","payee_id".*\r\n"INV-2",[^\n]*\r\n$/,
    );
  });

  it('does not block another batch, which uses the next key and commits it before sending', async () => {
    await failSecond();
    await planRows('b2', line(2, '10.00', 'wire'));
    service.fault = ({method}) => {
      if (method === 'POST') throw KILLED;
      return undefined;
    };
    await assert.rejects(bench.run(service, {batchId: 'b2'}), KILLED);
    assert.equal((await rowOf('b2', 2)).generation, 1);
    const entry = (await entryOf('b2', 2))!;
    assert.deepEqual([entry.batch, entry.generation, entry.standing], ['b2', 1, null]);
    service.fault = () => undefined;
    assert.equal((await bench.run(service, {batchId: 'b2'})).state, 'complete');
    const [first, second] = recordsOf(2);
    assert.notEqual(second!.key, first!.key);
  });

  it('gives more rows than a page their next keys, when a canceled batch is run as another one', async () => {
    const rows = 1001;
    const file = bench.payouts(rows);
    await bench.plan(file);
    await bench.run(service, {path: 'stage-only'});
    assert.equal((await bench.run(service, {path: 'cancel'})).state, 'canceled');
    await bench.plan(file, {batchId: 'b2'});
    assert.equal((await bench.run(service, {batchId: 'b2', path: 'stage-only'})).staged, rows);
    const raised = await within('b2', async ({journal}) => journal.former.generations());
    assert.deepEqual(
      [raised.length, new Set(raised.map(({generation}) => generation))],
      [rows, new Set([1])],
    );
  });

  it('makes the first batch show its row as paid by the second one, in state, counts and results', async () => {
    await failSecond();
    await planRows('b2', line(2, '10.00', 'wire'));
    await bench.run(service, {batchId: 'b2'});
    const summary = await status('b1');
    assert.deepEqual(
      [summary.state, summary.accepted, summary.already_paid, summary.failed, summary.next],
      ['complete', 1, 1, 0, null],
    );
    const {outcome} = await rowOf('b1', 2);
    assert.deepEqual([outcome!.state, outcome!.id], ['already_paid', recordsOf(2)[1]!.id]);
    assert.match(outcome!.message!, /^paid by batch b2, record \S+$/);
    assert.deepEqual((await retry('b1', ['INV-2'])).again, []);
    assert.equal((await bench.run(service)).posts, 0);
    assert.equal((await status('b1')).failed_file, null);
  });

  it('is shown as a conflict if the second batch paid another amount', async () => {
    await failSecond();
    await planRows('b2', line(2, '99.00'));
    assert.equal((await bench.run(service, {batchId: 'b2'})).accepted, 1);
    const summary = await status('b1');
    assert.deepEqual([summary.state, summary.conflict, summary.failed], ['incomplete', 1, 0]);
    const {message} = (await rowOf('b1', 2)).outcome!;
    assert.match(message!, /^batch b2 has paid a different payment under this reference, record \S+;/);
    assert.match(message!, /Compare the two first: .* a new reference would be a second payment$/);
    assert.equal(summary.next, 'remit payouts batch find INV-2'); // not the failed record, nor a report
    assert.equal((await bench.run(service)).posts, 0);
    assert.deepEqual((await retry('b1', ['INV-2'])).again, []);
  });

  it('of the second batch makes the first one incomplete again; only a retry sends the row once more', async () => {
    await failSecond();
    await planRows('b2', line(2));
    await bench.run(service, {batchId: 'b2'});
    await status('b1');
    recordsOf(2)[1]!.status = 'failed';
    await refresh('b2');
    assert.deepEqual([(await status('b1')).state, (await status('b2')).state], ['incomplete', 'incomplete']);
    assert.equal((await bench.run(service)).posts, 0, 'a resume of the first sends nothing');
    assert.equal((await bench.run(service, {batchId: 'b2'})).posts, 0, 'nor of the second');
    assert.deepEqual((await retry('b1')).raised, ['INV-2']);
    assert.equal((await bench.run(service)).state, 'complete');
    assert.equal((await rowOf('b1', 2)).generation, 2);
    assert.equal((await status('b2')).already_paid, 1);
    assert.equal(new Set(recordsOf(2).map(({key}) => key)).size, 3);
  });

  it('does not affect a later payment of the reference', async () => {
    await failSecond();
    await planRows('b2', line(2));
    await bench.run(service, {batchId: 'b2'});
    await retry('b1', ['INV-2']).catch(() => undefined);
    await within('b1', async (batch) => {
      const registry = await registryOf(batch);
      registry.ended('INV-2', recordsOf(2)[0]!.id, 0); // told once more, late
      await registry.close();
    });
    const entry = (await entryOf('b2', 2))!;
    assert.deepEqual([entry.paid, entry.standing, entry.id], [true, null, recordsOf(2)[1]!.id]);
  });

  it('leaves the generation of a freed claim to the batch after it', async () => {
    await failSecond();
    service.refuse = () => ({status: 422, error_code: 'INVALID_PAYMENT_DETAILS'});
    await retry('b1');
    const refused = await bench.run(service);
    assert.deepEqual([refused.rejected, (await entryOf('b1', 2))!.standing], [1, 'freed']);
    service.refuse = () => undefined;
    await planRows('b2', line(2));
    assert.equal((await bench.run(service, {batchId: 'b2'})).state, 'complete');
    assert.equal((await rowOf('b2', 2)).generation, 1);
    assert.equal((await status('b1')).state, 'complete');
  });

  it('is not offered in failed.csv before the registry knows of it', async () => {
    await planRows('b1', line(1), line(2));
    await bench.run(service);
    recordsOf(2)[0]!.status = 'failed';
    await planRows('b2', line(3));
    const b2 = await open('b2');
    const registry = await registryOf(b2); // another batch runs
    await refresh('b1');
    assert.equal((await status('b1')).failed, 1);
    await registry.close();
    await b2.close();
    await within('b1', async ({journal}) => assert.equal(journal.rows.endedUntold(9).length, 1));
    await status('b1');
    await within('b1', async ({journal}) => assert.equal(journal.rows.endedUntold(9).length, 0));
    assert.equal((await entryOf('b1', 2))!.standing, 'ended');
  });

  describe('and a crash between registry and journal', () => {
    it('in retry, after the GETs: the registry knows, and the same retry goes on', async () => {
      await planRows('b1', line(1), line(2));
      await bench.run(service);
      recordsOf(2)[0]!.status = 'failed';
      const hurt = ({journal}: OpenBatch) => {
        journal.record = () => {
          throw KILLED;
        };
      };
      await assert.rejects(retry('b1', ['INV-2'], hurt), KILLED);
      assert.equal((await entryOf('b1', 2))!.standing, 'ended');
      assert.deepEqual([(await rowOf('b1', 2)).generation, (await status('b1')).state], [0, 'complete']);
      assert.deepEqual((await retry('b1', ['INV-2'])).raised, ['INV-2']);
      assert.equal((await bench.run(service)).state, 'complete');
      assert.deepEqual(
        recordsOf(2).map(({status: one}) => one),
        ['failed', 'approved'],
      );
    });

    it('in retry, between two generations: each row is paid once', async () => {
      await planRows('b1', line(1), line(2));
      await bench.run(service);
      for (const n of [1, 2]) recordsOf(n)[0]!.status = 'failed';
      const hurt = ({journal}: OpenBatch) => {
        const raise = journal.raiseGenerations.bind(journal);
        journal.raiseGenerations = (raised, ...rest) => {
          if (raised.some(({row}) => row.n === 2)) throw KILLED;
          raise(raised, ...rest);
        };
      };
      await refresh('b1');
      await assert.rejects(retry('b1', [], hurt), KILLED);
      assert.equal((await bench.run(service)).accepted, 2);
      assert.deepEqual((await retry('b1')).raised, ['INV-2']);
      assert.equal((await bench.run(service)).state, 'complete');
      for (const n of [1, 2])
        assert.deepEqual(
          recordsOf(n).map(({status: one}) => one),
          ['failed', 'approved'],
        );
    });

    for (const resolution of ['paid', 'not-paid'] as const)
      it(`in resolve (${resolution}): the same command resolves the row, and it is paid once`, async () => {
        await planRows('b1', line(1), line(2));
        service.fault = ({method, body}) =>
          method === 'POST' && body.includes('"INV-2"') ? 'lost-after' : undefined;
        await bench.run(service, {path: 'direct'});
        service.fault = () => undefined;
        const {id} = recordsOf(2)[0]!;
        const settle = (hurt = false) =>
          within('b1', async (batch) => {
            if (hurt)
              batch.journal.record = () => {
                throw KILLED;
              };
            return resolveRow({
              ...{batch, stateDir: bench.stateDir, clock: bench.clock, reference: 'INV-2'},
              resolution: resolution === 'paid' ? {paid: id} : 'not-paid',
            });
          });
        await assert.rejects(settle(true), KILLED);
        assert.equal((await rowOf('b1', 2)).outcome!.state, 'in_doubt');
        assert.equal((await settle()).state, resolution === 'paid' ? 'accepted' : 'not_sent');
        const summary = await bench.run(service, {path: 'direct'});
        assert.deepEqual([summary.state, recordsOf(2).map(({approvals}) => approvals)], ['complete', [1]]);
      });

    it('in resolve, and a run instead of the same command: the registry counts', async () => {
      await planRows('b1', line(1), line(2));
      service.fault = ({method, body}) =>
        method === 'POST' && body.includes('"INV-2"') ? 'lost-after' : undefined;
      await bench.run(service, {path: 'direct'});
      service.fault = () => undefined;
      await assert.rejects(
        within('b1', async (batch) => {
          batch.journal.record = () => {
            throw KILLED;
          };
          const resolution = {paid: recordsOf(2)[0]!.id};
          const common = {batch, stateDir: bench.stateDir, clock: bench.clock};
          return resolveRow({...common, reference: 'INV-2', resolution});
        }),
        KILLED,
      );
      const summary = await bench.run(service, {path: 'direct'});
      assert.deepEqual([summary.state, summary.posts], ['complete', 0]);
      assert.deepEqual(
        recordsOf(2).map(({approvals}) => approvals),
        [1],
      );
    });

    it('in cancel: the registry has the references free, and the same cancel goes on', async () => {
      await planRows('b1', line(1), line(2));
      await bench.run(service, {path: 'stage-only'});
      const hurt = ({journal}: OpenBatch) => {
        journal.flush = () => {
          if (recordsOf(1)[0]!.status === 'canceled') throw KILLED;
        };
      };
      await assert.rejects(bench.run(service, {path: 'cancel', opened: hurt}), KILLED);
      assert.equal((await entryOf('b1', 1))!.standing, 'ended');
      assert.equal((await rowOf('b1', 1)).outcome!.state, 'staged');
      await assert.rejects(bench.run(service, {path: 'release'}), /being canceled/);
      const summary = await bench.run(service, {path: 'cancel'});
      assert.deepEqual([summary.state, summary.canceled], ['canceled', 2]);
      assert.equal(service.paid.length, 0);
    });
  });
});

describe('a reference that another batch has paid', () => {
  it('is already paid if party, amount and currency agree, and is named with that batch and record', async () => {
    const bench = new Bench();
    const service = new TruthService();
    try {
      await bench.plan(bench.file('b1.csv', HEADER + line(1, '10.00', 'wire')));
      await bench.run(service);
      await bench.plan(bench.file('b2.csv', HEADER + line(1, '10.00', 'same_day_ach')), {batchId: 'b2'});
      const before = service.posts;
      const summary = await bench.run(service, {batchId: 'b2'});
      assert.deepEqual([summary.state, summary.already_paid, service.posts], ['complete', 1, before]);
      const results = readFileSync(summary.results!, 'utf8');
      const [record] = [...service.byId.values()];
      assert.match(
        results,
        new RegExp(`"already_paid".*"${record!.id}".*"paid by batch b1, record ${record!.id}"`),
      );
    } finally {
      bench.remove();
    }
  });
});
