import assert from 'node:assert/strict';
import {readdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {payeeId} from '../../../batch/harness.ts';
import type {TruthRecord} from '../../../batch/truth-service.ts';
import {Desk} from './desk.ts';

/** In batch a, X is the record of A-2 that was shown as failed. */
describe('a record that had failed and has settled since', () => {
  let desk: Desk;
  let former: TruthRecord;
  const recordsOf = (reference: string) =>
    [...desk.service.byId.values()].filter(({body}) => JSON.stringify(body).includes(`"${reference}"`));
  const go = async (line: string) => {
    const ran = await desk.batch(`${line} --json`);
    return {...(ran.json() as Summary & {failed: number}), exit: ran.exitCode};
  };
  const typed = (next: string | null) => String(next).replace('remit payouts batch ', '');
  const paysOnce = (reference = 'A-2') => {
    const paid = recordsOf(reference).filter(({approvals, status}) => approvals > 0 && status !== 'failed');
    assert.equal(paid.length, 1, `${paid.length} records have paid ${reference}`);
  };
  const answer = () => (desk.service.fault = () => undefined);
  const stageB = async () => {
    desk.file('q.csv', [
      ['A-2', 2, '20.00'],
      ['A-3', 3, '30.00'],
    ]);
    await go('run ./q.csv --batch-id b --yes --stage-only');
  };
  /** Batch b pays A-2 with a record that fails too. */
  const failB = async (amount = '20.00') => {
    desk.file('q.csv', [['A-2', 2, amount]]);
    await go('run ./q.csv --batch-id b --yes');
    recordsOf('A-2')[1]!.status = 'failed';
    await go('status b --refresh');
  };
  const loseRegistry = () => {
    for (const name of readdirSync(desk.folder, {recursive: true}).map(String))
      if (/registry/.test(name)) rmSync(join(desk.folder, name), {recursive: true, force: true});
  };

  beforeEach(async () => {
    desk = Desk.withTwoRows();
    await desk.batch('run ./p.csv --batch-id a --yes');
    former = recordsOf('A-2')[0]!;
    for (const record of desk.service.byId.values()) record.status = 'settled';
    former.status = 'failed';
    await desk.batch('status a --refresh');
  });
  afterEach(() => desk.close());

  it('is not paid again by the batch whose own record failed since, if another batch has found it', async () => {
    await failB();
    former.status = 'settled';
    await go('run ./q.csv --batch-id c --yes');
    const b = await go('status b');
    assert.equal(b.next, null);
    paysOnce();
  });

  it('does not pay a corrected row', async () => {
    await failB('21.00');
    former.status = 'settled';
    const c = await go('run ./q.csv --batch-id c --yes');
    assert.notEqual(c.exit, 0, 'row of 21.00 complete, paid 20.00');
  });

  it('is the payment of an uncorrected row, although another batch has claimed other content since', async () => {
    await failB('21.00');
    former.status = 'settled';
    const c = await go('run ./p.csv --batch-id c --yes');
    assert.equal(c.exit, 0);
  });

  it('is told as failed again although a stopped retry had not claimed its new key', async () => {
    let n = 0;
    desk.service.fault = ({method}) =>
      method === 'GET' && ++n > 1
        ? {status: 401, body: {error_code: 'UNAUTHORIZED', message: 'no'}}
        : undefined;
    await go('retry a --yes');
    answer();
    former.status = 'settled';
    await go('resume a --yes');
    former.status = 'failed';
    await go('status a --refresh');
    desk.file('q.csv', [['A-2', 2, '20.00']]);
    const later = await go('run ./q.csv --batch-id c --yes');
    assert.equal(later.accepted, 1);
    paysOnce();
  });

  it('is read again by the retry that has seen it end', async () => {
    desk.file('u.csv', [['U-1', 7, '5.00']]);
    desk.service.approvalFails = () => true;
    await go('run ./u.csv --batch-id u --yes');
    desk.service.approvalFails = () => false;
    const x = recordsOf('U-1')[0]!;
    x.status = 'settled';
    x.approvals = 1;
    let n = 0;
    desk.service.distort = (record, {method}) =>
      method === 'GET' && record['id'] === x.id && ++n === 1 ? {...record, status: 'failed'} : record;
    await go('retry u --yes');
    paysOnce('U-1');
  });

  it('is read again after a crash between the registry and the journal', async () => {
    desk.file('w.csv', [
      ['W-1', 6, '60.00'],
      ['W-2', 7, '70.00'],
      ['W-3', 8, '80.00'],
    ]);
    await go('run ./w.csv --batch-id w --yes');
    const xs = ['W-1', 'W-2', 'W-3'].map((r) => recordsOf(r)[0]!);
    for (const x of xs) x.status = 'failed';
    await go('status w --refresh');
    let n = 0;
    desk.service.fault = ({method}) =>
      method === 'GET' && ++n > 3
        ? {status: 401, body: {error_code: 'UNAUTHORIZED', message: 'no'}}
        : undefined;
    await go('retry w --yes');
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
    await desk.batch('resume w --yes');
    answer();
    await desk.batch('resume w --yes');
    paysOnce('W-1');
  });

  it('leaves a row to a person, also in a run that would create it without approval', async () => {
    desk.service.fault = ({method}) => (method === 'POST' ? 'lost-after' : undefined);
    await go('run ./p.csv --batch-id b --yes --direct --max-wait 5s');
    answer();
    former.status = 'settled';
    await go('resume b --yes');
    const s = await go('run ./p.csv --batch-id b --yes');
    assert.notEqual(s.exit, 0, 'paid twice and says complete');
  });

  it('is read again after the registry was lost', async () => {
    await failB();
    former.status = 'settled';
    await go('run ./q.csv --batch-id c --yes');
    loseRegistry();
    await go('run ./q.csv --batch-id d --yes');
    paysOnce();
    const s = await go('status b');
    if (s.next) await go(`${typed(s.next)} --yes`);
    paysOnce();
  });

  it('is the payment although other batches have claimed the reference since', async () => {
    // b: Y1 failed; c: Y2 failed; b retry stopped, Y1 settled, resume b; c retry
    await failB();
    await go('run ./q.csv --batch-id c --yes');
    const y2 = recordsOf('A-2')[2]!;
    y2.status = 'failed';
    await go('status c --refresh');
    let n = 0;
    desk.service.fault = ({method}) =>
      method === 'GET' && ++n > 1
        ? {status: 401, body: {error_code: 'UNAUTHORIZED', message: 'no'}}
        : undefined;
    await go('retry b --yes');
    answer();
    recordsOf('A-2')[1]!.status = 'settled';
    await go('resume b --yes');
    const s = await go('status c');
    if (s.next) await go(`${typed(s.next)} --yes`);
    paysOnce();
  });

  it('is named beside a record whose lost release had paid', async () => {
    await stageB();
    desk.service.fault = ({body, method, path}) =>
      body.includes('"auto_approve":true')
        ? 'lost-after'
        : method === 'GET' && !path.endsWith(former.id)
          ? '503-before'
          : undefined;
    await go('release b --yes --max-wait 5s');
    answer();
    former.status = 'settled';
    const s = await go('release b --yes');
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
    const x = recordsOf('P-1')[0]!;
    x.status = 'failed';
    await pay('status ia --refresh');
    await pay('run ./in.csv --batch-id ib --yes');
    assert.equal(recordsOf('P-1').length, 2);
    recordsOf('P-1')[1]!.status = 'failed';
    await pay('status ib --refresh');
    x.status = 'settled';
    await pay('run ./in.csv --batch-id ic --yes');
    await pay('retry ib --yes');
    paysOnce('P-1');
  });

  it('is read in the usual flow of a canceled batch that is run again', async () => {
    desk.file('k.csv', [
      ['K-1', 4, '1.00'],
      ['K-2', 5, '2.00'],
      ['K-3', 6, '3.00'],
    ]);
    await go('run ./k.csv --batch-id k --yes --stage-only');
    assert.equal((await go('cancel k --yes')).exit, 0);
    const c = await go('run ./k.csv --batch-id l --yes');
    assert.equal(c.exit, 0);
    for (const r of ['K-1', 'K-2', 'K-3'])
      assert.equal(recordsOf(r).filter((x) => x.approvals > 0).length, 1);
  });
});
