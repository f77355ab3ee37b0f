import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {openBatch} from '../../../../src/batch/journal/open-batch.ts';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {stateDir} from '../../../../src/profiles/folders.ts';
import {Desk} from './desk.ts';

type Line = Record<string, string | number | null>;

/** Two staged rows whose release may have been sent: its window was opened, and then the process was killed. */
describe('payouts batch, after a release was killed', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = Desk.withTwoRows();
    await desk.batch('run ./p.csv --batch-id b --stage-only --yes');
    const batch = await openBatch({
      ...{stateDir: stateDir({}, desk.folder), kind: 'payout', batchId: 'b', purpose: 'test'},
      clock: desk.clock,
    });
    batch.journal.openWindow({
      ...{phase: 'release', first: 1, last: 2, takes: ['staged', 'in_doubt'], at: desk.clock.now()},
    });
    batch.journal.setFact('state', 'running');
    await batch.close();
  });
  afterEach(() => desk.close());

  const recordOf = (reference: string) =>
    [...desk.service.byId.values()].find(({body}) => JSON.stringify(body).includes(`"${reference}"`))!;
  const lines = async (flags: string) => {
    const ran = await desk.batch(`export b -o json${flags}`);
    return {exit: ran.exitCode, stderr: ran.stderr, rows: ran.json() as Line[]};
  };
  const stated = ({rows}: {rows: Line[]}) => rows.map(({state, status}) => [state, status]);

  it('export calls the rows in doubt, as status does, and exits 12', async () => {
    const found = await lines('');
    assert.deepEqual(
      [found.exit, stated(found)],
      [
        12,
        [
          ['in_doubt', 'created'],
          ['in_doubt', 'created'],
        ],
      ],
    );
    assert.match(found.stderr, /2 rows are in doubt/);
    const status = await desk.batch('status b --json');
    assert.deepEqual([status.exitCode, (status.json() as Summary).in_doubt], [12, 2]);
  });

  it('diff calls them in doubt', async () => {
    const ran = await desk.batch('diff ./p.csv b');
    assert.equal(ran.exitCode, 8, ran.stderr);
    assert.match(ran.stdout, /A-1, line 2: 10\.00 USD, in doubt/);
    assert.doesNotMatch(ran.stdout, /staged/);
  });

  for (const command of ['export b --refresh -o json', 'status b --refresh'])
    it(`${command} records what the service says of a row in doubt`, async () => {
      Object.assign(recordOf('A-1'), {status: 'settled'});
      const ran = await desk.batch(command);
      assert.equal(ran.exitCode, 12, ran.stderr);
      assert.deepEqual(stated(await lines('')), [
        ['accepted', 'settled'],
        ['in_doubt', 'created'], // the release may still be on its way
      ]);
      assert.equal(desk.service.posts, 2);
    });

  it('export --refresh never writes settled beside a row that is not accepted', async () => {
    for (const reference of ['A-1', 'A-2']) Object.assign(recordOf(reference), {status: 'settled'});
    const found = await lines(' --refresh');
    assert.deepEqual(
      [found.exit, stated(found)],
      [
        0,
        [
          ['accepted', 'settled'],
          ['accepted', 'settled'],
        ],
      ],
    );
    const status = await desk.batch('status b --json');
    assert.deepEqual([status.exitCode, (status.json() as Summary).state], [0, 'complete']);
  });

  it('a record that failed frees its reference for the next payment', async () => {
    Object.assign(recordOf('A-1'), {status: 'failed'});
    Object.assign(recordOf('A-2'), {status: 'canceled'});
    const ran = await desk.batch('status b --refresh --json');
    const {accepted, failed, canceled, in_doubt: doubts} = ran.json() as Summary;
    assert.deepEqual([accepted, failed, canceled, doubts], [1, 1, 1, 0], ran.stderr);
    const again = await desk.batch('retry b --yes');
    assert.match(again.stderr, /1 row prepared to be sent again, 1 of them with a new key/);
  });

  it('a record of another payment settles nothing', async () => {
    Object.assign(recordOf('A-1'), {status: 'settled'});
    recordOf('A-1').body['amount_in_minor_units'] = 7;
    const found = await lines(' --refresh');
    assert.equal(found.exit, 12);
    assert.equal(found.rows[0]!['state'], 'in_doubt');
    assert.notEqual(found.rows[0]!['status'], 'settled');
  });

  it('a row that a refresh found paid is not paid by another batch', async () => {
    for (const reference of ['A-1', 'A-2']) Object.assign(recordOf(reference), {status: 'settled'});
    assert.equal((await desk.batch('status b --refresh')).exitCode, 0);
    const other = await desk.batch('run ./p.csv --batch-id other --yes --json');
    const {already_paid: paid, posts} = other.json() as Summary;
    assert.deepEqual([other.exitCode, paid, posts], [0, 2, 0], other.stderr);
  });

  it('the results of a report say the same as the export', async () => {
    await desk.batch('report b');
    const results = readFileSync(join(desk.folder, 'b.results.csv'), 'utf8');
    assert.equal(results.match(/,"in_doubt",/g)?.length, 2, results);
  });
});

describe('payouts batch, after a run was killed while it created records', () => {
  it('the rows that were not sent do not need attention', async () => {
    const desk = new Desk();
    try {
      desk.file(
        'p.csv',
        Array.from({length: 20}, (_, at) => [`A-${at + 1}`, at + 1, '10.00'] as const),
      );
      await desk.batch('plan ./p.csv --batch-id b');
      const batch = await openBatch({
        ...{stateDir: stateDir({}, desk.folder), kind: 'payout', batchId: 'b', purpose: 'test'},
        clock: desk.clock,
      });
      batch.journal.openWindow({
        ...{phase: 'stage', first: 1, last: 2, takes: ['new'], at: desk.clock.now()},
      });
      batch.journal.setFact('state', 'running');
      await batch.close();
      const {stdout} = await desk.batch('status b');
      assert.match(stdout, /Needs attention:\n {2}A-1: in doubt\n {2}A-2: in doubt\n\n/);
    } finally {
      desk.close();
    }
  });
});
