import assert from 'node:assert/strict';
import {cpSync, existsSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Summary} from '../../../src/batch/standing/summary.ts';
import {
  TransportFailure,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from '../../../src/client/transport/transport.ts';
import type {TruthRecord} from '../../batch/truth-service.ts';
import {VirtualClock} from '../../batch/virtual-clock.ts';
import {runCli, type CliResult} from '../../cli/run-cli.ts';
import {shellTokens} from '../../repo/command-lines.ts';
import {Desk} from '../payouts/batch/desk.ts';
import {batchFaults, OTHER_ROW, type Fault} from './batch-faults.ts';
import {isLong} from './cases.ts';

/** Whether only the chosen request meets the fault, or all that follow as well. */
export type Reach = 'once' | 'from then on';

/** One request of a command meets a fault. */
export interface FaultyRequest {
  fault: Fault;
  nth: number;
  reach: Reach;
  where: string;
}

/** Each request of a command with each fault. In CI each request meets one fault, which is another one each time. */
export class FaultyRequests {
  turn = 0;
  readonly #faults = batchFaults();

  *of(name: string, sent: readonly string[]): Generator<FaultyRequest> {
    for (const [nth, request] of sent.entries())
      for (const reach of ['once', 'from then on'] as const)
        for (const fault of this.#faults)
          if (isLong || (this.turn++ * 7) % (2 * this.#faults.length) === 0)
            yield {fault, nth, reach, where: `${name}: ${request} (${nth}) ${reach}: ${fault.name}`};
  }
}

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
  #clock = this.desk.clock;
  #saved: {records: TruthRecord[]; ms: number} | undefined;

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

  /** Keeps the folder, the records of the service and the time for `restore`. */
  save(): void {
    this.#saved = {records: structuredClone([...this.desk.service.byId.values()]), ms: this.#clock.now()};
    cpSync(this.desk.folder, this.#savedFolder, {recursive: true});
  }

  restore(): void {
    const {records, ms} = this.#saved!;
    rmSync(this.desk.folder, {recursive: true});
    cpSync(this.#savedFolder, this.desk.folder, {recursive: true});
    this.#clock = new VirtualClock(ms);
    const {service} = this.desk;
    let made = records.length;
    service.newId = () => `0192a000-0000-7000-8000-${String(++made).padStart(12, '0')}`; // the same after each `restore`
    service.now = () => this.#clock.now();
    service.records.clear();
    service.byId.clear();
    for (const record of structuredClone(records)) {
      service.records.set(record.key, record);
      service.byId.set(record.id, record);
    }
    this.arm(undefined);
  }

  advance(ms: number): void {
    this.#clock.advance(ms);
  }

  get #savedFolder(): string {
    return `${this.desk.folder}-saved`;
  }

  /** From now on request number `first` meets the fault. */
  arm(fault: Fault | undefined, first = 0, reach: Reach = 'once'): void {
    [this.#fault, this.#first, this.#reach, this.sent] = [fault, first, reach, []];
  }

  type(argv: readonly string[]): Promise<CliResult> {
    const words = argv.map((word) => word.replace(/^\.\//, `${this.desk.folder}/`)); // this process stays where it is
    return runCli(words, {
      ...{env: this.#env, cwd: this.desk.folder, clock: this.#clock},
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
    rmSync(this.#savedFolder, {recursive: true, force: true});
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
