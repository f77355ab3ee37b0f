import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import type {Followed} from '../../../../src/batch/follow/follow-run.ts';
import {stateDir} from '../../../../src/profiles/folders.ts';
import {Stop} from '../../../../src/cli/runtime/stop.ts';
import type {Transport} from '../../../../src/client/transport/transport.ts';
import {acquireLock} from '../../../../src/store/locks/lock.ts';
import type {CliOptions} from '../../../cli/run-cli.ts';
import {SandboxDesk} from './sandbox-desk.ts';

type Told = Summary & {followed?: Followed};

/** The commands that follow a batch, against the sandbox, whose bank takes four seconds. */
describe('following a batch by command', () => {
  let desk: SandboxDesk;
  let payee: string;
  let payer: string;
  const remit = (line: string, options?: Partial<CliOptions>) => desk.remit(line, options);

  beforeEach(async () => {
    desk = await SandboxDesk.open();
    payer = (await desk.party('payer')).id;
    payee = (await desk.party('payee')).id;
    desk.requests = [];
  });
  afterEach(() => desk.close());

  const payoutFile = (scenarios: readonly string[]) =>
    desk.file(
      'p.csv',
      'reference,payee_id,amount,currency_code,metadata.sandbox.scenario',
      scenarios.map((scenario, i) => `INV-${i + 1},${payee},1${i}.50,USD,${scenario}`),
    );

  it('runs until every payout is settled, and exits 0', async () => {
    payoutFile(['', '', '']);
    const ran = await remit('payouts batch run ./p.csv --batch-id b --yes --until settled --json');
    assert.equal(ran.exitCode, 0, ran.stderr);
    const told = ran.json() as Told;
    assert.deepEqual([told.accepted, told.settled, told.followed!.outcome], [3, 3, 'reached']);
  });

  it('names a status that it does not know when it is seen, with the key that maps it', async () => {
    payoutFile(['', '']);
    const odd: Transport = {
      send: async (request) => {
        const answer = await desk.transport.send(request);
        return {...answer, body: Buffer.from(answer.body.toString().replace('"debited"', '"QUEUED"'))};
      },
      close: async () => undefined,
    };
    const ran = await remit('payouts batch run ./p.csv --batch-id b --yes --until settled', {service: odd});
    assert.equal(ran.exitCode, 0, ran.stderr);
    const named =
      /INV-\d is QUEUED, which remit does not know; .*set statuses\.payouts\.QUEUED in the service file to one of created/g;
    assert.equal(ran.stderr.match(named)?.length, 1, ran.stderr);
  });

  it('does the same for payins', async () => {
    desk.file('c.csv', 'reference,payer_id,amount,currency_code', [
      `DUE-1,${payer},10.50,USD`,
      `DUE-2,${payer},11.50,USD`,
    ]);
    const ran = await remit('payins batch run ./c.csv --batch-id b --yes --until settled --json');
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.equal((ran.json() as Told).settled, 2);
    assert.equal((await remit('payins batch status b --refresh --json')).exitCode, 0);
  });

  it('exits 9 if a payout fails on the way, and reports how many', async () => {
    payoutFile(['', 'fails_after_initiated']);
    const ran = await remit('payouts batch run ./p.csv --batch-id b --yes --until settled');
    assert.equal(ran.exitCode, 9, ran.stderr);
    assert.match(ran.stdout, /1 settled, 1 failed when last read/);
    assert.match(ran.stdout, /^Followed 2 rows until settled: 1 failed, 1 settled; none is in progress\.$/m);
    assert.match(ran.stdout, /INV-2: failed, R03: No account/);
  });

  it('exits 10 at the time limit, and continues with run, which sends no POST', async () => {
    payoutFile(['', 'settle_slow']);
    const ran = await remit(
      'payouts batch run ./p.csv --batch-id b --yes --until settled --timeout 20s --json',
    );
    assert.equal(ran.exitCode, 10, ran.stderr);
    const told = ran.json() as Told;
    assert.deepEqual([told.settled, told.followed!.open], [1, 1]);
    assert.equal(told.next, 'remit payouts batch run b --until settled');
    desk.requests = [];
    const again = await remit('payouts batch run b --until settled --json');
    assert.equal(again.exitCode, 0, again.stderr);
    assert.equal((again.json() as Told).settled, 2);
    assert.deepEqual(
      desk.requests.filter((request) => request.startsWith('POST')),
      [],
    );
  });

  it('exits with the code of the run if the run itself was incomplete', async () => {
    payoutFile(['', 'approval_fails_207']);
    const ran = await remit('payouts batch run ./p.csv --batch-id b --yes --until settled --json');
    assert.equal(ran.exitCode, 8, ran.stderr);
    const told = ran.json() as Told;
    assert.deepEqual([told.unapproved, told.settled, told.followed!.outcome], [1, 1, 'reached']);
  });

  it('follows what was released, when release is asked to', async () => {
    payoutFile(['', '']);
    assert.equal(
      (await remit('payouts batch run ./p.csv --batch-id b --yes --stage-only --json')).exitCode,
      0,
    );
    const ran = await remit('payouts batch release b --yes --until debited --json');
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.equal((ran.json() as Told).followed!.reached, 2);
  });

  it('asks for a time only with a goal, and for no goal when nothing is released', async () => {
    payoutFile(['']);
    assert.equal((await remit('payouts batch run ./p.csv --batch-id b --yes --timeout 5s')).exitCode, 2);
    assert.equal(
      (await remit('payouts batch run ./p.csv --batch-id b --stage-only --until settled')).exitCode,
      2,
    );
    assert.equal((await remit('payouts batch run ./p.csv --batch-id b --yes --until canceled')).exitCode, 2);
    assert.deepEqual(desk.requests, []);
  });

  it('fetches each row once with status --refresh, and sends only GETs', async () => {
    payoutFile(['', '', 'stuck_initiated']);
    await remit('payouts batch run ./p.csv --batch-id b --yes');
    desk.clock.advance(60_000);
    desk.requests = [];
    const first = await remit('payouts batch status b --refresh --json');
    assert.equal(first.exitCode, 0, first.stderr);
    const told = first.json() as Told;
    assert.deepEqual([told.settled, told.posts, told.followed!.outcome], [2, 0, 'passed']);
    assert.equal(desk.requests.length, 3);
    assert.ok(
      desk.requests.every((request) => request.startsWith('GET /api/payouts/')),
      String(desk.requests),
    );
    desk.requests = [];
    assert.equal(((await remit('payouts batch status b --json')).json() as Told).settled, 2);
    assert.deepEqual(desk.requests, []);
    await remit('payouts batch status b --refresh');
    assert.equal(desk.requests.length, 3, 'a record may have changed since it was settled');
  });

  it('exits 7 under --refresh when a sign-in page answers for the records', async () => {
    payoutFile(['', '']);
    await remit('payouts batch run ./p.csv --batch-id b --yes');
    const page = {status: 200, headers: {'content-type': 'text/html'}, body: Buffer.from('<html>')};
    const service: Transport = {
      send: async (request) => (request.method === 'GET' ? page : desk.transport.send(request)),
      close: async () => undefined,
    };
    const ran = await remit('payouts batch status b --refresh --json', {service});
    assert.equal(ran.exitCode, 7, ran.stderr);
    const told = ran.json() as Told;
    assert.deepEqual([told.followed!.unread, told.accepted], [2, 2]);
  });

  it('ends with 13 and names the batch when its result cannot be written', async () => {
    payoutFile(['', '']);
    const stdoutError = Object.assign(new Error('write ENOSPC'), {code: 'ENOSPC'});
    const ran = await remit('payouts batch run ./p.csv --batch-id b --yes --json', {stdoutError});
    assert.equal(ran.exitCode, 13);
    assert.match(ran.error().message, /Before that, batch b was run \(status: complete\)$/);
    assert.deepEqual(ran.error().details, {
      ...{id: 'b', status: 'complete', idempotency_key: null, next: 'remit payouts batch status b'},
    });
    const again = await remit('payouts batch status b --json', {stdoutError});
    assert.deepEqual([again.exitCode, again.error().details], [13, null]);
  });

  it('reports a record that shows another payment until it shows that of its row, in status and export', async () => {
    payoutFile(['', '']);
    await remit('payouts batch run ./p.csv --batch-id b --yes');
    desk.clock.advance(60_000);
    const wrong: Transport = {
      send: async (request) => {
        const answer = await desk.transport.send(request);
        return {...answer, body: Buffer.from(answer.body.toString().replace(/"INV-1"/g, '"INV-9"'))};
      },
      close: async () => undefined,
    };
    assert.equal((await remit('payouts batch export b --refresh -o json', {service: wrong})).exitCode, 8);
    const first = await remit('payouts batch status b --refresh', {service: wrong});
    assert.equal(first.exitCode, 8, first.stdout);
    assert.match(first.stdout, /Followed 2 rows: 2 settled; 2 GET requests sent/);
    assert.equal((await remit('payouts batch status b --refresh', {service: wrong})).exitCode, 8);
    const stale = await remit('payouts batch export b -o json');
    assert.equal((stale.json() as {reason_code: string}[])[0]!.reason_code, 'DIFFERS');
    assert.match(stale.stderr, /1 record differs from its row: reason_code is DIFFERS/);
    const read = await remit('payouts batch export b --refresh -o json');
    assert.equal(read.exitCode, 0, read.stderr);
    const [line] = read.json() as {reason_code: null; reason: null; status: string}[];
    assert.deepEqual([line!.reason_code, line!.reason, line!.status], [null, null, 'settled']);
    desk.requests = [];
    const cleared = await remit('payouts batch status b --refresh --json');
    assert.deepEqual([cleared.exitCode, desk.requests.length], [0, 2], cleared.stderr);
    assert.equal((cleared.json() as Told).differs, 0);
    const last = await remit('payouts batch status b --refresh');
    assert.match(last.stdout, /Followed 2 rows: 2 settled; 2 GET requests sent\./);
  });

  it('reports what status --refresh has fetched, and fetches nothing itself', async () => {
    payoutFile(['', '', 'stuck_initiated']);
    await remit('payouts batch run ./p.csv --batch-id b --yes');
    desk.clock.advance(60_000);
    desk.requests = [];
    const stale = (await remit('payouts batch report b --html --json')).json() as Told;
    assert.deepEqual([stale.settled, desk.requests], [0, []]);
    await remit('payouts batch status b --refresh');
    assert.equal(desk.requests.length, 3);
    desk.requests = [];
    const ran = await remit('payouts batch report b --html --json');
    assert.equal(ran.exitCode, 0, ran.stderr);
    const told = ran.json() as Told & {report_file: string};
    assert.deepEqual([told.settled, told.posts], [2, 0]);
    assert.deepEqual(desk.requests, []);
    assert.match(readFileSync(told.report_file, 'utf8'), /2 payouts settled so far/);
  });

  it('counts what failed later among what is to be looked at, in the list as in the status', async () => {
    payoutFile(['', 'fails_after_debited']);
    await remit('payouts batch run ./p.csv --batch-id b --yes');
    desk.clock.advance(60_000);
    await remit('payouts batch status b --refresh');
    const [listed] = (await remit('payouts batch list --json')).json() as {needs_attention: number}[];
    assert.equal(listed!.needs_attention, 1);
  });

  it('refuses to refresh with another key than the batch was run with', async () => {
    payoutFile(['']);
    await remit('payouts batch run ./p.csv --batch-id b --yes');
    desk.requests = [];
    const ran = await remit('payouts batch status b --refresh --json', {
      env: {...desk.env(), REMIT_API_KEY: 'test_sandbox_another'},
    });
    assert.equal(ran.exitCode, 11);
    assert.equal(ran.error().code, 'GUARD_BINDING');
    assert.deepEqual(desk.requests, []);
  });

  it('shows the status of the running process, sends the service nothing, and exits 13', async () => {
    payoutFile(['']);
    await remit('payouts batch run ./p.csv --batch-id b --yes');
    const state = stateDir({HOME: desk.folder}, desk.folder);
    const lock = await acquireLock(join(state, 'batches/payout/b.lock'), {purpose: 'batch b (pay)'});
    try {
      desk.requests = [];
      const ran = await remit('payouts batch status b --refresh');
      assert.equal(ran.exitCode, 13, ran.stderr);
      assert.match(ran.stdout, /1 of 1 row accepted/);
      assert.match(ran.stderr, /Running on .*another process is running the batch/);
      assert.deepEqual(desk.requests, []);
    } finally {
      await lock.release();
    }
  });

  it('exits 130 on Ctrl-C, and leaves the rest to resume', async () => {
    payoutFile(['settle_slow', 'settle_slow']);
    const stop = new Stop(() => assert.fail('it unwinds by itself'));
    let gets = 0;
    desk.before = ({method}) => {
      if (method === 'GET' && ++gets === 5) stop.receive('SIGINT');
    };
    const ran = await remit('payouts batch run ./p.csv --batch-id b --yes --until settled --json', {stop});
    assert.equal(ran.exitCode, 130, ran.stderr);
    assert.equal((ran.json() as Told).state, 'interrupted');
    assert.equal(((await remit('payouts batch status b --json')).json() as Told).state, 'complete');
    desk.before = () => undefined;
    assert.equal((await remit('payouts batch run b --until settled')).exitCode, 0);
  });

  it('gives the registry back before it follows, so that another batch can run', async () => {
    payoutFile(['settle_slow']);
    let other: Promise<{exitCode: number; stderr: string}> | undefined;
    desk.before = ({method}) => {
      if (method === 'GET' && other === undefined) {
        desk.file('q.csv', 'reference,payee_id,amount,currency_code', [`Z-1,${payee},77.77,USD`]);
        other = remit('payouts batch run ./q.csv --batch-id other --yes');
      }
    };
    const ran = await remit('payouts batch run ./p.csv --batch-id b --yes --until settled');
    assert.equal(ran.exitCode, 0, ran.stderr);
    const second = await other!;
    assert.equal(second.exitCode, 0, second.stderr);
  });
});
