import assert from 'node:assert/strict';
import {rmSync} from 'node:fs';
import {join} from 'node:path';
import {batchFolder} from '../../../../src/batch/journal/folder.ts';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import type {Transport} from '../../../../src/client/transport/transport.ts';
import {systemProbe} from '../../../../src/store/locks/lock-holder.ts';
import {acquireLock, type Lock} from '../../../../src/store/locks/lock.ts';
import type {CliOptions} from '../../../cli/run-cli.ts';
import {Desk} from './desk.ts';

/** A lock is not broken while its holder is seen to live. */
const ELSEWHERE = {...systemProbe, host: 'another machine'};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe('how a batch is run, as typed', () => {
  let desk: Desk;
  beforeEach(() => (desk = Desk.withTwoRows()));
  afterEach(() => desk.close());

  const run = async (line: string, options: Partial<CliOptions> = {}) => {
    const ran = await desk.batch(`${line} --json --yes`, options);
    return {...ran, summary: ran.stdout === '' ? undefined : (ran.json() as Summary)};
  };
  const atOf = () => desk.service.requests.map(({at}) => at);

  describe('with keys of a certain age', () => {
    const stagedAgo = async (ageMs: number, options: Partial<CliOptions> = {}) => {
      assert.equal((await run('run ./p.csv --batch-id b --stage-only', options)).exitCode, 0);
      desk.clock.advance(ageMs);
    };

    for (const [line, minutes, accepted, exitCode] of [
      ['release b', 24 * 60 - 1, 2, 0],
      ['release b', 24 * 60 + 1, 0, 8],
      ['release b --key-horizon 2h', 2 * 60 - 1, 2, 0],
      ['release b --key-horizon 2h', 2 * 60 + 1, 0, 8],
      ['release b --key-horizon 48h', 24 * 60 + 1, 2, 0],
    ] as const)
      it(`${accepted > 0 ? 'releases' : 'leaves'} rows staged ${minutes} minutes ago by ${line}`, async () => {
        await stagedAgo(minutes * MINUTE_MS);
        const before = desk.service.posts;
        const {summary, ...ran} = await run(line);
        assert.equal(ran.exitCode, exitCode, ran.stderr);
        assert.deepEqual([summary!.accepted, summary!.staged], [accepted, 2 - accepted]);
        assert.equal(desk.service.paid.length, accepted);
        if (accepted === 0) assert.equal(desk.service.posts, before, 'nothing is sent but looks');
      });

    for (const [flags, accepted, exitCode] of [
      [['--approve-by-id'], 2, 0],
      [[], 0, 8],
    ] as const)
      it(`${accepted > 0 ? 'approves by id' : 'leaves'} what is past the horizon with a profile added ${flags.length > 0 ? 'with' : 'without'} --approve-by-id`, async () => {
        desk.service.keyLifeMs = 24 * HOUR_MS; // a replay would make a second record
        const env = await desk.profile('acme', ...flags);
        await stagedAgo(25 * HOUR_MS, {env});
        const {summary, ...ran} = await run('release b', {env});
        assert.equal(ran.exitCode, exitCode, ran.stderr);
        assert.deepEqual(
          [summary!.accepted, summary!.staged, summary!.posts],
          [accepted, 2 - accepted, accepted],
        );
        assert.equal(desk.service.requests.filter(({path}) => path.endsWith('/approve')).length, accepted);
        assert.deepEqual([desk.service.paid.length, desk.service.byId.size], [accepted, 2]);
      });
  });

  describe('asked to wait', () => {
    const WAITS = [
      ['', 900, true],
      ['', 901, false],
      [' --max-wait 60s', 60, true],
      [' --max-wait 60s', 61, false],
      [' --max-wait 20m', 901, true],
    ] as const;
    const title = (flags: string, seconds: number, waits: boolean) =>
      `${waits ? 'sits out' : 'stops with 7 over'} a Retry-After of ${seconds} s${flags === '' ? '' : ` by${flags}`}`;
    /** The first request from now on is refused; each later one is answered. */
    const refuseOnce = (seconds: number) => {
      desk.service.requests.length = 0;
      desk.service.fault = () =>
        desk.service.requests.length === 1
          ? {status: 429, headers: {'retry-after': String(seconds)}}
          : undefined;
    };
    /** The service, after whose refusal time leaps: a run that waits writes its status in every second of it. */
    const leaping = (seconds: number): Transport => {
      const inner = desk.service.transport();
      const send: Transport['send'] = async (request) => {
        const answer = await inner.send(request);
        if (answer.status === 429) setImmediate(() => desk.clock.advance(seconds * 1000));
        return answer;
      };
      return {...inner, send};
    };

    for (const [flags, seconds, waits] of WAITS)
      it(title(flags, seconds, waits), async () => {
        refuseOnce(seconds);
        const {summary, ...ran} = await run(`run ./p.csv --batch-id b${flags}`, {service: leaping(seconds)});
        assert.equal(ran.exitCode, waits ? 0 : 7, ran.stderr);
        assert.equal(desk.service.paid.length, waits ? 2 : 0);
        if (waits) return;
        assert.deepEqual([summary!.posts, summary!.not_sent], [1, 2]);
        assert.match(summary!.stopped_because!.message, /longer than --max-wait/);
      });

    describe('by the answer to the GET of a retry', () => {
      beforeEach(async () => {
        await run('run ./p.csv --batch-id b');
        for (const record of desk.service.byId.values()) record.status = 'failed';
        await run('status b --refresh');
      });

      for (const [flags, seconds, waits] of WAITS)
        it(title(flags, seconds, waits), async () => {
          const {posts} = desk.service;
          refuseOnce(seconds);
          const ran = await run(`retry b${flags}`);
          if (waits) {
            const [refusedAt, nextAt] = atOf();
            assert.ok(nextAt! - refusedAt! >= seconds * 1000, `${refusedAt}, ${nextAt}`);
            assert.ok(desk.service.byId.size > 2, ran.stderr);
            return;
          }
          assert.deepEqual([ran.exitCode, ran.error().code, ran.stdout], [7, 'UNAVAILABLE', '']);
          assert.match(ran.error().message, new RegExp(`wait ${seconds} s, longer than --max-wait`));
          assert.deepEqual(
            [desk.service.requests.length, desk.service.posts],
            [1, posts],
            'nothing is sent again',
          );
          const again = await run(`retry b${flags}`);
          assert.deepEqual([again.exitCode, desk.service.byId.size], [0, 4], again.stderr);
        });
    });
  });

  it('releases rows whose record differs only with --accept differences', async () => {
    desk.service.distort = (record) => ({...record, currency_code: 'CAD'});
    const held = await run('run ./p.csv --batch-id b');
    assert.deepEqual([held.exitCode, held.summary!.held, desk.service.paid.length], [8, 2, 0]);
    assert.equal((await run('release b')).summary!.held, 2);
    const released = await run('release b --accept differences');
    assert.equal(released.exitCode, 0, released.stderr);
    assert.deepEqual([released.summary!.accepted, desk.service.paid.length], [2, 2]);
    for (const record of desk.service.byId.values()) record.status = 'failed';
    // The accepted difference is not why they failed.
    assert.match((await run('retry b --row A-1')).stderr, /with a new key: record \S+ has failed\n/);
  });

  describe('of many rows', () => {
    beforeEach(() =>
      desk.file(
        'm.csv',
        Array.from({length: 12}, (_, n) => [`M-${n}`, n, `${n + 1}.00`] as const),
      ),
    );

    it('keeps no more than --max-in-flight requests open', async () => {
      const inner = desk.service.transport();
      const peakOf = async (flags: string) => {
        let [open, peak] = [0, 0];
        const send: Transport['send'] = async (request) => {
          peak = Math.max(peak, ++open);
          await desk.clock.sleep(50);
          open--;
          return inner.send(request);
        };
        const ran = await run(`run ./m.csv --stage-only${flags}`, {service: {...inner, send}});
        assert.equal(ran.summary?.staged, 12, ran.stderr);
        return peak;
      };
      assert.equal(await peakOf(' --batch-id two --state-dir ./two --max-in-flight 2'), 2);
      assert.ok((await peakOf(' --batch-id any --state-dir ./any')) > 2);
    });

    it('sends no more than --max-rps requests per second', async () => {
      const leastGapOf = async (flags: string) => {
        desk.service.requests.length = 0;
        assert.equal((await run(`run ./m.csv --stage-only${flags}`)).summary?.staged, 12);
        const times = atOf();
        return Math.min(...times.slice(1).map((at, n) => at - times[n]!));
      };
      assert.ok((await leastGapOf(' --batch-id two --state-dir ./two --max-rps 2')) >= 490);
      assert.ok((await leastGapOf(' --batch-id any --state-dir ./any')) < 490);
    });
  });

  for (const [what, path] of [
    ['batch', () => batchFolder(join(desk.folder, 's'), 'payout', 'b').lock],
    ['registry', () => join(desk.folder, 's/batches/registry.lock')],
  ] as const)
    it(`takes the lock of the ${what} from a process elsewhere only with --break-lock`, async () => {
      await desk.batch('plan ./p.csv --batch-id b --state-dir ./s');
      const lock = await acquireLock(path(), {purpose: 'another run', probe: ELSEWHERE});
      const refused = await run('run b --state-dir ./s');
      assert.deepEqual([refused.exitCode, refused.error().code, desk.service.posts], [13, 'LOCKED', 0]);
      assert.match(refused.error().message, /^another run is already running/);
      lock.assertHeld();
      const taken = await run('run b --state-dir ./s --break-lock');
      assert.deepEqual([taken.exitCode, taken.summary?.accepted], [0, 2], taken.stderr);
      assert.throws(() => lock.assertHeld(), {code: 'LOCKED'});
      await lock.release();
    });

  for (const verb of ['run', 'retry', 'cancel'])
    for (const [what, path] of [
      ['batch', 'batches/payout/b.lock'],
      ['registry', 'batches/registry.lock'],
    ] as const)
      it(`sends nothing if the lock of the ${what} was lost at the prompt of ${verb}`, async () => {
        if (verb === 'retry')
          desk.service.refuse = () => ({status: 422, error_code: 'INVALID_PAYMENT_DETAILS'});
        if (verb === 'run') await desk.batch('plan ./p.csv --batch-id b --state-dir ./s');
        else await desk.batch('run ./p.csv --batch-id b --state-dir ./s --stage-only --yes');
        desk.service.refuse = () => undefined;
        const {posts} = desk.service;
        const others: Lock[] = [];
        const takeOver = async () => {
          const lock = join(desk.folder, 's', path);
          rmSync(lock);
          others.push(await acquireLock(lock, {purpose: 'another', probe: ELSEWHERE}));
          return true;
        };
        const ran = await desk.batch(`${verb} b --state-dir ./s`, {columns: 100, answers: [takeOver]});
        assert.deepEqual([ran.exitCode, ran.questions.length], [13, 1], ran.stderr);
        assert.equal(desk.service.posts, posts);
        for (const other of others) await other.release();
      });

  it('does not take the lock of a process known to be alive, even with --break-lock', async () => {
    await desk.batch('plan ./p.csv --batch-id b --state-dir ./s');
    const lock = await acquireLock(batchFolder(join(desk.folder, 's'), 'payout', 'b').lock, {
      purpose: 'a run',
    });
    const refused = await run('run b --state-dir ./s --break-lock');
    assert.deepEqual([refused.exitCode, refused.error().code, desk.service.posts], [13, 'LOCKED', 0]);
    assert.match(refused.error().hint!, /it is still running, so its lock is not broken/);
    await lock.release();
  });
});
