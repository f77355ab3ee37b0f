import assert from 'node:assert/strict';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import type {TruthRecord} from '../../../batch/truth-service.ts';
import {Desk} from './desk.ts';

describe('payouts batch run of rows that another batch has paid, and whose payments a later read does not show', () => {
  let desk: Desk;
  let record: TruthRecord;

  const recordOf = (reference: string) =>
    [...desk.service.byId.values()].find(({body}) => JSON.stringify(body).includes(`"${reference}"`))!;
  const summaryOf = async (line: string) => {
    const ran = await desk.batch(`${line} --json`);
    return {...(ran.json() as Summary), exitCode: ran.exitCode, stderr: ran.stderr};
  };
  const isWaiting = ({
    exitCode,
    state,
    already_paid: before,
    conflict,
    next,
    stderr,
  }: Awaited<ReturnType<typeof summaryOf>>) =>
    assert.deepEqual(
      {exitCode, state, before, conflict, next},
      {exitCode: 8, state: 'incomplete', before: 1, conflict: 1, next: 'remit payouts batch status a'},
      stderr,
    );
  const isComplete = ({exitCode, state, already_paid: before}: Awaited<ReturnType<typeof summaryOf>>) =>
    assert.deepEqual({exitCode, state, before}, {exitCode: 0, state: 'complete', before: 2});

  beforeEach(async () => {
    desk = Desk.withTwoRows();
    await desk.batch('run ./p.csv --batch-id a --yes');
    record = recordOf('A-1');
  });
  afterEach(() => desk.close());

  it('a lost approval is in conflict, and names the other batch, whose retry completes both', async () => {
    record.status = 'created';
    assert.equal((await desk.batch('status a --refresh')).exitCode, 8);
    isWaiting(await summaryOf('run ./p.csv --batch-id b --yes'));
    const shown = await desk.batch('status b');
    assert.match(
      shown.stdout,
      /A-1: conflict, REGISTRY: batch a has this row.* record \S+ is not shown as paid/,
    );
    assert.equal((await desk.batch('retry a --yes')).exitCode, 0);
    isComplete(await summaryOf('status b'));
    assert.equal(desk.service.byId.size, 2);
  });

  it('a record that is gone is in conflict, until it is found again', async () => {
    desk.service.byId.delete(record.id);
    assert.equal((await desk.batch('status a --refresh')).exitCode, 12);
    isWaiting(await summaryOf('run ./p.csv --batch-id b --yes'));
    desk.service.byId.set(record.id, record);
    assert.equal((await desk.batch('status a --refresh')).exitCode, 0);
    isComplete(await summaryOf('status b'));
  });

  it('a batch that was complete shows it as soon as the other one knows', async () => {
    isComplete(await summaryOf('run ./p.csv --batch-id b --yes'));
    record.status = 'created';
    await desk.batch('status a --refresh');
    isWaiting(await summaryOf('status b'));
    isWaiting(await summaryOf('run b --yes'));
    record.status = 'approved';
    assert.equal((await desk.batch('status a --refresh')).exitCode, 0);
    isComplete(await summaryOf('status b'));
  });

  it('a record that a release of the other batch did not find is in conflict, too', async () => {
    desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 2, '20.00'],
      ['A-3', 3, '30.00'],
    ]);
    desk.service.byId.delete(record.id);
    await desk.batch('export a --refresh');
    const {conflict} = await summaryOf('run ./p.csv --batch-id b --yes');
    assert.equal(conflict, 1);
  });

  it('a payment that was approved by its id after it was refused is already paid', async () => {
    desk.file('q.csv', [['Q-1', 4, '40.00']]);
    desk.service.approvalFails = () => true;
    await desk.batch('run ./q.csv --batch-id q --yes');
    desk.service.approvalFails = () => false;
    Object.assign(recordOf('Q-1'), {status: 'approved', approvals: 1});
    assert.equal((await desk.batch('status q --refresh')).exitCode, 0);
    const {exitCode, already_paid: before} = await summaryOf('run ./q.csv --batch-id b --yes');
    assert.deepEqual([exitCode, before], [0, 1]);
  });

  it('a lost record that the operator declares not paid is sent again by its batch alone', async () => {
    desk.service.byId.delete(record.id);
    desk.service.records.delete(record.key);
    await desk.batch('status a --refresh');
    const declared = await desk.batch('resolve a A-1 --not-paid');
    assert.equal(declared.exitCode, 0, declared.stderr);
    assert.equal((await summaryOf('run ./p.csv --batch-id b --yes')).conflict, 1);
    assert.equal((await desk.batch('run a --yes')).exitCode, 0);
    isComplete(await summaryOf('status b'));
  });

  it('a payment that differs, or may be one of two, is already paid, with a warning that names the other batch', async () => {
    record.status = 'initiated';
    await desk.batch('status a --refresh');
    record.status = 'approved';
    assert.equal((await desk.batch('status a --refresh')).exitCode, 8);
    const ran = await desk.batch('run ./p.csv --batch-id b --yes --json');
    assert.equal(ran.exitCode, 0);
    assert.match(
      ran.stderr,
      /paid by batch a, which has to be checked: 1 record differs from its row\n.*remit payouts batch status a$/m,
    );
  });

  it('a record that had failed, and that a retry finds as created, is not approved, and is in conflict here', async () => {
    record.status = 'failed';
    await desk.batch('status a --refresh');
    record.status = 'created';
    const retried = await summaryOf('retry a --yes');
    assert.deepEqual([retried.exitCode, retried.unapproved, retried.accepted], [8, 1, 1], retried.stderr);
    isWaiting(await summaryOf('run ./p.csv --batch-id b --yes'));
    assert.equal((await desk.batch('retry a --yes')).exitCode, 0);
    isComplete(await summaryOf('status b'));
  });

  it('a record that a run does not find is in conflict at once', async () => {
    desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 2, '20.00'],
      ['A-3', 3, '30.00'],
    ]);
    await desk.batch('plan ./p.csv --batch-id a');
    desk.service.byId.delete(record.id);
    desk.service.fault = ({method}) => (method === 'POST' ? '500-after' : undefined); // so that the run reads a record
    const {in_doubt: doubts} = await summaryOf('run a --yes');
    assert.ok(doubts > 0);
    desk.service.fault = () => undefined;
    desk.file('q.csv', [['A-1', 1, '10.00']]);
    assert.equal((await summaryOf('run ./q.csv --batch-id b --yes')).conflict, 1);
  });
});
