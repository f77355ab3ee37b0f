import assert from 'node:assert/strict';
import {existsSync, readFileSync} from 'node:fs';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {payeeId} from '../../../batch/harness.ts';
import {Desk} from './desk.ts';

const REFUSED = {status: 422, error_code: 'INVALID_PAYMENT_DETAILS', message: 'no such account'};

describe('payouts batch retry, when another batch has made a payment that looks the same', () => {
  let desk: Desk;
  beforeEach(() => (desk = Desk.withTwoRows()));
  afterEach(() => desk.close());

  const paid = (reference: string) =>
    desk.service.paid.filter(({body}) => JSON.stringify(body).includes(`"${reference}"`)).length;

  async function payAlike(flags = ''): Promise<void> {
    desk.file('other.csv', [['X-2', 2, '20.00']]);
    const ran = await desk.batch(`run ./other.csv --batch-id other --yes${flags}`);
    assert.equal(ran.exitCode, 0, ran.stderr);
  }

  async function isAskedOnce(): Promise<void> {
    const refused = await desk.batch('retry b --yes');
    assert.equal(refused.exitCode, 11, refused.stderr);
    assert.match(
      refused.stderr,
      /A-2 looks like X-2 of batch other \(namespace \w+, record [0-9a-f-]+, \d{4}-\d\d-\d\d\): same party, amount and currency/,
    );
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

  it('asks about a payment in another namespace', async () => {
    desk.service.refuse = (body) => (JSON.stringify(body).includes('"A-2"') ? REFUSED : undefined);
    assert.equal((await desk.batch('run ./p.csv --batch-id b --yes')).exitCode, 8);
    desk.service.refuse = () => undefined;
    await payAlike(' --namespace dec');
    await isAskedOnce();
    assert.equal(paid('A-2'), 1);
  });

  it('asks about a row that failed, although look-alikes of other rows were acknowledged since', async () => {
    const isOf = (reference: string) => (body: object) => JSON.stringify(body).includes(`"${reference}"`);
    desk.service.refuse = (body) => (isOf('A-2')(body) ? REFUSED : undefined);
    assert.equal((await desk.batch('run ./p.csv --batch-id b --yes')).exitCode, 8);
    desk.service.refuse = () => undefined;
    desk.clock.advance(1000);
    await payAlike();
    desk.clock.advance(1000);
    for (const record of desk.service.byId.values()) if (isOf('A-1')(record.body)) record.status = 'failed';
    desk.file('third.csv', [['X-1', 1, '10.00']]);
    await desk.batch('run ./third.csv --batch-id third --yes --accept duplicates=1');
    desk.clock.advance(1000);
    // Only A-1 is sent again and acknowledged.
    const first = await desk.batch('retry b --row A-1 --yes --accept duplicates=1');
    assert.equal(paid('A-1'), 2, first.stderr);
    const second = await desk.batch('retry b --row A-2 --yes');
    assert.match(second.stderr, /A-2 looks like X-2 of batch other/);
    assert.deepEqual([second.exitCode, paid('A-2')], [11, 0], second.stderr);
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

describe('payouts batch retry, with nothing to send again', () => {
  it('says so in one line', async () => {
    const desk = Desk.withTwoRows();
    try {
      desk.service.approvalFails = (body) => JSON.stringify(body).includes('"A-2"');
      await desk.batch('run ./p.csv --batch-id b --yes');
      desk.service.fault = ({method}) => (method === 'GET' ? {status: 404, body: {}} : undefined);
      const ran = await desk.batch('retry b --yes', {columns: 120});
      const said = ran.stderr.split('\n').filter((line) => /Retry|prepared|sent again|Continue/.test(line));
      assert.deepEqual(said, ['No row is sent again']);
    } finally {
      desk.close();
    }
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
    assert.equal((await desk.batch('status b')).exitCode, 8);
    assert.match(
      ran.stdout,
      /^Batch b is not complete: 2 of 2 rows accepted; 1 record differs from its row\.$/m,
    );
    assert.match(ran.stdout, /accepted +2 +30\.00 USD {2}\(1 with a record that differs\)$/m);
    const [, command] = /this reads them again:\n +remit payouts batch (.*)$/m.exec(ran.stdout)!;
    assert.equal((await desk.batch(command!)).exitCode, 8);
    const report = await desk.batch('report b --html');
    assert.match(report.stdout, /; 1 record differs from its row\./);
    const listed = await desk.batch('list --json');
    assert.deepEqual(
      (listed.json() as {differs: number}[]).map(({differs}) => differs),
      [1],
    );
  });

  it('says so in the list, also on a narrow terminal', async () => {
    await desk.batch('run ./p.csv --batch-id b-with-a-name-that-is-long-enough --yes');
    desk.service.distort = (record) => ({...record, amount_in_minor_units: 20});
    await desk.batch('status b-with-a-name-that-is-long-enough --refresh');
    const ran = await desk.batch('list', {columns: 80});
    assert.match(ran.stdout, /incomplete +2 +2 +2$/m);
    assert.match(ran.stderr, /: 2 records differ from their rows/);
  });
});

describe('payouts batch retry, when the record of a failed row now shows another payment', () => {
  it('shows the row as differing instead of failed, and removes it from failed.csv', async () => {
    const desk = Desk.withTwoRows();
    try {
      await desk.batch('run ./p.csv --batch-id b --yes');
      for (const record of desk.service.byId.values())
        if (JSON.stringify(record.body).includes('"A-2"')) record.status = 'failed';
      await desk.batch('status b --refresh');
      const failed = ((await desk.batch('report b --json')).json() as Summary).failed_file!;
      assert.match(readFileSync(failed, 'utf8'), /^"A-2",/m);
      desk.service.distort = (record, {method}) =>
        method === 'GET' ? {...record, amount_in_minor_units: 1} : record;
      const ran = await desk.batch('retry b --yes');
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.match(ran.stderr, /A-2 is unchanged: its record is shown as failed, but as another payment/);
      assert.match(
        ran.stdout,
        /A-2: accepted, DIFFERS: its record is shown as failed, but as another payment/,
      );
      assert.doesNotMatch(ran.stdout, /A-2: failed|1 failed|separate batch/);
      assert.equal(existsSync(failed), false);
      const {exitCode} = await desk.batch('status b --json');
      assert.equal(exitCode, 8);
    } finally {
      desk.close();
    }
  });
});

describe('payouts batch retry, when another batch has paid the file and its payments failed', () => {
  it('is the next command, and works although this batch never had anything to confirm', async () => {
    const desk = Desk.withTwoRows();
    try {
      await desk.batch('run ./p.csv --batch-id a --yes');
      assert.equal((await desk.batch('run ./p.csv --batch-id b --yes')).exitCode, 0);
      for (const record of desk.service.byId.values()) record.status = 'failed';
      await desk.batch('status a --refresh');
      const {next} = (await desk.batch('status b --json')).json() as Summary;
      assert.equal(next, 'remit payouts batch retry b --row A-1');
      const line = next.replace('remit payouts batch ', '');
      const unasked = await desk.batch(`${line} --json`);
      assert.deepEqual([unasked.exitCode, unasked.error().code], [2, 'NEEDS_TERMINAL']);
      assert.equal(desk.service.paid.length, 2);
      const ran = await desk.batch(`${line} --confirm-total USD=10.00 --confirm-count 1`);
      assert.match(ran.stderr, /1 row prepared to be sent again/);
      assert.equal((await desk.batch('retry b --yes')).exitCode, 0);
      assert.equal(desk.service.paid.length, 4);
      const other = await desk.batch('retry a --yes --json');
      assert.deepEqual([other.exitCode, desk.service.paid.length], [0, 4]);
    } finally {
      desk.close();
    }
  });
});

describe('payouts batch retry, when another batch has staged the row', () => {
  it('is not the next command: the other batch is, until it has paid the row', async () => {
    const desk = Desk.withTwoRows();
    try {
      await desk.batch('run ./p.csv --batch-id a --yes');
      const failed = [...desk.service.byId.values()].find(({body}) => body['payee_id'] === payeeId(2))!;
      failed.status = 'failed';
      const seen = (await desk.batch('status a --refresh --json')).json() as Summary;
      assert.equal(seen.next, 'remit payouts batch retry a');
      await desk.batch('report a');
      assert.equal((await desk.batch('run ./a.failed.csv --batch-id fix --stage-only --yes')).exitCode, 0);
      const {next} = (await desk.batch('status a --json')).json() as Summary;
      assert.equal(next, 'remit payouts batch status fix');
      const retried = await desk.batch('retry a --yes');
      assert.match(
        retried.stderr,
        /A-2 is unchanged: batch fix has claimed its reference; finish that batch first/,
      );
      assert.match(retried.stdout, /^Next +remit payouts batch status fix$/m);
      const other = (await desk.batch('status fix --json')).json() as Summary;
      assert.equal(other.next, 'remit payouts batch release fix');
      assert.equal((await desk.batch('release fix --yes')).exitCode, 0);
      const done = (await desk.batch('status a --json')).json() as Summary;
      assert.deepEqual([done.state, done.next], ['complete', null]);
    } finally {
      desk.close();
    }
  });

  it('is the next command again once that batch is canceled, and while other rows can be sent', async () => {
    const desk = Desk.withTwoRows();
    try {
      await desk.batch('run ./p.csv --batch-id a --yes');
      for (const record of desk.service.byId.values()) record.status = 'failed';
      await desk.batch('status a --refresh');
      desk.file('q.csv', [['A-2', 2, '20.00']]);
      await desk.batch('run ./q.csv --batch-id fix --stage-only --yes');
      const nextOf = async () => ((await desk.batch('status a --json')).json() as Summary).next;
      assert.equal(await nextOf(), 'remit payouts batch retry a');
      await desk.batch('retry a --yes');
      assert.equal(await nextOf(), 'remit payouts batch status fix');
      assert.equal((await desk.batch('cancel fix --yes')).exitCode, 0);
      assert.equal(await nextOf(), 'remit payouts batch retry a');
    } finally {
      desk.close();
    }
  });
});

describe('payouts batch, when a row was rejected because of payment details', () => {
  it('names the payment methods of its payee beside the retry', async () => {
    const desk = Desk.withTwoRows();
    try {
      const message = 'the payee has no default payment method; name one';
      desk.service.refuse = (body) => (body['payee_id'] === payeeId(2) ? {...REFUSED, message} : undefined);
      const ran = await desk.batch('run ./p.csv --batch-id b --yes');
      const methods = `remit payment-methods list --payee ${payeeId(2)}`;
      const text = `Methods  a payee without a usable payment method needs one first (payment-methods add):\n         ${methods}\n`;
      assert.ok(ran.stdout.includes(text), ran.stdout);
      assert.match(ran.stdout, /^Next +remit payouts batch retry b$/m);
      desk.service.refuse = (body) =>
        body['payee_id'] === payeeId(2) ? {status: 404, error_code: 'NOT_FOUND'} : undefined;
      assert.doesNotMatch((await desk.batch('retry b --yes')).stdout, /^Methods/m);
    } finally {
      desk.close();
    }
  });
});

describe('payouts batch retry of a settled row', () => {
  it('says how to pay it if the bank has returned it', async () => {
    const desk = Desk.withTwoRows();
    try {
      await desk.batch('run ./p.csv --batch-id b --yes');
      for (const record of desk.service.byId.values()) record.status = 'settled';
      const {stderr} = await desk.batch('retry b --row A-2 --yes');
      const words =
        /A-2 is unchanged: record \S+ is settled; if the bank has returned it since, pay it under a new reference$/m;
      assert.match(stderr, words);
    } finally {
      desk.close();
    }
  });
});

describe('a row whose record has ended, in the summary', () => {
  it('is named once with what is known of it', async () => {
    const desk = Desk.withTwoRows();
    try {
      await desk.batch('run ./p.csv --batch-id a --yes');
      assert.equal((await desk.batch('run ./p.csv --batch-id b --yes')).exitCode, 0);
      for (const record of desk.service.byId.values()) record.status = 'failed';
      await desk.batch('status a --refresh');
      const {stdout} = await desk.batch('status b');
      assert.match(stdout, /^ {2}A-1: in conflict: its record has failed or was canceled; retry reads/m);
    } finally {
      desk.close();
    }
  });

  it('is called canceled if it was canceled', async () => {
    const desk = Desk.withTwoRows();
    try {
      await desk.batch('run ./p.csv --batch-id b --stage-only --yes');
      for (const record of desk.service.byId.values()) record.status = 'canceled';
      const released = await desk.batch('release b --yes');
      assert.match(released.stdout + (await desk.batch('status b')).stdout, /^ {2}A-1: canceled$/m);
    } finally {
      desk.close();
    }
  });
});
