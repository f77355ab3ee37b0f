import assert from 'node:assert/strict';
import {exitCodeOf} from '../../../src/batch/standing/summary.ts';
import {Bench} from '../harness.ts';
import {isRelease, TruthService} from '../truth-service.ts';

describe('releases without an answer, at a service that forgot its keys just before', () => {
  let bench: Bench;
  let service: TruthService;
  /** The releases are performed and not answered; each makes a second record and approves it. */
  beforeEach(async () => {
    bench = new Bench();
    service = new TruthService();
    let isForgotten = false;
    service.fault = (request) => {
      if (!isRelease(request)) return undefined;
      if (!isForgotten) service.forgetKeys();
      isForgotten = true;
      return 'lost-after';
    };
    await bench.plan(bench.payouts(3));
    const first = await bench.run(service);
    assert.deepEqual([first.in_doubt, service.paid.length], [3, 3]);
    service.fault = () => undefined;
  });
  afterEach(() => bench.remove());

  it('pay no row twice, however often the batch continues with approval by id', async () => {
    const probed = await bench.run(service, {settings: {approveById: true}});
    assert.equal(probed.stopped_because?.reason, 'key-forgotten');
    assert.match(
      probed.stopped_because.message,
      /paid it with a second record; the staged record stays unapproved/,
    );
    assert.deepEqual([probed.accepted, probed.in_doubt, probed.orphans.length], [1, 2, 1]);
    for (const path of ['stage-and-release', 'release', 'direct', 'stage-and-release'] as const) {
      const again = await bench.run(service, {settings: {approveById: true}, path});
      assert.deepEqual([again.accepted + again.in_doubt, service.paid.length], [3, 3], path);
    }
    const ids = await bench.inJournal(({journal}) => journal.rows.recorded(['accepted'], 0, 9));
    assert.ok(ids.every(({outcome}) => service.byId.get(outcome.id)?.['status'] === 'approved'));
  });

  it('are not taken for canceled by a cancel, which leaves them in doubt', async () => {
    await bench.run(service, {settings: {approveById: true}});
    for (let times = 0; times < 2; times += 1) {
      const canceled = await bench.run(service, {path: 'cancel'});
      assert.deepEqual([canceled.state, canceled.in_doubt, exitCodeOf(canceled)], ['stopped', 2, 12]);
      assert.match(String(canceled.next), / resolve /);
    }
    const rows = await bench.inJournal(({journal}) => journal.needingAttention(9, 9));
    assert.deepEqual(
      rows.filter(({state}) => state === 'in_doubt').map(({code}) => code),
      ['KEY_FORGOTTEN', 'KEY_FORGOTTEN'],
    );
  });
});
