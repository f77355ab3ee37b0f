import assert from 'node:assert/strict';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {EXIT} from '../../../src/errors.ts';
import type {TransportAnswer} from '../../../src/client/transport/transport.ts';
import {BASE_URL, runCli, scratch, TEST_KEY, type CliResult} from '../../cli/run-cli.ts';
import {answer, type Reply, type Script} from '../../client/transport/fake-transport.ts';
import {remitCallsIn} from '../../repo/command-lines.ts';
import {EndpointService} from '../webhooks/endpoint-service.ts';
import {batchFaults, isLong, type Fault} from './batch-faults.ts';

const OLD = '0192a000-0000-7000-8000-000000000001';
const FOREIGN = '0192a000-0000-7000-8000-000000000002';
const URL = 'https://example.com/hooks';
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

const FAULTS = [...batchFaults().filter(({name}) => name !== 'the record of another row'), ...OF_ENDPOINTS];

/** One home, its profile `work`, and a service of which one request goes wrong. */
class EndpointBench {
  readonly home = scratch();
  readonly service = new EndpointService();
  readonly env = {HOME: this.home};
  #fault: Fault | undefined;
  #nth = 0;
  #goesOn = false;
  #seen = 0;

  static async open(): Promise<EndpointBench> {
    const bench = new EndpointBench();
    bench.service.add({description: 'orders'});
    bench.service.add({url: 'https://example.com/other'});
    const add = ['profiles', 'add', 'work', '--base-url', BASE_URL, '--key-stdin'];
    assert.equal((await runCli(add, {env: bench.env, stdin: `${TEST_KEY}\n`})).exitCode, 0);
    return bench;
  }

  arm(fault: Fault | undefined, nth = 0, goesOn = false): void {
    [this.#fault, this.#nth, this.#goesOn, this.#seen] = [fault, nth, goesOn, 0];
  }

  script: Script = async (request, nth): Promise<Reply> => {
    const at = this.#seen++;
    const own = () => this.service.script()(request, nth) as TransportAnswer;
    if (this.#fault === undefined || at < this.#nth || (at > this.#nth && !this.#goesOn)) return own();
    return this.#fault.reply(this.#fault.happens ? own() : undefined);
  };

  run(argv: readonly string[]): Promise<CliResult> {
    return runCli(argv, {env: this.env, cwd: this.home, service: this.script});
  }

  /** The active endpoints with the URL that is rotated. */
  get own(): string[] {
    return this.service.ids.filter((id) => this.service.endpoints.get(id)!.url === URL);
  }
}

describe('every error of a rotation', function () {
  this.timeout(isLong ? 3_600_000 : 60_000);
  let turn = 0;
  /** In CI, one case of so many. */
  const isDue = (each: number): boolean => isLong || turn++ % each === 0;

  const ROTATE = `webhooks endpoints rotate ${OLD} --confirmed --yes --secret-file new.secret -p work`.split(
    ' ',
  );

  for (const [nth, request] of ['GET old', 'POST', 'GET new', 'DELETE old', 'GET all'].entries())
    it(`rotate: ${request} fails, once or from then on; an endpoint with a known secret is left in the end`, async () => {
      for (const fault of FAULTS)
        for (const goesOn of [false, true])
          if (isDue(nth === 1 ? 5 : 13)) {
            const bench = await EndpointBench.open();
            bench.arm(fault, nth, goesOn);
            await checkRotation(
              bench,
              goesOn && nth === 3 && /^20/.test(fault.name),
              `${request} ${goesOn ? 'from then on' : 'once'}: ${fault.name}`,
            );
          }
    });

  /** @param lies every answer confirms the deletion, and the list cannot be read */
  async function checkRotation(bench: EndpointBench, lies: boolean, where: string): Promise<void> {
    const {service} = bench;
    const ran = await bench.run([...ROTATE, '-o', 'json']);
    const words = `${where}\nexit ${ran.exitCode}\n${ran.stderr}`;
    assert.ok(bench.own.length > 0, `${words}\nno endpoint is left`);
    assert.ok(service.ids.includes(FOREIGN), `${words}\nan endpoint of another URL was deleted`);
    assert.ok(![1, 2].includes(ran.exitCode), words);
    assert.doesNotMatch(ran.stderr, /whsec_|undefined|\[object/, where);
    const isResult = ran.exitCode === EXIT.OK || ran.exitCode === EXIT.PARTIAL;
    assert.equal(ran.stdout === '', !isResult, words);
    bench.arm(undefined);
    if (isResult && lies) return;
    if (isResult) assert.ok(!bench.own.includes(OLD), `${words}\nthe old endpoint is still there`);
    else await finish(bench, ran, words);
    const [id, ...others] = bench.own;
    const strays = others.filter(
      (one) => !ran.stderr.includes(`remit webhooks endpoints delete ${one} -p work`),
    );
    assert.deepEqual([id === OLD, strays], [false, []], `${words}\n${bench.own.join()}`);
    const secrets = bench.own.map((one) => service.endpoints.get(one)!.secret);
    assert.ok(secrets.includes(readFileSync(join(bench.home, 'new.secret'), 'utf8').trim()), words);
  }

  /** Types the command of the hint; if there is none, or it only reads or deletes, the first command again. */
  async function finish(bench: EndpointBench, ran: CliResult, words: string): Promise<void> {
    const {hint, message} = ran.error();
    if (bench.own.length > 1)
      assert.match(
        message,
        /both exist|may (still )?exist|lists|in doubt/,
        `${words}\nit does not say that two exist`,
      );
    const [argv] = hint === null ? [] : remitCallsIn(hint);
    if (argv !== undefined) {
      assert.ok(argv.includes('work'), `${words}: no profile in ${hint}`);
      if (!/"|URL/.test(hint!)) {
        const typed = await bench.run([
          ...argv,
          ...(argv.includes('delete') ? ['--yes'] : argv.includes('rotate') ? ['--confirmed'] : []),
        ]);
        assert.notEqual(typed.exitCode, EXIT.USAGE, `${words}\n${typed.stderr}`);
        if (argv.includes('rotate')) {
          assert.equal(typed.exitCode, EXIT.OK, `${words}\n${typed.stderr}`);
          return;
        }
      }
    }
    const again = await bench.run([...ROTATE, '-o', 'json']);
    assert.equal(again.exitCode, EXIT.OK, `${words}\nand again:\n${again.stderr}`);
  }

  it('leaves the file of the secret only with the secret of an endpoint', async () => {
    const bench = await EndpointBench.open();
    bench.arm(
      FAULTS.find(({name}) => name.startsWith('a lost answer')),
      1,
      true,
    );
    assert.equal((await bench.run(ROTATE)).exitCode, EXIT.IN_DOUBT);
    assert.equal(existsSync(join(bench.home, 'new.secret')), false);
  });
});
