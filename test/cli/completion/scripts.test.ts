import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {flagSource} from '../../../src/cli/completion/sources.ts';
import {candidates} from '../../../src/cli/completion/callback.ts';
import {packed, unpacked} from '../../../src/cli/completion/packed-tree.ts';
import {completionScript, SHELLS} from '../../../src/cli/completion/shells.ts';
import {treeOf} from '../../../src/cli/completion/tree.ts';
import {PAGES} from '../../../src/cli/help/pages.ts';
import {globalFlags} from '../../../src/cli/input/global-flags.ts';
import {runCli, sourceConfig} from '../run-cli.ts';

const KINDS =
  /^@(profiles|payouts|payins|payees|payers|moves|transfers|subaccounts|accounts|payment-methods|endpoints|event-types|deliveries|events|checkpoints|faults|payout-batches|payin-batches)$/;

describe('completion', () => {
  const tree = async () => treeOf(await sourceConfig(), Object.keys(PAGES));

  it('knows every command, topic and flag', async () => {
    const config = await sourceConfig();
    const {nodes, globals} = await tree();
    assert.deepEqual(
      globals.map(({names}) => names[0]),
      Object.keys(globalFlags).map((name) => `--${name}`),
    );
    for (const {id, flags, hidden} of config.commands) {
      if (hidden) continue;
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

  it('is stored and read whole, with summaries of one line', async () => {
    const {nodes, globals} = await tree();
    const read = unpacked(packed({nodes, globals}));
    const all = nodes.map(({path}) => read.nodeAt(path)!);
    const withoutSummaries = (value: unknown) =>
      JSON.parse(
        JSON.stringify(value, (name, inner: unknown) => (name === 'summary' ? undefined : inner)),
      ) as object;
    assert.deepEqual(withoutSummaries([read.globals, all]), withoutSummaries([globals, nodes]));
    for (const {summary} of [...read.globals, ...all.flatMap(({words, flags}) => [...words, ...flags])])
      assert.ok(summary.length <= 60 && !/[\t\n]/.test(summary), summary);
    assert.equal(read.nodeAt('constructor'), undefined);
  });

  it('completes every id and batch', async () => {
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
        'reconcile confirm', // a bank line
        'reconcile forget',
        'reconcile ignore',
        'reconcile reject',
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

  it('offers rails and statuses of the command at hand', () => {
    assert.equal(flagSource('payins:create', 'rail', {}), '=standard_ach|same_day_ach');
    assert.match(flagSource('payouts:create', 'rail', {}), /wire/);
    assert.match(flagSource('transfers:create', 'rail', {}), /book/);
    assert.match(flagSource('payouts:wait', 'until', {}), /debited/);
    assert.doesNotMatch(flagSource('transfers:wait', 'until', {}), /debited/);
  });

  describe('of a line', () => {
    const offered = async (line: string) => {
      const words = line.split(' ');
      const cursor = words.pop()!;
      const place = {env: {}, home: '/nowhere', cwd: '/', nowMs: 0};
      return candidates(unpacked(packed(await tree())), {words, cursor}, place)
        .split('\n')
        .slice(0, -1)
        .map((one) => (one.startsWith('\t') ? one : one.split('\t')[0]!));
    };

    for (const [line, expected] of [
      ['payouts batch re', ['release', 'report', 'resolve', 'resume', 'retry']],
      ['-o json payouts li', ['list']],
      ['--output=json payouts li', ['list']],
      ['--output = json payouts li', ['list']], // as bash splits it
      ['payouts create --rail=instant_b', ['--rail=instant_bank']],
      ['payouts create --rail = instant_b', ['instant_bank']],
      ['payins create --rail =', ['standard_ach', 'same_day_ach']],
      ['payouts batch plan ', ['\tfile']],
      ['payouts batch status x --state-dir ', ['\tfolder']],
      ['payouts list --yes --ver', []],
      ['payouts create -- --ra', []],
      ['payouts create --amount 1', []],
      ['payouts get x ', []],
      ['payouts nothing ', []],
      ['help exit', ['exit-codes']],
    ] as const)
      it(`offers what may follow: ${line}`, async () => {
        const found = await offered(line);
        const isOpen = expected.length === 0 && line.endsWith(' '); // only flags are left
        if (isOpen)
          assert.deepEqual(
            found.filter((one) => !one.startsWith('--')),
            [],
          );
        else assert.deepEqual(found, expected);
      });

    it('offers an argument again where it may be repeated', async () => {
      const [once, twice] = [
        await offered('webhooks events export '),
        await offered('webhooks events export a '),
      ];
      assert.deepEqual(once, twice);
    });

    it('offers flags by their names where nothing else may follow, each with its summary in one line', async () => {
      const place = {env: {}, home: '/nowhere', cwd: '/', nowMs: 0};
      const text = candidates(unpacked(packed(await tree())), {words: ['whoami'], cursor: ''}, place);
      assert.match(text, /^--output\t\S/m);
      for (const line of text.trimEnd().split('\n')) assert.match(line, /^--[a-z-]+\t[^\t]+$/);
    });
  });

  for (const shell of SHELLS)
    it(`${shell}: is printed unchanged, as text or in JSON`, async () => {
      const text = await runCli(['completion', shell], {columns: 40});
      assert.equal(text.exitCode, 0);
      const expected = completionScript(shell);
      assert.equal(text.stdout, expected);
      const json = await runCli(['completion', shell, '--json']);
      assert.deepEqual(json.json(), {shell, script: expected});
    });

  it('refuses an unknown shell with the known ones', async () => {
    const {exitCode, stderr} = await runCli(['completion', 'tcsh']);
    assert.equal(exitCode, 2);
    assert.match(stderr, /bash, zsh, fish, powershell/);
  });
});
