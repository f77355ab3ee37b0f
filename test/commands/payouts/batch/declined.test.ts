import assert from 'node:assert/strict';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {Desk} from './desk.ts';

for (const verb of ['run', 'resume'])
  describe(`payouts batch ${verb} ID after a run that sent nothing`, () => {
    let desk: Desk;
    beforeEach(() => (desk = Desk.withTwoRows()));
    afterEach(() => desk.close());
    const go = async (line: string) => (await desk.batch(`${line} --json`)).json() as Summary;
    const posted = () => desk.service.requests.filter(({method}) => method === 'POST').map(({body}) => body);
    const decline = async (line: string) => {
      const ran = await desk.batch(line, {columns: 100, answers: [false]});
      assert.deepEqual([ran.exitCode, desk.service.posts], [11, 0], ran.stderr);
      return ran.questions[0] ?? '';
    };

    it('stages what was to be staged, after it was declined', async () => {
      await decline('run ./p.csv --stage-only --batch-id june');
      assert.equal((await go('status june')).next, 'remit payouts batch run june --stage-only');
      assert.match(await decline(`${verb} june`), /^Stage 2 rows/);
      const staged = await go(`${verb} june --yes`);
      assert.deepEqual([staged.state, staged.staged, desk.service.paid.length], ['staged', 2, 0]);
    });

    it('stages what was to be staged, after it was not confirmed', async () => {
      assert.equal((await desk.batch('run ./p.csv --stage-only --batch-id june')).exitCode, 2);
      const staged = await go(`${verb} june --yes`);
      assert.deepEqual([staged.state, desk.service.paid.length], ['staged', 0]);
    });

    it('stages what was to be staged, after it was refused for look-alikes', async () => {
      await go('run ./p.csv --batch-id may --yes');
      desk.file('q.csv', [
        ['B-1', 1, '10.00'],
        ['B-2', 2, '20.00'],
      ]);
      const refused = await desk.batch('run ./q.csv --stage-only --batch-id june --yes --json');
      assert.equal(refused.error().code, 'GUARD_DUPLICATES');
      const staged = await go(`${verb} june --accept duplicates=2 --yes`);
      assert.deepEqual([staged.state, staged.staged, desk.service.paid.length], ['staged', 2, 2]);
    });

    it('stages a revision that was declined', async () => {
      await go('run ./p.csv --batch-id june --yes');
      desk.file('p.csv', [
        ['A-1', 1, '10.00'],
        ['A-2', 2, '20.00'],
        ['A-3', 3, '30.00'],
      ]);
      await desk.batch('run ./p.csv --stage-only --batch-id june', {columns: 100, answers: [false]});
      const staged = await go(`${verb} june --yes`);
      assert.deepEqual([staged.staged, desk.service.paid.length], [1, 2]);
    });

    it('sends in direct mode what was to be sent so', async () => {
      await decline('run ./p.csv --direct --batch-id june');
      assert.equal((await go(`${verb} june --yes`)).accepted, 2);
      assert.equal(posted().length, 2);
      for (const body of posted()) assert.match(body, /"auto_approve":true/);
    });

    it('checks live rows before they are paid, unless the keys are trusted there too', async () => {
      await decline('run ./p.csv --direct --batch-id june');
      const live = await desk.batch(`${verb} june --yes --live --confirm-total USD=30 --confirm-count 2`, {
        live: true,
      });
      assert.equal(live.exitCode, 0, live.stderr);
      assert.doesNotMatch(posted()[0] ?? '', /"auto_approve":true/);
    });

    it('pays what was only planned, once it is confirmed', async () => {
      await desk.batch('plan ./p.csv --batch-id june');
      assert.match(await decline(`${verb} june`), /^Pay 2 rows/);
      assert.equal((await go(`${verb} june --yes`)).accepted, 2);
    });
  });

it('run ID changes the way of a batch that was not started only with a flag', async () => {
  const desk = Desk.withTwoRows();
  await desk.batch('run ./p.csv --batch-id june', {columns: 100, answers: [false]});
  await desk.batch('run june --stage-only', {columns: 100, answers: [false]});
  assert.equal((await desk.batch('run june --yes')).exitCode, 0);
  assert.equal(desk.service.paid.length, 0);
  desk.close();
});

it('the way of a batch that was started stays when another one is declined', async () => {
  const desk = Desk.withTwoRows();
  await desk.batch('run ./p.csv --batch-id june --stage-only --yes');
  const ran = await desk.batch('run ./p.csv --batch-id june', {columns: 100, answers: [false]});
  assert.equal(ran.exitCode, 11, ran.stderr);
  await desk.batch('run june --yes');
  assert.equal(desk.service.paid.length, 0);
  desk.close();
});
