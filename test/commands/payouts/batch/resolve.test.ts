import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {Desk} from './desk.ts';
import type {Summary} from '../../../../src/batch/standing/summary.ts';

describe('payouts batch resolve --paid', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = Desk.withTwoRows();
    desk.service.fault = ({method, body}) =>
      method === 'POST' && body.includes('"A-2"') ? 'lost-after' : undefined;
    assert.equal((await desk.batch('run ./p.csv --batch-id b --yes --accept rest')).exitCode, 12);
    desk.service.fault = () => undefined;
  });
  afterEach(() => desk.close());

  const recordOf = (reference: string) =>
    [...desk.service.byId.values()].find(
      ({body}) => (body['metadata'] as Record<string, string>)['remit_reference'] === reference,
    )!;
  const doubts = async () => ((await desk.batch('status b --json')).json() as Summary).in_doubt;

  it('refuses anything that is not an id', async () => {
    const told = await desk.batch('resolve b A-2 --paid nope');
    assert.equal(told.exitCode, 2);
    assert.match(told.stderr, /"nope" is not the id of a record/);
    assert.equal(await doubts(), 1);
  });

  it('refuses the payment of another row, naming both', async () => {
    const told = await desk.batch(`resolve b A-2 --paid ${recordOf('A-1').id}`);
    assert.equal(told.exitCode, 5);
    assert.match(told.stderr, /its payee_id is .*0001, the row's is .*0002/);
    assert.equal(await doubts(), 1);
  });

  it('refuses the payment of another amount to the same payee', async () => {
    const record = recordOf('A-2');
    desk.service.distort = (shown) => ({...shown, amount_in_minor_units: 9900});
    const told = await desk.batch(`resolve b A-2 --paid ${record.id}`);
    assert.equal(told.exitCode, 5);
    assert.match(told.stderr, /its amount is 99.00 USD, the row's is 20.00 USD/);
  });

  it('refuses a payment for another reference', async () => {
    desk.service.distort = (shown) => ({...shown, client_metadata: {remit_reference: 'B-9'}});
    const told = await desk.batch(`resolve b A-2 --paid ${recordOf('A-2').id}`);
    assert.equal(told.exitCode, 5);
    assert.match(told.stderr, /its reference is B-9, the row's is A-2/);
  });

  it('refuses a record that was never approved', async () => {
    const told = await desk.batch(`resolve b A-2 --paid ${recordOf('A-2').id}`);
    assert.equal(told.exitCode, 6);
    assert.match(told.stderr, /is created, which is not paid/);
  });

  it('accepts the record of the row once it is approved', async () => {
    const record = recordOf('A-2');
    record.status = 'settled';
    const told = await desk.batch(`resolve b A-2 --paid ${record.id}`);
    assert.equal(told.exitCode, 0, told.stderr);
    assert.match(told.stdout, /A-2 of batch b is accepted: record .* was read/);
    const {accepted, settled} = (await desk.batch('status b --json')).json() as Summary;
    assert.deepEqual([accepted, settled], [2, 1]);
  });

  it('repeated with the same id says that it is recorded, and exits 0', async () => {
    const record = recordOf('A-2');
    record.status = 'settled';
    assert.equal((await desk.batch(`resolve b A-2 --paid ${record.id}`)).exitCode, 0);
    const requests = desk.service.requests.length;
    for (const id of [record.id, record.id.toUpperCase()]) {
      const again = await desk.batch(`resolve b A-2 --paid ${id}`);
      assert.equal(again.exitCode, 0, again.stderr);
      assert.equal(
        again.stdout,
        `Row A-2 of batch b is already recorded as paid by record ${record.id}; nothing changed.\n`,
      );
    }
    const file = join(desk.folder, 'v.csv');
    writeFileSync(file, `reference,verdict,id\nA-2,paid,${record.id}\n`);
    assert.equal((await desk.batch(`resolve b --from ${file}`)).exitCode, 0);
    assert.equal(desk.service.requests.length, requests);
    const other = await desk.batch('resolve b A-2 --paid 018f0000-0000-7000-8000-00000000dead');
    assert.equal(other.exitCode, 2);
    assert.match(other.stderr, /row A-2 is not in doubt; its state is accepted/);
    assert.equal((await desk.batch('resolve b A-2 --not-paid')).exitCode, 2);
  });

  it('refuses a missing record unless --unseen is given; --not-paid revokes that', async () => {
    const id = '018f0000-0000-7000-8000-00000000dead';
    const told = await desk.batch(`resolve b A-2 --paid ${id}`);
    assert.equal(told.exitCode, 4);
    assert.match(
      told.stderr,
      /; nothing was changed[^]*find the record whose metadata contains this reference: /,
    );
    desk.service.fault = () => ({status: 503, body: {}});
    assert.equal((await desk.batch(`resolve b A-2 --paid ${id}`)).exitCode, 7);
    const insisted = await desk.batch(`resolve b A-2 --paid ${id} --unseen`);
    assert.equal(insisted.exitCode, 0, insisted.stderr);
    assert.match(insisted.stdout, /accepted, as you stated/);
    desk.service.fault = () => undefined;
    const back = await desk.batch('resolve b A-2 --not-paid');
    assert.equal(back.exitCode, 0, back.stderr);
    assert.equal(
      back.stdout,
      'Recorded: row A-2 of batch b was not paid. The next run sends it again with the same key.\n',
    );
    assert.equal((await desk.batch('run b')).exitCode, 0);
    assert.equal(recordOf('A-2').approvals, 1);
    assert.equal(desk.service.paid.length, 2);
  });
});

describe('payouts batch resolve --not-paid', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = new Desk();
    desk.file('p.csv', [['A-1', 1, '10.00']]);
    await desk.batch('run ./p.csv --batch-id b --yes --stage-only');
    desk.service.fault = ({method, body}) =>
      method === 'GET' ? '503-before' : body.includes('"auto_approve":true') ? 'lost-after' : undefined;
    assert.equal((await desk.batch('release b --yes')).exitCode, 12);
    desk.service.fault = () => undefined;
  });
  afterEach(() => desk.close());

  const stateOf = async () => {
    const {in_doubt: doubt, staged} = (await desk.batch('status b --json')).json() as Summary;
    return {doubt, staged};
  };

  it('is refused if the known record is approved', async () => {
    const told = await desk.batch('resolve b A-1 --not-paid');
    assert.equal(told.exitCode, 2);
    assert.match(
      told.stderr,
      /row A-1 was paid: its record \S+ is approved; nothing was changed\nHint: .*run b/,
    );
    assert.deepEqual(await stateOf(), {doubt: 1, staged: 0});
  });

  it('is accepted for a record that is only created', async () => {
    for (const record of desk.service.byId.values()) Object.assign(record, {status: 'created', approvals: 0});
    const told = await desk.batch('resolve b A-1 --not-paid');
    assert.equal(told.exitCode, 0, told.stderr);
    assert.match(
      told.stdout,
      /^Recorded: row A-1 of batch b was not paid\. .* its record \S+ and releases it\.$/m,
    );
    assert.deepEqual(await stateOf(), {doubt: 0, staged: 1});
  });

  it('repeated says that it is recorded, and exits 0', async () => {
    for (const record of desk.service.byId.values()) Object.assign(record, {status: 'created', approvals: 0});
    assert.equal((await desk.batch('resolve b A-1 --not-paid')).exitCode, 0);
    const again = await desk.batch('resolve b A-1 --not-paid');
    assert.equal(again.exitCode, 0, again.stderr);
    assert.equal(again.stdout, 'Row A-1 of batch b is already recorded as not paid; nothing changed.\n');
    assert.deepEqual(await stateOf(), {doubt: 0, staged: 1});
  });

  it('is accepted if the record cannot be fetched, and reports that', async () => {
    desk.service.fault = () => '503-before';
    const told = await desk.batch('resolve b A-1 --not-paid --json');
    assert.equal(told.exitCode, 0, told.stderr);
    assert.match((told.json() as {unseen: string}).unseen, /503|SERVICE_UNAVAILABLE/);
    assert.deepEqual(await stateOf(), {doubt: 0, staged: 1});
  });

  it('is refused under another key than the batch was run with', async () => {
    const told = await desk.batch('resolve b A-1 --not-paid', {env: desk.env('test_another_0123456789')});
    assert.equal(told.exitCode, 11, told.stderr);
    assert.deepEqual(await stateOf(), {doubt: 1, staged: 0});
  });

  it('is accepted without a check with --unseen, and still pays once', async () => {
    const told = await desk.batch('resolve b A-1 --not-paid --unseen');
    assert.equal(told.exitCode, 0, told.stderr);
    assert.equal((await desk.batch('run b')).exitCode, 0);
    assert.deepEqual([desk.service.paid.length, desk.service.paid[0]!.approvals], [1, 1]);
  });
});

describe('payouts batch resolve, for rows that look alike', () => {
  let desk: Desk;
  afterEach(() => desk.close());

  it('never takes one record as the payment of two rows', async () => {
    desk = new Desk();
    desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 1, '10.00'],
      ['A-3', 1, '10.00'],
    ]);
    desk.service.distort = (shown) => ({...shown, client_metadata: undefined}); // nothing says whose record it is
    desk.service.fault = ({body}) => (body.includes('"A-1"') ? undefined : 'lost-after');
    await desk.batch('run ./p.csv --batch-id b --yes --accept duplicates=2 --direct');
    desk.service.fault = () => undefined;
    const [first, second, third] = [...desk.service.byId.values()].map(({id}) => id);
    for (const one of [first!, second!]) {
      const lines = `reference,verdict,id\nA-2,paid,${second}\nA-3,paid,${one}\n`;
      writeFileSync(join(desk.folder, 'v.csv'), lines);
      const both = await desk.batch('resolve b --from ./v.csv --unseen');
      assert.equal(both.exitCode, 5, both.stderr);
      assert.match(both.stderr, /is recorded for row A-[12], and cannot be recorded for row A-3 as well/);
    }
    assert.equal((await desk.batch(`resolve b A-2 --paid ${second}`)).exitCode, 0);
    assert.equal((await desk.batch(`resolve b A-3 --paid ${second!.toUpperCase()}`)).exitCode, 5);
    assert.equal((await desk.batch(`resolve b A-3 --paid ${third}`)).exitCode, 0);
  });

  it('never takes the record of another batch', async () => {
    desk = new Desk();
    desk.file('p.csv', [['A-1', 1, '10.00']]);
    desk.file('q.csv', [['B-1', 1, '10.00']]);
    desk.service.distort = (shown) => ({
      ...shown,
      id: typeof shown['id'] === 'string' ? shown['id'].toUpperCase() : shown['id'],
      client_metadata: undefined,
    });
    await desk.batch('run ./p.csv --batch-id b --yes --direct');
    const [first] = [...desk.service.byId.values()].map(({id}) => id);
    desk.service.fault = () => 'lost-after';
    await desk.batch('run ./q.csv --batch-id c --yes --accept duplicates=1 --direct');
    desk.service.fault = () => undefined;
    const [, second] = [...desk.service.byId.values()].map(({id}) => id);
    for (const id of [first!, first!.toUpperCase()]) {
      const taken = await desk.batch(`resolve c B-1 --paid ${id}`);
      assert.equal(taken.exitCode, 5, taken.stderr);
      assert.match(taken.stderr, /is recorded for row A-1 of batch b, and cannot be recorded for row B-1/);
    }
    assert.equal((await desk.batch(`resolve c B-1 --paid ${second}`)).exitCode, 0);
  });
});

describe('a batch whose last row in doubt was resolved', () => {
  let desk: Desk;
  beforeEach(() => (desk = Desk.withTwoRows()));
  afterEach(() => desk.close());

  const status = async () => {
    const {state, stopped_because: stop, next} = (await desk.batch('status b --json')).json() as Summary;
    const [listed] = (await desk.batch('list --json')).json() as {state: string}[];
    assert.equal(listed!.state, state);
    return {state, stop, next, text: (await desk.batch('status b')).stdout};
  };
  const resolve = async (line: string): Promise<void> => {
    const told = await desk.batch(`resolve b ${line}`);
    assert.equal(told.exitCode, 0, told.stderr);
  };
  const id = (reference: string) =>
    [...desk.service.byId.values()].find(
      ({body}) => (body['metadata'] as Record<string, string>)['remit_reference'] === reference,
    )!.id;

  it('is complete, and no longer stopped', async () => {
    desk.service.fault = ({body}) => (body.includes('"auto_approve":true') ? 'lost-after' : '503-before');
    await desk.batch('run ./p.csv --batch-id b --yes --direct');
    assert.equal((await status()).state, 'stopped');
    desk.service.fault = () => undefined;
    await resolve(`A-1 --paid ${id('A-1')}`);
    assert.match((await status()).next!, /run b$/);
    await resolve(`A-2 --paid ${id('A-2')}`);
    const {state, stop, next, text} = await status();
    assert.deepEqual([state, stop, next], ['complete', null, null]);
    assert.match(text, /^Batch b is complete: 2 of 2 rows accepted/);
    assert.doesNotMatch(text, /stopped/);
  });

  it('is not complete if another row was rejected, and names the command for that row', async () => {
    desk.service.fault = ({method, body}) =>
      method === 'POST' && !body.includes('"A-1"') ? 'lost-after' : undefined;
    desk.service.refuse = ({metadata}) =>
      (metadata as Record<string, string>)['remit_reference'] === 'A-1'
        ? {status: 422, error_code: 'INVALID_PAYMENT_DETAILS'}
        : undefined;
    await desk.batch('run ./p.csv --batch-id b --yes --direct --accept refusals');
    await resolve(`A-2 --paid ${id('A-2')}`);
    const {state, stop, next, text} = await status();
    assert.deepEqual([state, stop, next], ['incomplete', null, 'remit payouts batch retry b']);
    assert.match(text, /^Batch b is not complete: 1 of 2 rows accepted; 1 rejected/);
  });

  it('waits for its release only, if it was held by that row', async () => {
    desk.service.fault = ({method, body}) =>
      method === 'POST' && body.includes('"A-2"') ? 'lost-before' : undefined;
    await desk.batch('run ./p.csv --batch-id b --yes');
    assert.match((await status()).text, /is held/);
    desk.service.fault = () => undefined;
    const other = {...desk.service.byId.get(id('A-1'))!, id: '018f0000-0000-7000-8000-00000000dead'};
    await resolve(`A-2 --paid ${other.id} --unseen`);
    const {state, next, text} = await status();
    assert.deepEqual([state, next], ['staged', 'remit payouts batch release b']);
    assert.match(text, /1 record created and not released, 1 row already released/);
    assert.equal((await desk.batch('release b --yes')).exitCode, 0);
    assert.equal((await status()).state, 'complete');
  });

  it('is canceled if it was being canceled', async () => {
    desk.service.fault = ({method, body}) =>
      method === 'POST' && body.includes('"A-2"') ? 'lost-after' : undefined;
    await desk.batch('run ./p.csv --batch-id b --yes --stage-only');
    await desk.batch('cancel b --yes');
    const before = await status();
    assert.equal(before.state, 'stopped', before.text);
    desk.service.fault = () => undefined;
    await resolve(`A-2 --paid ${id('A-2')} --unseen`);
    const {state, stop, next, text} = await status();
    assert.deepEqual([state, stop, next], ['canceled', null, null], text);
    assert.match(text, /^Batch b is canceled: 1 record canceled, 1 already released/);
  });
});

describe('payouts batch resolve of a row whose record has ended', () => {
  it('says what its record is', async () => {
    const desk = Desk.withTwoRows();
    try {
      await desk.batch('run ./p.csv --batch-id b --stage-only --yes');
      const record = [...desk.service.byId.values()].find(({body}) => JSON.stringify(body).includes('"A-2"'));
      record!.status = 'canceled';
      await desk.batch('release b --yes');
      const ran = await desk.batch('resolve b A-2 --not-paid');
      assert.equal(ran.exitCode, 2);
      assert.match(ran.stderr, /row A-2 is not in doubt; its record is canceled/);
    } finally {
      desk.close();
    }
  });
});
