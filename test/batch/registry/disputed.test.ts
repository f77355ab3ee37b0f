import assert from 'node:assert/strict';
import {rmSync} from 'node:fs';
import {join} from 'node:path';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import {resolveRow} from '../../../src/batch/repair/resolve.ts';
import type {Resolution} from '../../../src/batch/repair/resolved-outcome.ts';
import {workOf} from '../../../src/batch/registry/work.ts';
import {Bench, payeeId} from '../harness.ts';
import {type Fault, type SeenRequest, TruthService} from '../truth-service.ts';

const HEADER = 'reference,payee_id,amount,currency_code\n';
const LOST = (request: SeenRequest): Fault | undefined =>
  request.method === 'POST' ? 'lost-before' : undefined;

for (const how of ['left in doubt', 'killed'] as const)
  describe(`a row in doubt (${how}) whose reference another batch claimed while the journal and the registry were lost`, () => {
    let bench: Bench;
    let service: TruthService;
    const row = async (summary: {in_doubt: number}) => {
      assert.equal(summary.in_doubt, 1);
      return bench.inJournal(({journal}) => journal.rows.of('INV-1')!.outcome!);
    };
    const plan = (batchId: string, amount: string) =>
      bench.plan(bench.file(`${batchId}.csv`, `${HEADER}INV-1,${payeeId(1)},${amount},USD\n`), {batchId});
    const direct = (batchId: string) => bench.run(service, {batchId, path: 'direct'});
    async function resolve(resolution: Resolution) {
      const {stateDir, clock} = bench;
      const batch = await openBatch({stateDir, kind: 'payout', batchId: 'b1', purpose: 'test', clock});
      await resolveRow({batch, stateDir, reference: 'INV-1', resolution, clock});
      await batch.close();
    }

    beforeEach(async () => {
      bench = new Bench();
      service = new TruthService();
      await plan('b1', '10.00');
      if (how === 'killed') {
        const transport = {...service.transport(), send: () => Promise.reject(new Error('killed'))};
        await assert.rejects(bench.run(service, {path: 'direct', transport}), /killed/);
      } else {
        service.fault = LOST;
        assert.equal((await direct('b1')).in_doubt, 1);
        service.fault = () => undefined;
      }
      bench.loseRegistry();
    });
    afterEach(() => bench.remove());

    /** The other batch begins with its row, and does not get to its end. */
    async function begin(amount: string) {
      service.fault = LOST;
      await bench.away(async () => {
        await plan('b2', amount);
        assert.equal((await direct('b2')).in_doubt, 1);
      });
      service.fault = () => undefined;
    }

    /** … and does, after ours has been asked in between. */
    async function otherPays(amount: string) {
      await begin(amount);
      await direct('b1');
      await direct('b2');
    }

    for (const amount of ['10.00', '99.00'])
      it(`is not sent before the other batch is finished (${amount})`, async () => {
        await begin(amount);
        const before = service.posts;
        const {code, message} = await row(await direct('b1'));
        assert.equal(code, 'REGISTRY');
        assert.match(
          message!,
          /may have been sent, and batch b2 has claimed this reference since; finish that batch/,
        );
        assert.equal(service.posts, before);
        assert.equal((await direct('b2')).accepted, 1);
        assert.equal(service.paid.length, 1);
      });

    it('stays in doubt if the other batch paid the same, until the operator has checked: ours may be paid too', async () => {
      await otherPays('10.00');
      const {message} = await row(await direct('b1'));
      assert.match(
        message!,
        /batch b2 also paid this reference later, record [-0-9a-f]{36}; check for a double payment/,
      );
      await resolve('not-paid');
      const {already_paid: paid, posts} = await direct('b1');
      assert.deepEqual([paid, posts, service.paid.length], [1, 0, 1]);
    });

    it('stays in doubt if the other batch paid something else, until the operator has checked', async () => {
      await otherPays('99.00');
      const {message} = await row(await direct('b1'));
      assert.match(
        message!,
        /batch b2 paid a different payment under this reference, record [-0-9a-f]{36}; check whether/,
      );
      await resolve('not-paid');
      const {conflict, posts} = await direct('b1');
      assert.deepEqual([conflict, posts, service.paid.length], [1, 0, 1]);
      // The word may be wrong: the row is not to become another payment.
      await assert.rejects(plan('b1', '77.00'), /INV-1 was changed, but it may have been sent/);
      bench.loseRegistry();
      // Declared not paid, it is sent when no batch has the reference; the service still has the key for the other's record.
      const last = await bench.away(() => direct('b1'), 'b2');
      assert.deepEqual([last.posts > 0, last.conflict, service.paid.length], [true, 1, 1]);
    });

    it('stays paid as declared, whatever the registry contains afterwards', async () => {
      await otherPays('99.00');
      await resolve({paid: '018f3a00-0000-7000-8000-000000000001', status: 'settled'});
      const said = async () => {
        const {accepted, posts} = await direct('b1');
        const outcome = await bench.inJournal(({journal}) => journal.rows.of('INV-1')!.outcome!);
        return [accepted, posts, outcome.status, outcome.code];
      };
      assert.deepEqual(await said(), [1, 0, 'settled', null]);
      bench.loseRegistry();
      assert.deepEqual(await said(), [1, 0, 'settled', null]);
    });

    it('keeps the time since which it is in doubt, and that of the declaration, from run to run', async () => {
      await begin('99.00');
      const first = await row(await direct('b1'));
      bench.clock.advance(3_600_000);
      const again = await row(await direct('b1'));
      assert.deepEqual(again, first);
      const at = await bench.inDatabase((db) => db.prepare('select at from outcomes').get()!['at']);
      assert.ok(bench.clock.now() - Number(at) >= 3_600_000);
    });

    it('is named by the next command, which makes progress', async () => {
      await begin('99.00');
      const {next, state} = await direct('b1');
      assert.equal(next, 'remit payouts batch resolve b1 --from FILE');
      assert.equal(state, 'incomplete');
    });

    it('reports that the other batch cannot be finished', async () => {
      await begin('99.00');
      rmSync(join(bench.stateDir, 'batches', 'payout', 'b2'), {recursive: true});
      const {message} = await row(await direct('b1'));
      assert.match(
        message!,
        /batch b2, whose journal is gone, had claimed this reference; check its record and resolve this row/,
      );
    });

    it('is sent unchanged once no other batch has its reference', async () => {
      await begin('99.00');
      await direct('b1');
      bench.loseRegistry();
      const {accepted} = await bench.away(() => direct('b1'), 'b2');
      assert.deepEqual([accepted, service.paid.map(({body}) => body['amount_in_minor_units'])], [1, [1000]]);
    });

    it('is not part of the confirmation of a run', async () => {
      await begin('99.00');
      await bench.inClaims(({survey}, {journal, plan}) => {
        const reach = {
          path: 'direct',
          acceptDifferences: false,
          comparesHeld: false,
          retryUnapproved: false,
        } as const;
        const {open, doubts, left, leftAre} = workOf({journal, plan, survey, reach});
        assert.deepEqual([open.rows, doubts, left.rows, leftAre], [0, 0, 1, ['in doubt']]);
        assert.equal(survey.disputed.rows, 1);
      });
      await direct('b1'); // it is written down now, and still counts
      await bench.inClaims(({survey}) => assert.equal(survey.disputed.rows, 1));
    });

    it('stays paid by the other batch, whatever record the operator names', async () => {
      await otherPays('99.00');
      await resolve({paid: '018f3a00-0000-7000-8000-000000000001'});
      await plan('b3', '99.00');
      assert.equal((await direct('b3')).already_paid, 1);
      const options = {stateDir: bench.stateDir, kind: 'payout', batchId: 'b3', purpose: 'look'} as const;
      const batch = await openBatch({...options, clock: bench.clock});
      assert.equal(batch.journal.rows.of('INV-1')!.outcome!.id, service.paid[0]!.id);
      await batch.close();
    });

    it('takes the claim with the record that the operator names, and the other batch then sends nothing', async () => {
      await begin('99.00');
      await direct('b1');
      await resolve({paid: '018f3a00-0000-7000-8000-000000000001'});
      const before = service.posts;
      const {accepted, in_doubt: doubt} = await direct('b2');
      assert.deepEqual([accepted, doubt, service.posts - before], [0, 1, 0]);
    });
  });
