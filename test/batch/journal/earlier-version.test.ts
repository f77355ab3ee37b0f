import assert from 'node:assert/strict';
import {mkdirSync} from 'node:fs';
import {batchFolder} from '../../../src/batch/journal/folder.ts';
import {openSqlite} from '../../../src/store/sqlite/sqlite.ts';
import {readText} from '../../repo/tree.ts';
import {Bench, payeeId} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

/**
 * A batch of six payouts as version 0.1.0 left it: four rows were sent, of which one was never answered, and two were
 * added to the file since. `requests.json` has the request that 0.1.0 makes for each row, and the id of its record.
 */
const FOLDER = 'test/batch/journal/version-0.1.0';
const REQUESTS = JSON.parse(readText(`${FOLDER}/requests.json`)) as {
  key: string;
  id: string | null;
  body: string;
}[];
/** 42.7 seconds into the virtual day: after the first run. */
const RUN_MS = 42_700;

describe('a batch started by version 0.1.0', () => {
  let bench: Bench;
  let service: TruthService;
  beforeEach(async () => {
    bench = new Bench();
    bench.clock.advance(RUN_MS);
    service = new TruthService();
    service.now = () => bench.clock.now();
    for (const {key, id, body} of REQUESTS.filter((request) => request.id !== null)) {
      const fields = JSON.parse(body) as Record<string, unknown>;
      delete fields['auto_approve'];
      const record = {
        ...{id: id!, key, status: 'created', body: fields, approvals: 0},
        createdAt: bench.clock.now() - RUN_MS,
      };
      service.records.set(key, record);
      service.byId.set(record.id, record);
    }
    mkdirSync(batchFolder(bench.stateDir, 'payout', 'b1').folder, {recursive: true});
    await change(readText(`${FOLDER}/journal.sql`).replaceAll('{folder}', bench.folder));
  });
  afterEach(() => bench.remove());

  async function change(sql: string): Promise<void> {
    const db = await openSqlite(batchFolder(bench.stateDir, 'payout', 'b1').journal, {durability: 'full'});
    db.exec(sql);
    db.close();
  }

  it('is finished with the bytes and keys of that version, and pays each row once', async () => {
    const summary = await bench.run(service);
    assert.deepEqual([summary.accepted, summary.in_doubt, service.paid.length], [6, 0, 6]);
    assert.ok(service.paid.every(({approvals}) => approvals === 1));
    const bodies = new Map(REQUESTS.map(({key, body}) => [key, body]));
    const creates = service.requests.filter(({method, path}) => method === 'POST' && path === '/api/payouts');
    assert.equal(new Set(creates.map(({key}) => key)).size, 6);
    for (const {key, body} of creates)
      assert.equal(body.replace('"auto_approve":true', '"auto_approve":false'), bodies.get(key!));
  });

  it('has its rows in the same file: nothing is added, changed or refused', async () => {
    const file = bench.file('payouts.csv', readText(`${FOLDER}/payouts.csv`));
    const {plan, fresh} = await bench.plan(file);
    assert.deepEqual([plan.revision, fresh], [2, false]); // the plan of 0.1.0 itself
    const lines = readText(`${FOLDER}/payouts.csv`).replace(/,30\.00,/, ',31.00,');
    const {revision} = await bench.plan(bench.file('payouts.csv', lines));
    assert.deepEqual(revision, {added: 0, corrected: 1, dropped: []});
  });

  it('is finished too if its journal still has an index on the references', async () => {
    await change(`drop table row_names; drop table ended_records; delete from remit_migrations where name >= '0003';
      create index rows_by_reference on rows (reference); create index rows_by_fold on rows (fold)`);
    await bench.inJournal(({journal}) => {
      assert.equal(journal.rows.of('LOST-4')?.n, 4);
      assert.equal(journal.rows.of('lost-4'), undefined);
    });
    assert.equal((await bench.run(service)).accepted, 6);
    const more = `${readText(`${FOLDER}/payouts.csv`)}NEW-7,${payeeId(7)},1.00,USD,,,,,,\n`;
    await bench.plan(bench.file('payouts.csv', more)); // a revision looks up every row
    assert.equal((await bench.run(service)).accepted, 7);
  });
});
