import assert from 'node:assert/strict';
import {linkSync, lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Transport} from '../../../../src/client/transport/transport.ts';
import type {CliOptions} from '../../../cli/run-cli.ts';
import {SandboxDesk} from './sandbox-desk.ts';

type Line = Record<string, string | number | null>;

/** `export` on the sandbox, after payouts that settle, fail and are refused. */
describe('payouts batch export', () => {
  let desk: SandboxDesk;
  /** Added to every record that is read. */
  let extra: Record<string, unknown>;
  const adding: Transport = {
    send: async (request) => {
      const answer = await desk.transport.send(request);
      if (request.method !== 'GET' || answer.status !== 200) return answer;
      const record = JSON.parse(answer.body.toString()) as object;
      return {...answer, body: Buffer.from(JSON.stringify({...record, ...extra}))};
    },
    close: async () => undefined,
  };
  const remit = (line: string, options: Partial<CliOptions> = {}) =>
    desk.remit(line, {service: adding, ...options});

  before(async () => {
    desk = await SandboxDesk.open();
    extra = {};
    const {id: payee} = await desk.party('payee');
    const unknown = '00000000-0000-4000-8000-000000000001';
    desk.file('p.csv', 'reference,payee_id,amount,metadata.sandbox.scenario', [
      `INV-1,${payee},10.50,`,
      `INV-2,${payee},11.50,fails_after_initiated`,
      `INV-3,${unknown},12.50,`,
    ]);
    const ran = await remit(
      'payouts batch run ./p.csv --batch-id b --currency USD --yes --until settled --accept rest',
    );
    assert.notEqual(ran.exitCode, 1, ran.stderr);
  });
  beforeEach(() => {
    desk.requests = [];
    extra = {};
  });
  after(() => desk.close());

  const exported = async (flags: string) => {
    const ran = await remit(`payouts batch export b -o json ${flags}`.trim());
    assert.equal(ran.exitCode, 8, ran.stderr);
    return ran.json() as Line[];
  };

  it('has one line for each row, with what the batch last saw; nothing is asked', async () => {
    const lines = await exported('');
    assert.deepEqual(
      lines.map(({reference, state, status, amount, amount_in_minor_units: minor, reason_code: code}) => [
        ...[reference, state, status, amount, minor, code],
      ]),
      [
        ['INV-1', 'accepted', 'settled', '10.50', 1050, null],
        ['INV-2', 'accepted', 'failed', '11.50', 1150, 'R03'],
        ['INV-3', 'rejected', null, '12.50', 1250, 'NOT_FOUND'],
      ],
    );
    assert.deepEqual([lines[0]!['settled_at'], desk.requests], [null, []]);
    assert.match(String(lines[0]!['as_of']), /^\d{4}-\d\d-\d\dT/);
  });

  it('says that statuses are as last seen, unless they were fetched', async () => {
    const seen = /Statuses are as last seen; --refresh fetches each record/;
    assert.match((await remit('payouts batch export b')).stderr, seen);
    assert.doesNotMatch((await remit('payouts batch export b --refresh')).stderr, seen);
  });

  it('reads when a payout was settled, and only reads', async () => {
    const [settled, failed, refused] = await exported('--refresh');
    assert.match(String(settled!['settled_at']), /^\d{4}-\d\d-\d\dT/);
    assert.equal(settled!['settled_at_field'], 'updated_at');
    assert.deepEqual(
      [failed!['settled_at'], failed!['reason_code'], failed!['status']],
      [null, 'R03', 'failed'],
    );
    assert.deepEqual([refused!['payout_id'], refused!['status']], [null, null]);
    assert.deepEqual(
      desk.requests.map((request) => request.split(' ')[0]),
      ['GET', 'GET'],
    );
  });

  it('shows fees that the service gives, as it gives them', async () => {
    extra = {fee_in_minor_units: 25, coffee: 'no', network_fee: '0.10'};
    const [settled] = await exported('--refresh');
    assert.equal(settled!['fees'], 'fee_in_minor_units=25; network_fee=0.10');
  });

  it('is CSV unless another format is asked for, and formulas are quoted', async () => {
    extra = {rail: '=1+1', fees: '@x'};
    const {stdout, stderr, exitCode} = await remit('payouts batch export b --refresh');
    assert.equal(exitCode, 8, stderr);
    const lines = stdout.trimEnd().split('\n');
    assert.match(
      lines[0]!,
      /^batch_id,row,reference,state,payee_id,amount,amount_in_minor_units,currency_code,rail,/,
    );
    assert.equal(lines.length, 4);
    assert.match(lines[1]!, /^b,1,INV-1,accepted,[^,]+,10\.50,1050,USD,'=1\+1,/);
    assert.match(lines[1]!, /,fees=@x,/);
  });

  it('writes a file, complete or not at all, private, in the format of its name', async () => {
    for (const [name, count] of [
      ['x.csv', 4],
      ['x.ndjson', 3],
      ['x.json', 5],
    ] as const) {
      const ran = await remit(`payouts batch export b --out ./${name}`);
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.match(ran.stdout, /^3 rows of batch b exported to .*x\.\w+\.\n$/);
      const text = readFileSync(join(desk.folder, name), 'utf8');
      assert.equal(text.trimEnd().split('\n').length, count, text);
      assert.equal(lstatSync(join(desk.folder, name)).mode & 0o777, 0o600);
    }
    const whole = JSON.parse(readFileSync(join(desk.folder, 'x.json'), 'utf8')) as Line[];
    assert.deepEqual(whole, await exported(''));
    const asked = await remit('payouts batch export b -o json --out ./y.txt');
    assert.deepEqual(asked.json(), {file: join(desk.folder, 'y.txt'), rows: 3});
    assert.equal((JSON.parse(readFileSync(join(desk.folder, 'y.txt'), 'utf8')) as Line[]).length, 3);
  });

  it('leaves the earlier file if a record cannot be read, and writes through no link', async () => {
    const first = await remit('payouts batch export b --out ./kept.csv');
    assert.equal(first.exitCode, 8, first.stderr);
    const before = readFileSync(join(desk.folder, 'kept.csv'), 'utf8');
    const failing: Transport = {
      ...desk.transport,
      send: async () => ({status: 404, headers: {}, body: Buffer.from('{}')}),
    };
    const ran = await remit('payouts batch export b --refresh --out ./kept.csv', {service: failing});
    assert.equal(ran.exitCode, 4, ran.stderr);
    assert.match(ran.stderr, /answered 404.*; \S+kept\.csv was not replaced$/m);
    assert.equal(readFileSync(join(desk.folder, 'kept.csv'), 'utf8'), before);
    const none = await remit('payouts batch export b --refresh --out ./none.csv', {service: failing});
    assert.match(none.stderr, /none\.csv was not written$/m);
    assert.deepEqual(
      readdirSync(desk.folder).filter((name) => name.endsWith('.tmp')),
      [],
    );
    symlinkSync(join(desk.folder, 'kept.csv'), join(desk.folder, 'link.csv'));
    const linked = await remit('payouts batch export b --out ./link.csv');
    assert.equal(linked.exitCode, 13);
    assert.match(linked.stderr, /is a symbolic link/);
  });

  for (const [name, flags] of [
    ['again.csv', ''],
    ['again.json', ''],
    ['again.ndjson', ''],
    ['chosen.csv', ' --fields reference,batch_id,state'],
    ['chosen.json', ' --fields batch_id,as_of'],
  ] as const)
    it(`replaces an earlier export: ${name}${flags}`, async () => {
      const line = `payouts batch export b --out ./${name}${flags}`;
      for (let times = 0; times < 2; times++) {
        const ran = await remit(line);
        assert.equal(ran.exitCode, 8, ran.stderr);
      }
      const whole = await remit(`payouts batch export b --refresh --out ./${name}`);
      assert.equal(whole.exitCode, flags === '' ? 8 : 2, whole.stderr);
    });

  it('replaces no other file: not the input, the results or a file of payments', async () => {
    writeFileSync(join(desk.folder, 'empty.csv'), '');
    linkSync(join(desk.folder, 'p.csv'), join(desk.folder, 'hard-link.csv'));
    for (const name of [
      'p.csv',
      'b.results.csv',
      'b.summary.json',
      'b.failed.csv',
      'empty.csv',
      'hard-link.csv',
    ]) {
      const path = join(desk.folder, name);
      const before = readFileSync(path, 'utf8');
      const ran = await remit(`payouts batch export b --refresh --out ./${name}`);
      assert.deepEqual([ran.exitCode, desk.requests], [2, []], name);
      assert.match(
        ran.stderr,
        /(is the input of batch b|is not an export); it was not replaced\nHint: name another file/,
      );
      assert.equal(readFileSync(path, 'utf8'), before);
    }
    // A selection without the batch could be a file of payments.
    const columns = 'payouts batch export b --fields reference,payee_id,amount --out ./columns.csv';
    assert.equal((await remit(columns)).exitCode, 8);
    assert.equal((await remit(columns)).exitCode, 2);
  });

  it('never replaces the input, not even one that looks like an export', async () => {
    const {id: payee} = await desk.party('payee');
    const exported = await remit('payouts batch export b');
    const [header = ''] = exported.stdout.split('\n');
    const row = header
      .split(',')
      .map((name) => ({reference: 'E-1', payee_id: payee, amount: '3.50', currency_code: 'USD'})[name] ?? '');
    writeFileSync(join(desk.folder, 'e.csv'), `${header}\n${row.join(',')}\n`);
    const unused = header
      .split(',')
      .filter((name) => !['reference', 'payee_id', 'amount', 'currency_code'].includes(name));
    const planned = await remit(
      `payouts batch plan ./e.csv --batch-id e ${unused.map((name) => `--ignore-column ${name}`).join(' ')}`,
    );
    assert.equal(planned.exitCode, 0, planned.stderr);
    const ran = await remit('payouts batch export e --out ./e.csv');
    assert.equal(ran.exitCode, 2, ran.stderr);
    assert.match(ran.stderr, /e\.csv is the input of batch e; it was not replaced/);
  });

  it('refuses another service than that of the batch, and an unknown batch', async () => {
    const env = {...desk.env(), REMIT_BASE_URL: 'https://other.test'};
    assert.equal((await remit('payouts batch export b --refresh', {env})).exitCode, 11);
    assert.equal((await remit('payouts batch export nope')).exitCode, 4);
    assert.equal((await remit('payouts batch export b --max-rps 5')).exitCode, 2);
  });
});
