import assert from 'node:assert/strict';
import {readdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import type {TruthRecord} from '../../../batch/truth-service.ts';
import type {CliResult} from '../../../cli/run-cli.ts';
import {FormerDesk, typed} from './former-desk.ts';

const filesIn = (folder: string): string[] =>
  readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter((entry) => entry.isFile())
    .map(({parentPath, name}) => join(parentPath, name));

describe('payouts batch run, with a row whose record failed in another batch', () => {
  let desk: FormerDesk;
  /** The record of A-2 in batch a, which `status a --refresh` has shown as failed. */
  let former: TruthRecord;

  const recordsOf = (reference: string) => desk.recordsOf(reference);
  const summaryOf = (ran: CliResult) => ran.json() as Summary;
  const statusOf = async (batch: string) => summaryOf(await desk.batch(`status ${batch} --json`));
  const paysOnce = () => assert.equal(recordsOf('A-2').filter(({approvals}) => approvals > 0).length, 1);
  /** Answers a GET of the former record with this status and body. */
  const breakReads = (status: number, body: unknown = {error_code: 'NOT_FOUND', message: 'no'}) => {
    desk.service.fault = ({method, path}) =>
      method === 'GET' && path.endsWith(former.id) ? {status, body} : undefined;
  };

  beforeEach(async () => {
    desk = await FormerDesk.open();
    ({former} = desk);
  });
  afterEach(() => desk.close());

  it('reads the record, and pays the row with a new key if it did fail', async () => {
    desk.service.requests.length = 0;
    const ran = await desk.batch('run ./p.csv --batch-id b --yes --json');
    assert.equal(ran.exitCode, 0, ran.stderr);
    const {accepted, already_paid: before} = summaryOf(ran);
    assert.deepEqual([accepted, before], [1, 1]);
    const [first] = desk.service.requests;
    assert.deepEqual([first!.method, first!.path.endsWith(former.id)], ['GET', true]);
    assert.equal(recordsOf('A-2').length, 2);
  });

  it('sends nothing if the record is settled after all: the row is already paid', async () => {
    former.status = 'settled';
    const sent = desk.service.posts;
    const ran = await desk.batch('run ./p.csv --batch-id b --yes --json');
    const {already_paid: before, state} = summaryOf(ran);
    assert.deepEqual([ran.exitCode, before, state], [0, 2, 'complete'], ran.stderr);
    assert.equal(desk.service.posts, sent);
    paysOnce();
    const {already_paid: later} = summaryOf(await desk.batch('run ./p.csv --batch-id c --yes --json'));
    assert.equal(later, 2, 'the registry is corrected');
  });

  for (const flag of ['--direct', '--stage-only'])
    it(`sends nothing with ${flag} if the record is settled after all`, async () => {
      former.status = 'settled';
      const sent = desk.service.posts;
      const ran = await desk.batch(`run ./p.csv --batch-id b --yes --json ${flag}`);
      assert.deepEqual([ran.exitCode, summaryOf(ran).already_paid], [0, 2], ran.stderr);
      assert.equal(desk.service.posts, sent);
    });

  it('is in conflict if the record is settled, and the row was corrected', async () => {
    former.status = 'settled';
    desk.file('fix.csv', [['A-2', 2, '21.00']]);
    const ran = await desk.batch('run ./fix.csv --batch-id b --yes --json');
    const {conflict, next} = summaryOf(ran);
    assert.deepEqual([ran.exitCode, conflict], [8, 1], ran.stderr);
    assert.equal(next, `remit payouts batch resolve b A-2 --paid ${former.id}`);
    paysOnce();
    assert.equal((await desk.batch(typed(next))).exitCode, 0);
    assert.equal((await statusOf('b')).state, 'complete');
  });

  it('pays a corrected row if the record did fail', async () => {
    desk.file('fix.csv', [['A-2', 2, '21.00']]);
    const ran = await desk.batch('run ./fix.csv --batch-id b --yes --json');
    assert.deepEqual([ran.exitCode, summaryOf(ran).accepted], [0, 1], ran.stderr);
  });

  for (const status of ['created', 'approved', 'initiated'])
    it(`sends nothing while the record is shown as ${status}, and changes nothing for the other batch`, async () => {
      former.status = status;
      const ran = await desk.batch('run ./p.csv --batch-id b --yes --json');
      const {not_sent: unsent, next} = summaryOf(ran);
      assert.deepEqual([ran.exitCode, unsent], [7, 1], ran.stderr);
      const cancel = status === 'created' ? `remit payouts cancel ${former.id} && ` : '';
      assert.equal(next, `${cancel}remit payouts batch run b`);
      assert.match(
        (await desk.batch('status b')).stdout,
        new RegExp(`is now shown as ${status}: it may have paid`),
      );
      assert.equal(recordsOf('A-2').length, 1);
      former.status = 'failed';
      assert.equal((await statusOf('a')).failed, 1);
      const again = await desk.batch('run b --yes --json');
      assert.deepEqual([again.exitCode, summaryOf(again).accepted], [0, 1], again.stderr);
      assert.equal(recordsOf('A-2').length, 2);
    });

  it('pays the row once `next` has canceled the record that is shown as created', async () => {
    former.status = 'created';
    await desk.batch('run ./p.csv --batch-id b --yes --json');
    const {next} = await statusOf('b');
    const [cancel = '', resume = ''] = String(next).split(' && ');
    const canceled = await desk.type(`${cancel} --yes`);
    assert.equal(canceled.exitCode, 0, canceled.stdout + canceled.stderr);
    const ran = await desk.batch(`${typed(resume)} --yes --json`);
    assert.deepEqual([summaryOf(ran).accepted, summaryOf(ran).next], [1, null], ran.stderr);
    assert.deepEqual(
      recordsOf('A-2').map(({status}) => status),
      ['canceled', 'approved'],
    );
  });

  it('does not send the row if the record is not found', async () => {
    desk.service.byId.delete(former.id);
    desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 2, '20.00'],
      ['A-3', 3, '30.00'],
    ]);
    const ran = await desk.batch('run ./p.csv --batch-id b --yes --json');
    const {not_sent: unsent, staged} = summaryOf(ran);
    assert.deepEqual([ran.exitCode, unsent, staged], [7, 1, 1], ran.stderr);
    assert.match(
      (await desk.batch('status b')).stdout,
      /A-2: not sent, FORMER_GONE: record \S+ of batch a .* is not found .*, or the row is resolved/,
    );
    await desk.batch('release b --yes --accept rest');
    assert.deepEqual([recordsOf('A-3').length, recordsOf('A-2').length], [1, 0]);
  });

  it('is read again if the registry was lost after a retry that could not read it', async () => {
    desk.file('r.csv', [['R-1', 7, '70.00']]);
    desk.service.refuse = () => ({status: 422, error_code: 'INVALID_PAYMENT_DETAILS'});
    await desk.batch('run ./r.csv --batch-id r --yes');
    desk.service.refuse = () => undefined;
    await desk.batch('run ./r.csv --batch-id s --yes');
    former = recordsOf('R-1')[0]!;
    former.status = 'failed';
    await desk.batch('status s --refresh');
    former.status = 'settled';
    breakReads(400);
    await desk.batch('retry r --yes');
    desk.service.fault = () => undefined;
    for (const name of filesIn(desk.folder).filter((path) => /registry/.test(path)))
      rmSync(name, {force: true});
    await desk.batch('run r --yes');
    assert.equal(recordsOf('R-1').length, 1);
  });

  it('leaves the row unsent while the record cannot be read, and `next` reads it again', async () => {
    desk.file('p.csv', [
      ['A-2', 2, '20.00'],
      ['A-3', 3, '30.00'],
    ]);
    breakReads(400, {error_code: 'VALIDATION_ERROR', message: 'no'});
    const ran = await desk.batch('run ./p.csv --batch-id b --yes --json');
    const {not_sent: unsent, staged, state, next} = summaryOf(ran);
    assert.deepEqual([ran.exitCode, unsent, staged, state], [7, 1, 1, 'held'], ran.stderr);
    assert.equal(next, 'remit payouts batch run b');
    assert.equal((await statusOf('b')).next, next);
    const shown = await desk.batch('status b');
    assert.match(
      shown.stdout,
      /A-2: not sent, FORMER_RECORD: record \S+ of batch a had failed or was canceled, and could not be read/,
    );
    desk.service.fault = () => undefined;
    former.status = 'settled';
    const again = await desk.batch(`${typed(next)} --yes --json`);
    const {accepted, already_paid: before} = summaryOf(again);
    assert.deepEqual([again.exitCode, accepted, before], [0, 1, 1], again.stderr);
    paysOnce();
  });

  it('sends nothing while the service is away', async () => {
    desk.service.fault = () => '503-before';
    const ran = await desk.batch('run ./p.csv --batch-id b --yes --json --max-wait 5s');
    assert.deepEqual([ran.exitCode, summaryOf(ran).not_sent], [7, 1], ran.stderr);
    desk.service.fault = () => undefined;
    former.status = 'settled';
    assert.equal((await desk.batch('run b --yes')).exitCode, 0);
    paysOnce();
  });

  it('does not take the record of another payment for the one that failed', async () => {
    former.status = 'settled';
    desk.service.distort = (record, {method}) =>
      method === 'GET' && record['id'] === former.id
        ? {...record, status: 'failed', amount_in_minor_units: 1, client_metadata: {remit_reference: 'X'}}
        : record;
    const ran = await desk.batch('run ./p.csv --batch-id b --yes --json');
    assert.deepEqual([ran.exitCode, summaryOf(ran).not_sent], [7, 1], ran.stderr);
    paysOnce();
  });

  it('reads it also for a retry of a row that was rejected here before', async () => {
    former.status = 'settled';
    desk.file('r.csv', [['R-1', 7, '70.00']]);
    desk.service.refuse = () => ({status: 422, error_code: 'INVALID_PAYMENT_DETAILS'});
    await desk.batch('run ./r.csv --batch-id r --yes');
    desk.service.refuse = () => undefined;
    await desk.batch('run ./r.csv --batch-id s --yes');
    const record = recordsOf('R-1')[0]!;
    record.status = 'failed';
    await desk.batch('status s --refresh');
    record.status = 'settled';
    const ran = await desk.batch('retry r --yes --json');
    assert.deepEqual([ran.exitCode, summaryOf(ran).already_paid], [0, 1], ran.stderr);
    assert.equal(recordsOf('R-1').length, 1);
  });

  describe('and a record that was staged for it with a new key', () => {
    const release = async (flags = '') => desk.batch(`release b --yes --json${flags}`);

    beforeEach(async () => {
      desk.file('q.csv', [
        ['A-2', 2, '20.00'],
        ['A-3', 3, '30.00'],
      ]);
      const staged = await desk.batch('run ./q.csv --batch-id b --yes --json --stage-only');
      assert.deepEqual([staged.exitCode, summaryOf(staged).staged], [0, 2], staged.stderr);
    });

    it('is released if the former record has still failed', async () => {
      const ran = await release();
      assert.deepEqual([ran.exitCode, summaryOf(ran).accepted], [0, 2], ran.stderr);
    });

    it('is not released if the former record is settled by now: that is the payment', async () => {
      former.status = 'settled';
      await desk.batch('export a --refresh --out ./e.csv');
      const ran = await release();
      const {accepted, state, orphans} = summaryOf(ran);
      assert.deepEqual([ran.exitCode, accepted, state], [0, 2, 'complete'], ran.stderr);
      assert.deepEqual(
        orphans.map(({id}) => id),
        [recordsOf('A-2')[1]!.id],
      );
      paysOnce();
      const later = await desk.batch('run ./q.csv --batch-id c --yes --json');
      assert.equal(summaryOf(later).already_paid, 2, later.stderr);
      paysOnce();
    });

    it('can be canceled by its id while the former record is under way', async () => {
      former.status = 'initiated';
      const ran = await release(' --accept rest');
      assert.deepEqual([summaryOf(ran).accepted, summaryOf(ran).state], [1, 'held'], ran.stderr);
      recordsOf('A-2')[1]!.status = 'canceled';
      const again = await release(' --accept rest');
      assert.deepEqual([summaryOf(again).canceled, summaryOf(again).staged], [1, 0], again.stderr);
    });

    for (const status of ['created', 'initiated'])
      it(`is not released while the former record is shown as ${status}`, async () => {
        former.status = status;
        const ran = await release();
        const {staged, next, state} = summaryOf(ran);
        assert.deepEqual([ran.exitCode, staged, state], [8, 2, 'held'], ran.stderr);
        const cancel = status === 'created' ? `remit payouts cancel ${former.id} && ` : '';
        assert.equal(next, `${cancel}remit payouts batch release b --accept rest`);
        assert.match(
          (await desk.batch('status b')).stdout,
          new RegExp(`A-2: not released: record \\S+ .* is now shown as ${status}`),
        );
        const rest = await release(' --accept rest');
        assert.deepEqual([summaryOf(rest).accepted, summaryOf(rest).state], [1, 'held'], rest.stderr);
        assert.equal(recordsOf('A-2')[1]!.approvals, 0);
        former.status = 'failed';
        const again = await release();
        assert.deepEqual([again.exitCode, summaryOf(again).accepted], [0, 2], again.stderr);
      });

    it('is not released by a direct run while the former record is not found', async () => {
      const {id} = former;
      desk.service.byId.delete(id);
      const ran = await desk.batch('run ./q.csv --batch-id b --yes --json --direct');
      assert.deepEqual([summaryOf(ran).staged, summaryOf(ran).state], [1, 'held'], ran.stderr);
      desk.service.byId.set(id, former);
      const again = await desk.batch('run ./q.csv --batch-id b --yes --json --direct');
      assert.deepEqual([again.exitCode, summaryOf(again).accepted], [0, 2], again.stderr);
    });

    it('is only read while the service does not show it', async () => {
      former.status = 'created';
      const staged = recordsOf('A-2')[1]!;
      desk.service.fault = ({method, path}) =>
        method === 'GET' && path.endsWith(staged.id)
          ? {status: 400, body: {error_code: 'VALIDATION_ERROR', message: 'no'}}
          : undefined;
      const ran = await release(' --accept rest');
      assert.deepEqual([summaryOf(ran).accepted, summaryOf(ran).staged], [1, 1], ran.stderr);
      assert.equal(staged.approvals, 0);
    });
  });

  it('reads the record again before it releases what a retry of its own batch has staged', async () => {
    desk.service.fault = ({body}) =>
      body.includes('"auto_approve":true')
        ? {status: 401, body: {error_code: 'UNAUTHORIZED', message: 'no'}}
        : undefined;
    const stopped = await desk.batch('retry a --yes --json');
    assert.equal(summaryOf(stopped).staged, 1, stopped.stderr);
    desk.service.fault = () => undefined;
    former.status = 'settled';
    const ran = await desk.batch('release a --yes --json');
    const {accepted, state, orphans} = summaryOf(ran);
    assert.deepEqual([accepted, state, orphans.length], [2, 'complete', 1], ran.stderr);
    assert.equal(recordsOf('A-2')[1]!.approvals, 0);
    assert.equal((await statusOf('a')).accepted, 2);
    const later = await desk.batch('run ./p.csv --batch-id b --yes --json');
    assert.equal(summaryOf(later).already_paid, 2, later.stderr);
    paysOnce();
  });
});
