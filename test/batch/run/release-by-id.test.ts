import assert from 'node:assert/strict';
import {exitCodeOf} from '../../../src/batch/standing/summary.ts';
import {Bench, type RunArguments} from '../harness.ts';
import {isOf, isRelease, isStage, type SeenRequest, TruthService} from '../truth-service.ts';

const BY_ID = 'remit profiles set acme --approve-by-id && remit payouts batch resume b1';

describe('a batch whose records cannot be released by a replay', () => {
  let bench: Bench;
  let service: TruthService;
  beforeEach(() => {
    bench = new Bench();
    service = new TruthService();
    service.now = () => bench.clock.now();
  });
  afterEach(() => bench.remove());

  const run = (given: RunArguments = {}) => bench.run(service, given);
  const allowed = {settings: {approveById: true}};
  const isApproval = ({path}: SeenRequest) => path.endsWith('/approve');
  const paidOnce = (rows: number) => {
    assert.equal(service.paid.length, rows);
    assert.ok(service.paid.every(({approvals}) => approvals === 1));
  };

  describe('because the service compares the bodies of requests with one key', () => {
    for (const code of ['IDEMPOTENCY_KEY_CONFLICT', 'BODY_MISMATCH', undefined]) {
      const refuseReleases = () => {
        service.fault = (request) =>
          isRelease(request) ? {status: 409, body: {error_code: code, message: 'other body'}} : undefined;
      };

      it(`stops once, with the rows staged, and names approval by id (409 ${String(code)})`, async () => {
        await bench.plan(bench.payouts(30));
        refuseReleases();
        const began = bench.clock.now();
        const summary = await run();
        assert.deepEqual(
          [summary.staged, summary.in_doubt, summary.conflict, summary.accepted],
          [30, 0, 0, 0],
        );
        assert.deepEqual([summary.stopped_because?.reason, exitCodeOf(summary)], ['bodies-compared', 7]);
        assert.match(summary.stopped_because!.message, /row \d+ \(INV-\d+\).*approved by their ids/);
        assert.equal(summary.next, BY_ID);
        assert.ok(service.requests.filter(isRelease).length <= 17);
        assert.ok(bench.clock.now() - began < 20_000);
        paidOnce(0);
      });

      it(`is finished by resume once the profile approves by id (409 ${String(code)})`, async () => {
        await bench.plan(bench.payouts(5));
        refuseReleases();
        await run();
        const summary = await run(allowed);
        assert.deepEqual([summary.accepted, summary.state, summary.next], [5, 'complete', null]);
        paidOnce(5);
      });
    }

    it('stops once if the probe is refused, as for records that direct mode has made', async () => {
      await bench.plan(bench.payouts(3));
      await run({path: 'stage-only'});
      service.fault = (request) =>
        request.key === undefined ? undefined : {status: 409, body: {error_code: 'BODY_MISMATCH'}};
      const posts = service.posts;
      const summary = await run();
      assert.deepEqual([summary.staged, summary.stopped_because?.reason], [3, 'bodies-compared']);
      assert.match(summary.stopped_because!.message, /probe.*row 1 \(INV-1\).*approved by their ids/);
      assert.deepEqual([service.posts - posts, summary.next], [2, BY_ID]);
      assert.equal((await run(allowed)).state, 'complete');
      paidOnce(3);
    });

    it('continues after a probe that met a request in progress', async () => {
      await bench.plan(bench.payouts(2));
      await run({path: 'stage-only'});
      service.fault = () => {
        service.fault = () => undefined;
        return {status: 409, body: {error_code: 'CONCURRENT'}};
      };
      assert.equal((await run()).state, 'complete');
      paidOnce(2);
    });

    it('reads the record first: one that was approved meanwhile is accepted', async () => {
      await bench.plan(bench.payouts(2));
      service.fault = (request) => {
        if (!isRelease(request) || !isOf(request, 1)) return undefined;
        service.fault = () => undefined;
        service.act({method: 'POST', path: request.path, key: request.key, body: request.body});
        return {status: 409, body: {error_code: 'CONCURRENT', message: 'in use'}};
      };
      assert.equal((await run({maxInFlight: 1})).accepted, 2);
      paidOnce(2);
    });

    it('reads the record of a refused release only after a pause that the service has asked for', async () => {
      await bench.plan(bench.payouts(2));
      await run({path: 'stage-only'});
      let openAt = 0;
      service.fault = (request) => {
        assert.ok(
          bench.clock.now() >= openAt,
          `${request.method} ${openAt - bench.clock.now()} ms too early`,
        );
        if (!isRelease(request) || openAt > 0) return undefined;
        openAt = bench.clock.now() + 20_000;
        return {status: 409, body: {error_code: 'CONCURRENT'}, headers: {'retry-after': '20'}};
      };
      assert.equal((await run({maxInFlight: 1})).state, 'complete');
      paidOnce(2);
    });

    it('tries once more if the code does not say that the key is dead', async () => {
      await bench.plan(bench.payouts(2));
      let refusals = 0;
      service.fault = (request) =>
        isRelease(request) && refusals++ === 0 ? {status: 409, body: {error_code: 'CONCURRENT'}} : undefined;
      assert.equal((await run()).accepted, 2);
      paidOnce(2);
    });

    it('is in doubt if the record cannot be read', async () => {
      await bench.plan(bench.payouts(1));
      service.fault = (request) =>
        isRelease(request)
          ? {status: 409, body: {error_code: 'IDEMPOTENCY_KEY_CONFLICT'}}
          : request.method === 'GET'
            ? 'not-json'
            : undefined;
      const summary = await run();
      assert.deepEqual([summary.in_doubt, summary.staged, exitCodeOf(summary)], [1, 0, 12]);
    });

    for (const status of ['canceled', 'failed']) {
      it(`has a dead key if the record is ${status}`, async () => {
        await bench.plan(bench.payouts(1));
        await run({path: 'stage-only'});
        service.fault = (request) => {
          if (!isRelease(request)) return undefined;
          for (const record of service.byId.values()) record.status = status;
          return undefined;
        };
        const summary = await run();
        assert.deepEqual([summary.conflict, summary.accepted, summary.in_doubt], [1, 0, 0]);
      });
    }
  });

  describe('because the service has forgotten the keys', () => {
    it('names approval by id, and resume then approves without a probe or a horizon', async () => {
      await bench.plan(bench.payouts(4));
      await run({path: 'stage-only'});
      service.forgetKeys();
      const stopped = await run();
      assert.deepEqual([stopped.stopped_because?.reason, stopped.next], ['key-forgotten', BY_ID]);
      service.requests.length = 0;
      const summary = await run(allowed);
      assert.deepEqual([summary.accepted, summary.state], [4, 'complete']);
      assert.deepEqual(service.requests.filter(({method}) => method === 'POST').map(isApproval), [
        true,
        true,
        true,
        true,
      ]);
      paidOnce(4);
    });

    it('still stops at the probe if the profile does not approve by id', async () => {
      await bench.plan(bench.payouts(2));
      await run({path: 'stage-only'});
      service.forgetKeys();
      await run();
      assert.equal((await run()).stopped_because?.reason, 'key-forgotten');
      paidOnce(0);
    });
  });

  it('leaves a row alone whose approval was answered with another record', async () => {
    await bench.plan(bench.payouts(1));
    service.fault = (request) =>
      isRelease(request)
        ? {status: 409, body: {error_code: 'IDEMPOTENCY_KEY_CONFLICT', message: 'other body'}}
        : undefined;
    await run();
    service.fault = () => undefined;
    service.distort = (record, request) =>
      isApproval(request) ? {...record, id: '018f0000-0000-7000-8000-00000000bbbb'} : record;
    const summary = await run(allowed);
    assert.equal(summary.stopped_because?.reason, 'collision');
    const {outcome} = await bench.inJournal(({journal}) => journal.rows.of('INV-1')!);
    assert.deepEqual([outcome?.state, summary.accepted, summary.staged], ['collision', 0, 0]);
  });

  it('reads a row in doubt by its id before it probes with it', async () => {
    await bench.plan(bench.payouts(1));
    service.fault = (request) =>
      isRelease(request) ? 'lost-after' : request.method === 'GET' ? '503-before' : undefined;
    assert.equal((await run()).in_doubt, 1);
    service.forgetKeys();
    service.fault = () => undefined;
    service.requests.length = 0;
    const summary = await run();
    assert.deepEqual([summary.accepted, summary.state], [1, 'complete']);
    assert.ok(service.requests.every((request) => request.method === 'GET'));
    paidOnce(1);
  });

  it('probes after it has read rows in doubt whose records are still created, and then releases them', async () => {
    await bench.plan(bench.payouts(2));
    service.fault = (request) =>
      isRelease(request) ? 'lost-before' : request.method === 'GET' ? '503-before' : undefined;
    assert.equal((await run({maxInFlight: 1})).in_doubt, 2);
    service.fault = () => undefined;
    service.requests.length = 0;
    assert.equal((await run()).accepted, 2);
    assert.equal(service.requests[0]?.method, 'GET');
    assert.equal(service.requests.filter(isStage).length, 1);
    paidOnce(2);
  });
});
