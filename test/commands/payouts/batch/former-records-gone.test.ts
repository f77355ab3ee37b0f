import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import type {TruthRecord} from '../../../batch/truth-service.ts';
import {FormerDesk, typed} from './former-desk.ts';

const TO_RESOLVE = 'remit payouts batch resolve b --from FILE';

/** In batch a, X is the record of A-2 that was shown as failed; the service does not find it any more. */
describe('a record that had failed and is gone', () => {
  let desk: FormerDesk;
  beforeEach(async () => {
    desk = await FormerDesk.open();
    desk.file('q.csv', [
      ['A-2', 2, '20.00'],
      ['A-3', 3, '30.00'],
    ]);
  });
  afterEach(() => desk.close());

  const gone = () => desk.service.byId.delete(desk.former.id);

  it('leaves its row to a person, once the other rows are paid', async () => {
    gone();
    const first = await desk.go('run ./q.csv --batch-id b --yes');
    assert.deepEqual([first.not_sent, first.staged, first.next?.includes('--accept rest')], [1, 1, true]);
    const second = await desk.go(`${typed(first.next)} --yes`);
    assert.deepEqual([second.accepted, second.not_sent, second.next], [1, 1, TO_RESOLVE]);
    assert.match((await desk.batch('status b')).stdout, new RegExp(`${desk.former.id}.*is not found`));
  });

  it('is paid once after the statement that it was not', async () => {
    gone();
    await desk.go('run ./q.csv --batch-id b --yes');
    const stated = await desk.batch('resolve b A-2 --not-paid');
    assert.equal(stated.exitCode, 0, stated.stderr);
    assert.match(
      stated.stdout,
      new RegExp(`was not paid by record ${desk.former.id}\\. The next run asks for it once more`),
    );
    assert.match((await desk.batch('resolve b A-2 --not-paid')).stdout, /already recorded as not paid/);
    const {accepted, next, state} = await desk.go('run b --yes');
    assert.deepEqual([accepted, state, next], [2, 'complete', null]);
    desk.paysOnce();
    const [paid] = desk.recordsOf('A-2');
    assert.notEqual(paid?.id, desk.former.id, 'with a new key');
  });

  it('is stated for all its rows by a file, as the next command says', async () => {
    gone();
    const {next} = await desk.go('run ./p.csv --batch-id b --yes');
    assert.equal(next, TO_RESOLVE);
    writeFileSync(`${desk.folder}/found.csv`, 'reference,verdict,id\nA-2,not-paid,\n');
    const stated = (await desk.batch(`${typed(next).replace('FILE', './found.csv')} --json`)).json() as {
      next: string;
      not_paid: number;
    };
    assert.deepEqual([stated.not_paid, stated.next], [1, 'remit payouts batch run b']);
    assert.equal((await desk.go(`${typed(stated.next)} --yes`)).state, 'complete');
    desk.paysOnce();
  });

  it('counts as the payment if it is shown as settled after the statement', async () => {
    const {byId} = desk.service;
    gone();
    await desk.go('run ./p.csv --batch-id b --yes');
    await desk.batch('resolve b A-2 --not-paid');
    byId.set(desk.former.id, desk.former);
    desk.former.status = 'settled';
    const {already_paid: before} = await desk.go('run b --yes');
    assert.equal(before, 2);
    desk.paysOnce();
  });

  for (const status of ['created', 'initiated'])
    it(`holds the row again if it is shown as ${status} after the statement`, async () => {
      gone();
      await desk.go('run ./p.csv --batch-id b --yes');
      await desk.batch('resolve b A-2 --not-paid');
      desk.service.byId.set(desk.former.id, desk.former);
      desk.former.status = status;
      const {not_sent: unsent, next} = await desk.go('run b --yes');
      const cancel = status === 'created' ? `remit payouts cancel ${desk.former.id} && ` : '';
      assert.deepEqual([unsent, next], [1, `${cancel}remit payouts batch run b`]);
      assert.equal(desk.recordsOf('A-2').length, 1);
      gone();
      assert.equal((await desk.go('run b --yes')).next, TO_RESOLVE, 'the statement was about another state');
      assert.equal(desk.recordsOf('A-2').length, 0);
    });

  for (const [status, body] of [
    [500, {}],
    [503, {}],
    [404, {}],
    [403, {error_code: 'AUTHORIZATION_ERROR', message: 'no'}],
  ] as const)
    it(`pays nothing while the record is answered with ${status} after the statement`, async () => {
      gone();
      await desk.go('run ./p.csv --batch-id b --yes');
      await desk.batch('resolve b A-2 --not-paid');
      desk.service.fault = ({method, path}) =>
        method === 'GET' && path.endsWith(desk.former.id) ? {status, body} : undefined;
      await desk.go('run b --yes --max-wait 5s');
      assert.equal(desk.recordsOf('A-2').length, 0);
    });

  it('names --unseen for the statement that it has paid', async () => {
    gone();
    await desk.go('run ./p.csv --batch-id b --yes');
    const refused = await desk.batch(`resolve b A-2 --paid ${desk.former.id}`);
    assert.equal(refused.exitCode, 4);
    const [, hint] = /^Hint: .*: remit payouts batch (.*)$/m.exec(refused.stderr) ?? [];
    assert.equal((await desk.batch(String(hint))).exitCode, 0);
  });

  it('does not cover a record that failed after the statement and is gone as well', async () => {
    gone();
    await desk.go('run ./q.csv --batch-id b --yes');
    await desk.batch('resolve b A-2 --not-paid');
    await desk.go('run b --yes');
    const second = desk.recordsOf('A-2')[0]!;
    second.status = 'failed';
    await desk.go('status b --refresh');
    desk.service.fault = ({method}) =>
      method === 'POST' ? {status: 401, body: {error_code: 'UNAUTHORIZED', message: 'no'}} : undefined;
    await desk.go('retry b --yes');
    desk.answer();
    desk.service.byId.delete(second.id);
    const {next, accepted} = await desk.go('run b --yes');
    assert.deepEqual([accepted, next], [1, TO_RESOLVE]);
  });

  it('asks nothing while its answer is not that of the service', async () => {
    desk.service.fault = ({method, path}) =>
      method === 'GET' && path.endsWith(desk.former.id) ? {status: 404, body: {}} : undefined;
    const {next} = await desk.go('run ./p.csv --batch-id b --yes');
    assert.equal(next, 'remit payouts batch run b');
    desk.answer();
    assert.equal((await desk.go(`${typed(next)} --yes`)).state, 'complete');
    desk.paysOnce();
  });

  describe('after a record was staged for the row', () => {
    beforeEach(async () => {
      await desk.stageB();
      gone();
      const first = await desk.go('release b --yes');
      assert.equal((await desk.go(`${typed(first.next)} --yes`)).next, TO_RESOLVE);
    });

    it('is released after the statement that the former one was not paid', async () => {
      const [y] = desk.recordsOf('A-2');
      const stated = (await desk.batch('resolve b A-2 --not-paid --json')).json() as {next: string};
      assert.equal((await desk.go(`${typed(stated.next)} --yes`)).accepted, 2);
      assert.equal(y?.approvals, 1);
      desk.paysOnce();
    });

    it('is left behind if the former one has paid', async () => {
      const [y] = desk.recordsOf('A-2');
      const stated = await desk.batch(`resolve b A-2 --paid ${desk.former.id} --unseen`);
      assert.equal(stated.exitCode, 0, stated.stderr);
      const {orphans, accepted} = await desk.go('status b');
      assert.deepEqual([orphans, accepted], [[{reference: 'A-2', id: y?.id}], 2]);
      assert.equal(y?.approvals, 0);
    });

    for (const spelling of ['as it was', 'in upper case'] as const)
      it(`is the payment if it was approved elsewhere, with its id ${spelling}, and is not left behind`, async () => {
        const y = desk.recordsOf('A-2')[0]!;
        y.status = 'approved';
        const paid = spelling === 'as it was' ? y.id : y.id.toUpperCase();
        const stated = await desk.batch(`resolve b A-2 --paid ${paid}`);
        assert.equal(stated.exitCode, 0, stated.stderr);
        const {orphans, accepted} = await desk.go('status b');
        assert.deepEqual([orphans, accepted], [[], 2]);
        y.status = 'created';
        await desk.go('status b --refresh');
        const {unapproved, staged} = await desk.go('retry b --yes');
        assert.deepEqual([unapproved, staged], [0, 1], 'the age of its key is still known');
      });

    it('may be canceled', async () => {
      const {state} = await desk.go('cancel b --yes');
      assert.equal(state, 'canceled');
    });
  });

  it('may have paid, as the operator states: nothing is sent', async () => {
    gone();
    await desk.go('run ./p.csv --batch-id b --yes');
    const sent = desk.service.posts;
    const stated = await desk.batch(`resolve b A-2 --paid ${desk.former.id} --unseen`);
    assert.equal(stated.exitCode, 0, stated.stderr);
    const {state, accepted} = await desk.go('run b --yes');
    assert.deepEqual([state, accepted, desk.service.posts], ['complete', 1, sent]);
    assert.equal((await desk.batch('resolve b A-2 --not-paid')).exitCode, 0, 'it can be taken back');
    await desk.go('run b --yes');
    assert.ok(desk.recordsOf('A-2').length <= 1);
  });

  describe('when its own batch retries the row', () => {
    beforeEach(async () => {
      gone();
      assert.equal((await desk.go('retry a --yes')).next, 'remit payouts batch resolve a --from FILE');
      assert.equal((await desk.batch('resolve a A-2 --not-paid')).exitCode, 0);
    });

    it('is stated once: the service refuses its key, and a retry by name has another', async () => {
      const {conflict, next} = await desk.go('run a --yes');
      assert.deepEqual([conflict, next?.includes('payouts list')], [1, true]);
      const {accepted, state} = await desk.go('retry a --row A-2 --yes');
      assert.deepEqual([accepted, state], [2, 'complete']);
      desk.paysOnce();
    });

    it('is stated once, and paid with its key if the service has forgotten that', async () => {
      desk.service.records.delete(desk.former.key);
      assert.equal((await desk.go('run a --yes')).state, 'complete');
      desk.paysOnce();
    });

    it('counts as the payment if it is shown as settled after all', async () => {
      desk.service.byId.set(desk.former.id, desk.former);
      desk.former.status = 'settled';
      assert.equal((await desk.go('run a --yes')).state, 'complete');
      assert.deepEqual(
        desk.recordsOf('A-2').map(({id}) => id),
        [desk.former.id],
      );
    });
  });

  describe('that was paid, was stated unpaid, and came back', () => {
    let own: TruthRecord;
    beforeEach(async () => {
      desk = FormerDesk.withTwoRows();
      await desk.go('run ./p.csv --batch-id a --yes');
      own = desk.recordsOf('A-2')[0]!;
      desk.service.byId.delete(own.id);
      await desk.go('status a --refresh');
      assert.equal((await desk.batch('resolve a A-2 --not-paid')).exitCode, 0);
    });

    it('needs another statement if it fails later and is gone again', async () => {
      const {byId, records} = desk.service;
      byId.set(own.id, own);
      assert.equal((await desk.go('run a --yes')).accepted, 2);
      own.status = 'failed';
      await desk.go('status a --refresh');
      let reads = 0;
      desk.service.fault = ({method, path}) =>
        method === 'GET' && path.endsWith(own.id) && ++reads > 1 ? '503-before' : undefined;
      await desk.go('retry a --yes --max-wait 5s');
      desk.answer();
      byId.delete(own.id);
      records.delete(own.key);
      assert.equal((await desk.go('run a --yes')).next, 'remit payouts batch resolve a --from FILE');
      assert.equal(desk.recordsOf('A-2').length, 0);
    });

    it('is read before the row is sent again, and counts if it has settled', async () => {
      desk.service.byId.set(own.id, own);
      own.status = 'settled';
      desk.service.forgetKeys();
      assert.equal((await desk.go('run a --yes')).state, 'complete');
      assert.deepEqual(
        desk.recordsOf('A-2').map(({id}) => id),
        [own.id],
      );
    });

    it('is staged and released again if it comes back as created', async () => {
      desk.service.byId.set(own.id, own);
      Object.assign(own, {status: 'created', approvals: 0});
      const {accepted, next} = await desk.go('run a --yes');
      assert.deepEqual([accepted, next], [2, null]);
      desk.paysOnce();
      assert.equal(desk.recordsOf('A-2').length, 1);
    });

    it('is taken back by the statement that it has paid', async () => {
      desk.service.byId.set(own.id, own);
      own.status = 'settled';
      const stated = await desk.batch(`resolve a A-2 --paid ${own.id}`);
      assert.equal(stated.exitCode, 0, stated.stderr);
      assert.equal((await desk.go('status a')).state, 'complete');
    });
  });

  it('leaves a row in doubt to a person, with one statement for both of its records', async () => {
    await desk.stageB();
    let isSent = false;
    desk.service.fault = ({method, body}) => {
      if (method === 'POST' && body.includes('"A-2"') && body.includes('"auto_approve":true')) isSent = true;
      else if (!isSent || method !== 'GET') return undefined;
      return 'lost-before';
    };
    await desk.go('release b --yes --max-wait 5s');
    desk.answer();
    gone();
    let {next} = await desk.go('run b --yes');
    if (next?.includes('--accept rest') === true) ({next} = await desk.go(`${typed(next)} --yes`));
    assert.equal(next, TO_RESOLVE);
    assert.equal((await desk.batch('resolve b A-2 --not-paid')).exitCode, 0);
    const {accepted} = await desk.go('run b --yes');
    assert.equal(accepted, 2);
    desk.paysOnce();
  });

  it('leaves a row that is held to a person', async () => {
    desk.service.distort = (shown, {body}) =>
      body.includes('"A-2"') ? {...shown, client_metadata: {remit_reference: 'A-two'}} : shown;
    await desk.go('run ./q.csv --batch-id b --yes');
    gone();
    const {next} = await desk.go('release b --accept differences --yes');
    assert.equal(next, TO_RESOLVE);
    assert.match((await desk.batch('status b --row A-2')).stdout, /is not found/);
    assert.equal((await desk.batch('resolve b A-2 --not-paid')).exitCode, 0);
    await desk.go('release b --accept differences --yes');
    desk.paysOnce();
  });

  it('is the payment if the own record of the row has failed', async () => {
    await desk.stageB();
    const own = desk.recordsOf('A-2').find((record) => record !== desk.former)!;
    own.status = 'failed';
    desk.former.status = 'settled';
    const {accepted, maybe_paid_twice: twice} = await desk.go('release b --yes');
    assert.deepEqual([accepted, twice], [2, 0]);
    const row = (await desk.batch('status b --row A-2')).stdout;
    assert.match(row, new RegExp(desk.former.id));
  });

  it('is not covered by the statement about a request that was not answered', async () => {
    desk.service.fault = ({method, body}) =>
      method === 'POST' && body.includes('"A-2"') ? 'lost-before' : undefined;
    await desk.go('run ./q.csv --batch-id b --yes --max-wait 5s');
    desk.answer();
    await desk.batch('resolve b A-2 --not-paid');
    gone();
    const {next} = await desk.go('run b --yes');
    assert.match(String(next), /resolve b --from FILE|--accept rest/);
    assert.equal(desk.recordsOf('A-2').length, 0);
  });
});
