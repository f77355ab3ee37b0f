import assert from 'node:assert/strict';
import {exitCodeOf} from '../../../src/batch/standing/summary.ts';
import {refusePaidElsewhere} from '../../../src/batch/registry/survey.ts';
import {RemitError} from '../../../src/errors.ts';
import {Bench} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

/** Moments that few runs meet, each with one rule that would cost a payment if it were left out. */
describe('a batch in a rare moment', () => {
  let bench: Bench;
  let service: TruthService;
  beforeEach(() => {
    bench = new Bench();
    service = new TruthService();
  });
  afterEach(() => bench.remove());

  for (const status of [400, 404, 422])
    it(`releases nothing when its probe is refused with ${status}`, async () => {
      await bench.plan(bench.payouts(3));
      assert.equal((await bench.run(service, {path: 'stage-only'})).staged, 3);
      service.fault = (request) =>
        request.method === 'POST'
          ? {status, body: {error_code: 'VALIDATION_ERROR', message: 'no longer accepted'}}
          : undefined;
      const before = service.posts;
      const summary = await bench.run(service, {path: 'release'});
      assert.deepEqual([summary.staged, summary.state, exitCodeOf(summary)], [3, 'stopped', 7]);
      assert.equal(summary.stopped_because?.reason, 'probe');
      assert.match(
        summary.stopped_because.message,
        new RegExp(`the replay of row 1 \\(INV-1\\): ${status} VALIDATION_ERROR: no longer accepted`),
      );
      assert.equal(summary.next, 'remit payouts batch cancel b1');
      assert.equal(service.posts - before, 1, 'the probe and nothing else');
      assert.deepEqual(service.paid, []);
      service.fault = () => undefined;
      assert.equal((await bench.run(service)).accepted, 3);
      assert.ok(service.paid.every(({approvals}) => approvals === 1));
    });

  it('can be canceled, as the next command says, while its probe is refused', async () => {
    await bench.plan(bench.payouts(2));
    await bench.run(service, {path: 'stage-only'});
    service.fault = ({body, path}) =>
      body.includes('"auto_approve"') && !path.endsWith('/cancel')
        ? {status: 422, body: {error_code: 'INVALID_PAYMENT_DETAILS', message: 'the date is past'}}
        : undefined;
    assert.match((await bench.run(service)).next!, /^remit payouts batch cancel b1/);
    const {state, canceled} = await bench.run(service, {path: 'cancel'});
    assert.deepEqual([state, canceled], ['canceled', 2]);
    service.fault = () => undefined;
    await bench.plan(bench.payouts(2), {batchId: 'b2'});
    assert.equal((await bench.run(service, {batchId: 'b2'})).accepted, 2);
    assert.ok(service.paid.every(({approvals}) => approvals === 1));
  });

  it('writes no outcome once another process has taken its lock, and pays every row once afterwards', async () => {
    await bench.plan(bench.payouts(3));
    const taken = new RemitError('LOCKED', 'taken');
    let recorded = -1;
    const first = bench.run(service, {
      opened: ({lock, journal}) => {
        lock.assertHeld = () => {
          if (service.posts === 0) return; // still ours when the window is opened
          recorded = journal.rows.inStates(['staged'], 0, 10).length;
          throw taken;
        };
      },
    });
    await assert.rejects(first, (error) => error === taken);
    assert.equal(recorded, 0, 'nothing was flushed before the check');
    const staged = await bench.inJournal(({journal}) => journal.rows.inStates(['staged'], 0, 10).length);
    assert.equal(staged, 0, 'the journal belongs to the other runner');
    assert.equal((await bench.run(service)).accepted, 3);
    assert.deepEqual([service.byId.size, service.paid.length], [3, 3]);
    assert.ok(service.paid.every(({approvals}) => approvals === 1));
  });

  it('with a live key, asks before it pays a reference that was paid at another live address', async () => {
    const live = {mode: 'live', key: 'live_key'} as const;
    await bench.plan(bench.payouts(2), {batchId: 'first'});
    await bench.run(service, {...live, batchId: 'first', baseUrl: 'https://one.test'});
    await bench.plan(bench.payouts(2));
    const survey = await bench.inClaims(({survey: found}) => found, {...live, baseUrl: 'https://two.test'});
    assert.deepEqual(
      [...survey.elsewhere],
      [['https://one.test', {count: 2, example: 'INV-1', batch: 'first'}]],
    );
    const asked = {batchId: 'b1', retype: (words: readonly string[]) => ['remit run', ...words].join(' ')};
    assert.throws(
      () => refusePaidElsewhere(survey, [], asked),
      (error) =>
        error instanceof RemitError &&
        error.exitCode === 11 &&
        /https:\/\/one\.test/.test(error.message) &&
        error.hint!.endsWith('remit run --accept paid-elsewhere=https://one.test'),
    );
    refusePaidElsewhere(survey, ['https://one.test'], asked);
  });
});
