import assert from 'node:assert/strict';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {RemitClient} from '../../src/client/client.ts';
import type {Transport} from '../../src/client/transport/transport.ts';
import {VirtualClock} from '../batch/virtual-clock.ts';
import {BANK_ACCOUNT} from '../client/bank-account.ts';
import {BASE_URL, runCli} from '../cli/run-cli.ts';
import {MONDAY} from '../sandbox/harness.ts';
import {SandboxService} from './sandbox-service.ts';

const UUID = /"([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})"/g;

/** The sandbox with numbers in place of UUIDs: in answers as JSON numbers, in requests as text or numbers. */
class Numbered implements Transport {
  readonly #inner: Transport;
  readonly #first: bigint;
  readonly #ids: string[] = [];

  constructor(inner: Transport, first: bigint) {
    this.#inner = inner;
    this.#first = first;
  }

  #number(id: string): string {
    if (!this.#ids.includes(id)) this.#ids.push(id);
    return String(this.#first + BigInt(this.#ids.indexOf(id)));
  }

  #idOf(number: string): string | undefined {
    return this.#ids[Number(BigInt(number) - this.#first)];
  }

  async send(request: Parameters<Transport['send']>[0]) {
    const {body, path} = request;
    const answer = await this.#inner.send({
      ...request,
      path: path.replaceAll(/(?<=[/=])\d{16}/g, (number) => this.#idOf(number) ?? number),
      body: body?.replaceAll(/"(\d{16})"/g, (_, number: string) =>
        JSON.stringify(this.#idOf(number) ?? number),
      ),
    });
    const text = answer.body.toString('utf8').replaceAll(UUID, (_, id: string) => this.#number(id));
    return {...answer, body: Buffer.from(text)};
  }

  close = () => this.#inner.close();
}

describe('ids that are JSON numbers', function () {
  let folder: string;
  let service: SandboxService;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'remit-numbers-'));
    service = await SandboxService.open();
    writeFileSync(join(folder, 'service.json'), '{"ids":{"format":"any"}}');
  });
  afterEach(async () => {
    rmSync(folder, {recursive: true, force: true});
    await service.sandbox.close();
  });

  async function at(first: bigint) {
    const transport = new Numbered(service, first);
    const clock = new VirtualClock(Date.parse(MONDAY));
    const remit = async (line: string, exitCode = 0) => {
      const ran = await runCli(line.split(' '), {
        ...{service: transport, cwd: folder},
        clock: line.startsWith('payouts batch') ? clock : service.clock,
        env: {
          ...{HOME: folder, REMIT_API_KEY: service.testKey, REMIT_BASE_URL: BASE_URL},
          REMIT_SERVICE_FILE: join(folder, 'service.json'),
        },
      });
      assert.equal(ran.exitCode, exitCode, `${line}\n${ran.stdout}\n${ran.stderr}`);
      return ran;
    };
    return {transport, remit};
  }

  /** A payee who can be paid. */
  async function payeeOf(transport: Transport): Promise<string> {
    const client = new RemitClient({
      baseUrl: BASE_URL,
      key: service.testKey,
      transport,
      clock: service.clock,
    });
    const {data: payee} = await client.payees.create({name: 'Acme'});
    assert.equal(typeof payee.id, 'string');
    const {data: method} = await client.payeePaymentMethods.add({payee_id: payee.id}, BANK_ACCOUNT);
    service.sandbox.passVerification();
    await client.payeePaymentMethods.setDefault({payee_id: payee.id, payment_method_id: method.id});
    return payee.id;
  }

  it('are text in commands, lists, waits and batches', async () => {
    const {transport, remit} = await at(9_007_199_254_740_000n);
    const payee = await payeeOf(transport);
    const create = `payouts create --payee ${payee} --amount 12.50 --currency USD --rail standard_ach --json`;
    const made = (await remit(create)).json() as Record<string, unknown>;
    assert.deepEqual([typeof made['id'], made['payee_id']], ['string', payee]);
    const id = String(made['id']);
    assert.match(id, /^900719925474\d{4}$/);
    assert.equal((await remit(`payouts get ${id} -o id`)).stdout, `${id}\n`);
    const approved = (await remit(`payouts approve ${id} --wait --json`)).json() as Record<string, unknown>;
    assert.deepEqual([approved['id'], approved['status']], [id, 'settled']);
    const listed = (await remit('payouts list --all --json')).json() as Record<string, unknown>[];
    assert.deepEqual([listed[0]!['id'], listed[0]!['payee_id']], [id, payee]);
    const rows = ['R-1', 'R-2'].map((reference) => `${reference},${payee},1.50,USD,standard_ach\n`);
    writeFileSync(join(folder, 'p.csv'), `reference,payee_id,amount,currency_code,rail\n${rows.join('')}`);
    await remit(`payouts batch run ${join(folder, 'p.csv')} --batch-id b --yes --accept duplicates=1`);
    const status = (await remit('payouts batch status b --refresh --json')).json() as Record<string, unknown>;
    assert.deepEqual([status['state'], status['accepted']], ['complete', 2]);
  });

  it('are exact where JSON.parse would round them', async () => {
    const {transport, remit} = await at(9_007_199_254_740_991n);
    const payee = await payeeOf(transport); // …991, and its payment method …992
    const create = `payouts create --payee ${payee} --amount 12.50 --currency USD --rail standard_ach --json`;
    const made = (await remit(create)).json() as Record<string, unknown>;
    assert.equal(made['id'], '9007199254740993');
    const listed = (await remit('payouts list --json')).json() as Record<string, unknown>[];
    assert.deepEqual([listed.length, listed[0]!['id']], [1, '9007199254740993']);
    writeFileSync(
      join(folder, 'p.csv'),
      `reference,payee_id,amount,currency_code,rail\nR-1,${payee},1.50,USD,standard_ach\n`,
    );
    await remit(`payouts batch run ${join(folder, 'p.csv')} --batch-id b --yes`);
    const row = (await remit('payouts batch export b --json')).json() as Record<string, unknown>[];
    assert.equal(row[0]!['payout_id'], '9007199254740994');
  });
});
