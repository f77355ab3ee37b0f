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
});
