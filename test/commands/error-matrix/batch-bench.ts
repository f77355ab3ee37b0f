import assert from 'node:assert/strict';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Summary} from '../../../src/batch/standing/summary.ts';
import {
  TransportFailure,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from '../../../src/client/transport/transport.ts';
import type {TruthRecord} from '../../batch/truth-service.ts';
import {runCli, type CliResult} from '../../cli/run-cli.ts';
import {shellTokens} from '../../repo/command-lines.ts';
import {Desk} from '../payouts/batch/desk.ts';
import {OTHER_ROW, type Fault} from './batch-faults.ts';

/** Whether only the chosen request meets the fault, or all that follow as well. */
export type Reach = 'once' | 'from then on';

export const REFERENCES = ['A-1', 'A-2', 'A-3'] as const;

/** A folder with a file of three rows, the profile `work`, and a service of which one request goes wrong. */
export class BatchBench {
  readonly desk = new Desk();
  /** `POST create A-1`, `GET`, and so on: the requests since the last `arm`. */
  sent: string[] = [];
  #topic = 'payouts';
  #env: Record<string, string> = {};
  #fault: Fault | undefined;
  #first = 0;
  #reach: Reach = 'once';

  static async open(topic: 'payouts' | 'payins' = 'payouts'): Promise<BatchBench> {
    const bench = new BatchBench();
    bench.#topic = topic;
    const party = topic === 'payouts' ? 'payee_id' : 'payer_id';
    bench.desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 2, '20.00'],
      ['A-3', 3, '30.00'],
    ]);
    const path = join(bench.desk.folder, 'p.csv');
    writeFileSync(path, readFileSync(path, 'utf8').replace('payee_id', party));
    bench.#env = await bench.desk.profile('work');
    return bench;
  }

  /** From now on request number `first` meets the fault. */
  arm(fault: Fault | undefined, first = 0, reach: Reach = 'once'): void {
    [this.#fault, this.#first, this.#reach, this.sent] = [fault, first, reach, []];
  }

  type(argv: readonly string[]): Promise<CliResult> {
    const words = argv.map((word) => word.replace(/^\.\//, `${this.desk.folder}/`)); // this process stays where it is
    return runCli(words, {
      ...{env: this.#env, cwd: this.desk.folder, clock: this.desk.clock},
      service: this.#transport(),
    });
  }

  /** A line of `payouts batch` or `payins batch`. */
  batch(line: string): Promise<CliResult> {
    return this.type([this.#topic, 'batch', ...line.split(' ')]);
  }

  /** Types a printed command; `&&` joins two of them. */
  async typeLine(line: string, more: readonly string[] = []): Promise<CliResult> {
    let ran: CliResult | undefined;
    const calls = line.split(' && ');
    for (const [at, call] of calls.entries()) {
      const [remit, ...argv] = shellTokens(call).map(({text}) => text);
      assert.equal(remit, 'remit', line);
      ran = await this.type([...argv, ...(at === calls.length - 1 ? more : [])]);
      if (ran.exitCode !== 0) return ran;
    }
    return ran!;
  }

  recordsOf(reference: string): TruthRecord[] {
    return [...this.desk.service.byId.values()].filter(({body}) => referenceOf(body) === reference);
  }

  /** How often each reference was paid. */
  payments(): number[] {
    return REFERENCES.map((one) => this.recordsOf(one).reduce((sum, {approvals}) => sum + approvals, 0));
  }

  /** The state of each row in the results, and its whole line. */
  rows({results}: Summary): Map<string, {state: string; line: string}> {
    const found = new Map<string, {state: string; line: string}>();
    if (results === null || !existsSync(results)) return found;
    const [header, ...lines] = readFileSync(results, 'utf8').trim().split('\n').map(cellsOf);
    const [reference, state] = ['remit_reference', 'remit_state'].map((name) => header!.indexOf(name));
    for (const cells of lines) found.set(cells[reference!]!, {state: cells[state!]!, line: cells.join(',')});
    return found;
  }

  close(): void {
    this.desk.close();
  }

  #transport(): Transport {
    const own = this.desk.service.transport();
    return {
      close: () => own.close(),
      send: async (request): Promise<TransportAnswer> => {
        const nth = this.sent.push(this.#label(request)) - 1;
        const fault = this.#fault;
        if (fault === undefined || nth < this.#first || (this.#reach === 'once' && nth > this.#first))
          return own.send(request);
        const answer = fault.happens ? await own.send(request) : undefined;
        const reply = fault.name === OTHER_ROW ? this.#mixedUp(answer) : fault.reply(answer);
        if (reply instanceof TransportFailure) throw reply;
        return reply;
      },
    };
  }

  #mixedUp(answer: TransportAnswer | undefined): TransportAnswer {
    const own = answer === undefined ? {} : (JSON.parse(answer.body.toString()) as Record<string, unknown>);
    const party = 'payer_id' in own ? 'payer_id' : 'payee_id';
    const other = {
      ...own,
      id: '0192a000-0000-7000-8000-00000000dead',
      [party]: '0192a000-0000-7000-8000-0000000000ff',
      client_metadata: {remit_reference: 'B-9'},
    };
    return {...answer!, body: Buffer.from(JSON.stringify(other))};
  }

  #label({method, path, body}: TransportRequest): string {
    const id = path.split('/')[3]?.split('?')[0];
    const verb = path.split('/')[4];
    const parsed = body === undefined || body === '' ? {} : (JSON.parse(body) as Record<string, unknown>);
    const reference =
      referenceOf(parsed) ??
      (id === undefined ? '' : referenceOf(this.desk.service.byId.get(id)?.body ?? {}));
    const what = verb ?? (method === 'GET' ? 'read' : parsed['auto_approve'] === true ? 'release' : 'create');
    return `${method} ${what} ${reference ?? ''}`.trim();
  }
}

const referenceOf = (body: Record<string, unknown>): string | undefined =>
  ((body['metadata'] ?? body['payout_metadata']) as Record<string, string> | undefined)?.['remit_reference'];

/** Every cell of the results is quoted, and none of these contains a quote. */
const cellsOf = (line: string): string[] => line.slice(1, -1).split('","');
