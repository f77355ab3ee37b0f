import assert from 'node:assert/strict';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {LedgerDesk} from './ledger-desk.ts';

/** Batch `feb` of two payouts, of which the bank returns the first before it settles: the service shows it as failed. */
class EarlyDesk {
  readonly ledger: LedgerDesk;

  private constructor(ledger: LedgerDesk) {
    this.ledger = ledger;
  }

  static async open(): Promise<EarlyDesk> {
    const early = new EarlyDesk(await LedgerDesk.open());
    const {desk, payee} = early.ledger;
    desk.file('feb.csv', 'reference,payee_id,amount,currency_code,rail', [
      `FEB-1,${payee},200.50,USD,standard_ach`,
      `FEB-2,${payee},201.50,USD,standard_ach`,
    ]);
    assert.equal((await early.remit('payouts batch run ./feb.csv --batch-id feb --yes')).exitCode, 0);
    await early.returned('FEB-1', 'feb');
    return early;
  }

  remit(line: string) {
    return this.ledger.desk.remit(line);
  }

  get failedFile(): string {
    return join(this.ledger.desk.folder, 'feb.failed.csv');
  }

  /** The bank takes the money and returns it at once. */
  async returned(reference: string, batch: string): Promise<void> {
    const {desk} = this.ledger;
    const id = await this.ledger.record(reference, batch);
    const status = async () =>
      ((await this.remit(`payouts get ${id} --json`)).json() as {status: string}).status;
    for (let seconds = 0; (await status()) !== 'debited'; seconds += 1) {
      assert.ok(seconds < 20);
      desk.clock.advance(500);
    }
    await desk.sandbox.sandbox.simulate({kind: 'payout', id, outcome: 'return', code: 'R01'});
    assert.equal(await status(), 'failed');
    desk.clock.advance(10_000);
  }

  /** Types what a report prints: FEB-1 is paid again by batch `feb2`. */
  async paidAgain(until = ' --until settled'): Promise<void> {
    await this.remit('payouts batch report feb');
    const run = `payouts batch run ./feb.failed.csv --batch-id feb2 --yes${until}`;
    const asked = await this.remit(run); // the first payment looks like this one until it is known to have failed
    const paid = asked.exitCode === 11 ? await this.remit(`${run} --accept duplicates=1`) : asked;
    assert.equal(paid.exitCode, 0, paid.stderr);
  }

  /** POSTs that a command sent. */
  async posts(line: string) {
    this.ledger.desk.requests = [];
    const ran = await this.remit(line);
    return {ran, posts: this.ledger.desk.requests.filter((request) => request.startsWith('POST '))};
  }
}

describe('a payout that the bank returned before it settled', () => {
  let desk: EarlyDesk;
  beforeEach(async () => {
    desk = await EarlyDesk.open();
  });
  afterEach(() => desk.ledger.desk.close());

  it('stays paid again by the second payment when the batch learns that its record failed', async () => {
    await desk.ledger.reconcile();
    await desk.paidAgain();
    assert.equal((await desk.ledger.reconcile()).exitCode, 0);
    for (const line of ['status feb', 'status feb --refresh', 'report feb --html', 'status feb']) {
      const ran = await desk.remit(`payouts batch ${line}`);
      assert.equal(ran.exitCode, 0, `${line}\n${ran.stdout}`);
      assert.match(ran.stdout, /^Batch feb is complete: 2 of 2 rows accepted\.$/m);
      assert.match(
        ran.stdout,
        /^Returned by the bank:\n {2}FEB-1: 200\.50 USD on \S+, R01; paid again by batch feb2$/m,
      );
      assert.doesNotMatch(ran.stdout, /^Next|^Failed|Needs attention|still settled/m);
    }
    const {failed, returned, settled} = (
      await desk.remit('payouts batch status feb --json')
    ).json() as Record<string, unknown>;
    assert.deepEqual({failed, returned, settled}, {failed: 0, returned: 1, settled: 1});
    assert.equal(existsSync(desk.failedFile), false);
    const page = readFileSync(join(desk.ledger.desk.folder, 'feb.report.html'), 'utf8');
    assert.doesNotMatch(page, /new keys/);
  });

  it('is not paid a second time by a retry, whatever is accepted', async () => {
    await desk.ledger.reconcile();
    await desk.paidAgain();
    for (const before of ['', 'reconcile', 'payouts batch status feb --refresh', 'reconcile']) {
      if (before === 'reconcile') await desk.ledger.reconcile();
      else if (before !== '') await desk.remit(before);
      for (const flags of ['', ' --row FEB-1', ' --accept duplicates=1']) {
        const {ran, posts} = await desk.posts(`payouts batch retry feb --yes${flags}`);
        if (flags.includes('accept')) assert.equal(ran.exitCode, 11);
        else if (ran.exitCode === 0 || ran.exitCode === 8)
          assert.equal(flags, ''); // not known as failed yet: no row is sent again
        else {
          assert.equal(ran.exitCode, 11, `${before}${flags}\n${ran.stderr}`);
          assert.match(
            ran.stderr,
            /^Error: FEB-1 is paid again as FEB-1-again1, in batch feb2; nothing was sent$/m,
          );
          assert.match(ran.stderr, /^Hint: remit payouts batch status feb2$/m);
        }
        assert.deepEqual(posts, []);
      }
    }
  });

  it('is not paid again by a retry before the second payment, but by the file of the report', async () => {
    await desk.ledger.reconcile();
    await desk.remit('payouts batch status feb --refresh');
    const status = await desk.remit('payouts batch status feb');
    assert.equal(status.exitCode, 8);
    assert.match(status.stdout, /^Batch feb is not complete: .*; 1 returned by the bank\.$/m);
    assert.match(status.stdout, /^Next {5}remit payouts batch report feb$/m);
    const {ran, posts} = await desk.posts('payouts batch retry feb --yes');
    assert.equal(ran.exitCode, 11, ran.stderr);
    assert.match(
      ran.stderr,
      /^Error: FEB-1 was returned by the bank on \S+, and is to be paid again as FEB-1-again1; nothing was sent$/m,
    );
    assert.match(ran.stderr, /^Hint: write the file that pays it again: remit payouts batch report feb$/m);
    assert.deepEqual(posts, []);
    await desk.paidAgain();
    assert.match(readFileSync(desk.failedFile, 'utf8'), /^"FEB-1-again1",/m);
    await desk.ledger.reconcile();
    assert.equal((await desk.remit('payouts batch status feb')).exitCode, 0);
  });

  it('is left out by name of a retry that sends other failed rows', async () => {
    await desk.ledger.reconcile();
    await desk.paidAgain();
    await desk.ledger.reconcile();
    const first = await desk.ledger.record('FEB-1', 'feb');
    const id = await desk.ledger.record('FEB-2', 'feb');
    const {transport} = desk.ledger.desk;
    const send = transport.send.bind(transport);
    transport.send = async (request) => {
      const answer = await send(request);
      if (request.method !== 'GET' || !request.path.endsWith(id)) return answer;
      const body = {...(JSON.parse(answer.body.toString()) as object), status: 'failed'};
      return {...answer, body: Buffer.from(JSON.stringify(body))};
    };
    const status = await desk.remit('payouts batch status feb --refresh');
    assert.match(status.stdout, /^Next {5}remit payouts batch retry feb$/m);
    const ran = await desk.remit('payouts batch retry feb --yes');
    const second = await desk.ledger.record('FEB-1-again1', 'feb2');
    assert.match(ran.stderr, new RegExp(`FEB-1 is unchanged: batch feb2 has paid it, record ${second}`));
    assert.equal(await desk.ledger.record('FEB-1', 'feb'), first);
    assert.notEqual(await desk.ledger.record('FEB-2', 'feb'), id);
    assert.doesNotMatch(ran.stderr, /looks like FEB-1-again1/);
  });

  it('is one debt with one chain if its second payment comes back early too', async () => {
    await desk.ledger.reconcile();
    await desk.paidAgain('');
    await desk.returned('FEB-1-again1', 'feb2');
    for (const refresh of [' --refresh', '']) {
      const found = await desk.ledger.reconcile();
      assert.match(found.stdout, /^Returned by the bank \(1\)\n {2}FEB-1-again1 of payout batch feb2: /m);
      const first = await desk.remit(`payouts batch status feb${refresh}`);
      assert.equal(first.exitCode, 8);
      assert.match(first.stdout, /^ {2}FEB-1: 200\.50 USD on \S+, R01; to be paid again by batch feb2$/m);
      assert.match(first.stdout, /^Next {5}remit payouts batch status feb2$/m);
      const second = await desk.remit(`payouts batch status feb2${refresh}`);
      assert.match(second.stdout, /^Next {5}remit payouts batch report feb2$/m);
    }
    await desk.remit('payouts batch report feb');
    assert.equal(existsSync(desk.failedFile), false);
    for (const [batch, words] of [
      ['feb', 'FEB-1 is to be paid again as FEB-1-again1, in batch feb2'],
      ['feb2', 'FEB-1-again1 was returned by the bank on \\S+, and is to be paid again as FEB-1-again2'],
    ] as const) {
      const {ran, posts} = await desk.posts(`payouts batch retry ${batch} --yes`);
      assert.equal(ran.exitCode, 11, ran.stderr);
      assert.match(ran.stderr, new RegExp(`^Error: ${words}; nothing was sent$`, 'm'));
      assert.deepEqual(posts, []);
    }
    await desk.remit('payouts batch report feb2');
    const file = join(desk.ledger.desk.folder, 'feb2.failed.csv');
    assert.match(readFileSync(file, 'utf8'), /^"FEB-1-again2",/m);
    const paid = await desk.remit(
      'payouts batch run ./feb2.failed.csv --batch-id feb3 --yes --until settled',
    );
    assert.equal(paid.exitCode, 0, paid.stderr);
    assert.equal((await desk.ledger.reconcile()).exitCode, 0);
    for (const batch of ['feb', 'feb2'])
      assert.match(
        (await desk.remit(`payouts batch status ${batch}`)).stdout,
        /R01; paid again by batch feb3$/m,
      );
  });

  it('stays a payment of its batch after a retry, and a debt that is then paid twice is named', async () => {
    const first = await desk.ledger.record('FEB-1', 'feb');
    await desk.remit('payouts batch status feb --refresh');
    const retried = await desk.remit('payouts batch retry feb --yes --until settled'); // no reconcile knows of the return
    assert.equal(retried.exitCode, 0, retried.stderr);
    const once = await desk.ledger.reconcile();
    assert.equal(once.exitCode, 0, once.stdout);
    const csv = await desk.ledger.reconcile('-o csv');
    assert.match(csv.stdout, new RegExp(`^${first},payout,feb,FEB-1,returned,failed,`, 'm'));
    const {desk: typed, payee} = desk.ledger;
    typed.file('own.csv', 'reference,payee_id,amount,currency_code,rail', [
      `FEB-1-again1,${payee},200.50,USD,standard_ach`,
    ]);
    await desk.remit(
      'payouts batch run ./own.csv --batch-id own --namespace own --yes --accept duplicates=1 --until settled',
    );
    const twice = await desk.ledger.reconcile();
    assert.equal(twice.exitCode, 8);
    assert.match(
      twice.stdout,
      /^Returned once and paid again twice \(1\)\n {2}FEB-1.* of payout batch \w+: 200\.50 USD.*, and also by FEB-1.* of payout batch \w+$/m,
    );
  });

  it('is not paid by an older file with its own reference once a second payment exists', async () => {
    await desk.remit('payouts batch status feb --refresh');
    await desk.remit('payouts batch report feb');
    const folder = desk.ledger.desk.folder;
    const old = readFileSync(desk.failedFile, 'utf8');
    assert.match(old, /^"FEB-1",/m);
    await desk.ledger.reconcile();
    await desk.paidAgain();
    writeFileSync(join(folder, 'old.csv'), old);
    for (const flags of ['', ' --accept duplicates=1']) {
      const {ran, posts} = await desk.posts(`payouts batch run ./old.csv --batch-id old --yes${flags}`);
      assert.equal(ran.exitCode, 11, ran.stderr);
      assert.deepEqual(posts, []);
    }
    const asked = await desk.remit('payouts batch run ./old.csv --batch-id old --yes --accept duplicates=1');
    assert.match(
      asked.stderr,
      /^Error: FEB-1 is paid again as FEB-1-again1, in batch feb2; nothing was sent$/m,
    );
  });

  it('is not paid by a file with the second reference after a retry has paid it', async () => {
    await desk.remit('payouts batch status feb --refresh');
    assert.equal((await desk.remit('payouts batch retry feb --yes --until settled')).exitCode, 0);
    const {desk: typed, payee} = desk.ledger;
    typed.file('own.csv', 'reference,payee_id,amount,currency_code,rail', [
      `FEB-1-again2,${payee},200.50,USD,standard_ach`,
    ]);
    const run = 'payouts batch run ./own.csv --batch-id own --yes --accept duplicates=1';
    const {ran, posts} = await desk.posts(run);
    assert.equal(ran.exitCode, 11);
    assert.match(ran.stderr, /^Error: FEB-1-again2 is paid again as FEB-1, in batch feb; nothing was sent$/m);
    assert.deepEqual(posts, []);
  });
});
