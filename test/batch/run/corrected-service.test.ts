import assert from 'node:assert/strict';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {exitCodeOf} from '../../../src/batch/standing/summary.ts';
import type {ServiceFile} from '../../../src/service/service-file.ts';
import type {Bench, RunArguments} from '../harness.ts';
import {planned} from '../planned.ts';
import type {TruthService} from '../truth-service.ts';

type Answered = Readonly<Record<string, unknown>>;

/** Answers name the metadata otherwise, so that without a service file every row is held. */
const ECHO: ServiceFile = {fields: {payouts: {client_metadata: 'metadata'}}};
const echoed = ({client_metadata, ...rest}: Answered) => ({...rest, metadata: client_metadata});

/** Answers name the payee otherwise, and requests do not. */
const PARTY: ServiceFile = {
  fields: {payouts: {payee_id: 'to'}, 'payouts.create': {payee_id: 'payee_id'}},
};

describe('a batch whose service file is corrected', () => {
  let bench: Bench;
  let service: TruthService;
  beforeEach(async () => ({bench, service} = await planned(3)));
  afterEach(() => bench.remove());
  const run = (given: RunArguments = {}) => bench.run(service, given);
  const stateOf = (reference: string) => bench.inJournal(({journal}) => journal.rows.of(reference)!.outcome!);
  const posted = () => service.requests.filter(({method}) => method === 'POST').length;

  describe('with held rows', () => {
    beforeEach(async () => {
      service.distort = echoed;
      const {held, accepted} = await run();
      assert.deepEqual([held, accepted, service.paid.length], [3, 0, 0]);
    });

    for (const path of ['stage-and-release', 'release'] as const)
      it(`releases those that agree when they are read again, with ${path}`, async () => {
        const {state, accepted, held, differs} = await run({path, service: ECHO});
        assert.deepEqual([state, accepted, held, differs], ['complete', 3, 0, 0]);
        assert.deepEqual(
          service.paid.map(({approvals}) => approvals),
          [1, 1, 1],
        );
      });

    it('keeps those held that still differ, and says so', async () => {
      service.distort = (record) =>
        isRow(2, record) ? {...echoed(record), metadata: {remit_reference: 'other'}} : echoed(record);
      const again = await run({service: ECHO});
      assert.deepEqual([again.accepted, again.held, service.paid.length], [2, 1, 2]);
      assert.match(
        (await stateOf('INV-2')).message!,
        /differs from the row: metadata\.remit_reference is other instead of INV-2/,
      );
      const once = await run({service: ECHO});
      assert.deepEqual([once.accepted, once.held], [2, 1], 'read once for each change of the file');
    });

    it('keeps a row held if the record that is fetched lacks the field', async () => {
      service.distort = (record, {method}) => {
        const {metadata, ...thin} = echoed(record);
        return method === 'GET' ? thin : {...thin, metadata};
      };
      assert.deepEqual([(await run({service: ECHO})).held, service.paid.length], [3, 0]);
    });

    it('releases those that agree when they are read again under the same service file', async () => {
      service.distort = (record) => record;
      const {accepted, held} = await run();
      assert.deepEqual([accepted, held, service.paid.length], [3, 0, 3]);
    });

    it('reads them again in the next run if it could not read them all', async () => {
      service.fault = ({method}) => (method === 'GET' ? '503-before' : undefined);
      const stopped = await run({service: ECHO});
      assert.deepEqual([stopped.accepted, stopped.held, service.paid.length], [0, 3, 0]);
      assert.notEqual(stopped.stopped_because, null);
      service.fault = () => undefined;
      assert.equal((await run({service: ECHO})).accepted, 3);
    });

    it('only stages with --stage-only, and reads them again when it releases', async () => {
      assert.equal((await run({path: 'stage-only', service: ECHO})).held, 3);
      assert.equal((await run({path: 'release', service: ECHO})).accepted, 3);
    });

    it('releases those that agree in a batch that continues in direct mode', async () => {
      assert.equal((await run({path: 'direct', service: ECHO})).accepted, 3);
      assert.equal(service.paid.length, 3);
    });
  });

  const isRow = (n: number, record: Answered) =>
    String(record['payee_id'] ?? record['to']).endsWith(`00${n}`);

  it('stops before it releases a record that shows another payment, and goes on with the former file', async () => {
    service.distort = (record) => ({...record, to: isRow(2, record) ? 'someone' : record['payee_id']});
    assert.equal((await run({path: 'stage-only'})).staged, 3);
    const before = posted();
    const stopped = await run({path: 'release', service: PARTY});
    assert.deepEqual([stopped.stopped_because?.reason, exitCodeOf(stopped)], ['collision', 6]);
    assert.match(
      stopped.stopped_because!.message,
      /INV-2.*payee_id someone instead of .*nothing was released/,
    );
    assert.equal(stopped.next, 'remit payouts batch cancel b1');
    assert.deepEqual([posted() - before, service.paid.length], [0, 0]);
    assert.equal(
      (await run({path: 'release', service: PARTY, settings: {acceptDifferences: true}})).accepted,
      0,
    );
    assert.equal((await run({path: 'release'})).accepted, 3);
  });

  it('holds staged rows whose record lacks a field under the new file', async () => {
    assert.equal((await run({path: 'stage-only'})).staged, 3);
    service.distort = ({client_metadata, ...thin}, {method}) =>
      method === 'GET' ? thin : {...thin, client_metadata};
    const {held, accepted} = await run({path: 'release', service: PARTY});
    assert.deepEqual([held, accepted, service.paid.length], [3, 0, 0]);
  });

  it('does not release again what now shows another amount', async () => {
    service.fault = ({n, body, method}) =>
      n > 3 && (method === 'GET' || body.includes('"auto_approve":true')) ? 'lost-before' : undefined;
    assert.equal((await run()).in_doubt, 3);
    service.fault = () => undefined;
    service.distort = (record, {method}) =>
      method === 'GET' ? {...record, amount_in_minor_units: 1} : record;
    const stopped = await run();
    assert.deepEqual([stopped.stopped_because?.reason, service.paid.length], ['collision', 0]);
  });
});
