import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, describe, it} from 'mocha';
import {listedColumns, rowsOf} from '../../src/cli/help/outputs/listed-columns.ts';
import {OUTPUTS} from '../../src/cli/help/outputs/outputs.ts';
import {sourceConfig, type CliOptions, type CliResult} from '../cli/run-cli.ts';
import {delivery, forward, idOf, record} from '../webhooks/record/deliveries.ts';
import {LiveSandbox} from './sandbox/live-sandbox.ts';
import {Receiver} from './webhooks/receiver.ts';

const OTHER_ID = '018f0000-0000-7000-8000-000000000000';
const SECRET = 'whsec_0123456789abcdef';
const HOOK = {
  type: 'event',
  delivery: idOf(1),
  received_at: '2026-03-02T15:00:00.000Z',
  headers: [],
  body_base64: 'e30=',
};
const VERIFIED = {
  stdin: `${JSON.stringify(HOOK)}\n${JSON.stringify({...HOOK, delivery: idOf(2)})}\n`,
};

/** What was made last, by kind. */
type Made = Readonly<Record<string, string>>;

/** What is typed after the words of a list; undefined as long as there is nothing to name. */
type Rest = (made: Made) => readonly string[] | undefined;

const none: Rest = () => [];
const waited =
  (kind: string): Rest =>
  ({[kind]: id}) =>
    id === undefined ? undefined : [id, OTHER_ID, '--timeout', '1s'];
const ofBatch =
  (kind: string): Rest =>
  ({[kind]: batch}) =>
    batch === undefined ? undefined : [batch];

/** Every command that prints a list, and what it is typed with. `ids` are the payments that were made. */
const LISTS: Readonly<Record<string, Rest>> = {
  'payees:list': none,
  'payers:list': none,
  'payouts:list': none,
  'payins:list': none,
  'payouts:list --summary': none,
  'payins:list --summary': none,
  'payment-methods:list': ({payee = ''}) => ['--payee', payee],
  'moves:list': none,
  'subaccounts:list': none,
  'treasury:accounts:list': none,
  'treasury:transactions': ({account = ''}) => [account],
  'treasury:balance': ({account = ''}) => [account, '--history', '--days', '3'],
  'transfers:list': none,
  'payouts:wait': waited('payout'),
  'payins:wait': waited('payin'),
  'transfers:wait': waited('transfer'),
  'webhooks:endpoints:list': none,
  'webhooks:event-types': none,
  'webhooks:events:list': none,
  'webhooks:events:replay': ({receiver = ''}) => ['--failed', '--forward-to', receiver],
  'webhooks:verify': ({payout}) => (payout === undefined ? undefined : ['-']),
  'payouts:batch:list': none,
  'payins:batch:list': none,
  'payouts:batch:find': ofBatch('payout batch'),
  'payins:batch:find': ofBatch('payin batch'),
  'payouts:batch:export': ofBatch('payout batch'),
  'payins:batch:export': ofBatch('payin batch'),
  'profiles:list': none,
  'reconcile:statements': none,
  explain: ({payout}) => [payout === undefined ? 'R01' : 'settled'],
  'sandbox:seed': ({payout}) => [payout === undefined ? '--payees' : '--payers', '1'],
  'sandbox:keys': none,
  'sandbox:magic': none,
  'sandbox:faults:list': none,
  'sandbox:checkpoint:list': none,
  'sandbox:deliveries:list': none,
};

describe('the columns of a list in CSV', () => {
  const sandbox = new LiveSandbox();
  const made: Record<string, string> = {};
  let receiver: Receiver;
  /** What each list printed, at each time. */
  const printed = new Map<string, string[]>();

  const remit = (words: readonly string[], options: CliOptions = {}): Promise<CliResult> =>
    sandbox.run(words, {cwd: sandbox.home, uuid: randomUUID, ...options});

  /** Runs a line that makes something; its first id is that of `kind`. */
  async function make(kind: string, line: string): Promise<string> {
    const {exitCode, stdout, stderr} = await remit([...line.split(' '), '-o', 'id']);
    assert.ok([0, 8].includes(exitCode), `${line}: ${stderr}`);
    return (made[kind] = stdout.split('\n')[0] ?? '');
  }

  /** Reads a statement of an account, after the one before it was forgotten. */
  async function readStatement(account: string, file: string): Promise<void> {
    const {statement: before} = made;
    if (before !== undefined) {
      const forgotten = await remit(['reconcile', 'forget', before, '--note', 'wrong']);
      assert.equal(forgotten.exitCode, 0, forgotten.stderr);
    }
    const from = ['--account', account];
    await remit(['sandbox', 'statement', ...from, '--format', 'camt053', '--out', file]);
    const {exitCode, stderr} = await remit(['reconcile', ...from, '--statement', file]);
    assert.ok([0, 8].includes(exitCode), stderr);
    await make('statement', 'reconcile statements');
  }

  async function batch(kind: 'payout' | 'payin', name: string, party: string): Promise<void> {
    const file = join(sandbox.home, `${name}.csv`);
    const column = kind === 'payout' ? 'payee_id' : 'payer_id';
    writeFileSync(file, `reference,${column},amount,currency_code\n${name},${party},9.00,USD\n`);
    await make(`${kind} batch`, `${kind}s batch run ${file} --namespace ${name} --batch-id ${name} --yes`);
    made[`${kind} batch`] = name;
  }

  /** Records of every kind. Those of the second time have fields that the first ones lack, and the other way round. */
  async function fill(time: 'first' | 'second'): Promise<void> {
    const isSecond = time === 'second';
    const pay = `--amount ${isSecond ? '6.00 --metadata team=a' : '5.00 --metadata order=7'} --currency USD`;
    const hook = `--url https://127.0.0.1/${time} --event-types payout.debited`;
    await make('endpoint', `webhooks endpoints create ${hook} --secret-file ${time}.secret`);
    const payee = await make('payee', `sandbox seed --payees 1 --seed ${time}`);
    const payer = await make('payer', `sandbox seed --payers 1 --seed ${time}`);
    await make('payout', `payouts create --payee ${payee} ${pay} --auto-approve`);
    await make('payin', `payins create --payer ${payer} ${pay}`);
    const from = await make('subaccount', `subaccounts create --name From-${time}`);
    const to = await make('subaccount', `subaccounts create --name To-${time}`);
    const described = isSecond ? ' --description rent' : '';
    await make('move', `moves create --source ${from} --destination ${to} --amount-minor 1${described}`);
    const [one = '', two = ''] = (await remit(['treasury', 'accounts', 'list', '-o', 'id'])).stdout.split(
      '\n',
    );
    await make('credit', `treasury simulate-credit ${one} --amount 3.00 --currency USD`);
    made['account'] = one;
    const accounts = `--source ${one} --destination ${two} --rail book`;
    await make('transfer', `transfers create ${accounts} --amount 1.00 --currency USD${described}`);
    await make(
      'fault',
      `sandbox faults add ${isSecond ? 'duplicate --event payin.failed' : 'latency --operation moves.get'}`,
    );
    await readStatement(one, join(sandbox.home, `${time}.xml`));
    await make('checkpoint', `sandbox checkpoint save ${time}`);
    await batch('payout', `out-${time}`, payee);
    await batch('payin', `in-${time}`, payer);
    const n = isSecond ? 2 : 1;
    const changes = isSecond ? {eventType: null, body: Buffer.from('[1]')} : {};
    await record(join(sandbox.env.REMIT_STATE_DIR, 'webhooks', 'record'), [
      {kind: 'delivery', delivery: delivery(n, {targets: [receiver.url], ...changes})},
      {kind: 'forward', forward: forward(n, {target: receiver.url, status: 500, attempt: 5, gaveUp: true})},
    ]);
  }

  async function list(): Promise<void> {
    for (const [line, rest] of Object.entries(LISTS)) {
      const words = rest(made);
      if (words === undefined) continue;
      const typed = [...line.split(/[: ]/), ...words, '-o', 'csv'];
      const {stdout, stderr} = await remit(
        typed,
        line === 'webhooks:verify' ? {...VERIFIED, env: {...sandbox.env, REMIT_WEBHOOK_SECRET: SECRET}} : {},
      );
      assert.doesNotMatch(stderr, /also sends|no column/, line);
      printed.set(line, [...(printed.get(line) ?? []), stdout || stderr]);
    }
  }

  before(async () => {
    await sandbox.start(['--timing', 'instant']);
    receiver = await Receiver.open((response) => response.writeHead(500).end());
    made['receiver'] = receiver.url;
    [made['account'] = ''] = (await remit(['treasury', 'accounts', 'list', '-o', 'id'])).stdout.split('\n');
    await make('payee', 'payees create --name Acme --type business');
    await list();
    for (const time of ['first', 'second'] as const) {
      await fill(time);
      await list();
    }
  });
  after(async () => {
    await remit(['sandbox', 'stop']);
    await sandbox.ended();
    receiver.close();
  });

  it('are compared for every command that prints one', async () => {
    const all = (await sourceConfig()).commands.filter(({hidden}) => !hidden).map(({id}) => id);
    const lists = all.filter((id) => rowsOf(OUTPUTS[id]) !== undefined);
    assert.deepEqual(
      [...new Set(Object.keys(LISTS).map((line) => line.split(' ')[0] ?? ''))].toSorted(),
      lists.toSorted(),
      'add the command to LISTS',
    );
  });

  for (const line of Object.keys(LISTS))
    it(`are declared, with and without records: ${line.replaceAll(':', ' ')}`, () => {
      const texts = printed.get(line) ?? [];
      const [header = '', ...others] = texts.map((text) => text.split('\n')[0]);
      assert.ok(texts.length > 1);
      for (const other of others) assert.equal(other, header);
      assert.match(texts.at(-1) ?? '', /\n.+\n/, 'it has a record');
      if (!line.includes(' ')) assert.equal(header, listedColumns(line)?.join(','));
    });
});
