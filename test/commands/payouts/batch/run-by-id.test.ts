import assert from 'node:assert/strict';
import {mkdirSync, readdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {DIRECT_WITH_USED_KEY} from '../../../../src/batch/model/outcome.ts';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {BatchResume, BatchRunCommand} from '../../../../src/cli/batch/run/commands.ts';
import {openSqlite} from '../../../../src/store/sqlite/sqlite.ts';
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

it('a file with the name of a batch makes run ambiguous, and the hint names both ways', async () => {
  const desk = Desk.withTwoRows();
  await desk.batch('plan ./p.csv --batch-id README.md');
  const ran = await desk.batch('run README.md --json'); // tests run in the folder of the project
  assert.deepEqual([ran.exitCode, ran.error().message], [2, 'README.md is both a file and a batch']);
  assert.equal(ran.error().hint, 'write ./README.md for the file, or resume instead of run for the batch');
  desk.close();
});
