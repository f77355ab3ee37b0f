import assert from 'node:assert/strict';
import {readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {VirtualClock} from '../../../batch/virtual-clock.ts';
import {BASE_URL, type CliResult, runCli} from '../../../cli/run-cli.ts';
import {shellTokens} from '../../../repo/command-lines.ts';
import {SandboxService} from '../../sandbox-service.ts';

/** A magic account of the sandbox: what is sent to it comes back with R03. */
const NO_ACCOUNT = '10003';
const GOOD_ACCOUNT = '123456789';
const DAYS = 5 * 86_400_000;

interface Payout {
  id: string;
  payee_id: string;
  status: string;
  client_metadata: Record<string, string>;
}

/** An operator at a terminal: what is typed is what was printed, and every question is answered with yes. */
class Terminal {
  readonly folder = mkdtempSync(join(tmpdir(), 'remit-repaired-'));
  readonly clock = new VirtualClock();
  readonly service: SandboxService;
  #keys = 0;

  constructor(service: SandboxService) {
    this.service = service;
  }

  async type(line: string, expected = 0): Promise<CliResult> {
    const words = shellTokens(line).map(({text}) => text);
    assert.equal(words[0], 'remit', line);
    const ran = await runCli(words.slice(1), {
      env: {HOME: this.folder, USER: 'ada'},
      service: this.service,
      clock: this.clock,
      cwd: this.folder,
      columns: 120,
      answers: [true, true, true],
      uuid: () => `11111111-2222-4333-8444-${String(++this.#keys).padStart(12, '0')}`,
      ...(words[1] === 'profiles' ? {stdin: this.service.testKey} : {}),
    });
    assert.equal(ran.exitCode, expected, `${line}\n${ran.stdout}${ran.stderr}`);
    return ran;
  }

  /** Time in which payments settle or come back. */
  pass(): void {
    this.service.sandbox.clock.pass(DAYS);
  }

  async payee(name: string, account: string): Promise<string> {
    const made = (await this.type(`remit payees create --name ${name} --type business --json`)).json() as {
      id: string;
    };
    await this.account(made.id, account);
    return made.id;
  }

  /** Adds a bank account and makes it the default once it is verified. */
  async account(payee: string, account: string): Promise<void> {
    const line = `remit payment-methods add --payee ${payee} --account-number ${account} --routing-number 110000000 --holder-name Acme --json`;
    const {id} = (await this.type(line)).json() as {id: string};
    this.service.sandbox.passVerification();
    await this.type(`remit payment-methods set-default ${id} --payee ${payee}`);
  }

  async summary(batch: string): Promise<Summary> {
    return (await this.type(`remit payouts batch status ${batch} --json`)).json() as Summary;
  }

  /** What the service has of a reference: the status of each of its records, the oldest first. */
  async records(reference: string): Promise<string[]> {
    const all = (await this.type('remit payouts list --all --json')).json() as Payout[];
    return all
      .filter((one) => one.client_metadata['remit_reference'] === reference)
      .map(({status}) => status)
      .reverse();
  }

  close(): void {
    rmSync(this.folder, {recursive: true, force: true});
  }
}

const printed = (ran: CliResult, label: RegExp): string => {
  const found = label.exec(ran.stdout);
  assert.ok(found, `${label} in\n${ran.stdout}`);
  return found[1]!.replaceAll(/ \\\n +/g, ' '); // a long command goes on in the next line
};
const NEXT = /^Next +((?:.+\\\n)*.+)$/m;
const FAILED = /^Failed .+\n +((?:.+\\\n)*.+)$/m;

describe('a payout that is returned with R03, repaired by the printed commands', () => {
  let terminal: Terminal;
  let moved: string;
  beforeEach(async () => {
    terminal = new Terminal(await SandboxService.open());
    await terminal.type(`remit profiles add acme --base-url ${BASE_URL} --key-stdin`);
    moved = await terminal.payee('Moved', NO_ACCOUNT);
    const steady = await terminal.payee('Steady', GOOD_ACCOUNT);
    const rows = [`INV-1,${steady},100.00,USD`, `Miller's 2,${moved},250.50,USD`];
    writeFileSync(
      join(terminal.folder, 'p.csv'),
      `reference,payee_id,amount,currency_code\n${rows.join('\n')}\n`,
    );
    const ran = await terminal.type(`remit payouts batch run ${terminal.folder}/p.csv --batch-id b`);
    assert.match(ran.stdout, /Batch b is complete: 2 of 2 rows accepted/);
    terminal.pass();
  });
  afterEach(async () => {
    terminal.close();
    await terminal.service.sandbox.close();
  });

  /** The failure is seen, and the payee gives another account. */
  async function repair(): Promise<CliResult> {
    await terminal.type('remit payouts batch status b --refresh', 8);
    const seen = await terminal.type('remit payouts batch report b', 8);
    assert.match(seen.stdout, /Batch b is not complete: 2 of 2 rows accepted, of which 1 failed\./);
    assert.match(seen.stdout, /Miller's 2: failed, R03/);
    assert.doesNotMatch(seen.stdout + seen.stderr, /cancel/i);
    const listed = (await terminal.type('remit payouts batch list --json')).json() as {state: string}[];
    assert.deepEqual(
      listed.map(({state}) => state),
      ['incomplete'],
    );
    await terminal.account(moved, GOOD_ACCOUNT);
    return seen;
  }

  async function isPaidOnce(): Promise<void> {
    const status = await terminal.summary('b');
    assert.deepEqual([status.state, status.failed, status.next], ['complete', 0, null]);
    const page = await terminal.type('remit payouts batch report b --html');
    const html = readFileSync(printed(page, /^Report +(.+)$/m), 'utf8');
    assert.doesNotMatch(html, /Not complete/);
    assert.deepEqual(await terminal.records("Miller's 2"), ['failed', 'settled']);
    assert.deepEqual(await terminal.records('INV-1'), ['settled']);
  }

  it('is paid by retry, which lists the row and its amount before it asks', async () => {
    const seen = await repair();
    const next = printed(seen, NEXT);
    assert.equal(next, 'remit payouts batch retry b -p acme');
    const again = await terminal.type(next);
    assert.match(
      again.stderr,
      /To be sent again:\n {2}Miller's 2 {2}250\.50 USD {2}with a new key: record \S+ has failed \(R03\)/,
    );
    assert.deepEqual(again.questions.length, 1);
    terminal.pass();
    const settled = await terminal.type('remit payouts batch status b --refresh');
    assert.match(settled.stdout, /Batch b is complete: 2 of 2 rows accepted/);
    await isPaidOnce();
  });

  it('is paid by a separate batch of failed.csv, which the first batch then shows', async () => {
    const seen = await repair();
    const command = printed(seen, FAILED);
    assert.match(command, /^remit payouts batch run \S+b\.failed\.csv -p acme$/);
    const file = readFileSync(join(terminal.folder, 'b.failed.csv'), 'utf8');
    assert.match(file, /^"reference","payee_id","amount","currency_code"\r\n"Miller's 2",/);
    const ran = await terminal.type(command);
    const second = /^Batch (\S+) is complete: 1 of 1 row accepted/m.exec(ran.stdout)![1]!;
    terminal.pass();
    await terminal.type(`remit payouts batch status ${second} --refresh`);
    const first = await terminal.type('remit payouts batch status b');
    assert.match(first.stdout, /Batch b is complete: 1 of 2 rows accepted, 1 paid by another batch/);
    assert.doesNotMatch(first.stdout, /^Failed/m); // its file is still there, and its rows are paid
    const report = await terminal.type('remit payouts batch report b');
    assert.doesNotMatch(report.stdout, /Failed/);
    const results = readFileSync(join(terminal.folder, 'b.results.csv'), 'utf8');
    assert.match(results, new RegExp(`"already_paid".*paid by batch ${second}, record `));
    await isPaidOnce();
    const retried = await terminal.type('remit payouts batch retry b');
    assert.match(retried.stderr, /No row is sent again/);
    await isPaidOnce();
  });

  it('goes to failed.csv also after a retry that was rejected, and is paid there', async () => {
    const seen = await repair();
    terminal.service.sandbox.clock.pass(1000);
    // The retry is refused by the service: the row stands rejected under its second key.
    const send = terminal.service.send.bind(terminal.service);
    terminal.service.send = async (request) =>
      request.method === 'POST' && String(request.body).includes("Miller's 2")
        ? {
            status: 422,
            headers: {'content-type': 'application/json'},
            body: Buffer.from('{"error_code":"INVALID_PAYMENT_DETAILS","message":"no usable account"}'),
          }
        : send(request);
    const refused = await terminal.type(printed(seen, NEXT), 8);
    assert.match(refused.stdout, /Batch b is not complete: 1 of 2 rows accepted; 1 rejected/);
    terminal.service.send = send;
    const ran = await terminal.type(printed(refused, FAILED));
    assert.match(ran.stdout, /is complete: 1 of 1 row accepted/);
    terminal.pass();
    await isPaidOnce();
  });
});
