import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {must} from '../../../src/narrow.ts';
import {runCli} from '../../cli/run-cli.ts';
import {LedgerDesk} from './ledger-desk.ts';

interface Finding {
  kind: string;
  text: string;
  line: string;
  next: string[];
}

const ODD = ['--help', '-x', '-', '--', '--note=y', '-x y', '', ' ', 'x --note y', '\u202e-x'];

/** The words of a command as a shell passes them on. */
const typed = (command: string): string[] =>
  execFileSync('bash', ['-c', `printf '%s\\0' ${command}`], {encoding: 'utf8'})
    .split('\0')
    .slice(0, -1);

describe('a bank line whose id a command would not take', () => {
  let desk: LedgerDesk;
  beforeEach(async () => {
    desk = await LedgerDesk.open(['INV-2026-001']);
  });
  afterEach(() => desk.desk.close());
  const unexplained = async () => {
    const {findings} = (await desk.reconcile('--json')).json() as {findings: Finding[]};
    return findings.filter(({kind}) => kind === 'unexplained');
  };

  for (const id of ODD)
    it(`is named in a command that can be typed: ${JSON.stringify(id)}`, async () => {
      desk.bank((lines) => [
        {...must(lines[0], 'a line'), id, description: 'Interest', amount_in_minor_units: 7},
        ...lines,
      ]);
      assert.equal((await desk.reconcile()).exitCode, 8);
      const [found, ...more] = await unexplained();
      assert.deepEqual(more, []);
      const command = /^remit (.+) TEXT$/.exec(found?.next.at(-1) ?? '')?.[1] ?? '';
      assert.match(command, /^reconcile ignore \S.* --note$/);
      const {transport: service, clock, folder: cwd} = desk.desk;
      const ran = await runCli(typed(`${command} checked`), {service, clock, cwd, env: desk.desk.env()});
      assert.equal(ran.exitCode, 0, `${command}\n${ran.stderr}`);
      assert.match(ran.stdout, /^Ignored by /);
      assert.deepEqual(await unexplained(), []);
      assert.equal((await desk.reconcile()).exitCode, 0);
    });
});
