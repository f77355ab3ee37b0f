import assert from 'node:assert/strict';
import {readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, describe, it} from 'mocha';
import {readPlace} from '../../../../src/cli/sandbox/recorded/place.ts';
import {DEFAULT_PORT} from '../../../../src/cli/runtime/sandbox-port.ts';
import {readText} from '../../../repo/tree.ts';
import {LiveSandbox} from '../../sandbox/live-sandbox.ts';
import {printsAsShown, readConsolePage, type Section} from './console-page.ts';
import {Operator} from './operator.ts';

const PAGE = 'docs/guides/mistakes.md';
const SHOWN_URL = `http://127.0.0.1:${DEFAULT_PORT}`;
const [beginning, ...sections] = readConsolePage(readText(PAGE)) as [Section, ...Section[]];

/** Of an answer of the service, what is looked at here. */
interface Payout {
  status: string;
  client_metadata: Record<string, string>;
}
const UNPAID = new Set(['created', 'canceled', 'failed']);

describe(PAGE, () => {
  const live = new LiveSandbox();
  const operator = new Operator(join(live.home, 'work'), live.env);
  const config = join(live.env.REMIT_CONFIG_DIR, 'config.json');
  let baseUrl: string;
  let keys: string[];
  let onlyTheSandbox: string;

  before(async () => {
    await live.start();
    baseUrl = readPlace(live.place)!.base_url;
    onlyTheSandbox = readFileSync(config, 'utf8');
    const issued = (await live.run(['sandbox', 'keys', '--json'])).json() as {key: string; scope: string}[];
    keys = issued.filter(({scope}) => scope === 'full').map(({key}) => key);
    assert.equal(keys.length, 2);
  });
  after(async () => {
    live.stop.receive('SIGTERM');
    await live.ended();
    rmSync(live.home, {recursive: true, force: true});
  });

  /** Nothing paid, and the state folder knows of no batch. */
  async function beginAfresh(section: Section): Promise<void> {
    rmSync(join(live.env.REMIT_STATE_DIR, 'batches'), {recursive: true, force: true});
    writeFileSync(config, onlyTheSandbox);
    assert.equal((await operator.type('remit sandbox reset')).exitCode, 0);
    for (const [name, text] of [...beginning.files, ...section.files])
      writeFileSync(join(operator.folder, name), text);
  }

  async function play(section: Section): Promise<void> {
    let exitCode: number | undefined;
    for (const step of section.steps) {
      if ('paid' in step) {
        assert.deepEqual(await paidReferences(), step.paid, `${PAGE}:${step.line}: what was paid`);
        continue;
      }
      const at = `${PAGE}:${step.line} $ ${step.command}`;
      if (step.command === 'echo $?') {
        assert.equal(String(exitCode), step.expected, `${at}: exit code`);
        exitCode = undefined;
        continue;
      }
      assert.equal(
        exitCode ?? 0,
        0,
        `${PAGE}:${step.line - 1}: the page shows no exit code, so it should be 0`,
      );
      const typed = await operator.type(step.command.replaceAll(SHOWN_URL, baseUrl));
      ({exitCode} = typed);
      const printed = typed.printed.replaceAll(baseUrl, SHOWN_URL);
      if (step.expected !== undefined && !printsAsShown(printed, step.expected))
        assert.fail(`${at}\nshown:\n${step.expected}\n\nprinted (exit ${exitCode}):\n${printed}`);
    }
    assert.equal(exitCode ?? 0, 0);
  }

  /** From the service's own books, test and live: the reference of each payout that was approved. */
  async function paidReferences(): Promise<string[]> {
    const paid: string[] = [];
    for (const key of keys) {
      const answer = await fetch(`${baseUrl}/api/payouts?limit=100`, {headers: {'x-api-key': key}});
      const {data} = (await answer.json()) as {data: Payout[]};
      assert.ok(answer.ok && data.length < 100);
      for (const {status, client_metadata: metadata} of data)
        if (!UNPAID.has(status)) paid.push(metadata['remit_reference']!);
    }
    return paid.sort();
  }

  it('has ten sections', () => {
    assert.deepEqual(
      sections.map(({title}) => Number(title.split('.')[0])),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    );
    for (const {title, steps} of sections) {
      assert.ok(
        steps.some((step) => 'paid' in step),
        `${title} says what was paid`,
      );
      assert.ok(
        steps.some((step) => 'command' in step && step.command === 'echo $?'),
        `${title}: exit codes`,
      );
    }
  });

  for (const section of sections)
    it(`prints and pays as it says: ${section.title}`, async () => {
      const leave = operator.enter();
      try {
        await beginAfresh(section);
        await play(beginning);
        await play(section);
      } finally {
        leave();
      }
    });
});
