import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, describe, it} from 'mocha';
import {RemitClient} from '../../src/client/client.ts';
import {isObject} from '../../src/narrow.ts';
import {checkService} from '../../src/service/file/parse.ts';
import type {ServiceFile} from '../../src/service/service-file.ts';
import {seeded} from '../batch/harness.ts';
import {VirtualClock} from '../batch/virtual-clock.ts';
import {BASE_URL, runCli, type CliResult} from '../cli/run-cli.ts';
import {MONDAY} from '../sandbox/harness.ts';
import {DIFFERENCES} from './differences.ts';
import {SandboxService} from './sandbox-service.ts';
import {BANK_ACCOUNT} from '../client/bank-account.ts';

/** Results by difference; REMIT_PRINT_COUNTS=1 prints them. */
const counts = {
  differences: 0,
  namedWithoutFile: 0,
  workedWithoutFile: 0,
  honest: 0,
  repaired: 0,
  together: 0,
  rows: 0,
  paidTwice: 0,
};

/** A service that differs, and a user who runs commands against it. */
class Differing {
  readonly folder = mkdtempSync(join(tmpdir(), 'remit-matrix-'));
  readonly service: SandboxService;
  readonly payee: string;
  readonly #file: ServiceFile;
  /** The clock of batches, whose timers run in the background. */
  readonly #clock = new VirtualClock(Date.parse(MONDAY));

  private constructor(service: SandboxService, file: ServiceFile, payee: string) {
    this.service = service;
    this.#file = file;
    this.payee = payee;
    writeFileSync(join(this.folder, 'service.json'), JSON.stringify(file));
  }

  static async open(file: ServiceFile): Promise<Differing> {
    const service = await SandboxService.open({service: file});
    const client = clientOf(service, file);
    const {data: payee} = await client.payees.create({name: 'Acme'});
    const added = await client.payeePaymentMethods.add({payee_id: payee.id}, BANK_ACCOUNT);
    service.sandbox.passVerification();
    await client.payeePaymentMethods.setDefault({payee_id: payee.id, payment_method_id: added.data.id});
    return new Differing(service, file, payee.id);
  }

  remit(line: string, withFile: boolean): Promise<CliResult> {
    return runCli(line.split(' '), {
      service: this.service,
      clock: line.startsWith('payouts batch') ? this.#clock : this.service.clock,
      uuid: randomUUID,
      cwd: this.folder,
      env: {
        ...{HOME: this.folder, REMIT_API_KEY: this.service.testKey, REMIT_BASE_URL: BASE_URL},
        ...(withFile ? {REMIT_SERVICE_FILE: join(this.folder, 'service.json')} : {}),
      },
    });
  }

  rows(name: string, references: readonly string[]): string {
    const lines = references.map(
      (reference, at) => `${reference},${this.payee},${at + 1}.50,USD,standard_ach,note-${at}`,
    );
    writeFileSync(
      join(this.folder, name),
      `reference,payee_id,amount,currency_code,rail,metadata.note\n${lines.join('\n')}\n`,
    );
    return join(this.folder, name);
  }

  /** How often each reference was paid, according to the service. */
  async paid(): Promise<Map<string, number[]>> {
    const paid = new Map<string, number[]>();
    const key = this.#file.metadata?.reference ?? 'remit_reference';
    for await (const payout of clientOf(this.service, this.#file).payouts.list()) {
      const metadata = payout.client_metadata as Record<string, string> | null;
      const reference = metadata?.['remit_reference'] ?? metadata?.[key];
      if (reference === undefined || ['created', 'canceled'].includes(payout.status)) continue;
      paid.set(reference, [...(paid.get(reference) ?? []), payout.amount_in_minor_units]);
    }
    return paid;
  }

  async close(): Promise<void> {
    await this.service.sandbox.close();
    rmSync(this.folder, {recursive: true, force: true});
  }
}

const clientOf = (service: SandboxService, file: ServiceFile) =>
  new RemitClient({
    baseUrl: BASE_URL,
    key: service.testKey,
    transport: service,
    clock: service.clock,
    service: file,
  });

const REFERENCES = ['R-1', 'R-2', 'R-3'];
const AMOUNTS = [150, 250, 350];

describe('a service that differs', function () {
  let at: Differing | undefined;
  afterEach(async () => {
    await at?.close();
    at = undefined;
  });

  const create = (differing: Differing) =>
    `payouts create --payee ${differing.payee} --amount 12.50 --currency USD --rail standard_ach --metadata a=b`;

  /** Runs every command that a service file must make work, and a batch. */
  async function works(differing: Differing, batch: string): Promise<void> {
    const done = async (line: string) => {
      const ran = await differing.remit(line, true);
      assert.equal(ran.exitCode, 0, `${line}\n${ran.stdout}\n${ran.stderr}`);
      return ran;
    };
    // Another amount: a payment that is in doubt without the service file is not sent again.
    const line = create(differing).replace('12.50', '12.75');
    const made = (await done(`${line} --json`)).json() as Record<string, unknown>;
    assert.deepEqual(
      [made['amount_in_minor_units'], made['status'], made['payee_id']],
      [1275, 'created', differing.payee],
    );
    const id = String(made['id']);
    const approved = (await done(`payouts approve ${id} --wait --json`)).json() as Record<string, unknown>;
    assert.equal(approved['status'], 'settled');
    const listed = (await done('payouts list --all --order asc --json')).json() as Record<string, unknown>[];
    assert.ok(listed.some((one) => one['id'] === id && one['amount_in_minor_units'] === 1275));
    const raw = (await done(`api GET /api/payouts/${id} --json`)).json() as Record<string, unknown>;
    assert.equal(raw['amount_in_minor_units'], 1275);
    await done(`payouts batch ${batch} --yes`);
    await done('payouts batch status b --refresh');
    const paid = await differing.paid();
    for (const [n, reference] of REFERENCES.entries()) {
      counts.rows++;
      if ((paid.get(reference) ?? []).length > 1) counts.paidTwice++;
      assert.deepEqual(paid.get(reference), [AMOUNTS[n]], `${reference} is paid once`);
    }
  }

  for (const {name, service, needsNone = false} of DIFFERENCES)
    it(`by ${name}: reports the truth without a service file, works with one line of it`, async () => {
      counts.differences++;
      at = await Differing.open(service);
      const file = at.rows('rows.csv', REFERENCES);
      const before = [
        await at.remit(create(at), false),
        await at.remit('payouts list --order desc --page-size 5', false),
        await at.remit('payouts get 018f0000-0000-7000-8000-000000000000', false),
        await at.remit(`payouts batch run ${file} --batch-id b --yes`, false),
      ] as const;
      const text = before.map(({stdout, stderr}) => stdout + stderr).join('\n');
      const paid = await at.paid();
      for (const [reference, amounts] of paid)
        assert.equal(amounts.length, 1, `${reference}: ${amounts.join()}`);
      const isComplete = before[3].exitCode === 0;
      if (isComplete)
        for (const [n, reference] of REFERENCES.entries())
          assert.deepEqual(paid.get(reference), [AMOUNTS[n]]);
      counts.honest++;
      const works0 = before.every(({exitCode}, n) => exitCode === 0 || (n === 2 && exitCode === 4));
      if (works0) counts.workedWithoutFile++;
      const isNamed = /in the service file/.test(text);
      if (isNamed) counts.namedWithoutFile++;
      assert.ok(needsNone || works0 || isNamed, `nothing names the way out of ${name}:\n${text}`);
      for (const {stdout, stderr} of before)
        if (/in the service file/.test(stdout + stderr) && !needsNone)
          assert.match(stderr, /^Hint: .*remit doctor$/m, stdout + stderr);
      const isHeld = before[3].stdout.includes('held: their record differs');
      await works(at, isComplete || isHeld ? 'resume b' : `run ${file} --batch-id b`);
      counts.repaired++;
    });

  for (const seed of [1, 2, 3])
    it(`by twelve of these at once, chosen with seed ${seed}: works with one service file`, async () => {
      const service = together(seed);
      at = await Differing.open(service);
      const file = at.rows('rows.csv', REFERENCES);
      const before = await at.remit(`payouts batch run ${file} --batch-id b --yes`, false);
      assert.notEqual(before.exitCode, 0);
      assert.match(before.stdout + before.stderr, /in the service file/);
      assert.equal((await at.paid()).size, 0);
      await works(at, `run ${file} --batch-id b`);
      counts.together++;
    });

  it('in at least 30 ways: nothing is paid twice, and one line is enough for each', () => {
    if (process.env['REMIT_PRINT_COUNTS'])
      process.stderr.write(`    service matrix: ${JSON.stringify(counts)}
`);
    assert.ok(DIFFERENCES.length >= 30);
    const {differences, honest, repaired, paidTwice} = counts;
    assert.deepEqual([honest, repaired, paidTwice], [differences, differences, 0]);
  });
});

/** Twelve differences as one file. If several set the same key, the first one counts. */
function together(seed: number): ServiceFile {
  const random = seeded(seed);
  const shuffled = DIFFERENCES.map((one) => ({one, at: random()})).sort((a, b) => a.at - b.at);
  const chosen: ServiceFile[] = [];
  for (const {one} of shuffled)
    if (chosen.length < 12 && !chosen.some((other) => contradicts(other, one.service)))
      chosen.push(one.service);
  assert.equal(chosen.length, 12);
  return checkService(chosen.reduce(merged, {}), 'twelve differences');
}

const contradicts = (a: ServiceFile, b: ServiceFile): boolean =>
  haveOneKey(a, b) || arePagedBoth(a, b) || arePagedBoth(b, a);

/** A service that pages without cursors cannot also have them somewhere else. */
const arePagedBoth = (a: ServiceFile, b: ServiceFile): boolean =>
  a.paging?.by !== undefined && b.envelopes?.next !== undefined;

const haveOneKey = (a: object, b: object): boolean =>
  Object.entries(a).some(([name, value]) => {
    const other: unknown = Object.entries(b).find(([key]) => key === name)?.[1];
    if (other === undefined) return false;
    return isObject(value) && isObject(other) ? haveOneKey(value, other) : true;
  });

const merged = (a: object, b: object): object =>
  Object.fromEntries(
    [...new Set([...Object.keys(a), ...Object.keys(b)])].map((name) => {
      const [one, other] = [a, b].map(
        (part): unknown => Object.entries(part).find(([key]) => key === name)?.[1],
      );
      return [name, isObject(one) && isObject(other) ? merged(one, other) : (other ?? one)];
    }),
  );
