import assert from 'node:assert/strict';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {batchFolder} from '../../../src/batch/journal/folder.ts';
import {EXIT} from '../../../src/errors.ts';
import {openSqlite} from '../../../src/store/sqlite/sqlite.ts';
import {type CliOptions, type CliResult, runCli} from '../../cli/run-cli.ts';
import {shellTokens} from '../../repo/command-lines.ts';
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

  describe('whose service file adds headers, which that version did not record', () => {
    const WARNING =
      /batch b1 was started by an earlier version of remit, which did not record .*headers\.send of the service file \(now set: headers\.send\.x-tenant\)\. Rows sent before are sent again/;
    const type = (line: string, options: Partial<CliOptions> = {}): Promise<CliResult> =>
      runCli(
        shellTokens(line).map(({text}) => text),
        {
          ...{env: {HOME: bench.folder}, cwd: bench.folder, clock: bench.clock},
          ...{service: service.transport(), ...options},
        },
      );
    const batch = (verb: string, options?: Partial<CliOptions>) =>
      type(`payouts batch ${verb} --state-dir ${bench.stateDir} -p work`, options);

    beforeEach(async () => {
      const added = await type('profiles add work --base-url https://api.test --key-stdin', {
        stdin: 'test_key',
      });
      assert.equal(added.exitCode, 0, added.stderr);
      const [, planHash] = /"planHash":"(\w+)"/.exec(readText(`${FOLDER}/journal.sql`))!;
      const confirmed = {planHash, doing: 'pay', at: bench.clock.now(), by: null};
      await change(`insert into meta values ('confirmed', '${JSON.stringify(confirmed)}')`);
    });

    async function addHeaders(): Promise<void> {
      const file = join(bench.folder, 'service.json');
      writeFileSync(file, JSON.stringify({headers: {send: {'X-Tenant': 'acme'}}}));
      const set = await type(`profiles set work --service ${file}`);
      assert.equal(set.exitCode, 0, set.stderr);
    }

    for (const verb of ['resume b1', 'release b1', 'retry b1', 'run b1'])
      it(`is not sent again before that is confirmed: ${verb}`, async () => {
        await addHeaders();
        const asked = await batch(verb);
        assert.equal(asked.exitCode, EXIT.USAGE, asked.stderr); // a confirmation is needed
        assert.match(asked.stderr, WARNING);
        assert.doesNotMatch(asked.stderr + asked.stdout, /acme/);
        assert.equal(service.requests.length, 0);
        const refused = await batch(verb, {columns: 80, answers: [false]});
        assert.equal(refused.exitCode, EXIT.GUARD, refused.stderr);
        assert.equal(service.requests.length, 0);
        const again = await type(/remit (payouts batch .*) \(or with/.exec(asked.stderr)![1]!);
        assert.match(again.stderr, WARNING);
        assert.notEqual(again.exitCode, EXIT.USAGE, again.stderr);
        const later = await batch('resume b1');
        assert.equal(later.exitCode, 0, later.stderr); // bound to the headers, and confirmed
        assert.doesNotMatch(later.stderr, /earlier version/);
        assert.equal(service.paid.length, 6);
      });

    it('is canceled with the same warning', async () => {
      await addHeaders();
      const canceled = await batch('cancel b1 --yes');
      assert.match(canceled.stderr, WARNING);
    });

    it('continues without a question if there is no service file', async () => {
      const resumed = await batch('resume b1');
      assert.equal(resumed.exitCode, 0, resumed.stderr);
      assert.doesNotMatch(resumed.stderr, /earlier version/);
      assert.equal(service.paid.length, 6);
    });
  });
});
