import assert from 'node:assert/strict';
import {Bench} from '../harness.ts';
import {isOf, isRelease, type SeenRequest, TruthService} from '../truth-service.ts';

describe('a row in doubt with a known record, while another row holds the release', () => {
  let bench: Bench;
  let service: TruthService;
  beforeEach(() => {
    bench = new Bench();
    service = new TruthService();
    service.now = () => bench.clock.now();
  });
  afterEach(() => bench.remove());

  const recordOf = (n: number) =>
    [...service.byId.values()].find(({body}) => JSON.stringify(body).includes(`"INV-${n}"`))!;

  /** The release of row 2 gets no answer, and the record of row 3 is canceled. */
  async function leaveInDoubt(fault: 'lost-before' | 'lost-after') {
    await bench.plan(bench.payouts(5));
    await bench.run(service, {path: 'stage-only'});
    const {id} = recordOf(2);
    recordOf(3).status = 'canceled';
    const isOfTwo = (request: SeenRequest) =>
      (isRelease(request) && isOf(request, 2)) || (request.method === 'GET' && request.path.includes(id));
    service.fault = (request) => (isOfTwo(request) ? fault : undefined);
    const summary = await bench.run(service, {settings: {maxWaitMs: 2000}});
    service.fault = () => undefined;
    assert.deepEqual([summary.accepted, summary.in_doubt, summary.conflict], [3, 1, 1]);
  }

  it('is read by the next run, and found paid', async () => {
    await leaveInDoubt('lost-after');
    const summary = await bench.run(service);
    assert.deepEqual([summary.accepted, summary.in_doubt, summary.state], [4, 0, 'incomplete']);
    assert.match(summary.next!, /retry b1 --row INV-3/);
  });

  it('is released on request, if it is still created', async () => {
    await leaveInDoubt('lost-before');
    const held = await bench.run(service);
    assert.deepEqual([held.accepted, held.in_doubt, held.state], [3, 1, 'held']);
    assert.equal(held.next, 'remit payouts batch release b1 --accept rest');
    const rest = await bench.run(service, {path: 'release', settings: {releaseRest: true}});
    assert.deepEqual([rest.accepted, rest.in_doubt], [4, 0]);
    assert.ok(service.paid.every(({approvals}) => approvals === 1));
  });
});
