import assert from 'node:assert/strict';
import {exitCodeOf, type Summary} from '../../../src/batch/standing/summary.ts';
import {checkSums} from '../chaos.ts';
import {Bench, payeeId, type RunArguments} from '../harness.ts';
import {isOf, isRelease, type SeenRequest, TruthService} from '../truth-service.ts';

const HOUR_MS = 3_600_000;

describe('the release of a batch', () => {
  let bench: Bench;
  let service: TruthService;
  beforeEach(() => {
    bench = new Bench();
    service = new TruthService();
    service.now = () => bench.clock.now();
  });
  afterEach(() => bench.remove());

  async function run(options: RunArguments = {}): Promise<Summary & {exit: number; sent: SeenRequest[]}> {
    const before = service.requests.length;
    const summary = await bench.run(service, options);
    checkSums(summary);
    return {...summary, exit: exitCodeOf(summary), sent: service.requests.slice(before)};
  }
  const paidOnce = (rows: number) => {
    assert.equal(service.paid.length, rows, 'records approved');
    assert.ok(service.paid.every(({approvals}) => approvals === 1));
  };
  const recordOf = (n: number) =>
    [...service.byId.values()].find((record) => record.body['payee_id'] === payeeId(n))!;

  it('comes after everything is staged, and after one row was replayed without approval', async () => {
    await bench.plan(bench.payouts(5));
    const {sent, accepted, exit, posts} = await run();
    const kinds = sent.map((request) =>
      isRelease(request) ? 'release' : isOf(request, 1) ? 'one' : 'stage',
    );
    assert.deepEqual(kinds, [
      'one',
      ...Array<string>(4).fill('stage'),
      'one',
      ...Array<string>(5).fill('release'),
    ]);
    assert.deepEqual([accepted, exit, posts], [5, 0, 11]);
    paidOnce(5);
  });

  it('sends, for each row, the same bytes as its create except for the approval', async () => {
    await bench.plan(bench.payouts(3));
    const {sent} = await run();
    for (let n = 1; n <= 3; n++) {
      const ofRow = sent.filter((request) => isOf(request, n));
      const bodies = new Set(ofRow.map(({body}) => body.replace(/"auto_approve":(true|false)\}$/, '')));
      assert.deepEqual([bodies.size, new Set(ofRow.map(({key}) => key)).size], [1, 1]);
      assert.deepEqual(JSON.parse(ofRow[0]!.body), {
        payee_id: payeeId(n),
        amount_in_minor_units: 10_000 + n,
        currency_code: 'USD',
        metadata: {remit_reference: `INV-${n}`},
        auto_approve: false,
      });
    }
  });

  it('can be done later, by another person', async () => {
    await bench.plan(bench.payouts(3));
    const staged = await run({path: 'stage-only'});
    assert.deepEqual(
      [staged.staged, staged.state, staged.exit, staged.next],
      [3, 'staged', 0, 'remit payouts batch release b1'],
    );
    paidOnce(0);
    bench.clock.advance(20 * HOUR_MS);
    const released = await run({path: 'release', key: 'test_key'});
    assert.deepEqual([released.accepted, released.posts, released.exit], [3, 4, 0]);
    paidOnce(3);
  });

  it('sends nothing once everything is done, whatever the command', async () => {
    await bench.plan(bench.payouts(3));
    await run();
    for (const path of ['stage-and-release', 'release', 'stage-only', 'direct'] as const) {
      const again = await run({path});
      assert.deepEqual([again.posts, again.sent.length, again.accepted, again.exit], [0, 0, 3, 0], path);
    }
  });

  describe('when the service has forgotten the keys', () => {
    it('stops at the probe, with the second record listed and no money moved', async () => {
      await bench.plan(bench.payouts(3));
      await run({path: 'stage-only'});
      service.forgetKeys();
      const summary = await run();
      assert.deepEqual([summary.posts, summary.state, summary.exit], [1, 'stopped', 6]);
      assert.equal(summary.stopped_because?.reason, 'key-forgotten');
      assert.equal(summary.staged, 3);
      const second = [...service.byId.values()].at(-1)!;
      assert.deepEqual(summary.orphans, [{reference: 'INV-1', id: second.id}]);
      paidOnce(0);
    });

    it('in the middle of the release, closes the row with the new record and stops', async () => {
      await bench.plan(bench.payouts(10));
      await run({path: 'stage-only'});
      const staged = recordOf(3).id;
      service.fault = (request) => {
        if (isRelease(request) && isOf(request, 3)) service.forgetKeys();
        return undefined;
      };
      const summary = await run({maxInFlight: 1});
      assert.deepEqual([summary.accepted, summary.staged, summary.state, summary.exit], [3, 7, 'stopped', 6]);
      assert.deepEqual(summary.orphans, [{reference: 'INV-3', id: staged}]);
      assert.equal(summary.next, 'remit profiles set acme --approve-by-id && remit payouts batch resume b1');
      assert.equal(service.byId.get(staged)!.status, 'created');
      paidOnce(3);
    });

    it('after more than five minutes without a success, stops at a second probe', async () => {
      await bench.plan(bench.payouts(10));
      let releases = 0;
      service.fault = (request) => {
        if (!isRelease(request) || ++releases !== 4) return undefined;
        service.forgetKeys();
        return {status: 429, headers: {'retry-after': '301'}};
      };
      const summary = await run({maxInFlight: 1});
      assert.deepEqual([summary.accepted, summary.staged, summary.exit], [3, 7, 6]);
      assert.equal(summary.sent.filter(isRelease).length, 4, 'none after the pause');
      paidOnce(3);
    });

    it('after a pause, probes once with a key that is refused because its record was canceled', async () => {
      await bench.plan(bench.payouts(2));
      await run({path: 'stage-only'});
      recordOf(1).status = 'canceled';
      const before = service.requests.length;
      service.fault = () => {
        service.fault = () => (service.requests.length - before > 50 ? {status: 401} : undefined); // it would never end
        return {status: 429, headers: {'retry-after': '400'}};
      };
      const {sent, accepted, conflict} = await run({maxInFlight: 1});
      assert.deepEqual([accepted, conflict], [1, 1]);
      assert.ok(sent.length < 10, `${sent.length} requests`);
      paidOnce(1);
    });

    it('after the machine was asleep for more than five minutes, stops at a second probe', async () => {
      await bench.plan(bench.payouts(10));
      let releases = 0;
      service.fault = (request) => {
        if (!isRelease(request) || ++releases !== 4) return undefined;
        service.forgetKeys();
        bench.clock.suspend(301_000); // the monotonic clock stops during that time
        return {status: 429};
      };
      const summary = await run({maxInFlight: 1});
      assert.deepEqual([summary.accepted, summary.staged, summary.exit], [3, 7, 6]);
      assert.equal(summary.sent.filter(isRelease).length, 4, 'none after the sleep');
      paidOnce(3);
    });

    it('probes the record that was staged longest ago, which need not be that of the first row', async () => {
      service.keyLifeMs = 20 * HOUR_MS;
      await bench.plan(bench.payouts(3));
      service.fault = (request) => (isOf(request, 1) ? {status: 404} : undefined);
      assert.equal((await run({path: 'stage-only'})).staged, 2);
      service.fault = () => undefined;
      bench.clock.advance(10 * HOUR_MS);
      assert.equal((await run({path: 'stage-only'})).staged, 3);
      bench.clock.advance(12 * HOUR_MS); // of the first row the key is known still
      const summary = await run({path: 'release'});
      assert.deepEqual([summary.posts, summary.state, summary.exit], [1, 'stopped', 6]);
      assert.equal(summary.orphans[0]?.reference, 'INV-2');
      paidOnce(0);
    });

    it('is not noticed by a run that went on without a pause, and needs no second probe', async () => {
      await bench.plan(bench.payouts(10));
      const {sent} = await run({maxInFlight: 1});
      assert.equal(sent.filter((request) => !isRelease(request) && isOf(request, 1)).length, 2);
    });
  });

  it('stops, with nothing in doubt but that row, when a record we know is not found', async () => {
    await bench.plan(bench.payouts(5));
    service.fault = (request) => {
      if (isRelease(request) && isOf(request, 2)) return 'lost-before';
      if (request.method === 'GET') return {status: 404, body: {error_code: 'NOT_FOUND', message: 'gone'}};
      return undefined;
    };
    const summary = await run({maxInFlight: 1});
    assert.deepEqual([summary.in_doubt, summary.state, summary.exit], [1, 'stopped', 12]);
    assert.equal(summary.stopped_because?.reason, 'lost-record');
    assert.match(summary.stopped_because.message, /INV-2/);
    assert.equal(summary.sent.filter((request) => isRelease(request) && isOf(request, 2)).length, 1);
  });

  for (const status of [401, 403])
    it(`stops with the exit code of credentials when its probe is answered ${status}`, async () => {
      await bench.plan(bench.payouts(3));
      await run({path: 'stage-only'});
      service.fault = () => ({status, body: {error_code: 'AUTHENTICATION_ERROR', message: 'no such key'}});
      const summary = await run({path: 'release'});
      assert.deepEqual([summary.posts, summary.staged, summary.state, summary.exit], [1, 3, 'stopped', 3]);
      assert.equal(summary.stopped_because?.reason, 'credentials');
    });

  it('leaves a row to a GET that finds it approved by the lost release, and sends no second one', async () => {
    await bench.plan(bench.payouts(3));
    service.fault = (request) => (isRelease(request) && isOf(request, 2) ? 'lost-after' : undefined);
    const {sent, accepted} = await run();
    assert.equal(accepted, 3);
    assert.equal(sent.filter((request) => isRelease(request) && isOf(request, 2)).length, 1);
    paidOnce(3);
  });

  it('counts a record once that was approved by other means in the meantime', async () => {
    await bench.plan(bench.payouts(3));
    await run({path: 'stage-only'});
    for (const n of [1, 2]) {
      recordOf(n).status = 'approved';
      recordOf(n).approvals = 1;
    }
    const summary = await run();
    assert.deepEqual([summary.accepted, summary.staged, summary.exit], [3, 0, 0]);
    paidOnce(3);
  });

  it('treats a record that was canceled in the meantime as a conflict', async () => {
    await bench.plan(bench.payouts(3));
    await run({path: 'stage-only'});
    recordOf(1).status = 'canceled';
    recordOf(3).status = 'canceled';
    const summary = await run();
    assert.deepEqual([summary.accepted, summary.conflict, summary.exit], [1, 2, 8]);
    paidOnce(1);
  });

  it('is held by a row in doubt or in conflict, until the rest is released on purpose', async () => {
    await bench.plan(bench.payouts(4));
    service.fault = (request) => {
      if (isOf(request, 2)) return 'lost-before';
      return isOf(request, 3) ? {status: 409, body: {error_code: 'IDEMPOTENCY_KEY_CONFLICT'}} : undefined;
    };
    const held = await run();
    assert.deepEqual([held.staged, held.in_doubt, held.conflict, held.state], [2, 1, 1, 'held']);
    assert.equal(held.exit, 12);
    assert.match(held.next!, /--accept rest/);
    paidOnce(0);
    const rest = await run({path: 'release', settings: {releaseRest: true}});
    assert.deepEqual([rest.accepted, rest.in_doubt, rest.conflict, rest.exit], [2, 1, 1, 12]);
    paidOnce(2);
  });

  it('is continued for a row whose release was not answered, beside a key that was refused', async () => {
    await bench.plan(bench.payouts(2));
    service.fault = (request) =>
      isOf(request, 2) ? {status: 409, body: {error_code: 'IDEMPOTENCY_KEY_CONFLICT'}} : undefined;
    await run({path: 'stage-only'});
    service.fault = (request) => (isRelease(request) ? 'lost-before' : undefined);
    const lost = await run({path: 'release', settings: {releaseRest: true}});
    assert.deepEqual([lost.in_doubt, lost.conflict], [1, 1]);
    service.fault = () => undefined;
    assert.equal((await run()).next, 'remit payouts batch release b1 --accept rest');
    assert.equal((await run({path: 'release', settings: {releaseRest: true}})).accepted, 1);
    paidOnce(1);
  });

  it('does not begin automatically while rows are not staged', async () => {
    await bench.plan(bench.payouts(10));
    const drain = new AbortController();
    service.fault = (request) => {
      if (request.n === 4) drain.abort(new Error('Ctrl-C'));
      return undefined;
    };
    const stopped = await run({drain: drain.signal, maxInFlight: 1});
    assert.deepEqual([stopped.staged, stopped.not_sent, stopped.state], [4, 6, 'interrupted']);
    const held = await run({path: 'release'});
    assert.deepEqual([held.accepted, held.state, held.posts], [0, 'held', 0]);
    assert.match(held.next!, /resume b1/);
    assert.equal((await run()).accepted, 10);
  });

  for (const [isBefore, what, change] of [
    [true, 'has lost a row before the run', 'delete from rows where n = 2'],
    [
      false,
      'changes an amount during the run',
      'create trigger changed after insert on outcomes when new.n = 3 begin update rows set amount = amount + 1 where n = 2; end',
    ],
  ] as const)
    it(`does not begin when the journal ${what}: the rows do not add up to the plan`, async () => {
      await bench.plan(bench.payouts(3));
      if (isBefore) await run({path: 'stage-only'});
      const posts = service.posts;
      await bench.inDatabase((db) => db.exec(change));
      const summary = await bench.run(service);
      assert.deepEqual([summary.stopped_because?.reason, exitCodeOf(summary)], ['not-whole', 13]);
      assert.deepEqual([summary.state, service.posts - posts], ['stopped', isBefore ? 0 : 3]);
      paidOnce(0);
    });

  describe('past the horizon of the keys', () => {
    const TOO_LATE = /longer ago than the key horizon; approve it by its id and resume .*--approve-by-id/;
    const messageOf = async (n: number) =>
      bench.inJournal(({journal}) => journal.rows.of(`INV-${n}`)?.outcome?.message ?? '');

    it('replays no row, and sends only GETs', async () => {
      await bench.plan(bench.payouts(3));
      await run({path: 'stage-only'});
      bench.clock.advance(25 * HOUR_MS);
      const summary = await run();
      assert.deepEqual([summary.posts, summary.staged, summary.accepted], [0, 3, 0]);
      assert.deepEqual([summary.state, summary.exit], ['held', 8]);
      assert.ok(summary.sent.every(({method}) => method === 'GET'));
      assert.match(await messageOf(1), TOO_LATE);
      paidOnce(0);
    });

    it('given by the user releases newer records', async () => {
      await bench.plan(bench.payouts(3));
      await run({path: 'stage-only'});
      bench.clock.advance(25 * HOUR_MS);
      const summary = await run({settings: {horizonMs: 48 * HOUR_MS}});
      assert.deepEqual([summary.accepted, summary.exit], [3, 0]);
    });

    it('detects records that were approved by id instead', async () => {
      await bench.plan(bench.payouts(2));
      await run({path: 'stage-only'});
      bench.clock.advance(25 * HOUR_MS);
      recordOf(2).status = 'settled';
      recordOf(2).approvals = 1;
      const summary = await run();
      assert.deepEqual([summary.accepted, summary.settled, summary.staged], [1, 1, 1]);
    });

    describe('without permission to approve by id', () => {
      beforeEach(async () => {
        service.keyLifeMs = 24 * HOUR_MS;
        await bench.plan(bench.payouts(3));
        await run({path: 'stage-only'});
      });
      const sendsOf = (sent: SeenRequest[], n: number) =>
        sent.filter((request) => request.method === 'POST' && isOf(request, n)).length;

      it('leaves a row in doubt whose release an earlier run lost, though its record has not moved', async () => {
        service.fault = (request) => (isRelease(request) && isOf(request, 2) ? 'lost-before' : undefined);
        assert.equal((await run()).in_doubt, 1);
        service.fault = () => undefined;
        bench.clock.advance(25 * HOUR_MS);
        const {accepted, staged, in_doubt: doubt, state, exit, posts} = await run();
        assert.deepEqual([accepted, staged, doubt, posts, state, exit], [2, 0, 1, 0, 'held', 12]);
        assert.equal(recordOf(2).status, 'created');
        assert.match(await messageOf(2), TOO_LATE);
      });

      it('leaves a row in doubt whose release was lost just before, and the rest staged', async () => {
        bench.clock.advance(23 * HOUR_MS);
        service.fault = (request) => {
          if (!isRelease(request) || !isOf(request, 2)) return undefined;
          bench.clock.advance(2 * HOUR_MS);
          return 'lost-before';
        };
        const {accepted, staged, in_doubt: doubt, state, exit, sent} = await run({maxInFlight: 1});
        assert.deepEqual([accepted, staged, doubt, state, exit], [1, 1, 1, 'held', 12]);
        assert.deepEqual([sendsOf(sent, 2), sendsOf(sent, 3), recordOf(2).status], [1, 0, 'created']);
        assert.match(await messageOf(2), TOO_LATE);
      });
    });

    it('fetches a record again before it approves it by id, if a release was refused since it was read', async () => {
      service.keyLifeMs = 24 * HOUR_MS;
      await bench.plan(bench.payouts(1));
      await run({path: 'stage-only'});
      let releases = 0;
      service.fault = (request) => {
        if (!isRelease(request)) return undefined;
        if (++releases === 1) return 'lost-before';
        bench.clock.advance(HOUR_MS / 5); // past the horizon when this answer is read
        return {status: 429};
      };
      const {sent, accepted} = await run({
        settings: {approveById: true, horizonMs: HOUR_MS / 6},
        maxInFlight: 1,
      });
      const words = sent.map(({method, path}) => `${method} ${path.split('/').slice(4).join('/')}`.trim());
      const approve = words.indexOf('POST approve');
      assert.deepEqual([releases, accepted], [2, 1], words.join(', '));
      assert.equal(words[approve - 1], 'GET', words.join(', '));
      paidOnce(1);
    });

    describe('approves by id when the profile allows it', () => {
      const BY_ID = {settings: {approveById: true}} as const;
      const shape = ({method, path, body}: SeenRequest) =>
        method === 'GET'
          ? 'look'
          : path.endsWith('/approve')
            ? 'approve'
            : isRelease({body, method} as SeenRequest)
              ? 'release'
              : 'stage';
      beforeEach(async () => {
        service.keyLifeMs = 24 * HOUR_MS; // a replay would make a second record now
        await bench.plan(bench.payouts(2));
        await run({path: 'stage-only'});
        bench.clock.advance(25 * HOUR_MS);
      });

      it('each record fetched before and after, without a key', async () => {
        const {sent, accepted, exit, posts} = await run({...BY_ID, maxInFlight: 1});
        assert.deepEqual(sent.map(shape), ['look', 'approve', 'look', 'look', 'approve', 'look']);
        assert.ok(sent.every(({key}) => key === undefined));
        assert.deepEqual([accepted, exit, posts, service.byId.size], [2, 0, 2, 2]);
        paidOnce(2);
      });

      it('nothing that was approved by other means in the meantime', async () => {
        recordOf(1).status = 'initiated';
        recordOf(1).approvals = 1;
        const {sent, accepted} = await run(BY_ID);
        assert.deepEqual([accepted, sent.filter((request) => shape(request) === 'approve').length], [2, 1]);
        paidOnce(2);
      });

      for (const fault of ['lost-after', '503-after', 'cut'] as const)
        it(`once, when the answer is ${fault}`, async () => {
          service.fault = (request) => (shape(request) === 'approve' ? fault : undefined);
          const {sent, accepted, exit} = await run(BY_ID);
          assert.deepEqual([accepted, exit], [2, 0]);
          assert.equal(sent.filter((request) => shape(request) === 'approve').length, 2);
          paidOnce(2);
        });

      it('with the row in doubt if neither answer nor record shows the outcome, and resolves it in the next run', async () => {
        service.fault = (request) => (shape(request) === 'approve' ? 'lost-before' : undefined);
        const doubtful = await run(BY_ID);
        assert.deepEqual([doubtful.in_doubt, doubtful.posts, doubtful.exit], [2, 2, 12]);
        service.fault = () => undefined;
        assert.equal((await run(BY_ID)).accepted, 2);
        paidOnce(2);
      });

      it('with the row unapproved when the service refuses', async () => {
        service.approvalFails = ({payee_id: payee}) => payee === payeeId(1);
        const {accepted, unapproved, exit} = await run(BY_ID);
        assert.deepEqual([accepted, unapproved, exit], [1, 1, 8]);
        paidOnce(1);
      });

      it('not again automatically after a refusal that no GET could confirm, even in a later run', async () => {
        service.approvalFails = () => true;
        let approved = false;
        service.fault = (request) => {
          approved ||= shape(request) === 'approve';
          return approved && shape(request) === 'look' ? 'lost-before' : undefined;
        };
        const doubtful = await run({...BY_ID, maxInFlight: 1});
        assert.deepEqual([doubtful.in_doubt, doubtful.posts], [1, 1]); // the run ended with the outage
        service.fault = () => undefined;
        const later = await run({...BY_ID, maxInFlight: 1});
        assert.deepEqual(later.sent.map(shape), ['look', 'look', 'approve', 'look']);
        assert.deepEqual([later.unapproved, later.exit], [2, 8]);
        service.approvalFails = () => false;
        const asked = await run({settings: {approveById: true, retryUnapproved: true}});
        assert.deepEqual([asked.accepted, asked.exit], [2, 0]);
        paidOnce(2);
      });

      it('in a later run, if it was permitted and the record could not be found', async () => {
        service.approvalFails = ({payee_id: payee}) => payee === payeeId(1);
        assert.equal((await run(BY_ID)).unapproved, 1);
        service.approvalFails = () => false;
        service.fault = ({method}) => (method === 'GET' ? {status: 404} : undefined);
        const leave = {path: 'release', settings: {...BY_ID.settings, retryUnapproved: true}} as const;
        assert.equal((await run(leave)).in_doubt, 1);
        service.fault = () => undefined;
        assert.equal((await run(BY_ID)).accepted, 2);
        paidOnce(2);
      });

      it('after one more GET if it had to wait', async () => {
        let refused = 0;
        service.fault = (request) =>
          shape(request) === 'approve' && ++refused === 1
            ? {status: 429, headers: {'retry-after': '60'}}
            : undefined;
        const {sent, accepted} = await run({...BY_ID, maxInFlight: 1});
        assert.deepEqual(sent.map(shape).slice(0, 4), ['look', 'approve', 'look', 'approve']);
        assert.equal(accepted, 2);
        paidOnce(2);
      });

      it('and stops when another record comes back', async () => {
        service.distort = (record, request) =>
          shape(request) === 'approve' ? {...record, amount_in_minor_units: 1} : record;
        const {stopped_because: stop, exit} = await run({...BY_ID, maxInFlight: 1});
        assert.deepEqual([stop?.reason, exit], ['collision', 6]);
      });
    });

    for (const path of ['stage-and-release', 'direct'] as const) {
      it(`leaves a row in doubt that may have been sent (${path})`, async () => {
        service.keyLifeMs = 24 * HOUR_MS;
        await bench.plan(bench.payouts(2));
        service.fault = (request) => (isOf(request, 2) ? 'lost-after' : undefined);
        assert.equal((await run({path})).in_doubt, 1);
        service.fault = () => undefined;
        bench.clock.advance(25 * HOUR_MS);
        const summary = await run({path, settings: {releaseRest: true}});
        assert.ok(!summary.sent.some((request) => isOf(request, 2)));
        assert.equal(summary.in_doubt, 1);
        assert.equal(summary.exit, 12);
        assert.equal(service.byId.size, 2, 'no second record');
        assert.match(
          await messageOf(2),
          /longer ago than the key horizon, so the service may have forgotten.*resolve it/,
        );
        // To resume would send nothing, again and again.
        assert.match(
          summary.next!,
          path === 'direct' ? /resolve b1 --from FILE/ : /profiles set acme --approve-by-id && /,
        );
      });

      it(`counts from the first send, not from the last try (${path})`, async () => {
        service.keyLifeMs = 24 * HOUR_MS;
        await bench.plan(bench.payouts(1));
        service.fault = () => 'lost-after';
        const began = bench.clock.now();
        assert.equal((await run({path})).in_doubt, 1);
        assert.ok(bench.clock.now() - began > 1000, 'the tries took a while');
        service.fault = () => undefined;
        bench.clock.advance(began + 24 * HOUR_MS + 1 - bench.clock.now());
        const summary = await run({path});
        assert.deepEqual([summary.in_doubt, summary.posts, service.byId.size], [1, 0, 1]);
      });

      it(`stops replaying also while it waits at a gate (${path})`, async () => {
        const minute = 60_000;
        service.keyLifeMs = 10 * minute;
        await bench.plan(bench.payouts(1));
        service.fault = ({n}) => (n === 1 ? {status: 503, headers: {'retry-after': '840'}} : undefined); // accepted or not: the answer does not say
        const summary = await run({path, settings: {horizonMs: 10 * minute}});
        assert.deepEqual([summary.in_doubt, summary.posts, summary.exit], [1, 1, 12]);
      });
    }
  });

  describe('in direct mode', () => {
    it('is one request per row', async () => {
      await bench.plan(bench.payouts(5));
      const {posts, accepted, sent, exit} = await run({path: 'direct'});
      assert.deepEqual([posts, accepted, exit], [5, 5, 0]);
      assert.ok(sent.every(isRelease));
      paidOnce(5);
    });

    it('replays a lost answer with the same key', async () => {
      await bench.plan(bench.payouts(5));
      let faults = 4;
      service.fault = () => (faults-- > 0 ? 'lost-after' : undefined);
      const {accepted, exit} = await run({path: 'direct'});
      assert.deepEqual([accepted, exit], [5, 0]);
      paidOnce(5);
    });

    it('puts a row in doubt, not unsent, if it was accepted and is being processed when the run ends', async () => {
      await bench.plan(bench.payouts(1));
      const drain = new AbortController();
      service.distort = (record, request) => {
        if (request.method === 'GET') drain.abort(new Error('Ctrl-C'));
        return {...record, status: 'queued'};
      };
      const summary = await run({path: 'direct', drain: drain.signal});
      assert.deepEqual([summary.in_doubt, summary.not_sent, summary.state], [1, 0, 'interrupted']);
      service.distort = (record) => record;
      assert.equal((await run({path: 'direct'})).accepted, 1);
      paidOnce(1);
    });

    describe('with rows in doubt whose record is known', () => {
      /** Each was taken, is not approved, and stayed in words that mean nothing here. */
      const leaveInDoubt = async (rows: number) => {
        await bench.plan(bench.payouts(rows));
        service.distort = (record) => ({...record, status: 'queued'});
        const {in_doubt: doubt} = await run({path: 'direct'});
        assert.equal(doubt, rows);
        service.distort = (record) => record;
        for (const record of service.byId.values()) Object.assign(record, {status: 'created', approvals: 0});
      };

      it('checks that keys are remembered before it sends one of them again', async () => {
        await leaveInDoubt(2);
        const {sent, accepted} = await run({path: 'direct', maxInFlight: 1});
        const kinds = sent.map((request) =>
          isRelease(request) ? 'release' : request.method === 'GET' ? 'look' : 'probe',
        );
        assert.deepEqual([kinds[0], kinds.filter((kind) => kind === 'probe').length], ['look', 1]);
        assert.ok(kinds.indexOf('probe') < kinds.indexOf('release'), String(kinds));
        assert.equal(accepted, 2);
        paidOnce(2);
      });

      it('pays nothing when they are not', async () => {
        await leaveInDoubt(2);
        service.forgetKeys();
        const summary = await run({path: 'direct'});
        assert.equal(summary.stopped_because?.reason, 'key-forgotten');
        assert.deepEqual([summary.in_doubt, summary.accepted, summary.exit], [2, 0, 12]);
        paidOnce(0);
      });
    });

    it('stops when a record that it was given is not found', async () => {
      await bench.plan(bench.payouts(5));
      service.distort = (record) => ({...record, status: 'queued'});
      service.fault = ({method}) =>
        method === 'GET' ? {status: 404, body: {error_code: 'NOT_FOUND', message: 'gone'}} : undefined;
      const summary = await run({path: 'direct', maxInFlight: 1});
      assert.equal(summary.stopped_because?.reason, 'lost-record');
      const looks = summary.sent.filter(({method}) => method === 'GET');
      assert.deepEqual([looks.length, summary.in_doubt, summary.exit], [1, 5, 12]);
    });

    it('names payments that were approved with another rail, currency or metadata', async () => {
      await bench.plan(bench.payouts(2));
      service.distort = (record) =>
        record['payee_id'] === payeeId(2) ? {...record, currency_code: 'EUR'} : record;
      const {accepted, differs, exit} = await run({path: 'direct'});
      assert.deepEqual([accepted, differs, exit], [2, 1, 8]);
      const [one, ...others] = await bench.inJournal(({journal}) => journal.needingAttention(9, 0));
      assert.deepEqual([one!.reference, one!.state, one!.code, others], ['INV-2', 'accepted', 'DIFFERS', []]);
    });

    it('names such a payment even if only a GET shows it', async () => {
      await bench.plan(bench.payouts(2));
      service.fault = (request) => (request.method === 'POST' && isOf(request, 2) ? 'lost-after' : undefined);
      await run();
      service.fault = (request) => (isRelease(request) && isOf(request, 2) ? 'lost-after' : undefined);
      service.distort = (record, {method}) =>
        method === 'GET' ? {...record, rail: 'wire', currency_code: 'EUR'} : record;
      const {accepted, differs, exit} = await run();
      assert.deepEqual([accepted, differs, exit], [2, 1, 8]);
    });

    it('releases what an earlier run had staged', async () => {
      await bench.plan(bench.payouts(3));
      await run({path: 'stage-only'});
      const summary = await run({path: 'direct'});
      assert.deepEqual([summary.accepted, summary.staged, summary.exit], [3, 0, 0]);
      paidOnce(3);
    });
  });
});
