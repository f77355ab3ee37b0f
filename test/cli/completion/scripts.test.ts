import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {flagSource} from '../../../src/cli/completion/sources.ts';
import {completionScript, SHELLS} from '../../../src/cli/completion/script.ts';
import {treeOf} from '../../../src/cli/completion/tree.ts';
import {PAGES} from '../../../src/cli/help/pages.ts';
import {globalFlags} from '../../../src/cli/input/global-flags.ts';
import {runCli, sourceConfig} from '../run-cli.ts';

const KINDS =
  /^@(profiles|payouts|payins|payees|payers|moves|transfers|subaccounts|accounts|payment-methods|endpoints|event-types|deliveries|events|checkpoints|faults|payout-batches|payin-batches)$/;

describe('completion scripts', () => {
  const tree = async () => treeOf(await sourceConfig(), Object.keys(PAGES));

  it('know every command, topic and flag', async () => {
    const config = await sourceConfig();
    const {nodes, globals} = await tree();
    assert.deepEqual(
      globals.map(({names}) => names[0]),
      Object.keys(globalFlags).map((name) => `--${name}`),
    );
    for (const {id, flags} of config.commands) {
      const node = nodes.find(({path}) => path === id.replaceAll(':', ' '));
      const own = Object.keys(flags).filter((name) => !(name in globalFlags));
      assert.deepEqual(
        node?.flags.map(({names}) => names[0]),
        own.map((name) => `--${name}`),
        id,
      );
      const words = id.split(':');
      const verb = words.pop();
      const parent = nodes.find(({path}) => path === words.join(' '));
      assert.ok(
        parent?.words.some(({word, summary}) => word === verb && summary !== ''),
        id,
      );
    }
  });

  it('complete every id and batch', async () => {
    const {nodes} = await tree();
    const open = nodes.flatMap(({path, args}) => (args.includes('?') ? [path] : []));
    assert.deepEqual(
      open,
      [
        'api', // the path
        'payins batch find', // the reference of a row
        'payins batch resolve',
        'payouts batch find',
        'payouts batch resolve',
        'profiles add', // a new name
        'sandbox advance',
        'sandbox checkpoint save',
        'sandbox clock',
        'sandbox simulate', // an id whose kind is another argument
        'treasury label',
        'webhooks send',
        'webhooks sign',
      ].filter((path) => nodes.some((node) => node.path === path)),
    );
    const sources = nodes.flatMap(({args, flags}) => [...args, ...flags.map(({source}) => source)]);
    for (const source of sources) assert.match(source, /^([-?]|=.+|%file|%folder|@.+)$/);
    for (const source of sources.filter((one) => one.startsWith('@'))) assert.match(source, KINDS);
  });

  it('offer rails and statuses of the command at hand', () => {
    assert.equal(flagSource('payins:create', 'rail', {}), '=standard_ach|same_day_ach');
    assert.match(flagSource('payouts:create', 'rail', {}), /wire/);
    assert.match(flagSource('transfers:create', 'rail', {}), /book/);
    assert.match(flagSource('payouts:wait', 'until', {}), /debited/);
    assert.doesNotMatch(flagSource('transfers:wait', 'until', {}), /debited/);
  });

  for (const shell of SHELLS)
    it(`${shell}: is printed unchanged, as text or in JSON`, async () => {
      const text = await runCli(['completion', shell], {columns: 40});
      assert.equal(text.exitCode, 0);
      const expected = completionScript(shell, await sourceConfig(), Object.keys(PAGES));
      assert.equal(text.stdout, expected);
      const json = await runCli(['completion', shell, '--json']);
      assert.deepEqual(json.json(), {shell, script: expected});
    });

  it('refuse an unknown shell with the known ones', async () => {
    const {exitCode, stderr} = await runCli(['completion', 'tcsh']);
    assert.equal(exitCode, 2);
    assert.match(stderr, /bash, zsh, fish, powershell/);
  });
});
