import assert from 'node:assert/strict';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {EXIT} from '../../../src/errors.ts';
import type {CliResult} from '../../cli/run-cli.ts';
import {remitCallsIn} from '../../repo/command-lines.ts';
import {isLong, tryCases} from './cases.ts';
import {EndpointBench, FAULTS, FOREIGN, OLD} from './endpoint-bench.ts';

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
      const cases = FAULTS.flatMap((fault) =>
        [false, true]
          .filter(() => isDue(nth === 1 ? 5 : 13))
          .map((goesOn) => ({
            ...{fault, goesOn},
            where: `rotate: ${request} ${goesOn ? 'from then on' : 'once'}: ${fault.name}`,
          })),
      );
      await tryCases(cases, async ({fault, goesOn, where}) => {
        const bench = await EndpointBench.open();
        bench.arm(fault, nth, goesOn);
        await checkRotation(bench, goesOn && nth === 3 && /^(20|the endpoint)/.test(fault.name), where);
      });
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
    if (argv !== undefined && argv[0] !== 'sandbox') {
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
