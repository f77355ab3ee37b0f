import assert from 'node:assert/strict';
import type {TransportAnswer} from '../../../src/client/transport/transport.ts';
import {BASE_URL, runCli, scratch, TEST_KEY, type CliOptions, type CliResult} from '../../cli/run-cli.ts';
import {answer, type Reply, type Script} from '../../client/transport/fake-transport.ts';
import {EndpointService} from '../webhooks/endpoint-service.ts';
import {batchFaults, OTHER_ROW, type Fault} from './batch-faults.ts';

export const OLD = '0192a000-0000-7000-8000-000000000001';
export const FOREIGN = '0192a000-0000-7000-8000-000000000002';
export const URL = 'https://example.com/hooks';
const SECRET = 'whsec_ffffffffffffffffffffffffffffffff';

const withBody = (
  own: TransportAnswer,
  change: (body: Record<string, unknown>) => object,
): TransportAnswer => {
  const text = own.body.toString();
  const body = change(text === '' ? {} : (JSON.parse(text) as Record<string, unknown>));
  return {...own, body: Buffer.from(JSON.stringify(body))};
};

/** Faults that only an endpoint has: without its secret or id, or another endpoint. */
const OF_ENDPOINTS: readonly Fault[] = [
  {
    name: 'without its secret',
    happens: true,
    reply: (own) => withBody(own!, (body) => ({...body, signing_secret: undefined})),
  },
  {
    name: 'without its id',
    happens: true,
    reply: (own) => withBody(own!, (body) => ({...body, id: undefined})),
  },
  ...[OLD, FOREIGN].flatMap((id) =>
    [true, false].map((happens) => ({
      name: `the endpoint ${id === OLD ? 'that is replaced' : 'of another URL'}${happens ? ', but it was done' : ''}`,
      happens,
      reply: () =>
        answer(201, {
          ...{id, url: id === OLD ? URL : 'https://example.com/other', event_types: ['payout.settled']},
          ...{is_active: true, signing_secret: SECRET},
        }),
    })),
  ),
];

export const FAULTS: readonly Fault[] = [
  ...batchFaults().filter(({name}) => name !== OTHER_ROW),
  ...OF_ENDPOINTS,
];

/** A request by its number, or the first one with this method. */
type Moment = number | 'POST' | 'DELETE';

/** One home, its profile `work`, and a service of which one request goes wrong. */
export class EndpointBench {
  readonly home = scratch();
  readonly service = new EndpointService();
  readonly env = {HOME: this.home};
  #fault: Fault | undefined;
  #at: Moment = 0;
  #goesOn = false;
  #seen = 0;
  #isOn = false;

  static async open(): Promise<EndpointBench> {
    const bench = new EndpointBench();
    bench.service.add({description: 'orders'});
    bench.service.add({url: 'https://example.com/other'});
    const add = ['profiles', 'add', 'work', '--base-url', BASE_URL, '--key-stdin'];
    assert.equal((await runCli(add, {env: bench.env, stdin: `${TEST_KEY}\n`})).exitCode, 0);
    return bench;
  }

  /** @param goesOn all later requests fail in the same way */
  arm(fault: Fault | undefined, at: Moment = 0, goesOn = false): void {
    [this.#fault, this.#at, this.#goesOn, this.#seen, this.#isOn] = [fault, at, goesOn, 0, false];
  }

  script: Script = async (request, nth): Promise<Reply> => {
    const own = () => this.service.script()(request, nth) as TransportAnswer;
    const isAt = this.#seen++ === this.#at || request.method === this.#at;
    const fails = this.#fault !== undefined && (this.#isOn ? this.#goesOn : isAt);
    this.#isOn ||= isAt;
    if (!fails) return own();
    return this.#fault!.reply(this.#fault!.happens ? own() : undefined);
  };

  run(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
    return runCli(argv, {env: this.env, cwd: this.home, service: this.script, ...options});
  }

  /** The active endpoints with the URL that is rotated. */
  get own(): string[] {
    return this.service.ids.filter((id) => this.service.endpoints.get(id)!.url === URL);
  }
}
