import assert from 'node:assert/strict';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {FormerDesk, typed} from './former-desk.ts';

/** In batch a, X is the record of A-2 that was shown as failed; Y is the next record of that reference. */
describe('a record that had failed and is shown otherwise later', () => {
  let desk: FormerDesk;
  const refusePosts = () =>
    (desk.service.fault = ({method}) =>
      method === 'POST' ? {status: 401, body: {error_code: 'UNAUTHORIZED', message: 'no'}} : undefined);
  /** The releases are lost before they arrive, and the staged records cannot be read: in doubt, with known ids. */
  const loseReleases = async () => {
    desk.service.fault = ({body, method, path}) =>
      body.includes('"auto_approve":true')
        ? 'lost-before'
        : method === 'GET' && !path.endsWith(desk.former.id)
          ? '503-before'
          : undefined;
    assert.equal((await desk.go('release b --yes --max-wait 5s')).in_doubt, 2);
    desk.answer();
  };

  beforeEach(async () => {
    desk = await FormerDesk.open();
  });
  afterEach(() => desk.close());

  it('is read again by a direct run whose row has a new key already', async () => {
    refusePosts();
    await desk.go('run ./p.csv --batch-id b --yes --direct');
    desk.answer();
    desk.former.status = 'settled';
    await desk.go('run b --yes');
    desk.paysOnce();
  });
  it('is read again by a direct run after a retry of its own batch', async () => {
    desk.file('d.csv', [['D-1', 5, '50.00']]);
    await desk.go('run ./d.csv --batch-id d --yes --direct');
    const x = desk.recordsOf('D-1')[0]!;
    x.status = 'failed';
    await desk.go('status d --refresh');
    refusePosts();
    await desk.go('retry d --yes');
    desk.answer();
    x.status = 'settled';
    await desk.go('run d --yes');
    desk.paysOnce('D-1');
  });
  it('is read again before a direct create that was not answered is repeated', async () => {
    desk.service.fault = ({method}) => (method === 'POST' ? 'lost-before' : undefined);
    await desk.go('run ./p.csv --batch-id b --yes --direct --max-wait 5s');
    desk.answer();
    desk.former.status = 'settled';
    await desk.go('run b --yes');
    desk.paysOnce();
  });
  it('is read again by a direct run that has only rows in doubt with records', async () => {
    await desk.stageB();
    await loseReleases();
    desk.former.status = 'settled';
    await desk.go('run ./q.csv --batch-id b --yes --direct');
    desk.paysOnce();
  });
  it('pays once, whatever `next` says, if the staged record is canceled by its id while X is under way', async () => {
    await desk.stageB();
    desk.former.status = 'initiated';
    let {next} = await desk.go('release b --yes --accept rest');
    desk.recordsOf('A-2')[1]!.status = 'canceled'; // "If it has paid, cancel record Y"
    for (let i = 0; i < 3 && next !== null; i++) ({next} = await desk.go(`${typed(next)} --yes`));
    desk.paysOnce();
  });
  it('pays a corrected row once if X is settled with the old amount', async () => {
    await desk.stageB('21.00');
    desk.former.status = 'settled';
    const {next, differs, state} = await desk.go('release b --yes --accept rest');
    assert.deepEqual([differs, state, next], [1, 'incomplete', 'remit payouts batch status b --row A-2']);
    desk.paysOnce();
  });
  it('is read again although another record has failed since', async () => {
    await desk.go('retry a --yes');
    desk.recordsOf('A-2')[1]!.status = 'failed';
    await desk.go('status a --refresh');
    desk.service.fault = ({body}) =>
      body.includes('"auto_approve":true')
        ? {status: 401, body: {error_code: 'UNAUTHORIZED', message: 'no'}}
        : undefined;
    assert.equal((await desk.go('retry a --yes')).staged, 1);
    desk.answer();
    desk.former.status = 'settled';
    await desk.go('release a --yes');
    desk.paysOnce();
  });
  it('is read again by a third batch after the second was canceled', async () => {
    await desk.stageB();
    desk.former.status = 'settled';
    await desk.go('cancel b --yes');
    await desk.go('run ./q.csv --batch-id c --yes');
    desk.paysOnce();
  });
  it('is read again by a third batch after the second was refused', async () => {
    desk.file('q.csv', [
      ['A-3', 3, '30.00'],
      ['A-2', 2, '20.00'],
    ]);
    desk.service.refuse = (body) =>
      JSON.stringify(body).includes('A-2') ? {status: 422, error_code: 'INVALID_PAYMENT_DETAILS'} : undefined;
    await desk.go('run ./q.csv --batch-id b --yes');
    desk.service.refuse = () => undefined;
    desk.former.status = 'settled';
    await desk.go('run ./q.csv --batch-id c --yes');
    desk.paysOnce();
  });
  it('is read again by a third batch after the record of the second has failed', async () => {
    desk.file('q.csv', [['A-2', 2, '20.00']]);
    await desk.go('run ./q.csv --batch-id b --yes');
    desk.recordsOf('A-2')[1]!.status = 'failed';
    await desk.go('status b --refresh');
    desk.former.status = 'settled';
    await desk.go('run ./q.csv --batch-id c --yes');
    desk.paysOnce();
  });
  it('is not taken for failed if its answer has another reference', async () => {
    await desk.stageB();
    desk.former.status = 'settled';
    desk.service.distort = (record, {method}) =>
      method === 'GET' && record['id'] === desk.former.id
        ? {...record, status: 'failed', amount_in_minor_units: 1, client_metadata: {remit_reference: 'X'}}
        : record;
    await desk.go('release b --yes');
    desk.paysOnce();
  });
  it('is read again if staging took longer than five minutes', async () => {
    desk.file('q.csv', [
      ['A-2', 2, '20.00'],
      ['A-3', 3, '30.00'],
    ]);
    let n = 0;
    desk.service.fault = ({method, body}) => {
      if (method !== 'POST' || !body.includes('A-3') || ++n > 2) return undefined;
      desk.former.status = 'settled';
      return {status: 429, body: {error_code: 'RATE_LIMITED', message: 'x'}, headers: {'retry-after': '840'}};
    };
    await desk.go('run ./q.csv --batch-id b --yes');
    desk.paysOnce();
  });

  it('is followed by the batch that counts it as its payment', async () => {
    await desk.stageB();
    desk.former.status = 'settled';
    await desk.go('release b --yes');
    desk.former.status = 'failed';
    const all = [await desk.go('status a --refresh'), await desk.go('status b --refresh')];
    assert.ok(
      all.some(({failed, next}) => failed > 0 && next !== null),
      'both are complete',
    );
  });

  it('is reported beside a staged record that was approved by its id', async () => {
    await desk.stageB();
    desk.former.status = 'settled';
    const y = desk.recordsOf('A-2')[1]!;
    y.status = 'approved';
    y.approvals++;
    assert.notEqual((await desk.batch('release b --yes')).exitCode, 0);
  });

  it('leaves a row in doubt to a person if its release was sent and X is settled', async () => {
    await desk.stageB();
    await loseReleases();
    desk.former.status = 'settled';
    const {next, in_doubt: doubts} = await desk.go('release b --yes --accept rest');
    assert.deepEqual([doubts, next], [1, 'remit payouts batch resolve b --from FILE']);
    desk.paysOnce();
  });
  it('is named on the screen of such a row', async () => {
    await desk.stageB();
    await loseReleases();
    desk.former.status = 'settled';
    await desk.go('release b --yes --accept rest');
    const {stdout} = await desk.batch('status b');
    assert.match(stdout, new RegExp(`${desk.former.id} .*settled`));
    assert.match(
      stdout,
      new RegExp(`its own record ${desk.recordsOf('A-2')[1]!.id} was last shown as created`),
    );
  });
  it('holds no other row past the horizon: next accepts the rest', async () => {
    const env = await desk.profile('first', '--approve-by-id');
    const batch = async (line: string) => (await desk.batch(`${line} --json`, {env})).json() as Summary;
    desk.file('q.csv', [
      ['A-2', 2, '20.00'],
      ['A-3', 3, '30.00'],
    ]);
    await batch('run ./q.csv --batch-id b --yes --stage-only -p first');
    desk.former.status = 'created';
    await desk.clock.sleep(72 * 3_600_000);
    const {next} = await batch('release b --yes -p first');
    assert.equal((await batch(`${typed(next)} --yes`)).accepted, 1, String(next));
  });

  it('is named on the screen if it holds the release beside an unapproved row', async () => {
    await desk.stageB();
    desk.service.approvalFails = (body) => JSON.stringify(body).includes('A-2');
    desk.service.fault = ({body}) =>
      body.includes('"auto_approve":true') && body.includes('A-3')
        ? {status: 401, body: {error_code: 'UNAUTHORIZED', message: 'no'}}
        : undefined;
    await desk.go('release b --yes');
    desk.answer();
    desk.former.status = 'created';
    assert.equal((await desk.go('release b --yes')).state, 'held');
    assert.match((await desk.batch('status b')).stdout, new RegExp(desk.former.id));
  });
  it('is the payment of its own batch, also after a crash while that was recorded', async () => {
    desk.file('w.csv', [
      ['W-1', 6, '60.00'],
      ['W-2', 7, '70.00'],
    ]);
    await desk.go('run ./w.csv --batch-id w --yes');
    const xs = ['W-1', 'W-2'].map((reference) => desk.recordsOf(reference)[0]!);
    for (const x of xs) x.status = 'failed';
    await desk.go('status w --refresh');
    desk.service.fault = ({body}) =>
      body.includes('"auto_approve":true')
        ? {status: 401, body: {error_code: 'UNAUTHORIZED', message: 'no'}}
        : undefined;
    await desk.go('retry w --yes');
    for (const x of xs) x.status = 'settled';
    let n = 0;
    desk.service.fault = ({method}) => {
      if (method === 'GET' && ++n === 2) throw new Error('crash');
      return undefined;
    };
    await desk.batch('release w --yes');
    desk.answer();
    await desk.go('release w --yes');
    assert.doesNotMatch((await desk.batch('status w')).stdout, /paid by another batch/);
  });
  it('counts for payins too', async () => {
    const {payeeId} = await import('../../../batch/harness.ts');
    const {writeFileSync} = await import('node:fs');
    writeFileSync(
      `${desk.folder}/in.csv`,
      `reference,payer_id,amount,currency_code\nP-1,${payeeId(3)},33.00,USD\n`,
    );
    const pay = async (line: string) => {
      const ran = await desk.batch(`${line} --json`, {topic: 'payins'});
      return ran.json() as Summary;
    };
    await pay('run ./in.csv --batch-id ia --yes');
    const x = desk.recordsOf('P-1')[0]!;
    x.status = 'failed';
    await pay('status ia --refresh');
    await pay('run ./in.csv --batch-id ib --yes --stage-only');
    x.status = 'settled';
    await pay('release ib --yes');
    desk.paysOnce('P-1');
  });

  it('is read once by a run that creates and releases within five minutes', async () => {
    desk.file('q.csv', [['A-2', 2, '20.00']]);
    const before = desk.service.requests.length;
    assert.equal((await desk.go('run ./q.csv --batch-id b --yes')).accepted, 1);
    const reads = desk.service.requests
      .slice(before)
      .filter(({method, path}) => method === 'GET' && path.endsWith(desk.former.id));
    assert.equal(reads.length, 1);
  });
  it('is the payment for a third batch too, after a release has found it beside a staged record', async () => {
    await desk.stageB();
    desk.former.status = 'settled';
    await desk.go('release b --yes');
    const {already_paid: before, conflict} = await desk.go('run ./q.csv --batch-id c --yes');
    assert.deepEqual([before, conflict], [2, 0]);
    desk.paysOnce();
  });
  it('leaves a row whose staged record shows another payment, and says which', async () => {
    await desk.stageB();
    desk.former.status = 'settled';
    const y = desk.recordsOf('A-2')[1]!;
    desk.service.distort = (record, {method}) =>
      method === 'GET' && record['id'] === y.id
        ? {...record, status: 'approved', amount_in_minor_units: 777}
        : record;
    await desk.go('release b --yes');
    const {stdout} = await desk.batch('status b');
    assert.match(stdout, new RegExp(`now shown as settled; its record ${y.id} .*amount.*777`));
    desk.paysOnce();
  });
});
