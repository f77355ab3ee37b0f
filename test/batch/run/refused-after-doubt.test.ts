import assert from 'node:assert/strict';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import {resolveRow} from '../../../src/batch/repair/resolve.ts';
import {Bench, payeeId} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

const HEADER = 'reference,payee_id,amount,currency_code\n';
const line = (n: number, amount = '10.00') => `INV-${n},${payeeId(n)},${amount},USD\n`;
const BAD_DETAILS = {status: 422, body: {error_code: 'INVALID_PAYMENT_DETAILS', message: 'bad account'}};

describe('a row that was in doubt', () => {
  let bench: Bench;
  let service: TruthService;
  beforeEach(() => {
    bench = new Bench();
    service = new TruthService();
  });
  afterEach(() => bench.remove());

  /** Runs two rows of which the second is answered so, try by try, and then changes it. */
  const change = async (...answers: (typeof BAD_DETAILS | 'lost-before')[]) => {
    let tries = 0;
    service.fault = ({body}) => (body.includes('"INV-2"') ? answers[tries++] : undefined);
    await bench.plan(bench.file('p.csv', HEADER + line(1) + line(2)));
    const summary = await bench.run(service, {path: 'stage-only'});
    assert.equal(summary.rejected, 1);
    assert.equal(tries, answers.length);
    return bench.plan(bench.file('p.csv', HEADER + line(1) + line(2, '11.00')));
  };

  it('may be corrected if it never was in doubt: all of its tries were refused', async () => {
    const {revision} = await change(BAD_DETAILS);
    assert.equal(revision?.corrected, 1);
  });

  it('may not be changed if it was finally refused, because an unanswered try may still arrive', async () => {
    await assert.rejects(change('lost-before', BAD_DETAILS), /INV-2 was changed, but it may have been sent/);
  });

  it('is finally rejected if it is refused after being declared not paid, but still may not be changed', async () => {
    service.fault = ({body}) => (body.includes('"INV-2"') ? 'lost-before' : undefined);
    await bench.plan(bench.file('p.csv', HEADER + line(1) + line(2)));
    assert.equal((await bench.run(service, {path: 'direct'})).in_doubt, 1);
    const {stateDir, clock} = bench;
    const batch = await openBatch({stateDir, kind: 'payout', batchId: 'b1', purpose: 'test', clock});
    await resolveRow({batch, stateDir, reference: 'INV-2', resolution: 'not-paid', clock});
    await batch.close();
    service.fault = ({body}) => (body.includes('"INV-2"') ? BAD_DETAILS : undefined);
    const {rejected, not_sent: unsent} = await bench.run(service, {path: 'direct'});
    assert.deepEqual([rejected, unsent], [1, 0]);
    const changed = bench.file('p.csv', HEADER + line(1) + line(2, '11.00'));
    await assert.rejects(bench.plan(changed), /INV-2 was changed, but it may have been sent/);
  });

  it('may not be changed after a killed run and a declaration that it was not paid', async () => {
    await bench.plan(bench.file('p.csv', HEADER + line(1)));
    const dying = {...service.transport(), send: () => Promise.reject(new Error('killed'))};
    await assert.rejects(bench.run(service, {path: 'direct', transport: dying}), /killed/);
    const {stateDir, clock} = bench;
    const batch = await openBatch({stateDir, kind: 'payout', batchId: 'b1', purpose: 'test', clock});
    await resolveRow({batch, stateDir, reference: 'INV-1', resolution: 'not-paid', clock});
    await batch.close();
    const changed = bench.file('p.csv', HEADER + line(1, '11.00'));
    await assert.rejects(bench.plan(changed), /INV-1 was changed, but it may have been sent/);
  });

  describe('and is the only row left', () => {
    const BOTH = HEADER + line(1) + line(2);
    beforeEach(async () => {
      service.fault = ({body}) => (body.includes('"INV-2"') ? 'lost-before' : undefined);
      await bench.plan(bench.file('p.csv', BOTH));
      assert.equal((await bench.run(service, {path: 'stage-only'})).in_doubt, 1);
      service.fault = ({body}) => (body.includes('"INV-2"') ? BAD_DETAILS : undefined);
    });

    for (const [path, end] of [
      ['stage-and-release', 'incomplete'],
      ['cancel', 'canceled'],
    ] as const)
      it(`is rejected when it is refused and the record of another row can be read, ${path}`, async () => {
        const summary = await bench.run(service, {path});
        assert.deepEqual([summary.state, summary.rejected, summary.in_doubt], [end, 1, 0]);
      });

    it('stays in doubt while the service shows no record', async () => {
      service.fault = ({method, body}) =>
        method === 'GET' ? '503-before' : body.includes('"INV-2"') ? BAD_DETAILS : undefined;
      assert.equal((await bench.run(service, {path: 'stage-only'})).in_doubt, 1);
    });

    it('stays in doubt, like the row of the other record, and the run stops, if that record is not found', async () => {
      service.byId.clear();
      const summary = await bench.run(service, {path: 'stage-only'});
      assert.deepEqual(
        [summary.in_doubt, summary.staged, summary.stopped_because?.reason],
        [2, 0, 'lost-record'],
      );
    });
  });
});
