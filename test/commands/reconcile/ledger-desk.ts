import assert from 'node:assert/strict';
import type {BankDialect} from '../../../src/sandbox/base/bank-dialect.ts';
import {SandboxDesk} from '../payouts/batch/sandbox-desk.ts';

type ServiceObject = Record<string, unknown>;
type Rewrite = (records: readonly ServiceObject[]) => readonly ServiceObject[];

/** Commands that show the payment with this id, of batch `nov`, and what the bank has returned. */
export const readersOf = (id: string): string[] => [
  ...[`payouts get ${id}`, `payouts wait ${id}`],
  ...['payouts batch status nov', 'payouts batch report nov', 'payouts batch export nov'],
  'payouts batch resume nov --yes',
];

/** A desk with batch `nov` of three settled payouts, and the account that they left. */
export class LedgerDesk {
  readonly desk: SandboxDesk;
  readonly account: string;
  readonly payee: string;
  readonly #send: SandboxDesk['transport']['send'];

  private constructor(desk: SandboxDesk, account: string, payee: string) {
    this.desk = desk;
    this.#send = desk.transport.send.bind(desk.transport);
    this.account = account;
    this.payee = payee;
  }

  static async open(
    rows = ['INV-2026-001', 'INV-2026-002', 'INV-2026-003'],
    dialect: BankDialect = 'id',
    env: Record<string, string> = {},
  ): Promise<LedgerDesk> {
    const desk = await SandboxDesk.open({bankDialect: dialect}, env);
    const payee = await desk.party('payee');
    desk.file(
      'nov.csv',
      'reference,payee_id,amount,currency_code,rail',
      rows.map((reference, at) => `${reference},${payee.id},${100 + at}.50,USD,standard_ach`),
    );
    const ran = await desk.remit('payouts batch run ./nov.csv --batch-id nov --yes --until settled');
    assert.equal(ran.exitCode, 0, ran.stderr);
    const accounts = (await desk.remit('treasury accounts list --json')).json() as {
      id: string;
      label: string;
    }[];
    const account = accounts.find(({label}) => label === 'Operating');
    assert.ok(account !== undefined);
    return new LedgerDesk(desk, account.id, payee.id);
  }

  /** The record of a row. */
  async record(reference: string, batch = 'nov'): Promise<string> {
    const row = (await this.desk.remit(`payouts batch status ${batch} --row ${reference} --json`)).json();
    return (row as {id: string}).id;
  }

  /** The bank sends the money back; the service keeps showing the payout as settled. */
  async returned(reference: string, {code = 'R03', batch = 'nov'} = {}): Promise<string> {
    const id = await this.record(reference, batch);
    await this.desk.sandbox.sandbox.simulate({kind: 'payout', id, outcome: 'return', code});
    return id;
  }

  /** From now on the bank reports these lines instead. */
  bank(change: Rewrite): void {
    this.#rewrite(/\/transactions/, change);
  }

  /** From now on the service lists these payouts instead. */
  payouts(change: Rewrite): void {
    this.#rewrite(/^\/api\/payouts(?:\?|$)/, change);
  }

  /** From now on the service says what is so. */
  honest(): void {
    this.desk.transport.send = this.#send;
  }

  #rewrite(path: RegExp, change: Rewrite): void {
    const {transport} = this.desk;
    const send = transport.send.bind(transport);
    transport.send = async (request) => {
      const answer = await send(request);
      if (request.method !== 'GET' || !path.test(request.path)) return answer;
      const body = JSON.parse(answer.body.toString()) as {data: ServiceObject[]};
      return {...answer, body: Buffer.from(JSON.stringify({...body, data: change(body.data)}))};
    };
  }

  reconcile(flags = '') {
    return this.desk.remit(`reconcile --account ${this.account}${flags === '' ? '' : ` ${flags}`}`);
  }
}
