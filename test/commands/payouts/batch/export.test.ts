import assert from 'node:assert/strict';
import {lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Transport} from '../../../../src/client/transport/transport.ts';
import {BASE_URL, runCli, type CliOptions} from '../../../cli/run-cli.ts';
import {TestSandbox} from '../../../sandbox/harness.ts';
import {VirtualClock} from '../../../batch/virtual-clock.ts';

type Line = Record<string, string | number | null>;

/** `export` on the sandbox, after payouts that settle, fail and are refused. */
describe('payouts batch export', () => {
  let sandbox: TestSandbox;
  let clock: VirtualClock;
  let home: string;
  let requests: string[];
  /** Added to every record that is read. */
  let extra: Record<string, unknown>;
  const transport: Transport = {
    send: async ({method, path, headers, body}) => {
      requests.push(`${method} ${path}`);
      const init = {method, headers: {...headers}, ...(body === undefined ? {} : {body})};
      const response = await sandbox.sandbox.fetch(new Request(`http://localhost${path}`, init));
      const text = await response.text();
      const more = method === 'GET' && response.ok ? {...(JSON.parse(text) as object), ...extra} : undefined;
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: Buffer.from(more === undefined ? text : JSON.stringify(more)),
      };
    },
    close: async () => undefined,
  };
  const remit = (line: string, options: Partial<CliOptions> = {}) =>
    runCli(
      line.split(' ').map((word) => word.replace(/^\.\//, `${home}/`)), // this process does not change its folder
      {
        service: transport,
        clock,
        cwd: home,
        env: {HOME: home, REMIT_API_KEY: sandbox.sandbox.testKey, REMIT_BASE_URL: BASE_URL, USER: 'ada'},
        ...options,
      },
    );

  before(async () => {
    clock = new VirtualClock();
    home = mkdtempSync(join(tmpdir(), 'remit-export-'));
    sandbox = await TestSandbox.open({clock});
    [requests, extra] = [[], {}];
    const payee = await sandbox.party('payee');
    const added = await sandbox.post(`/api/payees/${payee}/payment-methods`, {
      ...{type: 'bank_account', country_code: 'US', currency_code: 'USD'},
      bank_account: {
        ...{account_number: '000123456789', routing_number: '110000000', account_type: 'checking'},
        holder_name: 'Elm Works',
      },
    });
    clock.advance(3000);
    await sandbox.post(`/api/payees/${payee}/payment-methods/${added.body.id}/set-default`, {});
    const unknown = '00000000-0000-4000-8000-000000000001';
    const rows = [
      `INV-1,${payee},10.50,`,
      `INV-2,${payee},11.50,fails_after_initiated`,
      `INV-3,${unknown},12.50,`,
    ];
    writeFileSync(
      join(home, 'p.csv'),
      `reference,payee_id,amount,metadata.sandbox.scenario\n${rows.join('\n')}\n`,
    );
    const ran = await remit(
      'payouts batch run ./p.csv --batch-id b --currency USD --yes --until settled --accept rest',
    );
    assert.notEqual(ran.exitCode, 1, ran.stderr);
  });
  beforeEach(() => ([requests, extra] = [[], {}]));
  after(async () => {
    await sandbox.close();
    rmSync(home, {recursive: true, force: true});
  });

  const exported = async (flags: string) => {
    const ran = await remit(`payouts batch export b -o json ${flags}`.trim());
    assert.equal(ran.exitCode, 0, ran.stderr);
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
    assert.deepEqual([lines[0]!['settled_at'], requests], [null, []]);
    assert.match(String(lines[0]!['as_of']), /^\d{4}-\d\d-\d\dT/);
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
      requests.map((request) => request.split(' ')[0]),
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
    assert.equal(exitCode, 0, stderr);
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
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.match(ran.stdout, /^3 rows of batch b exported to .*x\.\w+\.\n$/);
      const text = readFileSync(join(home, name), 'utf8');
      assert.equal(text.trimEnd().split('\n').length, count, text);
      assert.equal(lstatSync(join(home, name)).mode & 0o777, 0o600);
    }
    const whole = JSON.parse(readFileSync(join(home, 'x.json'), 'utf8')) as Line[];
    assert.deepEqual(whole, await exported(''));
    const asked = await remit('payouts batch export b -o json --out ./y.txt');
    assert.deepEqual(asked.json(), {file: join(home, 'y.txt'), rows: 3});
    assert.equal((JSON.parse(readFileSync(join(home, 'y.txt'), 'utf8')) as Line[]).length, 3);
  });

  it('leaves the earlier file if a record cannot be read, and writes through no link', async () => {
    writeFileSync(join(home, 'kept.csv'), 'before');
    const failing: Transport = {
      ...transport,
      send: async () => ({status: 404, headers: {}, body: Buffer.from('{}')}),
    };
    const ran = await remit('payouts batch export b --refresh --out ./kept.csv', {service: failing});
    assert.notEqual(ran.exitCode, 0);
    assert.equal(readFileSync(join(home, 'kept.csv'), 'utf8'), 'before');
    assert.deepEqual(
      readdirSync(home).filter((name) => name.endsWith('.tmp')),
      [],
    );
    symlinkSync(join(home, 'kept.csv'), join(home, 'link.csv'));
    const linked = await remit('payouts batch export b --out ./link.csv');
    assert.equal(linked.exitCode, 13);
    assert.match(linked.stderr, /is a symbolic link/);
  });

  it('refuses another service than that of the batch, and an unknown batch', async () => {
    const env = {HOME: home, REMIT_API_KEY: sandbox.sandbox.testKey, REMIT_BASE_URL: 'https://other.test'};
    assert.equal((await remit('payouts batch export b --refresh', {env})).exitCode, 11);
    assert.equal((await remit('payouts batch export nope')).exitCode, 4);
    assert.equal((await remit('payouts batch export b --max-rps 5')).exitCode, 2);
  });
});
