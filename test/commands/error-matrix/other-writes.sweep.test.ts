import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {writeFileSync} from 'node:fs';
import type {ServerResponse} from 'node:http';
import {join} from 'node:path';
import {systemClock} from '../../../src/clock.ts';
import type {Report} from '../../../src/cli/doctor/report.ts';
import {TransportFailure, type TransportAnswer} from '../../../src/client/transport/transport.ts';
import {EXIT} from '../../../src/errors.ts';
import {DifferingService} from '../../cli/doctor/differing-service.ts';
import {BASE_URL, runCli, scratch, type CliResult} from '../../cli/run-cli.ts';
import {delivery, forward, idOf, record} from '../../webhooks/record/deliveries.ts';
import {Receiver} from '../webhooks/receiver.ts';
import {batchFaults, statusFault, type Fault} from './batch-faults.ts';
import {isLong, tryCases} from './cases.ts';

const SECRET = 'whsec_0123456789abcdef';

/** What the receiver of a webhook does, and the status that arrives. */
interface Receipt {
  name: string;
  status: number | null;
  answer: (response: ServerResponse) => void;
}

const STATUSES = isLong
  ? Array.from({length: 400}, (_, index) => 200 + index)
  : [200, 202, 204, 207, 301, 302, 400, 401, 403, 404, 408, 409, 410, 422, 425, 429, 500, 502, 503];
const RECEIPTS: readonly Receipt[] = [
  ...STATUSES.map((status) => ({
    name: `${status}`,
    status,
    answer: (response: ServerResponse) => void response.writeHead(status).end('words'),
  })),
  {name: 'a lost answer', status: null, answer: (response) => void response.destroy()},
  {
    name: 'an answer cut in its headers',
    status: null,
    answer: ({socket}) => void socket?.end('HTTP/1.1 200 OK\r\nContent-'),
  },
  {
    name: 'an answer that is not HTTP',
    status: null,
    answer: ({socket}) => void socket?.end('220 mail.example.com ESMTP\r\n'),
  },
  {
    name: 'an answer cut in its body',
    status: 200,
    answer: ({socket}) => void socket?.end('HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\nwords'),
  },
];

const receiptsOf = (verb: string) =>
  RECEIPTS.map((one) => ({...one, where: `webhooks ${verb}: ${one.name}`}));

describe('every answer of a receiver', function () {
  this.timeout(isLong ? 600_000 : 60_000);
  let receiver: Receiver;
  let url: string;
  let receipt: Receipt;
  let home: string;
  let env: Record<string, string>;

  beforeEach(async () => {
    home = scratch();
    env = {HOME: home, REMIT_STATE_DIR: join(home, 'state'), REMIT_WEBHOOK_SECRET: SECRET};
    receiver = await Receiver.open((response) => receipt.answer(response));
    ({url} = receiver);
  });
  afterEach(() => receiver.close());

  const run = (...argv: string[]): Promise<CliResult> =>
    runCli(['webhooks', ...argv], {cwd: home, env, clock: systemClock});
  const isGood = (status: number | null) => status !== null && status >= 200 && status < 300;

  it('ends webhooks send: 0 for a 2XX, 8 for another status, 7 without one, in text and JSON', async () => {
    writeFileSync(join(home, 'body.json'), '{"id":"e1"}');
    await tryCases(receiptsOf('send'), async (one) => {
      const {name, status} = (receipt = one);
      const argv = ['send', url, `@${join(home, 'body.json')}`];
      const [json, text] = [await run(...argv, '-o', 'json'), await run(...argv)];
      const exit = status === null ? EXIT.UNAVAILABLE : isGood(status) ? EXIT.OK : EXIT.PARTIAL;
      assert.deepEqual([json.exitCode, text.exitCode], [exit, exit], `${name}\n${json.stderr}`);
      for (const {stdout, stderr} of [json, text])
        assert.doesNotMatch(`${stdout}${stderr}`, /^\s+at |undefined|\[object|0123456789abcdef/m, name);
      if (status === null) {
        assert.deepEqual([json.stdout, text.stdout], ['', ''], name);
        const {code, message, hint} = json.error();
        assert.equal(code, 'UNAVAILABLE', name);
        assert.ok(message.startsWith(`${url} did not answer: `) && hint !== null, `${name}: ${message}`);
        assert.ok(text.stderr.includes(`Error: ${message}`), `${name}\n${text.stderr}`);
        return;
      }
      assert.equal((json.json() as {status: number}).status, status, name);
      assert.match(text.stdout, new RegExp(`^${status} {2}${url}`), name);
      assert.equal(/would send this delivery again/.test(text.stderr), !isGood(status), name);
    });
  });

  it('ends webhooks events replay: 8 unless it is a 2XX, with the answer in the row and in the record', async () => {
    const folder = join(home, 'state', 'webhooks', 'record');
    await record(folder, [
      {kind: 'delivery', delivery: delivery(1, {targets: [url]})},
      {kind: 'forward', forward: forward(1, {target: url})},
    ]);
    const argv = ['events', 'replay', idOf(1)];
    await tryCases(receiptsOf('replay'), async (one) => {
      const {name, status} = (receipt = one);
      const [json, text] = [await run(...argv, '-o', 'json'), await run(...argv)];
      for (const {stdout, stderr} of [json, text])
        assert.doesNotMatch(`${stdout}${stderr}`, /^\s+at |undefined|\[object/m, name);
      const [row, ...others] = json.json() as {
        status: number | null;
        error: string | null;
        outcome: string;
      }[];
      assert.deepEqual([row!.status, others], [status, []], name);
      assert.equal(row!.error === null, status !== null, name);
      assert.equal(json.exitCode, isGood(status) ? EXIT.OK : EXIT.PARTIAL, `${name}: ${row!.outcome}`);
      assert.match(json.stderr, new RegExp(`1 replayed: 1 ${row!.outcome.replace('_', ' ')}`), name);
    });
  });
});

/** One write of the probe meets a fault. */
class FaultyService {
  writes = 0;
  readonly #service: DifferingService;
  readonly #fault: Fault;
  readonly #at: number;

  constructor(service: DifferingService, fault: Fault, at: number) {
    [this.#service, this.#fault, this.#at] = [service, fault, at];
  }

  async close(): Promise<void> {}

  async send(request: Parameters<DifferingService['send']>[0]): Promise<TransportAnswer> {
    const isChosen = request.method !== 'GET' && this.writes++ === this.#at;
    if (!isChosen) return this.#service.send(request);
    const reply = this.#fault.reply(this.#fault.happens ? await this.#service.send(request) : undefined);
    if (reply instanceof TransportFailure) throw reply;
    return reply;
  }
}

const PROBED: readonly Fault[] = isLong
  ? batchFaults().filter(({name}) => name !== 'the record of another row')
  : [
      ...[302, 401, 404, 409, 422, 429, 503].map((status) => statusFault(status)),
      ...batchFaults().filter(
        ({name, happens}) =>
          /^(a lost answer|an answer cut|201 with (a page|an empty object)|a refused)/.test(name) && happens,
      ),
    ];

describe('every error of doctor --probe-writes', function () {
  this.timeout(isLong ? 900_000 : 120_000);

  it('is in its report: it approves nothing, ends with 0 or 8, and names each record that remains', async () => {
    const service = await DifferingService.open();
    await service.fill();
    const key = service.sandbox.sandbox.testKey;
    const payouts = async () => (await service.sandbox.get('/api/payouts?limit=100')).body.data as Paid[];
    type Paid = {id: string; status: string};
    const known = new Set((await payouts()).map(({id}) => id));
    const writes = isLong ? Array.from({length: 16}, (_, index) => index) : [0];
    await tryCases(
      PROBED.flatMap((fault) =>
        writes.map((at) => ({...{fault, at}, where: `doctor: write ${at}: ${fault.name}`})),
      ),
      async ({fault, at, where}) => {
        const home = scratch();
        const ran = await runCli(['doctor', '--probe-writes', '--json'], {
          ...{service: new FaultyService(service, fault, at), clock: service.clock, uuid: randomUUID},
          env: {
            ...{HOME: home, REMIT_API_KEY: key, REMIT_BASE_URL: BASE_URL},
            REMIT_STATE_DIR: join(home, 'state'),
          },
        });
        assert.ok([EXIT.OK, EXIT.PARTIAL].includes(ran.exitCode as 0), `${where}\n${ran.stderr}`);
        const report = ran.json() as Report;
        assert.doesNotMatch(ran.stdout, /undefined|\[object/, where);
        for (const {id, status} of await payouts()) {
          if (known.has(id)) continue;
          known.add(id);
          assert.ok(['created', 'canceled'].includes(status), `${where}: ${id} is ${status}`);
          const isNamed = ran.stdout.includes(id) || /may (have|exist)|in doubt/.test(ran.stdout);
          assert.ok(status === 'canceled' || isNamed, `${where}: ${id} remains\n${ran.stdout}`);
        }
        assert.ok(report.probed !== undefined && report.probed !== null, where);
      },
    );
    await service.sandbox.close();
  });
});
