import assert from 'node:assert/strict';
import {exitCodeOf} from '../../../src/batch/standing/summary.ts';
import {Bench} from '../harness.ts';
import {isOf, TruthService} from '../truth-service.ts';

const MINUTE_MS = 60_000;

describe('direct mode, after the answer to a row was lost', () => {
  let bench: Bench;
  let service: TruthService;
  beforeEach(async () => {
    bench = new Bench();
    service = new TruthService();
    service.now = () => bench.clock.now();
    service.fault = (request) => (request.method === 'POST' && isOf(request, 2) ? 'lost-after' : undefined);
    await bench.plan(bench.payouts(3));
    assert.equal((await bench.run(service, {path: 'direct'})).in_doubt, 1);
    service.fault = () => undefined;
  });
  afterEach(() => bench.remove());

  const resume = () => bench.run(service, {path: 'direct'});

  it('lists a record that was created long after it as possibly paid twice, with exit 8', async () => {
    service.forgetKeys();
    bench.clock.advance(30 * MINUTE_MS);
    const summary = await resume();
    assert.deepEqual([summary.accepted, summary.differs, summary.state], [3, 1, 'incomplete']);
    assert.equal(exitCodeOf(summary), 8);
    const [row] = await bench.inJournal(({journal}) => journal.needingAttention(9, 0));
    assert.equal(row?.reference, 'INV-2');
    assert.match(String(row?.message), /^check: may be paid twice/);
    assert.equal(service.paid.length, 4);
  });

  it('accepts the record of that request without a word', async () => {
    bench.clock.advance(30 * MINUTE_MS);
    const summary = await resume();
    assert.deepEqual([summary.accepted, summary.differs, summary.state], [3, 0, 'complete']);
    assert.equal(service.paid.length, 3);
  });

  it('does not depend on our clock', async () => {
    service.now = () => bench.clock.now() + 48 * 60 * MINUTE_MS;
    service.forgetKeys();
    bench.clock.advance(30 * MINUTE_MS);
    assert.equal((await resume()).differs, 1);
  });

  for (const [way, by] of [
    ['ahead', 60 * MINUTE_MS],
    ['back', -60 * MINUTE_MS],
  ] as const)
    it(`compares with the clock of the service at the time of that request, if it was set ${way} since`, async () => {
      service.now = () => bench.clock.now() + by;
      service.forgetKeys();
      bench.clock.advance(MINUTE_MS);
      const summary = await resume();
      assert.deepEqual([summary.maybe_paid_twice, exitCodeOf(summary), service.paid.length], [1, 8, 4]);
    });

  for (const by of [60 * MINUTE_MS, -60 * MINUTE_MS])
    it(`knows the record of that request, if the clock of the service moved by ${by / MINUTE_MS} minutes`, async () => {
      service.now = () => bench.clock.now() + by;
      bench.clock.advance(MINUTE_MS);
      assert.deepEqual([(await resume()).differs, service.paid.length], [0, 3]);
    });

  describe('and the service has forgotten its keys, when the batch continues by staging', () => {
    const doubtful = async () => {
      const [row] = await bench.inJournal(({journal}) => journal.needingAttention(9, 9));
      assert.deepEqual([row?.reference, row?.state, row?.code], ['INV-2', 'in_doubt', 'KEY_FORGOTTEN']);
      assert.match(String(row?.message), /^it may have been paid: /);
      assert.equal(service.paid.length, 3);
    };
    beforeEach(() => {
      service.forgetKeys();
      bench.clock.advance(30 * MINUTE_MS);
    });

    for (const path of ['stage-and-release', 'stage-only'] as const)
      it(`leaves the row in doubt, and releases its new record never by itself (${path})`, async () => {
        const summary = await bench.run(service, {path});
        assert.deepEqual([summary.in_doubt, exitCodeOf(summary)], [1, 12]);
        assert.deepEqual(
          summary.orphans.map(({reference}) => reference),
          ['INV-2'],
        );
        await doubtful();
        bench.clock.advance(30 * MINUTE_MS);
        for (const again of ['stage-and-release', 'release', 'direct'] as const) {
          await bench.run(service, {path: again});
          await doubtful();
        }
      });

    it('is not canceled by cancel, which has found another record', async () => {
      const summary = await bench.run(service, {path: 'cancel'});
      assert.deepEqual([summary.state, summary.in_doubt, exitCodeOf(summary)], ['stopped', 1, 12]);
      await doubtful();
    });
  });

  it('stages a record that was made soon after it: the request never arrived, or the record is its own', async () => {
    service.forgetKeys();
    bench.clock.advance(5 * MINUTE_MS);
    assert.equal((await bench.run(service, {path: 'stage-only'})).staged, 1);
  });
});
