import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {resolveRow} from '../../../src/batch/repair/resolve.ts';
import {lostOutcome} from '../../../src/batch/send/known-records.ts';
import {exitCodeOf, type Summary} from '../../../src/batch/standing/summary.ts';
import {
  type Transport,
  TransportFailure,
  type TransportRequest,
} from '../../../src/client/transport/transport.ts';
import {checkSums} from '../chaos.ts';
import {Bench, payeeId, type RunArguments} from '../harness.ts';
import {isOf, isRelease, isStage, type Fault, type SeenRequest, TruthService} from '../truth-service.ts';

const refusal = (status: number, error_code?: string): Fault => ({
  status,
  body: {error_code, message: 'refused'},
});

describe('what an answer does to a run', () => {
  let bench: Bench;
  let service: TruthService;
  beforeEach(() => {
    bench = new Bench();
    service = new TruthService();
  });
  afterEach(() => bench.remove());

  async function run(rows: number, options: RunArguments = {}): Promise<Summary & {exit: number}> {
    await bench.plan(bench.payouts(rows));
    return again(options);
  }
  async function again(options: RunArguments = {}): Promise<Summary & {exit: number}> {
    const summary = await bench.run(service, options);
    checkSums(summary);
    return {...summary, exit: exitCodeOf(summary)};
  }
  const nothingPaid = () => assert.deepEqual(service.paid, []);

  it('a record still created after an approval is unapproved, whatever the status code says', async () => {
    service.distort = (record, request) =>
      isRelease(request) && isOf(request, 2) ? {...record, status: 'created'} : record;
    const {unapproved, accepted, exit} = await run(3);
    assert.deepEqual([unapproved, accepted, exit], [1, 2, 8]);
  });

  it('207 leaves a row unapproved with its warning, and nothing is retried by itself', async () => {
    service.approvalFails = (body) => body['payee_id'] === payeeId(2);
    const summary = await run(3);
    assert.deepEqual([summary.unapproved, summary.accepted, summary.exit], [1, 2, 8]);
    const releases = service.requests.filter((request) => isRelease(request) && isOf(request, 2));
    assert.equal(releases.length, 1);
    assert.equal((await again()).posts, 0);
    service.approvalFails = () => false;
    const released = await again({path: 'release', settings: {retryUnapproved: true}});
    assert.deepEqual([released.accepted, released.unapproved, released.exit], [3, 0, 0]);
  });

  it('202 while staging does not count as a staged record: it is replayed, and never released without one', async () => {
    const isHeldUp = (request: SeenRequest) => isStage(request) && isOf(request, 2);
    service.fault = (request) =>
      isHeldUp(request) ? {status: 202, body: {id: payeeId(77), status: 'processing'}} : undefined;
    const held = await run(3);
    assert.deepEqual([held.staged, held.in_doubt, held.state, held.exit], [2, 1, 'held', 12]);
    nothingPaid();
    service.fault = () => undefined;
    assert.equal((await again()).accepted, 3);
  });

  it('a status alone proves the service only if it is a payment status', async () => {
    await run(3, {path: 'stage-only'});
    service.fault = (request) => (isRelease(request) ? 'lost-before' : undefined);
    assert.equal((await again({path: 'release'})).in_doubt, 3);
    service.fault = ({method}) => (method === 'GET' ? {status: 200, body: {status: 'ok'}} : undefined);
    const before = service.posts;
    const {state, stopped_because: stop, in_doubt: doubts} = await again({path: 'release', maxInFlight: 1});
    assert.deepEqual([state, stop?.reason, doubts], ['stopped', 'unreadable', 3]);
    assert.ok(service.posts - before <= 1, 'at most the probe');
    service.fault = ({method, path}) =>
      method === 'GET'
        ? {status: 200, body: {status: service.byId.get(path.split('/').at(-1)!)!.status}}
        : undefined;
    assert.equal((await again({path: 'release'})).accepted, 3);
  });

  it('text that a database rejects harms neither the run nor the outcome of the row', async () => {
    service.fault = (request) =>
      isOf(request, 2) ? {status: 422, body: {error_code: 'VALIDATION_ERROR', message: 'no\0pe'}} : undefined;
    service.distort = (record, request) => {
      if (isRelease(request) && isOf(request, 3)) return {...record, status: 'mo\0ving'};
      return isOf(request, 4) ? {...record, id: `${String(record['id'])}\0`} : record;
    };
    const {rejected, in_doubt, accepted} = await run(4, {path: 'direct', maxInFlight: 1});
    assert.deepEqual([rejected, in_doubt, accepted], [1, 1, 2]);
    assert.match(readFileSync(join(bench.folder, 'b1.results.csv'), 'utf8'), /"nope"/);
  });

  /** The service with some of its answers changed after the fact. */
  function altered(
    change: (
      request: TransportRequest,
      record: Record<string, unknown>,
    ) => {status?: number; record?: object} | undefined,
  ): Transport {
    const inner = service.transport();
    return {
      ...inner,
      send: async (request) => {
        const answer = await inner.send(request);
        const record = JSON.parse(answer.body.toString()) as Record<string, unknown>;
        const {status = answer.status, record: next = record} = change(request, record) ?? {};
        return {...answer, status, body: Buffer.from(JSON.stringify(next))};
      },
    };
  }

  for (const status of ['queued', 'created', undefined]) {
    for (const path of ['stage-and-release', 'direct'] as const) {
      it(`202 with status ${String(status)} is fetched until the record shows more (${path})`, async () => {
        let looks = 0;
        const transport = altered(({method, body}, record) => {
          if (method === 'GET') return {record: {...record, status: ++looks < 4 ? status : 'approved'}};
          return body!.includes('"auto_approve":true')
            ? {status: 202, record: {...record, status}}
            : undefined;
        });
        const {accepted, exit} = await run(1, {transport, path});
        assert.deepEqual([accepted, exit, looks], [1, 0, 4]);
        assert.equal(service.requests.filter(isRelease).length, 1, 'it is not asked for again');
      });
    }
  }

  it('202 that never shows more leaves the row in doubt', async () => {
    service.distort = (record, request) =>
      isRelease(request) || request.method === 'GET' ? {...record, status: 'queued'} : record;
    const summary = await run(2);
    assert.deepEqual([summary.in_doubt, summary.exit], [2, 12]);
    assert.match(summary.next!, /resume b1/);
    service.distort = (record) => record;
    assert.equal((await again()).accepted, 2);
    assert.ok(service.paid.every(({approvals}) => approvals === 1));
  });

  it('a record of another payment is named by the next command once it has come back twice', async () => {
    service.distort = (record) => ({...record, amount_in_minor_units: 1});
    const {conflict} = await run(1);
    const {next} = await again();
    assert.deepEqual([conflict, next], [1, 'remit payouts batch retry b1 --row INV-1']);
    await bench.prepareRetry(service, {named: ['INV-1']});
    const [record] = [...service.byId.values()];
    assert.equal((await again()).next, `remit payouts get ${record!.id} -p acme`);
    nothingPaid();
  });

  for (const [what, change] of [
    ['amount', {amount_in_minor_units: 1}],
    ['payee', {payee_id: payeeId(99)}],
    ['subaccount', {subaccount_id: payeeId(98)}],
  ] as const) {
    it(`a record of another ${what} stops the batch before any money moves`, async () => {
      service.distort = (record, request) => (isOf(request, 3) ? {...record, ...change} : record);
      const summary = await run(40, {maxInFlight: 2});
      assert.deepEqual([summary.conflict, summary.state, summary.exit], [1, 'stopped', 6]);
      assert.equal(summary.stopped_because?.reason, 'collision');
      assert.ok(summary.not_sent > 30);
      nothingPaid();
      const row = await bench.inJournal(({journal}) => journal.rows.of('INV-3')!);
      const asked = what === 'amount' ? `${row.amount} minor units` : what === 'payee' ? payeeId(3) : 'none';
      assert.match(
        row.outcome!.message!,
        new RegExp(
          `^record ${row.outcome!.id!} came back, with \\S+ ${Object.values(change)[0]} instead of ${asked}$`,
        ),
      );
    });
  }

  for (const [what, change] of [
    ['rail', {rail: 'wire'}],
    ['currency', {currency_code: 'EUR'}],
    ['metadata', {client_metadata: {}}],
  ] as const) {
    it(`a record of another ${what} is held until the difference is accepted`, async () => {
      service.distort = (record, request) => {
        const isThis = request.method === 'POST' ? isOf(request, 2) : false;
        return isThis ? {...record, ...change} : record;
      };
      await bench.plan(
        bench.file(
          'p.csv',
          `reference,payee_id,amount,currency_code,rail\n${[1, 2, 3].map((n) => `INV-${n},${payeeId(n)},1.0${n},USD,standard_ach`).join('\n')}\n`,
        ),
      );
      const first = await again();
      assert.deepEqual([first.accepted, first.staged, first.held, first.exit], [2, 1, 1, 8]);
      assert.equal(service.paid.length, 2);
      const second = await again({settings: {acceptDifferences: true}});
      assert.deepEqual([second.accepted, second.staged, second.held, second.exit], [3, 0, 0, 0]);
    });
  }

  describe('a difference accepted for a release whose outcome is unknown', () => {
    const accepting = {settings: {acceptDifferences: true}};
    beforeEach(async () => {
      service.distort = (record) => ({...record, rail: 'wire'});
      const lines = [1, 2].map((n) => `INV-${n},${payeeId(n)},1.0${n},USD,standard_ach\n`);
      await bench.plan(
        bench.file('p.csv', `reference,payee_id,amount,currency_code,rail\n${lines.join('')}`),
      );
      assert.equal((await again()).held, 2);
    });
    const isAccepted = async (given: Parameters<typeof again>[0] = {}) => {
      service.fault = () => undefined;
      const {accepted, differs, exit} = await again(given);
      assert.deepEqual([accepted, differs, exit], [2, 0, 0]);
      const codes = await bench.inJournal(({journal}) =>
        journal.rows.inStates(['accepted'], 0, 9).map(({outcome}) => outcome.code),
      );
      assert.deepEqual(codes, ['DIFFERS_ACCEPTED', 'DIFFERS_ACCEPTED']);
      assert.ok(service.paid.every(({approvals}) => approvals === 1));
    };

    for (const fault of ['lost-before', 'lost-after'] as const)
      it(`stays accepted after ${fault}`, async () => {
        service.fault = (request) => (isRelease(request) || request.method === 'GET' ? fault : undefined);
        assert.equal((await again(accepting)).in_doubt, 2);
        await again(); // in doubt once more
        await isAccepted();
      });

    it('stays accepted in a revision of the file', async () => {
      service.fault = (request) =>
        isRelease(request) || request.method === 'GET' ? 'lost-after' : undefined;
      assert.equal((await again(accepting)).in_doubt, 2);
      const lines = [2, 1].map((n) => `INV-${n},${payeeId(n)},1.0${n},USD,standard_ach\n`);
      await bench.plan(
        bench.file('p.csv', `reference,payee_id,amount,currency_code,rail\n${lines.join('')}`),
      );
      await isAccepted();
    });

    it('stays accepted after the run was killed', async () => {
      const transport = service.transport();
      const killed = {
        ...transport,
        send: async (request: Parameters<typeof transport.send>[0]) => {
          await transport.send(request);
          if (service.paid.length > 0) throw new Error('killed');
          return transport.send(request);
        },
      };
      await assert.rejects(again({...accepting, transport: killed}), /killed/);
      await isAccepted();
    });

    it('stays accepted while its record is not found', async () => {
      assert.equal((await again(accepting)).accepted, 2);
      const gone = {status: 404, body: {error_code: 'NOT_FOUND', message: 'gone'}};
      const [row] = await bench.inJournal(({journal}) => journal.rows.inStates(['accepted'], 0, 9));
      const lost = lostOutcome(row!)!;
      assert.deepEqual([lost.state, lost.code], ['in_doubt', 'DIFFERS_ACCEPTED']);
      await bench.inJournal(({journal}) => {
        journal.record(lost, bench.clock.now());
        journal.flush();
      });
      service.fault = ({method}) => (method === 'GET' ? gone : undefined);
      assert.equal((await again()).in_doubt, 1);
      await isAccepted();
    });

    it('does not count as paid by a record with another amount', async () => {
      service.fault = (request) =>
        isRelease(request) || request.method === 'GET' ? 'lost-after' : undefined;
      assert.equal((await again(accepting)).in_doubt, 2);
      service.fault = () => undefined;
      service.distort = (record, {method}) =>
        method === 'GET' ? {...record, amount_in_minor_units: 1} : {...record, rail: 'wire'};
      const {accepted, in_doubt: doubts, exit} = await again();
      assert.deepEqual([accepted, doubts, exit], [0, 2, 12]);
      service.distort = (record) => ({...record, rail: 'wire'});
      await isAccepted();
    });
  });

  const recordOf = (n: number) =>
    [...service.byId.values()].find(({body}) => body['payee_id'] === payeeId(n))!;

  it('a held record that was approved or canceled by its id is noticed by the next run, which releases no held one', async () => {
    service.distort = (record) => ({...record, rail: 'wire'});
    const lines = [1, 2, 3, 4].map((n) => `INV-${n},${payeeId(n)},1.0${n},USD,standard_ach\n`);
    await bench.plan(bench.file('p.csv', `reference,payee_id,amount,currency_code,rail\n${lines.join('')}`));
    const settings = {mayAcceptDifferences: false}; // a cap forbids it
    assert.equal((await again({settings})).held, 4);
    recordOf(1).status = 'approved';
    recordOf(2).status = 'canceled';
    service.fault = ({path}) => (path.endsWith(recordOf(3).id) ? '503-before' : undefined);
    const {accepted, canceled, held, in_doubt: doubts, posts} = await again({settings});
    assert.deepEqual([accepted, canceled, held, doubts, posts], [1, 1, 2, 0, 0]);
    assert.deepEqual(
      [3, 4].map((n) => recordOf(n).status),
      ['created', 'created'],
    );
    nothingPaid(); // by the batch
    service.fault = () => undefined;
    service.byId.delete(recordOf(4).id);
    const lost = await again({settings});
    assert.deepEqual([lost.held, lost.stopped_because?.reason], [2, 'lost-record']);
  });

  it('records that caps keep held, and that were approved by their ids, are recorded by a release', async () => {
    service.distort = (record) => ({...record, rail: 'wire'});
    const lines = [1, 2].map((n) => `INV-${n},${payeeId(n)},1.0${n},USD,standard_ach\n`);
    await bench.plan(bench.file('p.csv', `reference,payee_id,amount,currency_code,rail\n${lines.join('')}`));
    const settings = {mayAcceptDifferences: false};
    assert.equal((await again({settings})).next, 'remit payouts batch status b1 --row INV-1');
    for (const n of [1, 2]) {
      recordOf(n).status = 'approved';
      const after = await again({settings, path: 'release'});
      assert.deepEqual([after.accepted, after.held, after.posts], [n, 2 - n, 0]);
      assert.equal(after.next, `remit payouts batch status b1 --row INV-${3 - n}`); // it differs, or is held
    }
  });

  for (const fault of [
    'lost-before',
    'lost-after',
    'cut',
    'not-json',
    '503-before',
    '503-after',
    '500-after',
    '409-other',
  ] as const) {
    it(`${fault} while staging is replayed with the same key and bytes`, async () => {
      let faults = 2;
      service.fault = (request) => (isOf(request, 2) && faults-- > 0 ? fault : undefined);
      const {accepted, exit} = await run(3);
      assert.deepEqual([accepted, exit, service.byId.size], [3, 0, 3]);
      const sent = service.requests.filter((request) => isStage(request) && isOf(request, 2));
      assert.ok(sent.length >= 3);
      assert.equal(new Set(sent.map(({key, body}) => `${key} ${body}`)).size, 1);
      assert.equal(service.records.size, 3);
    });

    it(`${fault} that continues leaves the row in doubt and holds the release`, async () => {
      service.fault = (request) => (isOf(request, 2) ? fault : undefined);
      const summary = await run(3);
      assert.deepEqual([summary.in_doubt, summary.staged, summary.exit], [1, 2, 12]);
      nothingPaid();
      service.fault = () => undefined;
      assert.equal((await again()).accepted, 3);
      assert.ok(service.paid.every(({approvals}) => approvals === 1));
    });

    it(`${fault} of a release is resolved by fetching the record before anything else is sent`, async () => {
      let faults = 1;
      service.fault = (request) =>
        isRelease(request) && isOf(request, 2) && faults-- > 0 ? fault : undefined;
      const {accepted, exit} = await run(3);
      assert.deepEqual([accepted, exit], [3, 0]);
      const id = [...service.byId.values()].find((record) => record.body['payee_id'] === payeeId(2))!.id;
      const about = service.requests.filter(
        (request) => request.path.endsWith(id) || (isRelease(request) && isOf(request, 2)),
      );
      assert.deepEqual(
        about.slice(0, 2).map(({method}) => method),
        ['POST', 'GET'],
      );
      assert.ok(service.paid.every(({approvals}) => approvals === 1));
    });
  }

  it('409 because the key is in use is sent again by resume, and resolved by hand once it has lasted long', async () => {
    let lost = 1;
    service.fault = (request) =>
      !isOf(request, 2) ? undefined : lost-- > 0 ? 'lost-after' : refusal(409, 'DUPLICATE_REQUEST');
    const settings = {releaseRest: true};
    const first = await run(3, {settings});
    assert.deepEqual([first.in_doubt, first.state], [1, 'incomplete']);
    assert.equal(first.next, 'remit payouts batch resume b1');
    const messageOf = async () =>
      (await bench.inJournal(({journal}) => journal.needingAttention(9, 1)))[0]!.message!;
    assert.match(await messageOf(), /409 DUPLICATE_REQUEST: refused\. An earlier request .* not known yet$/);
    bench.clock.advance(15 * 60_000);
    const later = await again({settings});
    assert.equal(later.next, 'remit payouts batch resolve b1 --from FILE');
    assert.match(await messageOf(), /Its key is still in use .*then resolve the row/);
    const {id} = [...service.byId.values()].find(({body}) => body['payee_id'] === payeeId(2))!;
    await bench.inJournal((batch) =>
      resolveRow({
        ...{batch, stateDir: bench.stateDir, clock: bench.clock},
        ...{reference: 'INV-2', resolution: {paid: id, status: 'approved'}},
      }),
    );
    assert.deepEqual([(await again()).state, service.records.size], ['complete', 3]);
  });

  it('409 because the key is in use names no command, because the next command of the batch depends on the other rows', async () => {
    service.fault = (request) => (isOf(request, 2) ? refusal(409, 'DUPLICATE_REQUEST') : undefined);
    await bench.plan(bench.payouts(3));
    const {next} = await again({path: 'stage-only', settings: {releaseRest: true}});
    assert.equal(next, 'remit payouts batch resume b1');
    const [row] = await bench.inJournal(({journal}) => journal.needingAttention(9, 1));
    assert.equal(row!.reference, 'INV-2');
    assert.doesNotMatch(row!.message!, /resume|release|retry/);
  });

  it('resume, printed after a 409 because the key is in use, pays the row once the key is free', async () => {
    let lost = 1;
    let inUse = true;
    service.fault = (request) =>
      !isOf(request, 2)
        ? undefined
        : lost-- > 0
          ? 'lost-after'
          : inUse
            ? refusal(409, 'DUPLICATE_REQUEST')
            : undefined;
    const {next} = await run(3, {settings: {releaseRest: true}});
    assert.equal(next, 'remit payouts batch resume b1');
    inUse = false;
    assert.deepEqual([(await again()).accepted, service.records.size], [3, 3]);
  });

  it('409 of a dead key is a conflict, is never tried again automatically, and holds the release', async () => {
    service.fault = (request) => (isOf(request, 2) ? refusal(409, 'IDEMPOTENCY_KEY_CONFLICT') : undefined);
    const summary = await run(3);
    assert.deepEqual([summary.conflict, summary.staged, summary.state, summary.exit], [1, 2, 'held', 8]);
    assert.match(summary.next!, /--accept rest/);
    assert.equal(service.requests.filter((request) => isOf(request, 2)).length, 1);
    nothingPaid();
    const rest = await again({settings: {releaseRest: true}});
    assert.deepEqual([rest.accepted, rest.conflict, rest.exit], [2, 1, 8]);
    assert.equal(service.requests.filter((request) => isOf(request, 2)).length, 1);
  });

  for (const [status, code] of [
    [400, 'VALIDATION_ERROR'],
    [422, 'INVALID_PAYMENT_DETAILS'],
    [404, 'NOT_FOUND'],
  ] as const) {
    it(`${status} ${code} among successes rejects its row alone`, async () => {
      service.fault = (request) => (isOf(request, 2) ? refusal(status, code) : undefined);
      const summary = await run(3);
      assert.deepEqual(
        [summary.rejected, summary.accepted, summary.state, summary.exit],
        [1, 2, 'incomplete', 8],
      );
      assert.equal((await again()).posts, 0);
    });

    it(`${status} ${code} three times before the first success stops, and nothing counts as refused`, async () => {
      service.fault = () => refusal(status, code);
      const summary = await run(10);
      assert.deepEqual([summary.posts, summary.not_sent, summary.rejected], [3, 10, 0]);
      assert.deepEqual(
        [summary.state, summary.stopped_because?.reason, summary.exit],
        ['stopped', 'refused-at-first', 7],
      );
      service.fault = () => undefined;
      assert.equal((await again()).accepted, 10);
    });

    it(`${status} ${code} of the first row becomes final once another succeeds`, async () => {
      service.fault = (request) => (isOf(request, 1) || isOf(request, 2) ? refusal(status, code) : undefined);
      const summary = await run(5);
      assert.deepEqual([summary.rejected, summary.accepted, summary.exit], [2, 3, 8]);
    });

    it(`${status} ${code} of every row becomes final with --accept refusals`, async () => {
      service.fault = () => refusal(status, code);
      const summary = await run(5, {settings: {trustRefusals: true}});
      assert.deepEqual([summary.rejected, summary.state, summary.exit], [5, 'incomplete', 8]);
    });
  }

  it('404 without a code leaves its row unsent', async () => {
    service.fault = (request) => (isOf(request, 2) ? refusal(404) : undefined);
    const one = await run(5);
    assert.deepEqual([one.not_sent, one.rejected, one.exit], [1, 0, 7]);
    service.fault = () => undefined;
    assert.equal((await again()).accepted, 5);
  });

  it('404 without a code stops three times in a row before the first success, and never after it', async () => {
    service.fault = () => refusal(404);
    const first = await run(20, {maxInFlight: 1});
    assert.deepEqual([first.posts, first.not_sent, first.state], [3, 20, 'stopped']);
    assert.equal(first.exit, 7);
    service.fault = (request) => (isOf(request, 1) ? undefined : refusal(404));
    const later = await again({maxInFlight: 1});
    assert.deepEqual([later.posts, later.staged, later.not_sent, later.state], [20, 1, 19, 'held']);
  });

  it('401 stops at once with the exit code of credentials', async () => {
    service.fault = (request) => (request.n > 5 ? refusal(401, 'AUTHENTICATION_ERROR') : undefined);
    const summary = await run(40, {maxInFlight: 1});
    assert.deepEqual([summary.posts, summary.staged, summary.not_sent, summary.exit], [6, 5, 35, 3]);
    assert.match(summary.next!, /resume b1/);
  });

  it('403 stops at first', async () => {
    service.fault = () => refusal(403, 'AUTHORIZATION_ERROR');
    const summary = await run(10);
    assert.deepEqual([summary.posts, summary.not_sent, summary.exit], [1, 10, 3]);
  });

  it('403 after successes leaves its row, and stops when it comes three times in a row', async () => {
    service.fault = (request) => (isOf(request, 3) ? refusal(403, 'AUTHORIZATION_ERROR') : undefined);
    const one = await run(6, {maxInFlight: 1});
    // Not all is staged, so nothing of it is released.
    assert.deepEqual([one.not_sent, one.staged, one.accepted, one.state, one.exit], [1, 5, 0, 'held', 7]);
    assert.match(one.next!, /resume b1/);
    service.fault = () => undefined;
    assert.equal((await again()).accepted, 6);

    const other = new Bench();
    const fresh = new TruthService();
    fresh.fault = (request) => (isOf(request, 1) ? undefined : refusal(403, 'AUTHORIZATION_ERROR'));
    await other.plan(other.payouts(20));
    const three = await other.run(fresh, {maxInFlight: 1});
    assert.deepEqual([three.posts, three.not_sent, exitCodeOf(three)], [4, 19, 3]);
    other.remove();
  });

  for (const status of [301, 302, 307, 308]) {
    it(`${status} is not followed and stops`, async () => {
      service.fault = () => ({status, headers: {location: 'https://elsewhere.test/api/payouts'}});
      const summary = await run(3);
      assert.deepEqual([summary.posts, summary.not_sent, summary.exit], [1, 3, 7]);
      assert.equal(summary.stopped_because?.reason, 'redirect');
      assert.match(
        String(summary.stopped_because?.message),
        /redirect to https:\/\/elsewhere\.test\/api\/payouts\)\. .* check the base URL https:\/\/api\.test/,
      );
    });
  }

  it('a row that was redirected keeps the time of its try, so that an edit cannot change it', async () => {
    service.fault = () => ({status: 307, headers: {location: 'https://elsewhere.test/api/payouts'}});
    await run(1);
    const row = await bench.inJournal(({journal}) => journal.rows.of('INV-1')!);
    assert.deepEqual([row.outcome?.state, typeof row.outcome?.stagedAt], ['not_sent', 'number']);
  });

  describe('a redirect that may follow the work', () => {
    const SEE_OTHER = {status: 303, headers: {location: 'https://elsewhere.test/p/1'}};

    /** Does what is asked and answers with a redirect. */
    const answerAfter = (status: number, matches: (request: SeenRequest) => boolean) => {
      service.fault = (request) => {
        if (!matches(request)) return undefined;
        service.fault = () => undefined;
        service.act({method: request.method, path: request.path, key: request.key, body: request.body});
        service.fault = (later) => (matches(later) ? {...SEE_OTHER, status} : undefined);
        return {...SEE_OTHER, status};
      };
    };

    it('303 in direct mode leaves the row in doubt and stops; resume asks with the same key', async () => {
      answerAfter(303, (request) => request.method === 'POST');
      await bench.plan(bench.payouts(3));
      const first = await bench.run(service, {path: 'direct', maxInFlight: 1});
      assert.deepEqual([first.in_doubt, first.not_sent, first.accepted], [1, 2, 0]);
      assert.deepEqual([first.stopped_because?.reason, exitCodeOf(first)], ['redirect', 12]);
      assert.equal(service.paid.length, 1);
      service.fault = () => undefined;
      const second = await bench.run(service, {path: 'direct'});
      assert.equal(second.accepted, 3);
      assert.ok(service.paid.every(({approvals}) => approvals === 1));
    });

    it('302 to a release leaves the row in doubt, and its record is read before anything else', async () => {
      answerAfter(302, isRelease);
      await bench.plan(bench.payouts(2));
      const first = await bench.run(service, {maxInFlight: 1});
      assert.deepEqual([first.in_doubt, first.staged, exitCodeOf(first)], [1, 1, 12]);
      service.fault = () => undefined;
      service.requests.length = 0;
      const second = await bench.run(service);
      assert.deepEqual([second.accepted, service.requests[0]?.method], [2, 'GET']);
      assert.ok(service.paid.every(({approvals}) => approvals === 1));
    });
  });

  it('207 with an approved record is accepted, with its warning', async () => {
    service.fault = (request) => {
      if (!isRelease(request)) return undefined;
      service.fault = () => undefined;
      const {body} = service.act({method: 'POST', path: request.path, key: request.key, body: request.body});
      return {status: 207, body: {...(JSON.parse(body) as object), warning: 'the notice was not sent'}};
    };
    const {accepted, unapproved, exit} = await run(1);
    assert.deepEqual([accepted, unapproved, exit], [1, 0, 0]);
    const row = await bench.inJournal(({journal}) => journal.rows.of('INV-1')!);
    assert.equal(row.outcome?.message, 'the notice was not sent');
  });

  describe('that asks to wait', () => {
    it('closes the gate for the whole run, whatever the status', async () => {
      for (const status of [429, 503]) {
        const other = new Bench();
        const fresh = new TruthService();
        let gate = -Infinity;
        let waits = 0;
        fresh.fault = (request) => {
          assert.ok(other.clock.monotonic() >= gate, `${request.method} before the gate`);
          if (++waits !== 4 && waits !== 9) return undefined;
          gate = other.clock.monotonic() + 120_000;
          return {status, headers: {'retry-after': '120'}};
        };
        await other.plan(other.payouts(10));
        const summary = await other.run(fresh, {maxInFlight: 1});
        assert.deepEqual([summary.accepted, exitCodeOf(summary)], [10, 0]);
        assert.ok(summary.elapsed_ms >= 240_000);
        other.remove();
      }
    });

    it('is waited for as an HTTP date too', async () => {
      let asked = 0;
      service.now = () => bench.clock.now();
      service.fault = () =>
        ++asked === 1
          ? {status: 429, headers: {'retry-after': new Date(bench.clock.now() + 60_000).toUTCString()}}
          : undefined;
      const summary = await run(1);
      assert.equal(summary.accepted, 1);
      assert.ok(summary.elapsed_ms >= 59_000 && summary.elapsed_ms < 70_000, String(summary.elapsed_ms));
    });

    it('uses up no tries of a row, however often', async () => {
      let refusals = 30;
      service.fault = (request) => (isOf(request, 2) && refusals-- > 0 ? '429' : undefined);
      assert.equal((await run(3)).accepted, 3);
    });

    it('for longer than --max-wait stops with exit 7 and the command to resume', async () => {
      let asked = 0;
      service.fault = () => (++asked === 4 ? {status: 429, headers: {'retry-after': '901'}} : undefined);
      const summary = await run(10, {maxInFlight: 1});
      assert.deepEqual([summary.posts, summary.staged, summary.not_sent, summary.exit], [4, 3, 7, 7]);
      assert.equal(summary.stopped_because?.reason, 'rate-limited');
      assert.match(summary.stopped_because.message, /901 s/);
      assert.equal(summary.next, 'remit payouts batch resume b1');
      assert.ok(summary.elapsed_ms < 60_000);
      assert.equal((await again()).accepted, 10);
    });

    it('endlessly stops after --max-wait', async () => {
      service.fault = () => '429';
      const summary = await run(3, {settings: {maxWaitMs: 60_000}});
      assert.deepEqual([summary.not_sent, summary.in_doubt, summary.exit], [3, 0, 7]);
      assert.ok(summary.elapsed_ms < 120_000, String(summary.elapsed_ms));
    });

    it('with a success is still a success', async () => {
      const inner = service.transport();
      const transport: Transport = {
        ...inner,
        send: async (request) => {
          const answer = await inner.send(request);
          return answer.status === 201
            ? {...answer, headers: {...answer.headers, 'retry-after': '1'}}
            : answer;
        },
      };
      let refusals = 2;
      service.refuse = () => (refusals-- > 0 ? {status: 400, error_code: 'VALIDATION_ERROR'} : undefined);
      const summary = await run(6, {transport});
      assert.deepEqual([summary.rejected, summary.accepted, summary.exit], [2, 4, 8]);
    });
  });

  describe('that never comes', () => {
    const failing = (kind: 'refused' | 'dns' | 'connect-timeout' | 'tls'): Transport => ({
      send: async () => {
        throw new TransportFailure(kind, `it was a ${kind}`, {sent: false});
      },
      close: async () => undefined,
    });
    for (const kind of ['refused', 'dns', 'connect-timeout', 'tls'] as const) {
      it(`because of ${kind} stops with exit 7, nothing in doubt, nothing sent`, async () => {
        const summary = await run(3, {transport: failing(kind)});
        assert.deepEqual([summary.not_sent, summary.in_doubt, summary.exit], [3, 0, 7]);
        assert.equal(summary.stopped_because?.reason, 'unreachable');
        assert.equal(summary.posts, 0, 'what could not be sent was not sent');
        assert.equal((await again()).accepted, 3);
      });
    }

    it('for a minute stops the run, with what was sent in doubt', async () => {
      service.fault = () => 'lost-after';
      const summary = await run(40);
      assert.equal(summary.stopped_because?.reason, 'failing');
      assert.ok(summary.in_doubt > 0);
      assert.equal(summary.exit, 12);
      service.fault = () => undefined;
      const rest = await again();
      assert.deepEqual([rest.accepted, service.byId.size], [40, 40]);
    });
  });
});
