import assert from 'node:assert/strict';
import {mkdirSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {DIRECT_WITH_USED_KEY} from '../../../../src/batch/model/outcome.ts';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {BatchResume, BatchRunCommand} from '../../../../src/cli/batch/run/commands.ts';
import {openSqlite} from '../../../../src/store/sqlite/sqlite.ts';
import {payeeId} from '../../../batch/harness.ts';
import {runCli, TEST_KEY} from '../../../cli/run-cli.ts';
import {Desk} from './desk.ts';

const UNAUTHORIZED = {status: 401, body: {error_code: 'AUTHENTICATION_ERROR', message: 'no'}};

it('run takes every flag of resume, its former name', () => {
  const names = Object.keys(BatchRunCommand.flags);
  for (const name of Object.keys(BatchResume.flags)) assert.ok(names.includes(name), name);
});

for (const verb of ['run', 'resume'])
  describe(`payouts batch ${verb} with the id of a batch`, () => {
    let desk: Desk;
    beforeEach(() => {
      desk = new Desk();
      desk.file(
        'p.csv',
        Array.from({length: 30}, (_, n): [string, number, string] => [`A-${n}`, n, `${n + 10}.00`]),
      );
    });
    afterEach(() => desk.close());
    const go = async (line: string) => {
      const ran = await desk.batch(`${line} --json`);
      return {...(ran.json() as Summary), exit: ran.exitCode, stderr: ran.stderr};
    };
    /** The key is refused after so many requests, and works again afterwards. */
    const stopAfter = async (requests: number, line: string) => {
      const before = desk.service.posts;
      desk.service.fault = () => (desk.service.posts - before > requests ? UNAUTHORIZED : undefined);
      const stopped = await go(line);
      desk.service.fault = () => undefined;
      assert.notEqual(stopped.exit, 0);
      return stopped;
    };
    const bodies = () => desk.service.requests.filter(({method}) => method === 'POST').map(({body}) => body);

    it('starts one that was only planned, once it is confirmed', async () => {
      await go('plan ./p.csv --batch-id b');
      const asked = await desk.batch(`${verb} b`, {columns: 100, answers: [false]});
      assert.deepEqual([asked.exitCode, desk.service.posts], [11, 0]);
      assert.match(asked.questions[0]!, /^Pay 30 rows, /);
      assert.equal((await go(`${verb} b --yes`)).accepted, 30);
    });

    for (const requests of [1, 7, 29, 31, 45])
      it(`continues one that was stopped after ${requests} requests, without another confirmation`, async () => {
        const {next} = await stopAfter(requests, 'run ./p.csv --batch-id b --yes');
        assert.equal(next, 'remit payouts batch run b');
        const done = await go(`${verb} b`);
        assert.deepEqual([done.exit, done.state, done.accepted], [0, 'complete', 30], done.stderr);
        const posts = desk.service.posts;
        assert.equal((await go(`${verb} b`)).state, 'complete');
        assert.equal(desk.service.posts, posts, 'a second one sends nothing');
      });

    it('continues a direct one in direct mode', async () => {
      await stopAfter(5, 'run ./p.csv --batch-id b --direct --yes');
      const before = bodies().length;
      assert.equal((await go(`${verb} b`)).accepted, 30);
      const later = bodies().slice(before);
      assert.ok(later.length >= 25 && later.length < 30, String(later.length));
      for (const body of later) assert.match(body, /"auto_approve":true/);
    });

    it('stages rows that direct mode does not send', async () => {
      const {not_sent: left} = await stopAfter(29, 'run ./p.csv --batch-id b --direct --yes');
      assert.equal(left, 1);
      const names = readdirSync(desk.folder, {recursive: true}).map(String);
      const journal = names.find((name) => /b\/journal\.(?:sqlite|db)$/.test(name));
      const db = await openSqlite(join(desk.folder, journal!), {durability: 'full'});
      const marked = db
        .prepare("update outcomes set message = ? where state = 'not_sent'")
        .run(DIRECT_WITH_USED_KEY);
      assert.equal(marked, 1);
      db.close();
      assert.equal((await go('status b')).next, 'remit payouts batch run b');
      const before = bodies().length;
      const done = await go(`${verb} b`);
      assert.deepEqual([done.exit, done.accepted], [0, 30], done.stderr);
      assert.doesNotMatch(bodies()[before]!, /"auto_approve":true/);
    });

    it('leaves what was only staged to a release', async () => {
      await stopAfter(5, 'run ./p.csv --batch-id b --stage-only --yes');
      const staged = await go(`${verb} b`);
      assert.deepEqual([staged.exit, staged.state, staged.staged], [0, 'staged', 30], staged.stderr);
      assert.equal(staged.next, 'remit payouts batch release b');
      assert.equal((await go(`${verb} b --yes`)).staged, 30);
      assert.equal(desk.service.paid.length, 0);
      assert.equal((await go('release b --yes')).accepted, 30);
    });

    it('releases nothing if a run that was to stage only failed before its first request', async () => {
      mkdirSync(join(desk.folder, 'b.results.csv'));
      assert.notEqual((await desk.batch('run ./p.csv --batch-id b --stage-only --yes')).exitCode, 0);
      rmSync(join(desk.folder, 'b.results.csv'), {recursive: true});
      await go(`${verb} b --yes`);
      assert.equal(desk.service.paid.length, 0);
    });

    it('goes on with a release that was stopped', async () => {
      await go('run ./p.csv --batch-id b --stage-only --yes');
      await stopAfter(5, 'release b --yes');
      const done = await go(`${verb} b`);
      assert.deepEqual([done.exit, done.accepted], [0, 30], done.stderr);
    });

    it('asks again about a revision', async () => {
      await stopAfter(5, 'run ./p.csv --batch-id b --yes');
      desk.file('p.csv', [
        ...Array.from({length: 30}, (_, n): [string, number, string] => [`A-${n}`, n, `${n + 10}.00`]),
        ['A-30', 30, '5.00'],
      ]);
      const planned = await desk.batch('plan ./p.csv --batch-id b');
      assert.equal(planned.exitCode, 0, planned.stderr);
      const asked = await desk.batch(`${verb} b`, {columns: 100, answers: [false]});
      assert.match(asked.questions[0]!, /^Pay /);
      assert.equal(asked.exitCode, 11);
    });

    it('is refused after a cancel', async () => {
      await go('run ./p.csv --batch-id b --stage-only --yes');
      await go('cancel b --yes');
      const ran = await desk.batch(`${verb} b --yes --json`);
      assert.deepEqual([ran.exitCode, ran.error().code], [11, 'BATCH_CANCELED']);
    });
  });

describe('payouts batch run of a name', () => {
  let desk: Desk;
  beforeEach(() => (desk = Desk.withTwoRows()));
  afterEach(() => desk.close());

  it('that a file and a batch have is refused, with a command for each', async () => {
    const env = await desk.profile('acme');
    await desk.batch('plan ./p.csv --batch-id README.md', {env});
    const ran = await desk.batch('run README.md -p acme --json', {env}); // tests run in the folder of the project
    assert.deepEqual([ran.exitCode, ran.error().message], [2, 'README.md is both a file and a batch']);
    assert.equal(
      ran.error().hint,
      'for the batch: remit payouts batch resume README.md -p acme; for the file: remit payouts batch run ./README.md -p acme',
    );
    desk.service.fault = () => (desk.service.posts > 1 ? UNAUTHORIZED : undefined);
    const stopped = await desk.batch('resume README.md --yes --json');
    assert.equal((stopped.json() as Summary).next, 'remit payouts batch resume README.md');
    desk.service.fault = () => undefined;
    const done = await desk.type('remit payouts batch resume README.md');
    assert.equal(done.exitCode, 0, done.stderr);
  });

  it('that a folder and a batch have is that of the batch', async () => {
    await desk.batch('plan ./p.csv --batch-id docs');
    const ran = await desk.batch('run docs --yes');
    assert.deepEqual([ran.exitCode, desk.service.paid.length], [0, 2], ran.stderr);
  });

  it('that is mistyped names the nearest batch, or the list', async () => {
    const hintOf = async (name: string) => {
      const ran = await runCli(['payouts', 'batch', 'run', name, '--json'], {
        ...{env: desk.env(TEST_KEY), cwd: desk.folder, service: desk.service.transport()},
      });
      assert.equal(ran.exitCode, 4);
      return [ran.error().message, ran.error().hint];
    };
    const none = 'name a CSV or .xlsx file: remit payouts batch run FILE.csv';
    const other = '; or another state folder with --state-dir';
    assert.deepEqual(await hintOf('november'), [
      'november is neither a file nor a planned batch',
      none + other,
    ]);
    for (const id of ['november', 'june-1a2b3c4d', 'x']) await desk.batch(`plan ./p.csv --batch-id ${id}`);
    const near = 'did you mean november? remit payouts batch run november';
    assert.equal((await hintOf('novmeber'))[1], near);
    assert.match((await hintOf('june'))[1]!, /^did you mean june-1a2b3c4d\? /);
    const list = `${none}, or a batch of remit payouts batch list${other}`;
    assert.equal((await hintOf('zzz'))[1], list);
    assert.deepEqual(await hintOf(''), ['"" is neither a file nor a planned batch', list]);
  });

  for (const [topic, flag, named] of [
    ['payouts', '--payees ./ids.csv', '--payees'],
    ['payins', '--payers ./ids.csv', '--payers'],
    ['payouts', '--currency USD', '--currency'],
    ['payouts', '--valid-only', '--valid-only'],
    ['payouts', '--map party=Payee', '--map'],
    ['payouts', '--sheet May', '--sheet'],
    ['payouts', '--ignore-column Note', '--ignore-column'],
    ['payouts', '--amount-unit minor', '--amount-unit'],
    ['payouts', '--number-format 1,234.56', '--number-format'],
    ['payouts', '--namespace a', '--namespace'],
    ['payouts', '--batch-id foo', '--batch-id'],
    ['payouts', '--batch-id foo --sheet May', '--batch-id, --sheet'],
  ] as const)
    it(`of a batch refuses ${flag}, which is about a file (${topic})`, async () => {
      if (topic === 'payins')
        writeFileSync(
          join(desk.folder, 'p.csv'),
          `reference,payer_id,amount,currency_code\nA-1,${payeeId(1)},10.00,USD\n`,
        );
      const planned = await desk.batch('plan ./p.csv --batch-id b', {topic});
      assert.equal(planned.exitCode, 0, planned.stderr);
      const ran = await desk.batch(`run b --yes --json ${flag}`, {topic});
      assert.deepEqual(
        [ran.exitCode, ran.error().message, desk.service.posts],
        [
          2,
          `b is a batch, and its plan is fixed: ${named} can only be given with a file; nothing was sent`,
          0,
        ],
      );
      assert.equal(ran.error().hint, `to run the batch: remit ${topic} batch run b`);
    });
});
