import assert from 'node:assert/strict';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {Desk} from './desk.ts';

const REFUSED = {status: 422, error_code: 'INVALID_PAYMENT_DETAILS', message: 'no such account'};

describe('payouts batch retry, when another batch has made a payment that looks the same', () => {
  let desk: Desk;
  beforeEach(() => (desk = Desk.withTwoRows()));
  afterEach(() => desk.close());

  const paid = (reference: string) =>
    desk.service.paid.filter(({body}) => JSON.stringify(body).includes(`"${reference}"`)).length;

  async function payAlike(): Promise<void> {
    desk.file('other.csv', [['X-2', 2, '20.00']]);
    const ran = await desk.batch('run ./other.csv --batch-id other --yes');
    assert.equal(ran.exitCode, 0, ran.stderr);
  }

  async function isAskedOnce(): Promise<void> {
    const refused = await desk.batch('retry b --yes');
    assert.equal(refused.exitCode, 11, refused.stderr);
    assert.match(refused.stderr, /A-2 looks like X-2 of batch other: same party, amount and currency/);
    const [, hint] = /(retry b --yes --accept duplicates=1)\n/.exec(refused.stderr)!;
    const ran = await desk.batch(hint!);
    assert.equal(ran.exitCode, 0, ran.stderr);
  }

  it('asks about a rejected row, and sends it once that is acknowledged', async () => {
    desk.service.refuse = (body) => (JSON.stringify(body).includes('"A-2"') ? REFUSED : undefined);
    assert.equal((await desk.batch('run ./p.csv --batch-id b --yes')).exitCode, 8);
    desk.service.refuse = () => undefined;
    await payAlike();
    await isAskedOnce();
    assert.equal(paid('A-2'), 1);
  });

  it('asks about a row whose record has failed, and not about one that it does not send', async () => {
    await desk.batch('run ./p.csv --batch-id b --yes');
    for (const record of desk.service.byId.values())
      if (JSON.stringify(record.body).includes('"A-2"')) record.status = 'failed';
    await desk.batch('status b --refresh');
    desk.clock.advance(1000);
    desk.file('first.csv', [['X-1', 1, '10.00']]); // as the row that was paid
    await desk.batch('run ./first.csv --batch-id first --yes --accept duplicates=1');
    await payAlike();
    await isAskedOnce();
  });

  it('does not ask about what was acknowledged when the batch was run', async () => {
    desk.file('other.csv', [['X-2', 2, '20.00']]);
    await desk.batch('run ./other.csv --batch-id other --yes');
    desk.clock.advance(1000);
    desk.service.refuse = (body) => (JSON.stringify(body).includes('"A-2"') ? REFUSED : undefined);
    const ran = await desk.batch('run ./p.csv --batch-id b --yes --accept duplicates=1');
    assert.equal(ran.exitCode, 8, ran.stderr);
    desk.service.refuse = () => undefined;
    const retried = await desk.batch('retry b --yes --json');
    assert.equal((retried.json() as Summary).state, 'complete', retried.stderr);
  });
});

describe('payouts batch retry, when the service does not know a record', () => {
  let desk: Desk;
  beforeEach(() => (desk = Desk.withTwoRows()));
  afterEach(() => desk.close());

  it('exits 12 as a run does, without a prompt, and names the command that resolves the row', async () => {
    await desk.batch('run ./p.csv --batch-id b --yes');
    for (const record of desk.service.byId.values()) record.status = 'failed';
    await desk.batch('status b --refresh');
    desk.service.byId.clear();
    desk.service.requests.length = 0;
    const ran = await desk.batch('retry b --json');
    const {in_doubt: doubts, state, stopped_because: stop, next} = ran.json() as Summary;
    assert.deepEqual(
      [ran.exitCode, doubts, state, stop?.reason],
      [12, 1, 'stopped', 'lost-record'],
      ran.stderr,
    );
    assert.equal(next, 'remit payouts batch resolve b --from FILE');
    const sent = desk.service.requests.map(({method}) => method);
    assert.deepEqual([ran.questions, sent], [[], ['GET']]);
  });
});

describe('payouts batch status --refresh, when a record pays other than its row', () => {
  let desk: Desk;
  beforeEach(() => (desk = Desk.withTwoRows()));
  afterEach(() => desk.close());

  it('counts and names the row, and exits 8 when it is found', async () => {
    await desk.batch('run ./p.csv --batch-id b --yes');
    desk.service.distort = (record) =>
      record['amount_in_minor_units'] === 2000 ? {...record, amount_in_minor_units: 20} : record;
    const ran = await desk.batch('status b --refresh');
    assert.equal(ran.exitCode, 8, ran.stderr);
    assert.match(ran.stdout, /A-2: accepted, DIFFERS: .*amount 20 instead of 2000 minor units/);
    const again = (await desk.batch('status b --json')).json() as Summary;
    assert.deepEqual([again.accepted, again.differs], [2, 1]);
  });
});
