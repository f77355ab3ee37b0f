import assert from 'node:assert/strict';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {TransportFailure, type TransportAnswer} from '../../../src/client/transport/transport.ts';
import {ERRORS, EXIT, isErrorCode} from '../../../src/errors.ts';
import type {CliResult} from '../../cli/run-cli.ts';
import {remitCallsIn} from '../../repo/command-lines.ts';
import {statusFault, type Fault} from './batch-faults.ts';
import {isLong, tryCases} from './cases.ts';
import {endOf} from './ending.ts';
import {EndpointBench, FAULTS, FOREIGN, OLD} from './endpoint-bench.ts';

const LISTEN =
  'webhooks listen --register --public-url https://hooks.example.com/ --port 0 --timeout 1ms -p work';
const FORMS = ['text', 'json', 'ndjson'] as const;
const CASES: readonly Fault[] = isLong
  ? [...FAULTS, ...Array.from({length: 400}, (_, index) => statusFault(200 + index))]
  : FAULTS;

interface Way {
  form: (typeof FORMS)[number];
  method: 'POST' | 'DELETE';
  /** All later requests fail too. */
  goesOn: boolean;
  /** In CI, one case of so many. */
  each: number;
}

describe('every error of listen --register', function () {
  this.timeout(isLong ? 3_600_000 : 60_000);
  let turn = 0;
  /** In CI, one case of so many. */
  const isDue = (each: number): boolean => isLong || turn++ % each === 0;

  const listen = (bench: EndpointBench, form: (typeof FORMS)[number]) =>
    bench.run([...LISTEN.split(' '), ...(form === 'text' ? [] : ['-o', form])]);

  /** Endpoints that a listener created. */
  const made = ({service}: EndpointBench) => service.ids.filter((id) => id !== OLD && id !== FOREIGN);

  /** The next start, after the process of the first one has ended: all is gone but what others created. */
  async function checkNextStart(bench: EndpointBench, where: string): Promise<void> {
    const folder = join(bench.home, '.local', 'state', 'remit', 'webhooks', 'registered');
    for (const name of readdirSync(folder).filter((one) => one.endsWith('.json'))) {
      const note = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {holder: object};
      const ended = {...note, holder: {...note.holder, pid: 4_190_000, startTime: '1'}};
      writeFileSync(join(folder, name), JSON.stringify(ended));
    }
    bench.arm(undefined);
    const next = await listen(bench, 'json');
    assert.equal(next.exitCode, EXIT.OK, `${where}\n${next.stderr}`);
    assert.deepEqual(bench.service.ids, [OLD, FOREIGN], `${where}\n${next.stderr}`);
  }

  /** The code that ends the creation of an endpoint. */
  function exitOf(fault: Fault): number {
    const reply = fault.name === 'without its secret' ? undefined : fault.reply(OWN);
    if (reply === undefined) return EXIT.UNAVAILABLE;
    if (reply instanceof TransportFailure) return reply.sent ? EXIT.IN_DOUBT : EXIT.UNAVAILABLE;
    const {error_code: code} = bodyOf(reply);
    return endOf(reply.status, SAID.has(code ?? '') ? undefined : code, {safety: 'bare'}).exit;
  }
  const OWN: TransportAnswer = {status: 201, headers: {}, body: Buffer.from('{}')};
  const SAID = new Set(['A_CODE_OF_TOMORROW', 'TEMPORARY', 'BUSY']);
  const bodyOf = ({body}: TransportAnswer): {error_code?: string} => {
    try {
      return (JSON.parse(body.toString()) ?? {}) as {error_code?: string};
    } catch {
      return {};
    }
  };

  /** Runs a listener for each fault of the first request with this method. */
  async function eachFault(
    {form, method, goesOn, each}: Way,
    check: (bench: EndpointBench, ran: CliResult, fault: Fault, where: string) => Promise<void>,
  ): Promise<void> {
    const reach = goesOn ? 'from then on' : 'once';
    const cases = CASES.filter(() => isDue(each)).map((fault) => ({
      ...{fault, where: `register: ${method} ${reach}, as ${form}: ${fault.name}`},
    }));
    await tryCases(cases, async ({fault, where}) => {
      const bench = await EndpointBench.open();
      bench.arm(fault, method, goesOn);
      const ran = await listen(bench, form);
      await check(bench, ran, fault, `${where}\nexit ${ran.exitCode}\n${ran.stdout}${ran.stderr}`);
    });
  }

  for (const form of FORMS)
    it(`registering, as ${form}: its exit code, one error, nothing on stdout, and the next start removes what is left`, () =>
      eachFault({form, method: 'POST', goesOn: true, each: 4}, async (bench, ran, fault, where) => {
        checkError(ran, form, exitOf(fault), where);
        const isKnown = ran.exitCode === EXIT.IN_DOUBT || ran.stderr.includes(made(bench)[0] ?? '');
        assert.ok(isKnown, `${where}: ${made(bench).join()} is left, and not mentioned`);
        await checkNextStart(bench, where);
      }));

  function checkError(ran: CliResult, form: string, exit: number, where: string): void {
    assert.deepEqual([ran.exitCode, ran.stdout], [exit, ''], where);
    assert.doesNotMatch(ran.stderr, /whsec_|undefined|\[object|\bnull\b.*Error/, where);
    const last = ran.stderr.trimEnd().split('\n').at(-1)!;
    if (form === 'text') {
      assert.equal(ran.stderr.match(/^Error: /gm)?.length, 1, where);
      assert.match(last, /^(Error: |Hint: | {2}request id)/, where);
      return;
    }
    assert.ok(last.startsWith('{"error"'), where);
    const {code, exit_code, message, details} = ran.error();
    assert.ok(isErrorCode(code) && ERRORS[code].exit === exit && exit_code === exit, where);
    if (exit !== EXIT.IN_DOUBT) return;
    assert.match(message, /If .* exists, the next start with --register uses it again or removes it$/, where);
    assert.equal(details!['may_have_taken_effect'], true, where);
  }

  for (const form of FORMS)
    for (const goesOn of [false, true])
      it(`removing, as ${form}, ${goesOn ? 'all later requests fail too' : 'one request fails'}: names what is left, and the command that deletes it`, () =>
        eachFault({form, method: 'DELETE', goesOn, each: 7}, (bench, ran, fault, where) =>
          checkRemoval(bench, ran, {form, lies: goesOn && confirms(fault), where}),
        ));

  const confirms = (fault: Fault): boolean => {
    const reply = fault.reply(OWN);
    return !(reply instanceof TransportFailure) && reply.status < 300;
  };

  /** @param lies all answers confirm the deletion, also those that should contain a record */
  async function checkRemoval(
    bench: EndpointBench,
    ran: CliResult,
    {form, lies, where}: {form: string; lies: boolean; where: string},
  ): Promise<void> {
    assert.doesNotMatch(ran.stdout + ran.stderr, /whsec_|undefined|\[object|^Error/m, where);
    const hints = [...ran.stderr.matchAll(/^Hint: (remit webhooks endpoints delete (\S+) -p work)$/gm)];
    const named = hints.map((hint) => hint[2]!);
    assert.equal(ran.exitCode, named.length > 0 ? EXIT.PARTIAL : EXIT.OK, where);
    if (!lies) for (const id of made(bench)) assert.ok(named.includes(id), `${where}\n${id} is left`);
    assert.equal(ran.stderr === '', named.length === 0, where);
    if (form !== 'text') assert.deepEqual(summaryOf(ran).endpoints_left, named, where);
    if (lies && made(bench).length > 0) return;
    await checkNextStart(bench, where);
    if (hints.length === 0) return;
    const [argv] = remitCallsIn(hints[0]![1]!);
    const typed = await bench.run(argv!);
    assert.equal(typed.exitCode, EXIT.NOT_FOUND, `${where}\n${typed.stderr}: the next start has removed it`);
  }

  const summaryOf = ({stdout}: CliResult) =>
    JSON.parse(stdout.startsWith('{"type":"ready"') ? stdout.trimEnd().split('\n').at(-1)! : stdout) as {
      endpoints_left: string[];
    };
});
