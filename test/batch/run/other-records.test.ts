import assert from 'node:assert/strict';
import {exitCodeOf} from '../../../src/batch/standing/summary.ts';
import {FollowBench} from '../follow/bench.ts';
import {payeeId} from '../harness.ts';
import {isRelease} from '../truth-service.ts';

/** What a GET shows instead of the record that was asked for. */
const OTHER: [name: string, shown: Record<string, unknown>][] = [
  ['payee', {payee_id: payeeId(99)}],
  ['amount', {amount_in_minor_units: 1}],
  ['currency', {currency_code: 'EUR'}],
  ['reference', {client_metadata: {remit_reference: 'SOMEONE-ELSE'}}],
  ['id', {id: '018f0000-0000-7000-8000-00000000aaaa'}],
  ['payee and no id', {id: undefined, payee_id: payeeId(99)}],
];

describe('a GET that shows another payment', () => {
  let bench: FollowBench;
  beforeEach(() => {
    bench = new FollowBench();
  });
  afterEach(() => bench.remove());

  const show = (shown: Record<string, unknown>) => {
    bench.service.distort = (record, {method}) => (method === 'GET' ? {...record, ...shown} : record);
  };
  /** The registry and the journal still have the record as the payment of its row, and no other batch may pay it. */
  async function assertKept(): Promise<void> {
    await bench.inClaims(({registry}) => {
      const entry = registry.entries.find('INV-1')!;
      assert.equal(entry.standing, null);
    });
    const row = await bench.inJournal(({journal}) => journal.rows.of('INV-1')!);
    assert.equal(row.generation, 0);
    assert.deepEqual(await bench.inJournal(({journal}) => journal.former.endedRecords()), []);
  }

  for (const [name, fields] of OTHER)
    for (const status of ['failed', 'canceled']) {
      it(`with another ${name}, ${status}: a refresh keeps the row accepted, and the file is not paid again`, async () => {
        await bench.pay(1);
        show({...fields, status});
        const {summary} = await bench.follow();
        assert.deepEqual([summary.accepted, summary.failed, summary.conflict], [1, 0, 0]);
        assert.equal(summary.differs, name === 'id' ? 0 : 1); // a record with another id is not read
        await assertKept();
        await bench.plan(bench.payouts(1), {batchId: 'b2'});
        const second = await bench.run(bench.service, {batchId: 'b2'});
        assert.deepEqual([second.already_paid, second.posts], [1, 0]);
        assert.equal(bench.service.paid.length, 1);
      });

      it(`with another ${name}, ${status}: retry sends nothing again, even by name`, async () => {
        await bench.pay(1);
        bench.record('INV-1').status = 'failed';
        await bench.inDatabase((db) => db.prepare(`update outcomes set status = 'failed'`).run());
        show({...fields, status});
        const facts = await bench.prepareRetry(bench.service, {named: ['INV-1']});
        assert.deepEqual([facts.again, facts.raised, facts.left.length], [[], [], 1]);
        await assertKept();
        const {statuses, differs} = await bench.inJournal(({journal}) => journal.standing());
        if (!name.includes('id')) assert.deepEqual([statuses, differs], [{}, 1]);
        bench.service.distort = (record) => record;
        assert.deepEqual((await bench.prepareRetry(bench.service)).raised, ['INV-1']);
      });

      it(`with another ${name}, ${status}: a row whose release was not answered stays in doubt`, async () => {
        await bench.plan(bench.payouts(1));
        bench.service.fault = (request) => (isRelease(request) ? 'lost-after' : undefined);
        show({...fields, status});
        const summary = await bench.run(bench.service);
        assert.deepEqual([summary.in_doubt, summary.conflict, exitCodeOf(summary)], [1, 0, 12]);
        await assertKept();
        bench.service.fault = () => undefined;
        bench.service.distort = (record) => record;
        assert.equal((await bench.run(bench.service)).state, 'complete');
        assert.equal(bench.record('INV-1').approvals, 1);
      });

      if (!name.includes('id'))
        it(`with another ${name}, ${status}: if it is shown again to the next run, only a person can say what became of it`, async () => {
          await bench.plan(bench.payouts(1));
          bench.service.fault = (request) => (isRelease(request) ? 'lost-after' : undefined);
          show({...fields, status});
          const first = await bench.run(bench.service);
          assert.match(first.next!, /batch resume/);
          const second = await bench.run(bench.service);
          assert.deepEqual([second.in_doubt, second.state], [1, 'incomplete']);
          assert.match(second.next!, /batch resolve b1 --from FILE/);
          const {outcome} = await bench.inJournal(({journal}) => journal.rows.of('INV-1')!);
          assert.match(outcome!.message!, /; it came back again$/);
        });

      it(`with another ${name}, ${status}: cancel frees nothing`, async () => {
        await bench.plan(bench.payouts(1));
        await bench.run(bench.service, {path: 'stage-only'});
        show({...fields, status});
        const summary = await bench.run(bench.service, {path: 'cancel'});
        assert.deepEqual([summary.state, name === 'id' ? summary.staged : summary.in_doubt], ['stopped', 1]);
        await assertKept();
        bench.service.distort = (record) => record;
        assert.equal((await bench.run(bench.service, {path: 'cancel'})).state, 'canceled');
      });
    }

  for (const [name, fields] of OTHER.filter(([other]) => other !== 'currency'))
    for (const status of ['approved', 'settled']) {
      it(`with another ${name}, ${status}: a row whose release was not answered stays in doubt, and no batch reports it as paid`, async () => {
        await bench.plan(bench.payouts(1));
        bench.service.fault = (request) => (isRelease(request) ? 'lost-before' : undefined);
        show({...fields, status});
        const summary = await bench.run(bench.service);
        assert.deepEqual([summary.accepted, summary.in_doubt, exitCodeOf(summary)], [0, 1, 12]);
        await bench.plan(bench.payouts(1), {batchId: 'b2'});
        const second = await bench.run(bench.service, {batchId: 'b2'});
        assert.deepEqual([second.already_paid, second.conflict, second.posts], [0, 1, 0]);
        bench.service.fault = () => undefined;
        bench.service.distort = (record) => record;
        assert.equal((await bench.run(bench.service)).state, 'complete');
        assert.equal(bench.record('INV-1').approvals, 1);
      });

      it(`with another ${name}, ${status}: cancel does not count the row as paid`, async () => {
        await bench.plan(bench.payouts(1));
        await bench.run(bench.service, {path: 'stage-only'});
        show({...fields, status});
        const summary = await bench.run(bench.service, {path: 'cancel'});
        const left = name === 'id' ? summary.staged : summary.in_doubt;
        assert.deepEqual([summary.state, left, summary.accepted], ['stopped', 1, 0]);
        bench.service.distort = (record) => record;
        assert.equal((await bench.run(bench.service, {path: 'cancel'})).state, 'canceled');
        assert.equal(bench.record('INV-1').status, 'canceled');
      });
    }

  it('that was canceled, after the probe was refused: the row stays in doubt, and a person can say what became of it', async () => {
    await bench.plan(bench.payouts(1));
    await bench.run(bench.service, {path: 'stage-only'});
    bench.record('INV-1').status = 'canceled';
    show({amount_in_minor_units: 1});
    const probed = await bench.run(bench.service);
    assert.deepEqual([probed.in_doubt, probed.stopped_because?.reason], [1, 'probe']);
    assert.match(
      String(probed.stopped_because?.message),
      /its record is shown as canceled, but as another payment/,
    );
    const again = await bench.run(bench.service, {path: 'release', settings: {releaseRest: true}});
    assert.deepEqual([again.in_doubt, again.next], [1, 'remit payouts batch resolve b1 --from FILE']);
    assert.equal(bench.service.paid.length, 0);
    show({});
    const right = await bench.run(bench.service);
    assert.deepEqual([right.in_doubt, right.conflict, right.canceled], [0, 1, 1]);
  });

  it('that was canceled, again: the other rows are released, by the probe of another one', async () => {
    await bench.plan(bench.payouts(2));
    await bench.run(bench.service, {path: 'stage-only'});
    const {id} = bench.record('INV-1');
    bench.record('INV-1').status = 'canceled';
    bench.service.distort = (record, {method}) =>
      method === 'GET' && record['id'] === id ? {...record, amount_in_minor_units: 1} : record;
    const rest = {path: 'release', settings: {releaseRest: true}} as const;
    await bench.run(bench.service, rest);
    const again = await bench.run(bench.service, rest);
    assert.deepEqual([again.in_doubt, again.accepted, again.stopped_because], [1, 1, null]);
    assert.equal(again.next, 'remit payouts batch resolve b1 --from FILE');
    assert.deepEqual([bench.record('INV-1').approvals, bench.record('INV-2').approvals], [0, 1]);
  });

  it('that is still open stops the run, and leaves a row whose release was not answered in doubt', async () => {
    await bench.plan(bench.payouts(1));
    bench.service.fault = (request) => (isRelease(request) ? 'lost-before' : undefined);
    show({amount_in_minor_units: 1});
    const summary = await bench.run(bench.service);
    assert.deepEqual([summary.in_doubt, summary.conflict, exitCodeOf(summary)], [1, 0, 12]);
    assert.equal(summary.stopped_because?.reason, 'collision');
    const {outcome} = await bench.inJournal(({journal}) => journal.rows.of('INV-1')!);
    assert.match(outcome!.message!, /^record .* has amount 1 instead of 10001 minor units$/);
    bench.service.distort = (record) => record;
    const canceled = await bench.run(bench.service, {path: 'cancel'});
    assert.deepEqual([canceled.state, canceled.canceled], ['canceled', 1]);
    assert.equal(bench.record('INV-1').status, 'canceled');
  });

  it('that is still open, with another reference: a row whose release was not answered is not released again', async () => {
    await bench.plan(bench.payouts(1));
    bench.service.fault = (request) => (isRelease(request) ? 'lost-before' : undefined);
    show({client_metadata: {remit_reference: 'OTHER-INV-1'}}); // party and amount are equal
    const summary = await bench.run(bench.service);
    assert.deepEqual([summary.in_doubt, exitCodeOf(summary), summary.posts], [1, 12, 3]); // create, probe, one release
    const {outcome} = await bench.inJournal(({journal}) => journal.rows.of('INV-1')!);
    assert.match(
      outcome!.message!,
      /shown as created, but as another payment: reference OTHER-INV-1 instead of INV-1/,
    );
    bench.service.fault = () => undefined;
    bench.service.distort = (record) => record;
    assert.equal((await bench.run(bench.service)).state, 'complete');
    assert.equal(bench.record('INV-1').approvals, 1);
  });

  it('in another currency, approved: cancel reports a payment that differs', async () => {
    await bench.plan(bench.payouts(1));
    await bench.run(bench.service, {path: 'stage-only'});
    show({currency_code: 'EUR', status: 'approved'});
    const summary = await bench.run(bench.service, {path: 'cancel'});
    assert.deepEqual([summary.accepted, summary.differs], [1, 1]);
  });

  it('while a create is still processed leaves the row in doubt', async () => {
    await bench.plan(bench.payouts(1));
    bench.service.fault = ({method}) =>
      method === 'POST'
        ? {
            status: 202,
            body: {
              id: payeeId(7),
              status: 'processing',
              payee_id: payeeId(1),
              amount_in_minor_units: 10001,
              currency_code: 'USD',
            },
          }
        : {status: 200, body: {status: 'failed', payee_id: payeeId(99)}};
    const summary = await bench.run(bench.service, {path: 'direct'});
    assert.deepEqual([summary.in_doubt, summary.accepted], [1, 0]);
    await assertKept();
    const {outcome} = await bench.inJournal(({journal}) => journal.rows.of('INV-1')!);
    assert.match(outcome!.message!, /shown as failed, but as another payment: payee_id/);
  });

  it('leaves a held row held', async () => {
    await bench.plan(bench.payouts(1));
    bench.service.distort = (record) => ({...record, currency_code: 'EUR'});
    assert.equal((await bench.run(bench.service)).held, 1);
    show({currency_code: 'EUR', amount_in_minor_units: 1, status: 'canceled'});
    assert.equal((await bench.run(bench.service, {path: 'release'})).held, 1);
    await assertKept();
  });

  it('counts if the row was held for the same difference', async () => {
    await bench.plan(bench.payouts(1));
    bench.service.distort = (record) => ({...record, currency_code: 'EUR'});
    await bench.run(bench.service);
    assert.equal((await bench.run(bench.service, {path: 'cancel'})).state, 'canceled');
  });

  it('counts, for a refresh and the retry after it, if the difference was accepted', async () => {
    await bench.plan(bench.payouts(1));
    bench.service.distort = (record) => ({...record, currency_code: 'EUR'});
    await bench.run(bench.service);
    await bench.run(bench.service, {path: 'release', settings: {acceptDifferences: true}});
    bench.record('INV-1').status = 'failed';
    assert.equal((await bench.follow()).summary.failed, 1);
    assert.deepEqual((await bench.prepareRetry(bench.service)).raised, ['INV-1']);
  });

  for (const [name, shown] of [
    ['another payment', {amount_in_minor_units: 1, status: 'failed'}],
    ['another payment that was settled', {amount_in_minor_units: 1, status: 'settled'}],
    ['the payment, but settled', {status: 'settled'}],
  ] as const)
    it(`${name}, after it was read as failed: after a retry the row is no longer failed, and no other batch may pay it`, async () => {
      await bench.pay(1);
      bench.record('INV-1').status = 'failed';
      assert.equal((await bench.follow()).summary.failed, 1);
      await bench.inClaims(({registry}) =>
        assert.equal(registry.entries.find('INV-1')!.standing, 'ended', 'the reference was free'),
      );
      show(shown);
      assert.deepEqual((await bench.prepareRetry(bench.service)).again, []);
      await assertKept();
      const {statuses} = await bench.inJournal(({journal}) => journal.standing());
      assert.equal(statuses['failed'] ?? 0, 0);
      await bench.plan(bench.payouts(1), {batchId: 'b2'});
      const second = await bench.run(bench.service, {batchId: 'b2'});
      assert.deepEqual([second.already_paid, second.posts], [1, 0]);
      bench.service.distort = (record) => record;
      if (name.startsWith('another'))
        assert.deepEqual((await bench.prepareRetry(bench.service)).raised, ['INV-1']);
    });

  it('does not count for a second refresh either', async () => {
    await bench.pay(1);
    show({client_metadata: {remit_reference: 'SOMEONE-ELSE'}});
    assert.equal((await bench.follow()).summary.differs, 1);
    show({client_metadata: {remit_reference: 'SOMEONE-ELSE'}, status: 'failed'});
    assert.equal((await bench.follow()).summary.failed, 0);
    await assertKept();
  });

  it('stays unapproved in a retry that shows another approved payment', async () => {
    await bench.plan(bench.payouts(1));
    bench.service.approvalFails = () => true;
    assert.equal((await bench.run(bench.service)).unapproved, 1);
    show({payee_id: payeeId(99), status: 'approved'});
    const facts = await bench.prepareRetry(bench.service);
    assert.deepEqual(facts.again, []);
    assert.match(facts.left[0]!.why, /its record differs from the row: payee_id/);
    const {outcome} = await bench.inJournal(({journal}) => journal.rows.of('INV-1')!);
    assert.equal(outcome!.state, 'unapproved');
  });

  for (const [status, state, reason, twice] of [
    ['approved', 'accepted', 'key-forgotten', 1],
    ['settled', 'accepted', 'key-forgotten', 1],
    ['created', 'accepted', 'key-forgotten', 0],
    ['canceled', 'dead_key', 'collision', 0],
  ] as const)
    it(`after a release that was answered with another record, ${status}, decides about the row`, async () => {
      await bench.plan(bench.payouts(1));
      await bench.run(bench.service, {path: 'stage-only'});
      const {id} = bench.record('INV-1');
      const other = '018f0000-0000-7000-8000-00000000bbbb';
      bench.service.distort = (record, request) => {
        if (isRelease(request)) return {...record, id: other, status: 'approved'};
        return request.method === 'GET' ? {...record, status} : record;
      };
      const summary = await bench.run(bench.service, {path: 'release'});
      const {outcome} = await bench.inJournal(({journal}) => journal.rows.of('INV-1')!);
      assert.deepEqual(
        [outcome?.state, summary.stopped_because?.reason, summary.maybe_paid_twice],
        [state, reason, twice],
      );
      assert.deepEqual(summary.orphans, status === 'created' ? [{reference: 'INV-1', id}] : []);
    });
});
