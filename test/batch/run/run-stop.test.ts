import assert from 'node:assert/strict';
import {setMaxListeners} from 'node:events';
import {mkdirSync, readFileSync, rmSync, statSync} from 'node:fs';
import {join} from 'node:path';
import type {Journal} from '../../../src/batch/journal/journal.ts';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import {exitCodeOf, type Summary} from '../../../src/batch/standing/summary.ts';
import {readStatus} from '../../../src/batch/standing/status-file.ts';
import {statusOfBatch} from '../../../src/batch/overview/status.ts';
import {
  type Transport,
  type TransportAnswer,
  TransportFailure,
  type TransportRequest,
} from '../../../src/client/transport/transport.ts';
import {RemitError} from '../../../src/errors.ts';
import {checkSums} from '../chaos.ts';
import {Bench, type RunArguments} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

const CTRL_C = new RemitError('INTERRUPTED', 'interrupted');

describe('a run that is stopped', () => {
  let bench: Bench;
  let service: TruthService;
  const at = () => ({kind: 'payout', batchId: 'b1', stateDir: bench.stateDir, clock: bench.clock}) as const;
  beforeEach(() => {
    bench = new Bench();
    service = new TruthService();
  });
  afterEach(() => bench.remove());

  async function run(options: RunArguments = {}): Promise<Summary & {exit: number}> {
    const summary = await bench.run(service, options);
    checkSums(summary);
    return {...summary, exit: exitCodeOf(summary)};
  }

  /** A transport whose requests all wait, until they are let go or given up. */
  function waiting({beforeSending = false} = {}) {
    const inner = service.transport();
    const waiters: (() => void)[] = [];
    let arrived: () => void = () => undefined;
    const held = async (request: TransportRequest, answer?: TransportAnswer): Promise<TransportAnswer> => {
      await new Promise<void>((resolve, reject) => {
        waiters.push(resolve);
        if (request.signal !== undefined) setMaxListeners(0, request.signal); // one for each request
        request.signal?.addEventListener('abort', () =>
          reject(new TransportFailure('aborted', 'given up', {sent: answer !== undefined})),
        );
        arrived();
      });
      return answer ?? inner.send(request);
    };
    const transport: Transport = {
      ...inner,
      send: async (request) => {
        if (beforeSending && service.posts >= 4) return held(request);
        const answer = await inner.send(request);
        return beforeSending || service.posts < 4 ? answer : held(request, answer);
      },
    };
    return {
      transport,
      letGo: () => waiters.splice(0).forEach((resolve) => resolve()),
      someWait: new Promise<void>((resolve) => (arrived = resolve)),
    };
  }

  it('is not stopped by too few sockets on this machine: fewer rows are sent at a time', async () => {
    await bench.plan(bench.payouts(60));
    const inner = service.transport();
    let open = 0;
    let most = 0;
    let refused = 0;
    const transport: Transport = {
      ...inner,
      send: async (request) => {
        if (open >= 5) {
          refused++;
          const cause = Object.assign(new Error('connect EMFILE'), {code: 'EMFILE'});
          throw new TransportFailure('other', 'POST: failed (EMFILE)', {sent: false, cause});
        }
        most = Math.max(most, ++open);
        await bench.clock.sleep(50);
        open--;
        return inner.send(request);
      },
    };
    const summary = await run({transport, maxInFlight: 64});
    assert.deepEqual([summary.accepted, summary.exit, most], [60, 0, 5]);
    assert.ok(refused > 0 && refused < 12, `${refused} tries found no socket`);
  });

  it('ends when this machine has no socket for ten seconds before anything succeeds, with every row unsent', async () => {
    await bench.plan(bench.payouts(3));
    const began = bench.clock.now();
    const cause = Object.assign(new Error('connect EMFILE'), {code: 'EMFILE'});
    const transport: Transport = {
      send: () =>
        Promise.reject(new TransportFailure('other', 'POST: failed (EMFILE)', {sent: false, cause})),
      close: async () => undefined,
    };
    const summary = await run({transport});
    assert.deepEqual(
      [summary.not_sent, summary.exit, summary.stopped_because?.reason],
      [3, 7, 'unreachable'],
    );
    assert.ok(bench.clock.now() - began >= 10_000);
  });

  it('by a first Ctrl-C starts nothing more, and waits for requests in progress', async () => {
    await bench.plan(bench.payouts(30));
    const drain = new AbortController();
    const {transport, letGo, someWait} = waiting();
    const running = run({transport, drain: drain.signal});
    await someWait;
    const posts = service.posts;
    drain.abort(CTRL_C);
    letGo();
    const summary = await running;
    assert.equal(service.posts, posts, 'nothing was begun afterwards');
    assert.deepEqual([summary.in_doubt, summary.state, summary.exit], [0, 'interrupted', 130]);
    assert.equal(summary.staged, service.byId.size);
    assert.equal(summary.next, 'remit payouts batch resume b1');
    assert.equal((await run()).accepted, 30);
  });

  it('by a first Ctrl-C during the probe does not judge the keys by its answer', async () => {
    await bench.plan(bench.payouts(3));
    await run({path: 'stage-only'});
    const drain = new AbortController();
    service.fault = () => {
      drain.abort(CTRL_C);
      return {status: 422, body: {error_code: 'INVALID_PAYMENT_DETAILS', message: 'the date is past'}};
    };
    const summary = await run({path: 'release', drain: drain.signal});
    assert.deepEqual([summary.posts, summary.staged, summary.exit], [1, 3, 130]);
    assert.equal(summary.next, 'remit payouts batch resume b1');
  });

  it('by an unwritable status file reports it while it waits for requests in progress', async () => {
    await bench.plan(bench.payouts(30));
    let status = '';
    const reasons = new Set<string | undefined>();
    const inner = service.transport();
    const stopped = run({
      opened: ({place}) => (status = place.status),
      transport: {
        ...inner,
        send: async (request) => {
          rmSync(status, {recursive: true, force: true});
          mkdirSync(status);
          await bench.clock.sleep(3000);
          return inner.send(request);
        },
      },
      onProgress: (_phase, summary) => reasons.add(summary.stopped_because?.reason),
    });
    await assert.rejects(stopped);
    assert.deepEqual([...reasons], [undefined, 'not-whole']);
  });

  it('by a second Ctrl-C aborts requests in progress, which are then in doubt', async () => {
    await bench.plan(bench.payouts(30));
    const [drain, abort] = [new AbortController(), new AbortController()];
    const {transport, someWait} = waiting();
    const running = run({transport, drain: drain.signal, abort: abort.signal});
    await someWait;
    drain.abort(CTRL_C);
    abort.abort(CTRL_C);
    const summary = await running;
    assert.ok(summary.in_doubt > 0);
    assert.equal(
      summary.in_doubt + summary.staged,
      service.byId.size,
      'nothing that was sent is called unsent',
    );
    assert.equal((await run()).accepted, 30);
    assert.equal(service.byId.size, 30);
  });

  it('by a second Ctrl-C leaves unsent what waits for a connection', async () => {
    await bench.plan(bench.payouts(30));
    const [drain, abort] = [new AbortController(), new AbortController()];
    const {transport, someWait} = waiting({beforeSending: true});
    const running = run({transport, drain: drain.signal, abort: abort.signal});
    await someWait;
    drain.abort(CTRL_C);
    abort.abort(CTRL_C);
    const {in_doubt, staged, not_sent, state, stopped_because} = await running;
    assert.deepEqual([in_doubt, staged, not_sent], [0, 4, 26]);
    assert.deepEqual([state, stopped_because?.reason], ['interrupted', 'interrupted']);
    const {outcome} = (await bench.inJournal(({journal}) => journal.rows.of('INV-5')))!;
    assert.deepEqual([outcome?.message, outcome?.attempts], ['given up', 1], 'the results say why');
    assert.equal((await run()).accepted, 30);
    assert.equal(service.byId.size, 30);
  });

  it('by SIGTERM ends with its own exit code', async () => {
    await bench.plan(bench.payouts(3));
    const drain = new AbortController();
    service.fault = () => {
      drain.abort(new RemitError('TERMINATED', 'terminated'));
      return undefined;
    };
    assert.equal((await run({drain: drain.signal})).exit, 143);
  });

  it('while it stages is stopped, not staged: only a part of the rows has a record', async () => {
    await bench.plan(bench.payouts(6));
    service.fault = ({n}) =>
      n <= 2 ? undefined : {status: 401, body: {error_code: 'AUTHENTICATION_ERROR', message: 'no'}};
    const summary = await run({path: 'stage-only', maxInFlight: 1});
    assert.deepEqual(
      [summary.state, summary.stopped_because?.reason, summary.staged, summary.not_sent],
      ['stopped', 'credentials', 2, 4],
    );
  });

  it('after its last row was released is complete, but exits 130', async () => {
    await bench.plan(bench.payouts(3));
    const drain = new AbortController();
    service.fault = () => {
      if (service.paid.length === 2) drain.abort(CTRL_C); // the third release is under way
      return undefined;
    };
    const {accepted, state, next, exit} = await run({drain: drain.signal, maxInFlight: 1});
    assert.deepEqual([accepted, state, next, exit], [3, 'complete', null, 130]);
    const {summary} = await statusOfBatch(at());
    assert.deepEqual([summary.state, summary.next], ['complete', null]);
  });

  it('before it began sends nothing', async () => {
    await bench.plan(bench.payouts(3));
    const summary = await run({drain: AbortSignal.abort(CTRL_C)});
    assert.deepEqual([summary.posts, summary.not_sent, service.posts], [0, 3, 0]);
  });

  it('while it waits at a gate ends at once', async () => {
    for (const at of [2, 4, 5]) {
      const other = new Bench();
      const fresh = new TruthService();
      const drain = new AbortController();
      fresh.fault = ({n}) => (n === at ? {status: 429, headers: {'retry-after': '800'}} : undefined);
      await other.plan(other.payouts(3));
      const running = other.run(fresh, {
        drain: drain.signal,
        maxInFlight: 1,
        onProgress: () => {
          if (other.clock.monotonic() > 5000) drain.abort(CTRL_C);
        },
      });
      const summary = await running;
      assert.equal(summary.state, 'interrupted');
      assert.ok(other.clock.monotonic() < 10_000, `at request ${at} it waited ${other.clock.monotonic()} ms`);
      other.remove();
    }
  });

  for (const [what, breaks] of [
    ['a window', 'openWindow'],
    ['outcomes', 'flush'],
  ] as const) {
    it(`by a journal that cannot write ${what} sends no more, loses nothing, and ends with exit 13`, async () => {
      await bench.plan(bench.payouts(20));
      const full = new RemitError('STATE', 'Could not write journal.db: no space is left on its disk');
      const inner = service.transport();
      const slow: Transport = {
        ...inner,
        send: async (request) => {
          await bench.clock.sleep(150);
          return inner.send(request);
        },
      };
      const failing = bench.run(service, {
        maxInFlight: 2,
        transport: slow,
        opened: ({journal}) => {
          const original = journal[breaks].bind(journal) as (...args: unknown[]) => void;
          let calls = 0;
          journal[breaks] = (...args: unknown[]) => {
            if (service.posts > 3 || (breaks === 'openWindow' && ++calls > 0)) throw full;
            original(...args);
          };
        },
      });
      await assert.rejects(failing, (error) => error === full);
      assert.equal(full.exitCode, 13);
      assert.ok(breaks === 'openWindow' ? service.posts === 0 : service.posts <= 8, `${service.posts} POSTs`);
      assert.deepEqual(service.paid, []);
      assert.equal((await run()).accepted, 20);
      assert.equal(service.byId.size, 20);
    });
  }

  it('by another process that broke its lock opens no further window', async () => {
    await bench.plan(bench.payouts(3));
    const transport = service.transport();
    const first = bench.run(service, {
      opened: ({lock}) => {
        lock.assertHeld = () => {
          throw new RemitError('LOCKED', 'taken');
        };
      },
      transport,
    });
    await assert.rejects(first, (error) => error instanceof RemitError && error.code === 'LOCKED');
    assert.equal(service.posts, 0);
  });

  describe('or continues, as seen from outside', () => {
    it('shows its progress while it runs, and lets no other process run it', async () => {
      await bench.plan(bench.payouts(10));
      const {transport, letGo, someWait} = waiting();
      const running = run({transport});
      await someWait;
      await assert.rejects(run(), (error) => {
        assert.ok(error instanceof RemitError && error.code === 'LOCKED', String(error));
        assert.match(error.message, /^test run is already running: process /); // the driver's own lock says less
        return true;
      });
      const {summary, running: words} = await statusOfBatch(at());
      checkSums(summary);
      assert.deepEqual([summary.state, summary.planned, summary.posts], ['running', 10, 0]);
      assert.match(words!, new RegExp(`process ${process.pid}: staging`));
      const timer = setInterval(letGo, 1);
      assert.equal((await running).accepted, 10);
      clearInterval(timer);
    });

    it('has every outcome on the disk within half a second, also between windows', async () => {
      await bench.plan(bench.payouts(6));
      const inner = service.transport();
      let journal: Journal | undefined;
      const unflushed: number[] = [];
      const transport: Transport = {
        ...inner,
        send: async (request) => {
          await bench.clock.sleep(501); // since the answer before this one
          unflushed.push(journal!.unflushed);
          return inner.send(request);
        },
      };
      const options = {path: 'direct', maxInFlight: 1, transport} as const;
      await run({...options, opened: (batch) => (journal = batch.journal)});
      assert.deepEqual(unflushed, [0, 0, 0, 0, 0, 0]);
    });

    it('has its status file replaced each second, and never changed under a reader', async () => {
      await bench.plan(bench.payouts(1));
      const path = join(bench.stateDir, 'batches', 'payout', 'b1', 'status.json');
      const inner = service.transport();
      const began = bench.clock.now();
      const seen: [ms: number, inode: number][] = [];
      const transport: Transport = {
        ...inner,
        send: async (request) => {
          await bench.clock.sleep(500);
          for (let second = 0; second < 5; second++) {
            await bench.clock.sleep(1000);
            seen.push([Date.parse(readStatus(path)!.updated_at) - began, statSync(path).ino]);
          }
          return inner.send(request);
        },
      };
      await run({transport, path: 'direct'});
      assert.deepEqual(
        seen.map(([ms]) => ms),
        [1000, 2000, 3000, 4000, 5000],
      );
      for (const [i, [, inode]] of seen.entries()) assert.notEqual(inode, seen[i - 1]?.[1]);
    });

    it('has its status file written at the end as well, naming the results', async () => {
      await bench.plan(bench.payouts(2));
      await run();
      const status = readStatus(join(bench.stateDir, 'batches', 'payout', 'b1', 'status.json'))!;
      assert.deepEqual(
        [status.summary.accepted, status.summary.state, status.phase],
        [2, 'complete', 'complete'],
      );
      assert.ok(readFileSync(status.summary.results!, 'utf8').length > 0);
    });

    it('is reported from the journal after a SIGKILL, not from its last status file', async () => {
      await bench.plan(bench.payouts(5));
      const inner = service.transport();
      const dying: Transport = {
        ...inner,
        send: async (request) => {
          if (service.posts === 3) throw new Error('killed');
          return inner.send(request);
        },
      };
      await assert.rejects(bench.run(service, {transport: dying, maxInFlight: 1}), /killed/);
      const {summary, running} = await statusOfBatch(at());
      checkSums(summary);
      assert.deepEqual(
        [summary.state, running, summary.next],
        ['interrupted', undefined, 'remit payouts batch resume b1'],
      );
      assert.equal(summary.in_doubt + summary.staged, 5, 'the window says that all may have been sent');
    });

    it('is unknown under another name', async () => {
      const other = {...at(), batchId: 'b2'};
      for (const look of [() => openBatch({...other, purpose: 'look'}), () => statusOfBatch(other)])
        await assert.rejects(
          look,
          (error) =>
            error instanceof RemitError && error.code === 'NO_BATCH' && /no batch b2/.test(error.message),
        );
    });
  });
});
