import assert from 'node:assert/strict';
import {rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, describe, it} from 'mocha';
import {readPlace} from '../../../../src/cli/sandbox/recorded/place.ts';
import {DEFAULT_PORT} from '../../../../src/cli/runtime/sandbox-port.ts';
import {codeLines} from '../../../repo/markdown.ts';
import {readText} from '../../../repo/tree.ts';
import {workbook} from '../../../batch/workbook/xlsx.ts';
import {LiveSandbox} from '../../sandbox/live-sandbox.ts';
import {printsAsShown, readConsolePage} from './console-page.ts';
import {Operator} from './operator.ts';

const PAGE = 'docs/guides/batches.md';
const PAYEES = ['019b76da-a800-7000-8235-80d251bba0e9', '019b76da-a800-7001-9017-cbf4862c28ef'];
const BILLS = `reference,payee_id,amount,currency_code
INV-1001,${PAYEES[0]},1500.75,USD
INV-1002,${PAYEES[1]},20.00,USD
`;
/** The same rows. */
const WORKBOOK = workbook([
  {
    name: 'Payouts',
    rows: BILLS.trim()
      .split('\n')
      .map((line) => line.split(',')),
  },
]);
const WITH_OTHER_NAMES = `Invoice,payee_id,amount,currency_code,Remarks
INV-1001,${PAYEES[0]},1500.75,USD,urgent
`;
const RETURNED = `reference,payee_id,amount,currency_code,metadata.sandbox.scenario
INV-1001,${PAYEES[0]},1500.75,USD,
INV-1002,${PAYEES[1]},20.00,USD,fails_after_initiated
`;

/** A command, and its exit code where that is not 0. */
type Typed = string | readonly [command: string, exitCode: number];
const PLANNED: readonly Typed[] = ['remit payouts batch plan bills.csv --batch-id bills'];
const PAID = [...PLANNED, 'remit payouts batch run bills --yes'];

interface Scene {
  file?: string;
  /** Typed before the commands of the section. */
  first: readonly Typed[];
  /** The commands are alternatives: each begins with the file and `first`. */
  each?: true;
}

/** What each section of the page that shows commands begins with. */
const SCENES: Readonly<Record<string, Scene>> = {
  'The path': {first: []},
  'The file': {file: WITH_OTHER_NAMES, first: []},
  Excel: {first: []},
  Plan: {first: []},
  Run: {first: PLANNED},
  Retry: {
    file: RETURNED,
    first: [...PLANNED, ['remit payouts batch run bills --until settled --yes', 9]],
    each: true,
  },
  Cancel: {first: [...PLANNED, 'remit payouts batch run bills --stage-only --yes']},
  Resolve: {
    first: [
      ...PLANNED,
      'remit sandbox faults add reset --after --operation payouts.create',
      ['remit payouts batch run bills --direct --yes --max-wait 1s', 12],
      'remit sandbox faults clear',
      "printf 'reference,verdict,id\\nINV-1001,not-paid,\\n' > found.csv",
    ],
    each: true,
  },
  Follow: {first: PAID},
  Export: {first: PAID},
  Compare: {first: PAID},
};

/** The commands of the page by section, without those that leave something out (`…`). */
function commandsBySection(): Map<string, string[]> {
  const lines = readText(PAGE).split('\n');
  const found = new Map<string, string[]>();
  for (const {line, code} of codeLines(lines.join('\n'), ['sh'])) {
    const heading = lines.slice(0, line).findLast((text) => /^##+ /.test(text))!;
    const name = heading.replace(/^#+ /, '');
    if (!code.includes('…')) found.set(name, [...(found.get(name) ?? []), code.replace(/\s+#.*/, '')]);
  }
  return found;
}

/** Commands that move money ask at a terminal; here `--yes` answers them. */
const answered = (command: string): string =>
  / batch (run|release|resume|retry|cancel) /.test(command) && !/--yes|--confirm-/.test(command)
    ? `${command} --yes`
    : command;

interface Payout {
  id: string;
  status: string;
  client_metadata: Record<string, string>;
}

describe('guides that are tried on a sandbox', function () {
  this.timeout(180_000);
  const live = new LiveSandbox();
  const operator = new Operator(join(live.home, 'work'), live.env);
  let baseUrl: string;
  let key: string;
  let leave = () => {};

  before(async () => {
    await live.start(['--timing', 'instant']);
    baseUrl = readPlace(live.place)!.base_url;
    const issued = (await live.run(['sandbox', 'keys', '--json'])).json() as {key: string; mode: string}[];
    key = issued.find((one) => one.key.startsWith('test_'))!.key;
    leave = operator.enter();
  });
  after(async () => {
    leave();
    live.stop.receive('SIGTERM');
    await live.ended();
    rmSync(live.home, {recursive: true, force: true});
  });

  async function payouts(): Promise<Payout[]> {
    const answer = await fetch(`${baseUrl}/api/payouts?limit=100`, {headers: {'x-api-key': key}});
    return ((await answer.json()) as {data: Payout[]}).data;
  }

  async function type(typed: Typed): Promise<string> {
    const [line, exitCode] = typeof typed === 'string' ? [typed, 0] : typed;
    const ran = await operator.type(line);
    // A status and a report exit with 8 if rows have failed, as in the section on retries.
    const isExpected =
      ran.exitCode === exitCode || (/ batch (status|report) /.test(line) && ran.exitCode === 8);
    assert.ok(isExpected, `$ ${line}\nexited with ${ran.exitCode}\n${ran.printed}`);
    return ran.printed;
  }

  /** An empty folder, nothing paid, and no batch in the state folder. */
  async function startAgain(files: Iterable<[string, string | Buffer]>): Promise<void> {
    rmSync(join(live.env.REMIT_STATE_DIR, 'batches'), {recursive: true, force: true});
    leave();
    leave = operator.enter();
    await type('remit sandbox reset');
    await type('remit sandbox seed --payees 3');
    for (const [name, text] of files) writeFileSync(join(operator.folder, name), text);
  }

  async function assertPaidOnce(): Promise<void> {
    const paid = (await payouts())
      .filter(({status}) => !['created', 'canceled', 'failed'].includes(status))
      .map(({client_metadata: metadata}) => metadata['remit_reference']);
    assert.equal(new Set(paid).size, paid.length, `paid: ${paid.join(', ')}`);
  }

  const sections = commandsBySection();

  it(`${PAGE}: has a scene for each section with commands`, () =>
    assert.deepEqual([...sections.keys()].sort(), Object.keys(SCENES).sort()));

  for (const [heading, {file = BILLS, first, each}] of Object.entries(SCENES))
    it(`${PAGE}: runs as it says: ${heading}`, async () => {
      const commands = sections.get(heading)!;
      for (const together of each ? commands.map((command) => [command]) : [commands]) {
        await startAgain([
          ['bills.csv', file],
          ['bills.xlsx', WORKBOOK],
        ]);
        for (const typed of first) await type(typed);
        const record = (await payouts()).find(
          ({client_metadata: metadata}) => metadata['remit_reference'] === 'INV-1002',
        );
        for (const command of together) {
          await type(answered(command).replace(/(--paid) \S+/, `$1 ${record?.id}`));
          if (command.includes('> bills.csv')) writeFileSync(join(operator.folder, 'bills.csv'), file); // filled in
        }
        await assertPaidOnce();
      }
    });

  it('README.md: prints what it shows', async () => {
    for (const {files, steps} of readConsolePage(readText('README.md'))) {
      if (steps.length === 0) continue;
      await startAgain(files);
      for (const step of steps) {
        if ('paid' in step) continue;
        const printed = (await type(step.command)).replaceAll(baseUrl, `http://127.0.0.1:${DEFAULT_PORT}`);
        if (step.expected !== undefined && !printsAsShown(printed, step.expected))
          assert.fail(`README.md:${step.line} $ ${step.command}\nprinted:\n${printed}`);
      }
      await assertPaidOnce();
    }
  });
});
