import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {readSummary} from '../../../src/batch/standing/read-summary.ts';
import {exitCodeOf, type Summary} from '../../../src/batch/standing/summary.ts';
import {FollowBench} from './bench.ts';
import type {JournalRow} from '../../../src/batch/journal/rows/row.ts';
import type {SeenRequest} from '../truth-service.ts';

describe('following a batch', () => {
  let bench: FollowBench;
  beforeEach(() => {
    bench = new FollowBench();
  });
  afterEach(() => bench.remove());

  /** Lets the service act on time: `step` runs before each request is answered. */
  const script = (step: (request: SeenRequest) => ReturnType<FollowBench['service']['fault']> | void) => {
    bench.service.fault = (request) => step(request) ?? undefined;
  };
  const start = () => bench.clock.now();

  describe('to a goal', () => {
    it('fetches records until every row is settled, sends no POST, and reports the result everywhere', async () => {
      await bench.pay(3);
      const posts = bench.service.posts;
      const began = start();
      script(({at}) => {
        if (at - began > 20_000) bench.settleAll();
      });
      const {summary, followed} = await bench.follow({until: 'settled', out: bench.folder});
      assert.deepEqual(
        [followed.outcome, followed.reached, followed.ended, followed.open],
        ['reached', 3, 0, 0],
      );
      assert.deepEqual([summary.accepted, summary.settled, summary.state], [3, 3, 'complete']);
      assert.equal(bench.service.posts, posts);
      assert.ok(bench.service.requests.every(({method}) => method === 'GET'));
      assert.deepEqual(
        (await bench.rows()).map(({outcome}) => outcome!.status),
        ['settled', 'settled', 'settled'],
      );
      assert.match(readFileSync(join(bench.folder, 'b1.results.csv'), 'utf8'), /"settled"/);
      const status = JSON.parse(
        readFileSync(join(bench.stateDir, 'batches/payout/b1/status.json'), 'utf8'),
      ) as {phase: string; summary: {settled: number}};
      assert.deepEqual([status.phase, status.summary.settled], ['complete', 3]);
      assert.equal(exitCodeOf(summary, followed), 0);
    });

    it('keeps id, attempts and time of staging of a row', async () => {
      await bench.pay(1);
      const [before] = await bench.rows();
      bench.settleAll();
      await bench.follow({until: 'settled'});
      const [after] = await bench.rows();
      assert.deepEqual(after!.outcome, {
        ...before!.outcome,
        status: 'settled',
        http: 200,
        requestId: after!.outcome!.requestId,
      });
      assert.ok(before!.outcome!.attempts > 0);
    });

    it('still reports a payment that was approved with other details', async () => {
      bench.service.distort = (record, {body}) =>
        body.includes('"auto_approve":true') ? {...record, currency_code: 'EUR'} : record;
      await bench.pay(1);
      bench.settleAll();
      await bench.follow({until: 'settled'});
      const [row] = await bench.rows();
      assert.deepEqual([row!.outcome!.status, row!.outcome!.code], ['settled', 'DIFFERS']);
    });

    for (const [what, fields] of [
      ['amount 1 instead of 10001 minor units', {amount_in_minor_units: 1}],
      ['currency EUR instead of USD', {currency_code: 'EUR'}],
      [
        'payee_id 018f0000-0000-7000-8000-000000000099',
        {payee_id: '018f0000-0000-7000-8000-000000000099', status: 'settled'},
      ],
    ] as const)
      it(`reports once that a record with ${what} differs from its row, and exits 8`, async () => {
        await bench.pay(2);
        bench.settleAll();
        const [first] = bench.service.byId.values();
        bench.service.distort = (record) => (record['id'] === first!.id ? {...record, ...fields} : record);
        const {summary, followed} = await bench.follow({until: 'settled'});
        assert.deepEqual([summary.differs, summary.accepted, summary.settled], [1, 2, 2]);
        assert.equal(exitCodeOf(summary, followed), 8);
        const [row] = await bench.inJournal(({journal}) => journal.needingAttention(9, 0));
        assert.deepEqual([row!.reference, row!.code], ['INV-1', 'DIFFERS']);
        assert.ok(row!.message!.includes(what), row!.message!);
        assert.equal((await bench.follow({until: 'settled'})).summary.differs, 1);
      });

    it('does not report a difference again that was accepted for the release, but does report another amount', async () => {
      bench.service.distort = (record) => ({...record, currency_code: 'EUR'});
      await bench.plan(bench.payouts(2));
      assert.equal((await bench.run(bench.service)).held, 2);
      const settings = {acceptDifferences: true};
      const released = await bench.run(bench.service, {path: 'release', settings});
      assert.deepEqual([released.accepted, released.differs, exitCodeOf(released)], [2, 0, 0]);
      const noted = (await bench.rows()).map(({outcome}) => outcome!.code);
      assert.deepEqual(noted, ['DIFFERS_ACCEPTED', 'DIFFERS_ACCEPTED']);
      assert.equal((await bench.follow()).summary.differs, 0);
      bench.settleAll();
      const [first] = bench.service.byId.values();
      bench.service.distort = (record) => ({
        ...{...record, currency_code: 'EUR'},
        ...(record['id'] === first!.id ? {amount_in_minor_units: 1} : {}),
      });
      const {summary, followed} = await bench.follow({until: 'settled'});
      assert.deepEqual([summary.settled, summary.differs, exitCodeOf(summary, followed)], [2, 1, 8]);
      const rows = (await bench.rows()).map(({outcome}) => [outcome!.status, outcome!.code]);
      assert.deepEqual(rows, [
        ['settled', 'DIFFERS'],
        ['settled', 'DIFFERS_ACCEPTED'],
      ]);
    });

    it('reports this even for an unchanged status, and nothing for a status alone', async () => {
      await bench.pay(2);
      bench.service.distort = ({status}) => ({status});
      assert.equal((await bench.follow()).summary.differs, 0);
      bench.service.distort = (record) => ({...record, amount_in_minor_units: 1});
      const {summary} = await bench.follow();
      assert.deepEqual([summary.differs, summary.accepted], [2, 2]);
    });

    it('does not fetch a row again that is at the goal, or past it', async () => {
      await bench.pay(3);
      bench.record('INV-1').status = 'initiated';
      bench.record('INV-2').status = 'debited';
      const began = start();
      script(({at}) => {
        if (at - began > 30_000) bench.record('INV-3').status = 'initiated';
      });
      const {followed} = await bench.follow({until: 'initiated'});
      assert.equal(followed.outcome, 'reached');
      assert.equal(bench.looksAt('INV-1').length, 1);
      assert.equal(bench.looksAt('INV-2').length, 1);
      assert.ok(bench.looksAt('INV-3').length > 3);
    });

    it('ends at once when nothing was accepted', async () => {
      await bench.plan(bench.payouts(2));
      await bench.run(bench.service, {path: 'stage-only'});
      bench.service.requests.length = 0;
      const {followed} = await bench.follow({until: 'settled'});
      assert.deepEqual([followed.outcome, bench.service.requests.length], ['reached', 0]);
    });

    it('waits longer between fetches, up to ten seconds', async () => {
      await bench.pay(1);
      await bench.follow({until: 'settled', timeoutMs: 120_000, random: () => 0});
      const looks = bench.looksAt('INV-1');
      const pauses = looks.slice(1).map((at, i) => Math.round(at - looks[i]!));
      // Each look ends with the moment in which the pace would admit another request.
      const beyond = [500, 750, 1125, 1687.5].map((ms, i) => pauses[i]! - ms);
      assert.ok(
        beyond.every((ms) => ms >= 0 && ms < 50),
        String(pauses),
      );
      assert.ok(
        pauses.slice(8).every((ms) => ms >= 10_000 && ms < 10_050),
        String(pauses),
      );
    });

    it('gives up at the time limit, with exit 10 and the command to continue', async () => {
      await bench.pay(2);
      bench.record('INV-1').status = 'settled';
      const began = start();
      const {summary, followed} = await bench.follow({until: 'settled', timeoutMs: 60_000});
      assert.deepEqual([followed.outcome, followed.reached, followed.open], ['timeout', 1, 1]);
      assert.ok(start() - began <= 61_000);
      assert.equal(exitCodeOf(summary, followed), 10);
      assert.equal(summary.next, 'remit payouts batch resume b1 --until settled');
    });
  });

  describe('the rate', () => {
    const perSecond = (times: number[]) =>
      Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1000).length));

    it('is at most fifty per second', async () => {
      await bench.pay(300);
      bench.settleAll();
      const began = start();
      await bench.follow({until: 'settled'});
      const times = bench.service.requests.map(({at}) => at);
      assert.equal(times.length, 300);
      assert.ok(perSecond(times) <= 51, `${perSecond(times)} in a second`);
      assert.ok(start() - began < 9000, 'nor much slower than that');
    });

    it('is capped by --max-rps over all passes', async () => {
      await bench.pay(20);
      await bench.follow({until: 'settled', maxRps: 5, timeoutMs: 30_000});
      const times = bench.service.requests.map(({at}) => at);
      assert.ok(times.length > 100);
      assert.ok(perSecond(times) <= 6, `${perSecond(times)} in a second`);
    });

    it('fetches each row of a large batch once per pass', async () => {
      await bench.pay(600);
      const {followed} = await bench.follow({});
      assert.equal(followed.gets, 600);
      assert.equal(new Set(bench.service.requests.map(({path}) => path)).size, 600);
    });
  });

  describe('ends', () => {
    it('keeps the reason of a failure, counts it as failed, and exits 9', async () => {
      await bench.pay(2);
      bench.record('INV-1').status = 'settled';
      bench.record('INV-2').status = 'failed';
      bench.service.distort = (record) =>
        record['status'] === 'failed'
          ? {...record, transfer_details: {failure: {code: 'R03', message: 'no account 4111 1111 1111 1111'}}}
          : record;
      const {summary, followed} = await bench.follow({until: 'settled'});
      assert.deepEqual([followed.outcome, followed.ended], ['ended', 1]);
      assert.deepEqual([summary.accepted, summary.settled, summary.failed], [2, 1, 1]);
      const {state, status, code, message} = (await bench.rows())[1]!.outcome!;
      assert.deepEqual([state, status, code, message], ['accepted', 'failed', 'R03', 'no account …1111']);
      assert.equal(exitCodeOf(summary, followed), 9);
    });

    it('takes a canceled record out of the accepted rows, in count and in money', async () => {
      await bench.pay(2);
      bench.record('INV-1').status = 'settled';
      bench.record('INV-2').status = 'canceled';
      const {summary, followed} = await bench.follow({until: 'settled'});
      assert.deepEqual(
        [followed.outcome, followed.ended, followed.statuses],
        ['ended', 1, {settled: 1, canceled: 1}],
      );
      assert.deepEqual([summary.accepted, summary.conflict], [1, 1]);
      assert.deepEqual(
        [summary.totals['USD']!.accepted, summary.totals['USD']!.conflict, summary.totals['USD']!.planned],
        ['100.01', '100.02', '200.03'],
      );
      assert.equal(exitCodeOf(summary, followed), 9);
      const again = await bench.follow({until: 'settled'});
      assert.deepEqual([again.followed.outcome, again.followed.gets], ['ended', 0]);
    });

    it('are not fetched again towards a goal, and a refresh reports one that went back', async () => {
      await bench.pay(1);
      bench.settleAll();
      await bench.follow({until: 'settled'});
      bench.record('INV-1').status = 'initiated';
      assert.equal((await bench.follow({until: 'settled'})).followed.gets, 0);
      const {summary, followed} = await bench.follow({});
      assert.deepEqual([followed.gets, summary.settled, summary.differs], [1, 0, 1]);
    });

    it('are not fetched again by a refresh if they failed: the reference may have been paid again', async () => {
      await bench.pay(1);
      bench.record('INV-1').status = 'failed';
      assert.equal((await bench.follow()).summary.failed, 1);
      bench.record('INV-1').status = 'settled';
      const {summary, followed} = await bench.follow();
      assert.deepEqual([followed.gets, summary.failed], [0, 1]);
    });

    it('are fetched again while their records show other payments, until they show those of the rows', async () => {
      await bench.pay(3);
      const [first, second] = bench.service.byId.values();
      bench.service.distort = (record) =>
        record['id'] === first!.id || record['id'] === second!.id
          ? {...record, amount_in_minor_units: 1, status: 'settled'}
          : record;
      assert.deepEqual((await bench.follow()).summary.differs, 2);
      const again = await bench.follow();
      assert.deepEqual([again.followed.gets, again.summary.differs, exitCodeOf(again.summary)], [3, 2, 8]);
      bench.service.distort = ({id, status, ...record}) =>
        id === second!.id ? {id, status} : {...record, id, status};
      assert.equal((await bench.follow()).summary.differs, 1, 'a status alone shows no payment');
      bench.service.distort = (record) => record;
      const {summary, followed} = await bench.follow();
      assert.deepEqual([summary.differs, summary.settled, exitCodeOf(summary)], [0, 0, 0]);
      assert.deepEqual(followed.statuses, {approved: 3}, 'settled was the other payment');
      const row = (await bench.rows())[0]!.outcome!;
      assert.deepEqual([row.code, row.message], [null, null]);
      bench.settleAll();
      assert.deepEqual((await bench.follow()).summary.settled, 3);
    });

    it('are not fetched again because of a difference that was there when they were approved', async () => {
      bench.service.distort = (record, {body}) =>
        body.includes('"auto_approve":true') ? {...record, currency_code: 'EUR'} : record;
      await bench.pay(1);
      bench.settleAll();
      assert.equal((await bench.follow()).summary.settled, 1);
      const {summary, followed} = await bench.follow({until: 'settled'});
      assert.deepEqual([summary.differs, followed.gets], [1, 0]);
    });

    it('are accepted from any status', async () => {
      await bench.pay(1);
      bench.record('INV-1').status = 'debited';
      await bench.follow({});
      bench.record('INV-1').status = 'canceled';
      assert.deepEqual((await bench.follow({})).followed.statuses, {canceled: 1});
    });
  });

  describe('a status that goes back', () => {
    const lose = (reference: string, status = 'created') => (bench.record(reference).status = status);
    const figures = ({accepted, unapproved, differs, state, next}: Summary) => [
      ...[accepted, unapproved, differs, state, next],
    ];

    it('to created leaves the row unapproved, with exit 8 and retry as the next command', async () => {
      await bench.pay(3);
      lose('INV-2');
      const {summary} = await bench.follow({out: bench.folder});
      assert.deepEqual(figures(summary), [2, 1, 0, 'incomplete', 'remit payouts batch retry b1']);
      assert.equal(exitCodeOf(summary), 8);
      assert.deepEqual(summary.totals['USD']!.unapproved, '100.02');
      assert.match(
        readFileSync(join(bench.folder, 'b1.results.csv'), 'utf8'),
        /"unapproved".*now shown as created/,
      );
      const rest = await bench.inJournal((batch) => readSummary(batch, bench.clock.now()));
      assert.deepEqual(figures(rest), figures(summary));
    });

    it('to created is fetched again: the row is accepted once its record is approved', async () => {
      await bench.pay(2);
      lose('INV-1');
      await bench.follow();
      lose('INV-1', 'initiated');
      const {summary} = await bench.follow();
      assert.deepEqual(figures(summary), [2, 0, 0, 'complete', null]);
      const [row] = await bench.rows();
      assert.deepEqual(
        [row!.outcome!.state, row!.outcome!.status, row!.outcome!.message],
        ['accepted', 'initiated', null],
      );
    });

    it('to created does not end the following before the time limit', async () => {
      await bench.pay(2);
      const began = start();
      script(({at}) => {
        if (at - began < 5000) lose('INV-1');
        else bench.settleAll();
      });
      const {summary, followed} = await bench.follow({until: 'settled', timeoutMs: 60_000});
      assert.deepEqual(
        [followed.outcome, followed.reached, summary.settled, summary.unapproved],
        ['reached', 2, 2, 0],
      );
    });

    it('to an earlier status differs until the record is final', async () => {
      await bench.pay(2);
      lose('INV-1', 'initiated');
      await bench.follow();
      lose('INV-1', 'approved');
      const {summary} = await bench.follow();
      assert.deepEqual([summary.differs, summary.state, exitCodeOf(summary)], [1, 'incomplete', 8]);
      const row = (await bench.rows())[0]!.outcome!;
      assert.deepEqual(
        [row.status, row.code, row.message],
        ['approved', 'DIFFERS', 'the status of its record went back from initiated to approved'],
      );
      lose('INV-1', 'initiated');
      assert.equal((await bench.follow()).summary.differs, 1);
      bench.settleAll();
      const settled = await bench.follow();
      assert.deepEqual([settled.summary.differs, settled.summary.state], [0, 'complete']);
    });

    it('of another payment shows nothing about that of the row', async () => {
      await bench.pay(1);
      bench.service.distort = (record) => ({...record, amount_in_minor_units: 1, status: 'created'});
      const {summary} = await bench.follow();
      assert.deepEqual([summary.accepted, summary.unapproved, summary.differs], [1, 0, 1]);
    });

    it('is fetched also for rows that were never approved', async () => {
      bench.service.approvalFails = () => true;
      await bench.pay(2);
      bench.service.approvalFails = () => false;
      assert.equal((await bench.follow()).summary.unapproved, 2);
      lose('INV-1', 'approved');
      lose('INV-2', 'canceled');
      const {summary} = await bench.follow();
      assert.deepEqual(
        [summary.accepted, summary.unapproved, summary.conflict, summary.canceled],
        [1, 0, 1, 1],
      );
    });
  });

  describe('unexpected answers', () => {
    it('keeps an unknown status, reports it once, and continues to fetch it', async () => {
      await bench.pay(2);
      bench.record('INV-1').status = bench.record('INV-2').status = 'parked';
      const began = start();
      script(({at}) => {
        if (at - began > 20_000) bench.settleAll();
      });
      const {followed} = await bench.follow({until: 'settled'});
      assert.equal(followed.outcome, 'reached');
      assert.deepEqual(bench.unknown, [['parked', 'INV-1']]);
      assert.ok(bench.looksAt('INV-2').length > 3);
    });

    it('journals an unknown status', async () => {
      await bench.pay(1);
      bench.record('INV-1').status = 'parked';
      const {followed, summary} = await bench.follow({});
      assert.deepEqual(followed.statuses, {parked: 1});
      assert.deepEqual([summary.accepted, summary.settled], [1, 0]);
      assert.equal((await bench.rows())[0]!.outcome!.status, 'parked');
    });

    it('stops at a 404 of another server, and leaves the row accepted', async () => {
      await bench.pay(3);
      const path = `/${bench.record('INV-2').id}`;
      bench.service.fault = ({path: asked}) =>
        asked.endsWith(path) ? {status: 404, body: '<html>not here</html>'} : undefined;
      const {summary} = await bench.follow({until: 'settled', timeoutMs: 60_000});
      assert.equal(summary.stopped_because?.reason, 'lost-record');
      assert.deepEqual([summary.accepted, summary.in_doubt], [3, 0]);
    });

    it('puts a row in doubt if its record is gone, stops, and stays stopped', async () => {
      await bench.pay(3);
      const {id} = bench.record('INV-2');
      bench.service.byId.delete(id);
      const {summary, followed} = await bench.follow({until: 'settled', timeoutMs: 60_000});
      assert.equal(followed.outcome, 'stopped');
      assert.equal(summary.stopped_because?.reason, 'lost-record');
      assert.match(summary.stopped_because.message, new RegExp(`${id} of row 2 \\(INV-2\\)`));
      assert.deepEqual([summary.accepted, summary.in_doubt, summary.state], [2, 1, 'stopped']);
      assert.equal(exitCodeOf(summary, followed), 12);
      assert.equal((await bench.rows())[1]!.outcome!.http, 404);
    });

    it('reads a row in doubt again in a refresh, and is complete once its record is found', async () => {
      await bench.pay(3);
      const record = bench.record('INV-2');
      bench.service.byId.delete(record.id);
      assert.equal((await bench.follow()).summary.in_doubt, 1);
      assert.equal((await bench.follow()).summary.in_doubt, 1, 'it is still gone');
      bench.service.byId.set(record.id, record);
      const {summary, followed} = await bench.follow();
      assert.deepEqual([summary.accepted, summary.state, summary.next], [3, 'complete', null]);
      assert.deepEqual([summary.stopped_because, followed.statuses], [null, {approved: 3}]);
      assert.equal(exitCodeOf(summary, followed), 0);
      const kept = await bench.inJournal((batch) => readSummary(batch, bench.clock.now()));
      assert.deepEqual([kept.state, kept.stopped_because, kept.next], ['complete', null, null]);
      const [, {outcome}] = (await bench.rows()) as [unknown, JournalRow];
      assert.deepEqual([outcome!.state, outcome!.code, outcome!.message], ['accepted', null, null]);
    });

    it('stops at a wrong route if the list has the record, and leaves the rows as they are', async () => {
      await bench.pay(3);
      bench.service.fault = ({path}) =>
        path.includes('?') ? undefined : {status: 404, body: {error_code: 'NOT_FOUND', message: 'no'}};
      const {summary, followed} = await bench.follow();
      assert.equal(summary.stopped_because?.reason, 'wrong-route');
      assert.match(summary.stopped_because.message, /set routes\.payouts\.get in the service file/);
      assert.deepEqual([summary.accepted, summary.in_doubt, summary.next], [3, 0, null]);
      assert.equal(exitCodeOf(summary, followed), 7);
      assert.equal(bench.service.requests.length, 2, 'one record, and one page');
    });

    it('does not read the list if the route is right', async () => {
      await bench.pay(3);
      bench.service.byId.delete(bench.record('INV-2').id);
      await bench.follow();
      assert.ok(bench.service.requests.every(({path}) => !path.includes('?')));
    });

    it('puts the row in doubt if the list cannot be read', async () => {
      await bench.pay(1);
      bench.service.fault = ({path}) =>
        path.includes('?') ? {status: 500} : {status: 404, body: {error_code: 'NOT_FOUND', message: 'no'}};
      const {summary} = await bench.follow();
      assert.deepEqual([summary.stopped_because?.reason, summary.in_doubt], ['lost-record', 1]);
    });

    for (const status of [401, 403])
      it(`stops with exit 3 on ${status}`, async () => {
        await bench.pay(5);
        bench.service.fault = () => ({status, body: {error_code: 'AUTHENTICATION_ERROR', message: 'no'}});
        const {summary, followed} = await bench.follow({until: 'settled'});
        assert.equal(exitCodeOf(summary, followed), 3);
        assert.equal(bench.service.requests.length, 1, 'one request finds it out');
        assert.deepEqual([summary.accepted, summary.in_doubt], [5, 0]);
      });

    it('does not accept a record with another id', async () => {
      await bench.pay(1);
      bench.settleAll();
      bench.service.distort = (record) => ({...record, id: '018f0000-0000-7000-8000-0000000000ff'});
      const {summary, followed} = await bench.follow({until: 'settled', timeoutMs: 5000});
      assert.deepEqual([followed.outcome, followed.unread, summary.settled], ['timeout', 1, 0]);
    });

    it('accepts a record without an id', async () => {
      await bench.pay(1);
      bench.settleAll();
      bench.service.distort = ({status}) => ({status});
      assert.equal((await bench.follow({until: 'settled'})).followed.outcome, 'reached');
    });

    it('does not accept a non-payment status without an id as a record', async () => {
      await bench.pay(2);
      const statuses = async () => (await bench.rows()).map(({outcome}) => outcome!.status);
      const before = await statuses();
      bench.service.fault = () => ({status: 200, body: {status: 'ok'}});
      const {followed} = await bench.follow();
      assert.deepEqual([followed.unread, await statuses()], [2, before]);
      const asOf = await bench.inJournal(({journal}) => journal.fact('asOf'));
      assert.ok(asOf! < bench.clock.now(), 'the time of the last read is kept');
    });

    it('stops when records are refused for no known reason', async () => {
      await bench.pay(10);
      bench.service.fault = () => ({status: 405});
      const {summary, followed} = await bench.follow({until: 'settled'});
      assert.equal(exitCodeOf(summary, followed), 7);
      assert.equal(bench.service.requests.length, 3);
    });

    it('follows no redirect', async () => {
      await bench.pay(2);
      bench.service.fault = () => ({status: 302, headers: {location: 'https://elsewhere.test'}});
      const {summary} = await bench.follow({until: 'settled'});
      assert.equal(summary.stopped_because?.reason, 'redirect');
    });
  });

  describe('a service under load', () => {
    it('sends nothing before a Retry-After is over', async () => {
      await bench.pay(30);
      let until = 0;
      script(({n, at}) => {
        if (until === 0 && n % 7 === 0) {
          until = at + 40_000;
          return {status: 429, headers: {'retry-after': '40'}};
        }
        if (at < until - 1) assert.fail('asked before the gate opened');
        bench.settleAll();
        return undefined;
      });
      const {followed} = await bench.follow({until: 'settled', maxRps: 5});
      assert.equal(followed.outcome, 'reached');
      assert.ok(until > 0);
    });

    it('stops if it has to wait longer than --max-wait', async () => {
      await bench.pay(2);
      bench.service.fault = () => ({status: 503, headers: {'retry-after': '3600'}});
      const {summary, followed} = await bench.follow({until: 'settled', timeoutMs: 7_200_000});
      assert.equal(summary.stopped_because?.reason, 'rate-limited');
      assert.equal(exitCodeOf(summary, followed), 7);
    });

    it('is waited for while it is away', async () => {
      await bench.pay(40);
      bench.settleAll();
      const began = start();
      script(({at}) => (at - began < 180_000 ? 'lost-before' : undefined));
      const {followed} = await bench.follow({until: 'settled', timeoutMs: 600_000});
      assert.deepEqual([followed.outcome, followed.reached], ['reached', 40]);
      const whileAway = bench.service.requests.filter(({at}) => at - began < 180_000).length;
      assert.ok(whileAway < 120, `asked ${whileAway} times in three minutes`);
    });

    it('ends with 10 when it does not come back in time', async () => {
      await bench.pay(2);
      bench.service.fault = () => '503-before';
      const {summary, followed} = await bench.follow({until: 'settled', timeoutMs: 60_000});
      assert.equal(exitCodeOf(summary, followed), 10);
      assert.deepEqual([summary.accepted, summary.in_doubt], [2, 0]);
    });

    it('gets another request for a row whose answer was lost', async () => {
      await bench.pay(20);
      bench.settleAll();
      script(({n}) => (n % 3 === 0 ? 'cut' : undefined));
      const {followed} = await bench.follow({});
      assert.deepEqual([followed.outcome, followed.statuses], ['passed', {settled: 20}]);
    });

    it('is not retried forever in a single pass', async () => {
      await bench.pay(200);
      bench.service.fault = () => '503-before';
      const {summary, followed} = await bench.follow({});
      assert.equal(followed.outcome, 'stopped');
      assert.equal(exitCodeOf(summary), 7);
      assert.ok(bench.service.requests.length < 40, String(bench.service.requests.length));
    });
  });

  describe('a signal', () => {
    it('ends it with 130; what was seen is kept, and a resume fetches only the rest', async () => {
      await bench.pay(60);
      bench.settleAll();
      const stop = new AbortController();
      let asked = 0;
      script(() => {
        if (++asked === 30) stop.abort();
      });
      const {summary, followed} = await bench.follow({until: 'settled', abort: stop.signal});
      assert.deepEqual([followed.outcome, summary.state], ['stopped', 'interrupted']);
      assert.equal(exitCodeOf(summary, followed), 130);
      assert.ok(summary.settled > 0 && summary.settled < 60, String(summary.settled));
      bench.service.requests.length = 0;
      const again = await bench.follow({until: 'settled'});
      assert.deepEqual([again.followed.outcome, again.summary.state], ['reached', 'complete']);
      assert.equal(bench.service.requests.length, 60 - summary.settled);
    });

    it('ends it in the middle of a pause', async () => {
      await bench.pay(1);
      const stop = new AbortController();
      script(() => {
        void bench.clock.sleep(100).then(() => stop.abort());
      });
      const began = start();
      assert.equal((await bench.follow({until: 'settled', abort: stop.signal})).followed.outcome, 'stopped');
      assert.ok(start() - began < 1000);
    });
  });

  it('shows its progress', async () => {
    await bench.pay(4);
    bench.record('INV-1').status = bench.record('INV-2').status = 'settled';
    bench.record('INV-3').status = 'failed';
    const lines: string[] = [];
    await bench.follow({until: 'settled', timeoutMs: 3000, onProgress: (line) => lines.push(line)});
    assert.match(lines[0]!, /^settling 0\/4 settled · 0 requests$/);
    assert.match(lines.at(-1)!, /^settling 2\/4 settled, 1 failed · \d+ requests$/);
    await bench.follow({onProgress: (line) => lines.push(line)});
    assert.match(lines.at(-1)!, /^checking status: 2\/4 settled, 1 failed · \d+ requests$/);
  });
});
