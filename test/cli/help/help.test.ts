import assert from 'node:assert/strict';
import type {Config} from '@oclif/core';
import {before, describe, it} from 'mocha';
import {helpText} from '../../../src/cli/help/help.ts';
import {runCli, sourceConfig} from '../run-cli.ts';

/** More own flags than this are shown in groups. */
const UNGROUPED = 8;

describe('the help of a command', () => {
  let config: Config;
  before(async () => {
    config = await sourceConfig();
  });

  const textAt = (id: string, columns?: number): Promise<string> => {
    const stdout = {isTTY: columns !== undefined, columns} as typeof process.stdout;
    return helpText(config, id, {stdout, env: {NO_COLOR: '1'}});
  };
  const headings = (text: string): string[] => text.match(/^[A-Z ]*FLAGS$/gm) ?? [];

  it('shows many flags in groups, the everyday ones first', async () => {
    for (const {id, flags} of config.commands) {
      const own = Object.values(flags).filter(({helpGroup}) => helpGroup !== 'GLOBAL');
      if (own.length <= UNGROUPED) continue;
      const groups = new Set(own.map(({helpGroup}) => helpGroup?.replace(/^MORE ?/, '') || undefined));
      assert.ok(groups.size > 1, `${id} has ${own.length} flags in one group`);
      for (const group of groups) {
        const size = own.filter(({helpGroup}) => helpGroup === group).length;
        assert.ok(size <= 12, `${id}: ${size} flags under ${group ?? 'FLAGS'}`);
      }
      const shown = headings(await textAt(id));
      if (groups.has(undefined)) assert.equal(shown[0], 'FLAGS', id);
      assert.equal(shown.length, groups.size, `${id}: ${shown.join(', ')}`);
    }
  });

  it('groups the flags of batch run by what they are for', async () => {
    const text = await textAt('payouts:batch:run');
    assert.deepEqual(headings(text), [
      'FLAGS',
      'CONFIRMATION FLAGS',
      'ACCEPTANCE FLAGS',
      'INPUT FORMAT FLAGS',
      'SPEED FLAGS',
      'RECOVERY FLAGS',
      'OUTPUT FLAGS',
    ]);
    const main = text.slice(text.indexOf('\nFLAGS'), text.indexOf('\nCONFIRMATION FLAGS'));
    assert.ok(main.indexOf('--batch-id') < main.indexOf('--direct'), 'rare flags come last');
  });

  it('of --help only names the flags that few people type, and shows an example before the flags', async () => {
    const {stdout} = await runCli(['payouts', 'batch', 'run', '--help']);
    const [shown = '', more = ''] = stdout.split(/^MORE FLAGS .*$/m);
    assert.match(stdout, /^MORE FLAGS \(remit help payouts batch run\)$/m);
    for (const name of ['--max-in-flight', '--break-lock', '--namespace', '--number-format']) {
      assert.ok(!shown.includes(name), name);
      assert.ok(more.includes(name), name);
    }
    assert.ok(shown.includes('--valid-only') && !more.includes('--valid-only'));
    assert.ok(stdout.indexOf('EXAMPLES') < stdout.indexOf('\nFLAGS'));
    assert.match(shown, /\(values: remit help payouts batch run\)/);
    assert.doesNotMatch(stdout, /key-trust/);
    assert.doesNotMatch((await runCli(['payouts', 'list', '--help'])).stdout, /MORE FLAGS/);
  });

  it('is wrapped at the width of the terminal', async () => {
    for (const columns of [60, 80, 120])
      for (const id of ['payouts:batch:run', 'webhooks:listen', 'payouts:create', 'sandbox:faults:add']) {
        const lines = (await textAt(id, columns)).split('\n');
        const widest = lines.reduce((most, line) => Math.max(most, line.length), 0);
        assert.ok(widest <= columns, `${id} at ${columns}: ${widest}`);
        if (columns === 120) assert.ok(widest > 80, `${id} leaves a third of the terminal empty`);
      }
  });

  it('suggests the whole command for one without its topic', async () => {
    for (const [asked, suggested] of [
      [['batch'], 'payouts batch'],
      [['batch', 'run'], 'payouts batch run'],
      [['replay'], 'webhooks events replay'],
    ] as const) {
      const {stderr, exitCode} = await runCli(['help', ...asked]);
      assert.equal(exitCode, 2);
      assert.match(stderr, new RegExp(`^Hint: remit help ${suggested}$`, 'm'));
    }
    assert.match((await runCli(['help', 'approve'])).stderr, /^Hint: remit --help$/m); // there are several
  });

  it('shows flags and examples completely, even if they look like account numbers', async () => {
    for (const argv of [
      ['help', 'payment-methods', 'add'],
      ['help', 'payment-methods', 'add', '--json'],
    ]) {
      const {stdout} = await runCli(argv);
      assert.match(stdout, /--account-number=NUMBER/);
      assert.match(stdout, /--routing-number 021000021/); // on one line
    }
  });
});
