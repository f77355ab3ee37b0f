import assert from 'node:assert/strict';
import {cancelExitCodeOf, type Summary} from '../../../src/batch/standing/summary.ts';
import {TransportFailure} from '../../../src/client/transport/transport.ts';
import {resolveRow} from '../../../src/batch/repair/resolve.ts';
import {Bench, type RunArguments} from '../harness.ts';
import {type TruthRecord, TruthService} from '../truth-service.ts';

describe('a batch that is canceled', () => {
  let bench: Bench;
  let service: TruthService;
  beforeEach(() => {
    bench = new Bench();
    service = new TruthService();
    service.keepRequests = true;
  });
  afterEach(() => bench.remove());

  const cancel = (given: RunArguments = {}): Promise<Summary> =>
    bench.run(service, {...given, path: 'cancel'});
  const recordOf = (reference: string): TruthRecord =>
    [...service.byId.values()].find(
      ({body}) => (body['metadata'] as Record<string, string>)['remit_reference'] === reference,
    )!;
  const statuses = () => [...service.byId.values()].map(({status}) => status);
  /** Requests of a record, or of a reference, as `GET` and the end of a POST's path. */
  const seen = (reference: string) =>
    service.requests
      .filter(({path, body}) => path.includes(recordOf(reference).id) || body.includes(`"${reference}"`))
      .map(({method, path}) => (method === 'GET' ? 'GET' : path.split('/').at(-1)));

  it('reads each record, cancels it, and reads it again; then its state is canceled', async () => {
    await bench.plan(bench.payouts(300));
    await bench.run(service, {path: 'stage-only'});
    service.requests.length = 0;
    const summary = await cancel();
    assert.deepEqual(
      [summary.state, summary.canceled, summary.conflict, summary.next],
      ['canceled', 300, 300, null],
    );
    assert.equal(cancelExitCodeOf(summary), 0);
    assert.ok(statuses().every((status) => status === 'canceled'));
    assert.deepEqual(seen('INV-7'), ['GET', 'cancel', 'GET']);
    assert.equal(summary.posts, 300);
  });

  it('sends a cancel again that did not leave this machine', async () => {
    await bench.plan(bench.payouts(3));
    await bench.run(service, {path: 'stage-only'});
    const inner = service.transport();
    let refused = 0;
    const send: typeof inner.send = (request) => {
      if (request.path.endsWith('/cancel') && refused++ < 2)
        throw new TransportFailure('refused', 'connect ECONNREFUSED', {sent: false});
      return inner.send(request);
    };
    const summary = await cancel({transport: {...inner, send}});
    assert.deepEqual([summary.state, summary.canceled], ['canceled', 3]);
  });

  it('names released rows and never touches them', async () => {
    await bench.plan(bench.payouts(3));
    await bench.run(service, {path: 'stage-only'});
    recordOf('INV-2').status = 'approved'; // by hand
    service.requests.length = 0;
    const summary = await cancel();
    assert.deepEqual([summary.state, summary.canceled, summary.accepted], ['canceled', 2, 1]);
    assert.equal(cancelExitCodeOf(summary), 8);
    assert.deepEqual(seen('INV-2'), ['GET']);
  });

  it('resolves rows in doubt first: by their record, or by a replay without approval', async () => {
    await bench.plan(bench.payouts(4));
    service.fault = ({method, body}) => {
      if (method !== 'POST') return undefined;
      if (body.includes('"INV-2"')) return 'lost-after'; // created, and unknown here
      return body.includes('"INV-3"') ? 'lost-before' : undefined; // never created
    };
    assert.equal((await bench.run(service, {path: 'stage-only'})).in_doubt, 2);
    service.fault = () => undefined;
    service.requests.length = 0;
    const summary = await cancel();
    assert.deepEqual([summary.state, summary.canceled, summary.in_doubt], ['canceled', 4, 0]);
    assert.deepEqual(seen('INV-2'), ['payouts', 'GET', 'cancel', 'GET']);
    assert.ok(service.requests.every(({body}) => !body.includes('"auto_approve":true')));
    assert.equal(service.paid.length, 0);
  });

  it('finds a row that was answered with a redirect after the work was done', async () => {
    await bench.plan(bench.payouts(3));
    const answers = service.transport();
    let isFirst = true;
    const redirecting = {
      ...answers,
      send: async (request: Parameters<typeof answers.send>[0]) => {
        const answer = await answers.send(request);
        if (!isFirst) return answer;
        isFirst = false;
        return {...answer, status: 307, headers: {location: 'https://other.test/api/payouts'}};
      },
    };
    const stopped = await bench.run(service, {path: 'direct', transport: redirecting, maxInFlight: 1});
    assert.deepEqual([stopped.not_sent, stopped.stopped_because?.reason], [3, 'redirect']);
    assert.equal(service.paid.length, 1);
    const summary = await cancel();
    assert.deepEqual([summary.state, summary.accepted, summary.not_sent], ['canceled', 1, 2]);
    assert.equal(cancelExitCodeOf(summary), 8);
    await bench.plan(bench.payouts(3), {batchId: 'b2'});
    service.forgetKeys();
    const other = await bench.run(service, {batchId: 'b2'});
    assert.deepEqual([other.already_paid, other.accepted], [1, 2]);
    assert.equal(service.paid.length, 3, 'each row once');
  });

  it('leaves such a row in doubt while the redirect lasts, until a person has found out', async () => {
    await bench.plan(bench.payouts(2));
    service.fault = () => ({status: 308, headers: {location: 'https://other.test/'}});
    await bench.run(service, {maxInFlight: 1});
    const summary = await cancel();
    assert.deepEqual([summary.state, summary.in_doubt, cancelExitCodeOf(summary)], ['stopped', 1, 12]);
    assert.equal(summary.next, 'remit payouts batch resolve b1 --from FILE');
    const batch = await bench.open();
    const {stateDir, clock} = bench;
    await resolveRow({batch, reference: 'INV-1', resolution: 'not-paid', stateDir, clock});
    await batch.close();
    const done = await cancel();
    assert.deepEqual([done.state, done.not_sent, done.next], ['canceled', 2, null]);
  });

  for (const fault of ['lost-before', 'lost-after'] as const)
    it(`gives the reference of a row back that was declared not paid, and it is paid once (${fault})`, async () => {
      await bench.plan(bench.payouts(2));
      service.fault = ({method, body}) => (method === 'POST' && body.includes('"INV-2"') ? fault : undefined);
      assert.equal((await bench.run(service, {path: 'direct'})).in_doubt, 1);
      service.fault = () => undefined;
      await bench.inJournal((batch) =>
        resolveRow({
          ...{batch, stateDir: bench.stateDir, reference: 'INV-2', clock: bench.clock},
          resolution: 'not-paid',
        }),
      );
      assert.equal((await cancel()).state, 'canceled');
      await bench.plan(bench.payouts(2), {batchId: 'b2'});
      const {state, accepted, already_paid: paid} = await bench.run(service, {batchId: 'b2'});
      assert.deepEqual([state, accepted, paid], ['complete', 1, 1]);
      assert.deepEqual(
        service.paid.map(({approvals}) => approvals),
        [1, 1],
      );
    });

  it('stays open with exit 12 while a row is in doubt past the horizon, until it is resolved', async () => {
    await bench.plan(bench.payouts(2));
    service.fault = ({method, body}) =>
      method === 'POST' && body.includes('"INV-2"') ? 'lost-before' : undefined;
    await bench.run(service, {path: 'stage-only'});
    service.fault = () => undefined;
    bench.clock.advance(25 * 3_600_000);
    service.requests.length = 0;
    const summary = await cancel();
    assert.deepEqual([summary.state, summary.canceled, summary.in_doubt], ['stopped', 1, 1]);
    assert.equal(cancelExitCodeOf(summary), 12);
    assert.equal(summary.next, 'remit payouts batch resolve b1 --from FILE');
    assert.ok(service.requests.every(({body}) => !body.includes('"INV-2"')));
  });

  for (const path of ['stage-and-release', 'stage-only', 'release', 'direct'] as const)
    it(`sends nothing else once the cancel is committed (${path})`, async () => {
      await bench.plan(bench.payouts(40));
      await bench.run(service, {path: 'stage-only', drain: stopAfter(service, 10)});
      const before = service.byId.size;
      assert.ok(before < 40, 'some rows were never sent');
      await assert.rejects(cancel({transport: killedAfter(service, 3)}), /killed/);
      service.requests.length = 0;
      await assert.rejects(
        bench.run(service, {path}),
        /batch b1 is being canceled; nothing more will be sent/,
      );
      assert.deepEqual(service.requests, []);
      const summary = await cancel();
      assert.deepEqual(
        [summary.state, summary.canceled, summary.not_sent],
        ['canceled', before, 40 - before],
      );
      await assert.rejects(bench.run(service, {path}), /batch b1 is canceled/);
      assert.equal(service.byId.size, before);
      assert.equal(service.paid.length, 0);
    });

  it('continues after a lost answer, which it never counts as canceled', async () => {
    await bench.plan(bench.payouts(3));
    await bench.run(service, {path: 'stage-only'});
    let losses = 0;
    service.fault = ({path}) => {
      if (!path.endsWith('/cancel') || losses++ > 1) return undefined;
      return losses === 1 ? 'lost-before' : 'lost-after';
    };
    const summary = await cancel();
    assert.deepEqual([summary.state, summary.canceled], ['canceled', 3]);
  });

  it('keeps a row of direct mode in doubt until its record is read canceled: a late request may approve it', async () => {
    await bench.plan(bench.payouts(2));
    service.fault = ({method, body}) =>
      method === 'POST' && body.includes('"INV-2"') ? 'lost-before' : undefined;
    await bench.run(service, {path: 'direct'});
    await bench.inJournal(({journal}) => journal.setFact('path', 'direct')); // as the command does
    service.fault = ({method}) => (method === 'GET' ? '503-before' : undefined);
    const summary = await cancel();
    assert.deepEqual([summary.staged, summary.in_doubt], [0, 1]);
    assert.equal(recordOf('INV-2').status, 'created');
    assert.equal(cancelExitCodeOf(summary), 12);
    service.fault = () => undefined;
    recordOf('INV-2').status = 'approved'; // the late request has arrived
    const after = await cancel();
    assert.deepEqual([after.state, after.accepted, after.canceled], ['canceled', 2, 0]);
    assert.equal(cancelExitCodeOf(after), 8);
  });

  it('reads a record again after a 429, because it may have been approved in the meantime', async () => {
    await bench.plan(bench.payouts(2));
    await bench.run(service, {path: 'stage-only'});
    service.requests.length = 0;
    let throttled = 0;
    service.fault = ({path}) => {
      if (!path.endsWith('/cancel') || throttled > 0) return undefined;
      throttled++;
      recordOf('INV-1').status = 'approved'; // by hand
      return '429';
    };
    const summary = await cancel({maxInFlight: 1});
    assert.deepEqual([summary.state, summary.canceled, summary.accepted], ['canceled', 1, 1]);
    assert.deepEqual(seen('INV-1'), ['GET', 'cancel', 'GET']);
  });

  it('leaves a record that the service does not cancel, reports it, and exits 8', async () => {
    await bench.plan(bench.payouts(2));
    await bench.run(service, {path: 'stage-only'});
    const refusal = {status: 400, body: {error_code: 'VALIDATION_ERROR', message: 'not now'}};
    service.fault = ({path}) =>
      path.includes(recordOf('INV-2').id) && path.endsWith('/cancel') ? refusal : undefined;
    const summary = await cancel();
    assert.deepEqual([summary.state, summary.canceled, summary.staged], ['stopped', 1, 1]);
    assert.equal(cancelExitCodeOf(summary), 8);
    assert.equal(summary.next, 'remit payouts batch cancel b1');
    const {message} = (await bench.inJournal(({journal}) => journal.rows.of('INV-2')!)).outcome!;
    assert.match(message!, /the service did not cancel it: 400 VALIDATION_ERROR: not now/);
    service.fault = () => undefined;
    assert.equal((await cancel()).state, 'canceled');
  });

  it('leaves a row in doubt whose record is shown as another payment', async () => {
    await bench.plan(bench.payouts(2));
    await bench.run(service, {path: 'stage-only'});
    service.distort = (record, {method, path}) =>
      method === 'GET' && path.includes(recordOf('INV-2').id)
        ? {...record, amount_in_minor_units: 1}
        : record;
    const summary = await cancel();
    assert.deepEqual([summary.state, summary.canceled, summary.in_doubt], ['stopped', 1, 1]);
    assert.equal(recordOf('INV-2').status, 'created');
    assert.equal(cancelExitCodeOf(summary), 12);
    service.distort = (record) => record;
    assert.equal((await cancel()).state, 'canceled');
  });

  it('waits for a record that stays created after an accepted cancel, and gives up after eight', async () => {
    await bench.plan(bench.payouts(2));
    await bench.run(service, {path: 'stage-only'});
    service.fault = ({path}) =>
      path.endsWith('/cancel') && path.includes(recordOf('INV-2').id) ? {status: 202, body: {}} : undefined;
    service.requests.length = 0;
    const began = bench.clock.monotonic();
    const summary = await cancel();
    assert.deepEqual([summary.state, summary.canceled, summary.staged], ['stopped', 1, 1]);
    assert.equal(cancelExitCodeOf(summary), 8);
    assert.equal(summary.next, 'remit payouts batch cancel b1');
    assert.equal(seen('INV-2').filter((what) => what === 'cancel').length, 8);
    assert.ok(bench.clock.monotonic() - began > 500, 'it waits between the tries');
    const row = await bench.inJournal(({journal}) => journal.rows.of('INV-2')!);
    assert.match(row.outcome!.message!, /accepted the cancel 8 times, but the record is still created/);
    service.requests.length = 0;
    service.fault = ({method, path}) => {
      if (method === 'GET' && service.requests.length > 4) recordOf('INV-2').status = 'canceled';
      return path.endsWith('/cancel') ? {status: 202, body: {}} : undefined;
    };
    assert.equal((await cancel()).state, 'canceled');
  });

  it('is stopped by a redirect, which is not followed', async () => {
    await bench.plan(bench.payouts(2));
    await bench.run(service, {path: 'stage-only'});
    service.fault = ({path}) =>
      path.endsWith('/cancel') ? {status: 307, headers: {location: 'http://127.0.0.1:9/'}} : undefined;
    const summary = await cancel();
    assert.deepEqual(
      [summary.state, summary.stopped_because?.reason, summary.staged],
      ['stopped', 'redirect', 2],
    );
    assert.equal(cancelExitCodeOf(summary), 7);
  });

  it('frees its references: another batch pays canceled rows with new keys, and rows never sent with the first', async () => {
    await bench.plan(bench.payouts(40));
    await bench.run(service, {path: 'stage-only', drain: stopAfter(service, 10)});
    const canceled = service.byId.size;
    await cancel();
    await bench.plan(bench.payouts(40, 'again.csv'), {batchId: 'b2'});
    const summary = await bench.run(service, {batchId: 'b2'});
    assert.deepEqual([summary.accepted, summary.state], [40, 'complete']);
    assert.equal(service.byId.size, 40 + canceled);
    assert.equal(service.paid.length, 40);
  });

  it('may be canceled before anything was sent', async () => {
    await bench.plan(bench.payouts(2));
    const summary = await cancel();
    assert.deepEqual([summary.state, summary.not_sent, summary.posts], ['canceled', 2, 0]);
    assert.equal(service.requests.length, 0);
  });

  it('is not reported as canceled if the service no longer knows a record', async () => {
    await bench.plan(bench.payouts(2));
    await bench.run(service, {path: 'stage-only'});
    service.byId.delete(recordOf('INV-1').id);
    const summary = await cancel();
    assert.deepEqual([summary.state, summary.in_doubt], ['stopped', 1]);
    assert.equal(cancelExitCodeOf(summary), 12);
  });
});

/** A drain that begins after so many POSTs. */
function stopAfter(service: TruthService, posts: number): AbortSignal {
  const abort = new AbortController();
  const before = service.fault;
  service.fault = (request) => {
    if (service.posts >= posts) abort.abort();
    return before(request);
  };
  return abort.signal;
}

/** A transport whose process dies as it sends the request after so many. */
function killedAfter(service: TruthService, requests: number): ReturnType<TruthService['transport']> {
  const inner = service.transport();
  let sent = 0;
  return {
    ...inner,
    send: (request) => {
      if (sent++ >= requests) throw new Error('killed');
      return inner.send(request);
    },
  };
}
