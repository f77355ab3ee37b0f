import assert from 'node:assert/strict';
import {readdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {payeeId} from '../../../batch/harness.ts';
import {FormerDesk, typed} from './former-desk.ts';

/** In batch a, X is the record of A-2 that was shown as failed. */
describe('a record that had failed and has settled since', () => {
  let desk: FormerDesk;
  /** Batch b pays A-2 with a record that fails too. */
  const failB = async (amount = '20.00') => {
    desk.file('q.csv', [['A-2', 2, amount]]);
    await desk.go('run ./q.csv --batch-id b --yes');
    desk.recordsOf('A-2')[1]!.status = 'failed';
    await desk.go('status b --refresh');
  };
  const loseRegistry = () => {
    for (const name of readdirSync(desk.folder, {recursive: true}).map(String))
      if (/registry/.test(name)) rmSync(join(desk.folder, name), {recursive: true, force: true});
  };

  beforeEach(async () => {
    desk = await FormerDesk.open();
  });
  afterEach(() => desk.close());

  it('is not paid again by the batch whose own record failed since, if another batch has found it', async () => {
    await failB();
    desk.former.status = 'settled';
    await desk.go('run ./q.csv --batch-id c --yes');
    const b = await desk.go('status b');
    assert.equal(b.next, null);
    desk.paysOnce();
  });

  it('does not pay a corrected row', async () => {
    await failB('21.00');
    desk.former.status = 'settled';
    const c = await desk.go('run ./q.csv --batch-id c --yes');
    assert.notEqual(c.exit, 0, 'row of 21.00 complete, paid 20.00');
  });

  it('is the payment of an uncorrected row, although another batch has claimed other content since', async () => {
    await failB('21.00');
    desk.former.status = 'settled';
    const c = await desk.go('run ./p.csv --batch-id c --yes');
    assert.equal(c.exit, 0);
  });

  it('is told as failed again although a stopped retry had not claimed its new key', async () => {
    let n = 0;
    desk.service.fault = ({method}) =>
      method === 'GET' && ++n > 1
        ? {status: 401, body: {error_code: 'UNAUTHORIZED', message: 'no'}}
        : undefined;
    await desk.go('retry a --yes');
    desk.answer();
    desk.former.status = 'settled';
    await desk.go('run a --yes');
    desk.former.status = 'failed';
    await desk.go('status a --refresh');
    desk.file('q.csv', [['A-2', 2, '20.00']]);
    const later = await desk.go('run ./q.csv --batch-id c --yes');
    assert.equal(later.accepted, 1);
    desk.paysOnce();
  });

  it('is read again by the retry that has seen it end', async () => {
    desk.file('u.csv', [['U-1', 7, '5.00']]);
    desk.service.approvalFails = () => true;
    await desk.go('run ./u.csv --batch-id u --yes');
    desk.service.approvalFails = () => false;
    const x = desk.recordsOf('U-1')[0]!;
    x.status = 'settled';
    x.approvals = 1;
    let n = 0;
    desk.service.distort = (record, {method}) =>
      method === 'GET' && record['id'] === x.id && ++n === 1 ? {...record, status: 'failed'} : record;
    await desk.go('retry u --yes');
    desk.paysOnce('U-1');
  });

  it('is read again after a crash between the registry and the journal', async () => {
    desk.file('w.csv', [
      ['W-1', 6, '60.00'],
      ['W-2', 7, '70.00'],
      ['W-3', 8, '80.00'],
    ]);
    await desk.go('run ./w.csv --batch-id w --yes');
    const xs = ['W-1', 'W-2', 'W-3'].map((r) => desk.recordsOf(r)[0]!);
    for (const x of xs) x.status = 'failed';
    await desk.go('status w --refresh');
    let n = 0;
    desk.service.fault = ({method}) =>
      method === 'GET' && ++n > 3
        ? {status: 401, body: {error_code: 'UNAUTHORIZED', message: 'no'}}
        : undefined;
    await desk.go('retry w --yes');
    xs[0]!.status = 'settled';
    const seen = new Set<string>();
    let tries = 0;
    desk.service.fault = ({method, path}) => {
      if (method !== 'GET') return undefined;
      const id = path.split('/').at(-1)!;
      if (id === xs[2]!.id) {
        if (!seen.has(xs[1]!.id) || ++tries < 2) return '503-before';
        throw new Error('crash');
      }
      seen.add(id);
      return undefined;
    };
    await desk.batch('run w --yes');
    desk.answer();
    await desk.batch('run w --yes');
    desk.paysOnce('W-1');
  });

  it('leaves a row to a person, also in a run that would create it without approval', async () => {
    desk.service.fault = ({method}) => (method === 'POST' ? 'lost-after' : undefined);
    await desk.go('run ./p.csv --batch-id b --yes --direct --max-wait 5s');
    desk.answer();
    desk.former.status = 'settled';
    await desk.go('run b --yes');
    const s = await desk.go('run ./p.csv --batch-id b --yes');
    assert.notEqual(s.exit, 0, 'paid twice and says complete');
  });

  it('is read again after the registry was lost', async () => {
    await failB();
    desk.former.status = 'settled';
    await desk.go('run ./q.csv --batch-id c --yes');
    loseRegistry();
    await desk.go('run ./q.csv --batch-id d --yes');
    desk.paysOnce();
    const s = await desk.go('status b');
    if (s.next) await desk.go(`${typed(s.next)} --yes`);
    desk.paysOnce();
  });

  it('is the payment although other batches have claimed the reference since', async () => {
    // b: Y1 failed; c: Y2 failed; b retry stopped, Y1 settled, resume b; c retry
    await failB();
    await desk.go('run ./q.csv --batch-id c --yes');
    const y2 = desk.recordsOf('A-2')[2]!;
    y2.status = 'failed';
    await desk.go('status c --refresh');
    let n = 0;
    desk.service.fault = ({method}) =>
      method === 'GET' && ++n > 1
        ? {status: 401, body: {error_code: 'UNAUTHORIZED', message: 'no'}}
        : undefined;
    await desk.go('retry b --yes');
    desk.answer();
    desk.recordsOf('A-2')[1]!.status = 'settled';
    await desk.go('run b --yes');
    const s = await desk.go('status c');
    if (s.next) await desk.go(`${typed(s.next)} --yes`);
    desk.paysOnce();
  });

  it('is named beside a record whose lost release had paid', async () => {
    await desk.stageB();
    desk.service.fault = ({body, method, path}) =>
      body.includes('"auto_approve":true')
        ? 'lost-after'
        : method === 'GET' && !path.endsWith(desk.former.id)
          ? '503-before'
          : undefined;
    await desk.go('release b --yes --max-wait 5s');
    desk.answer();
    desk.former.status = 'settled';
    const s = await desk.go('release b --yes');
    assert.notEqual(s.exit, 0);
  });

  it('is not paid again as a payin either', async () => {
    writeFileSync(
      `${desk.folder}/in.csv`,
      `reference,payer_id,amount,currency_code\nP-1,${payeeId(3)},33.00,USD\n`,
    );
    const pay = async (line: string) =>
      (await desk.batch(`${line} --json`, {topic: 'payins'})).json() as Summary;
    await pay('run ./in.csv --batch-id ia --yes');
    const x = desk.recordsOf('P-1')[0]!;
    x.status = 'failed';
    await pay('status ia --refresh');
    await pay('run ./in.csv --batch-id ib --yes');
    assert.equal(desk.recordsOf('P-1').length, 2);
    desk.recordsOf('P-1')[1]!.status = 'failed';
    await pay('status ib --refresh');
    x.status = 'settled';
    await pay('run ./in.csv --batch-id ic --yes');
    await pay('retry ib --yes');
    desk.paysOnce('P-1');
  });

  it('is read in the usual flow of a canceled batch that is run again', async () => {
    desk.file('k.csv', [
      ['K-1', 4, '1.00'],
      ['K-2', 5, '2.00'],
      ['K-3', 6, '3.00'],
    ]);
    await desk.go('run ./k.csv --batch-id k --yes --stage-only');
    assert.equal((await desk.go('cancel k --yes')).exit, 0);
    const c = await desk.go('run ./k.csv --batch-id l --yes');
    assert.equal(c.exit, 0);
    for (const r of ['K-1', 'K-2', 'K-3'])
      assert.equal(desk.recordsOf(r).filter((x) => x.approvals > 0).length, 1);
  });
});
