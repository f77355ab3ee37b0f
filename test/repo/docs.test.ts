import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {
  callsInBlocks,
  callsInText,
  faultOf,
  loadCommands,
  remitCallsIn,
  shellTokens,
  type CommandMap,
} from './command-lines.ts';
import {RemitCommand} from '../../src/cli/core/command.ts';
import {magicTable} from '../../src/sandbox/outcomes/magic.ts';
import {OUTCOMES} from '../../src/sandbox/outcomes/outcomes.ts';
import {SCENARIOS} from '../../src/sandbox/outcomes/scenarios.ts';
import {TIMING_PROFILES} from '../../src/sandbox/time/timing.ts';
import {FAULT_KINDS} from '../../src/cli/sandbox/fault-flags.ts';
import {linkedFiles, tableRows} from './markdown.ts';
import {ROOT, filesUnder, readJson, readText} from './tree.ts';

const none = (findings: readonly string[]): void => assert.equal(findings.join('\n'), '');
const pages = filesUnder().filter((path) => path.endsWith('.md'));

async function faultsIn(text: string, path: string, commands: CommandMap): Promise<string[]> {
  const calls = [
    ...callsInBlocks(text).map((call) => ({...call, partly: false})),
    ...callsInText(text).map((call) => ({...call, partly: true})),
  ];
  const faults: string[] = [];
  for (const {line, argv, partly} of calls) {
    const fault = await faultOf(argv, commands, partly);
    if (fault !== undefined) faults.push(`${path}:${line} remit ${argv.join(' ')}: ${fault}`);
  }
  return faults;
}

/** Links to files of the project that are not there. Anchors within a page are left to the reader. */
const brokenLinks = (path: string, text: string): string[] =>
  linkedFiles(path, text)
    .filter((file) => !existsSync(join(ROOT, file)))
    .map((file) => `${path} links to ${file}, which is not there`);

const isRemitCommand = (command: unknown): boolean =>
  typeof command === 'function' && command.prototype instanceof RemitCommand;

describe('docs', () => {
  let commands: CommandMap;
  before(async () => {
    commands = await loadCommands();
  });

  it('show only command lines that remit accepts', async () => {
    for (const path of pages) none(await faultsIn(readText(path), path, commands));
  });

  it('are caught when they do', async () => {
    const lines = (text: string) => faultsIn(text, 'a.md', commands).then((faults) => faults.length);
    const block = (line: string) => `\`\`\`sh\n${line}\n\`\`\``;
    assert.equal(await lines(block('remit payouts get 5f0c --json | jq .id')), 0);
    assert.equal(await lines(block('remit payouts gte 5f0c')), 1);
    assert.equal(await lines(block('remit payouts get')), 1);
    assert.equal(await lines(block('remit payouts get 5f0c --nope')), 1);
    assert.equal(await lines(block('echo remit payouts gte')), 0);
    assert.equal(await lines('```console\n$ remit payouts gte\nremit payouts gte\n```'), 1);
    assert.equal(await lines('Type `remit payouts get`, then `remit payouts`.'), 0);
    assert.equal(await lines('Type `remit payouts get --nope`.'), 1);
    assert.equal(await lines('Type `remit playouts`.'), 1);
  });

  it('read a shell line as a shell does', () => {
    assert.deepEqual(
      shellTokens(`a 'b c' "d \\"e" f\\ g --h='i j' # k`).map(({text}) => text),
      ['a', 'b c', 'd "e', 'f g', '--h=i j'],
    );
    assert.deepEqual(remitCallsIn(`REMIT_PROFILE=x remit a b > out.txt && remit c | jq .d; npx remit e`), [
      ['a', 'b'],
      ['c'],
      ['e'],
    ]);
    assert.deepEqual(remitCallsIn('ID=$(remit a -o id) 2>/dev/null'), [['a', '-o', 'id']]);
    assert.deepEqual(remitCallsIn('$ node bin/run.cjs a'), [['a']]);
  });

  it('name only npm scripts that exist', () => {
    const {scripts} = readJson('package.json') as {scripts: Record<string, string>};
    none(
      pages.flatMap((path) =>
        [...readText(path).matchAll(/npm (?:run (?:--silent |-s )?([\w:]+)|(test)\b)/g)]
          .map(([, run, test]) => run ?? test!)
          .filter((name) => !(name in scripts))
          .map((name) => `${path}: npm run ${name}`),
      ),
    );
  });

  it('name only files that exist', () => {
    const named = /`((?:src|test|bin|docs)\/[\w./-]+)`/g; // without <…> and *
    none(
      pages.flatMap((path) =>
        [...readText(path).matchAll(named)]
          .map(([, file]) => file!)
          .filter((file) => !existsSync(join(ROOT, file)))
          .map((file) => `${path} names ${file}, which is not there`),
      ),
    );
  });

  it('name only flags that a command has', () => {
    const others = new Set(['--help', '--version', '--cacert', '--import', '--semi-space-growth-factor']); // also curl's and Node's
    const known = new Set(
      [...commands.values()].flatMap(({command}) => Object.keys({...command.baseFlags, ...command.flags})),
    );
    const unknown = (text: string) =>
      [...text.matchAll(/`--([a-z][a-z0-9-]*)/g)]
        .map(([, name]) => name!)
        .filter((name) => !known.has(name) && !others.has(`--${name}`));
    none(pages.flatMap((path) => unknown(readText(path)).map((name) => `${path}: --${name}`)));
    assert.deepEqual(unknown('`--until settled` and `--follow`'), ['follow']);
  });

  it('wrap prose at 120 characters', () => {
    none(pages.flatMap((path) => longLines(path, readText(path))));
    const long = 'word '.repeat(25);
    assert.equal(longLines('a.md', `${long}\n| ${long} |\n\`\`\`\n${long}\n\`\`\`\nword`).length, 1);
  });

  it('link only to files that exist', () => {
    none(pages.flatMap((path) => brokenLinks(path, readText(path))));
    assert.equal(
      brokenLinks('docs/a.md', '[b](b.md) [c](https://example.com) [d](../LICENSE) [e](#f)').length,
      1,
    );
  });
});

/** Lines of prose that are too long, except in generated pages. Prettier leaves Markdown alone. */
function longLines(path: string, text: string): string[] {
  if (/^(<!-- )?Generated (by|from) /m.test(text)) return [];
  let isCode = false;
  return text.split('\n').flatMap((line, index) => {
    if (/^\s*```/.test(line)) isCode = !isCode;
    const isProse = !isCode && !/^\s*\|/.test(line);
    return isProse && line.length > 120 ? [`${path}:${index + 1} is longer than 120 characters`] : [];
  });
}

describe('docs/internals/adr', () => {
  const decisions = filesUnder('docs/internals/adr').filter((path) => /\/\d{4}-/.test(path));

  it('has each decision in its table, in order and by its title', () =>
    assert.deepEqual(
      [...readText('docs/internals/adr/README.md').matchAll(/^\| \[(\d+)\]\((.+)\) \| (.+) \|$/gm)].map(
        ([, number, file, title]) => [`docs/internals/adr/${file}`, `# ${number}: ${title}`],
      ),
      decisions.map((path) => [path, readText(path).split('\n')[0]]),
    ));

  it('keeps each decision to a page', () =>
    none(
      decisions
        .map((path) => `${path}: ${readText(path).split('\n').length - 1} lines`)
        .filter((line) => Number(/(\d+) lines$/.exec(line)![1]) > 80),
    ));
});

describe('docs/guides/sandbox.md', () => {
  const rows = tableRows(readText('docs/guides/sandbox.md'));
  const under = (heading: string) => rows.filter((row) => row.heading === heading).map(({cells}) => cells);

  it('lists exactly the scenarios of the sandbox, with their descriptions', () => {
    assert.deepEqual(under('Scenarios'), Object.entries(SCENARIOS));
  });

  it('lists exactly what can be simulated, with its description', () => {
    let kinds: string[] = [];
    const told = under('Simulate').flatMap(([kind, outcome, does]) => {
      if (kind !== '') kinds = kind!.replaceAll('`', '').split(', ');
      return kinds.map((name) => [name, outcome, does]);
    });
    const there = Object.entries(OUTCOMES).flatMap(([kind, outcomes]) =>
      Object.entries(outcomes).map(([outcome, does]) => [kind, outcome, does]),
    );
    assert.deepEqual(told.sort(), there.sort());
  });

  it('names only magic values that exist', () => {
    const there = magicTable({magicAmounts: true}).map(({where, value}) => `${where} ${value}`);
    const told = under('Magic values').flatMap(([value]) => value!.replaceAll('`', ''));
    assert.ok(told.length > 10);
    assert.deepEqual(
      told.filter((value) => !there.includes(value)),
      [],
    );
  });

  it('lists exactly the timing profiles', () => {
    const profiles = under('Time').map(([profile]) => profile);
    assert.deepEqual(profiles, [...TIMING_PROFILES]);
  });

  it('lists exactly the effects of fault rules', () => {
    const effects = under('Faults').map(([effect]) => effect);
    assert.deepEqual(effects, [...FAULT_KINDS]);
  });
});

describe('commands', () => {
  it('each have a summary and an example that remit accepts', async () => {
    const commands = await loadCommands();
    const faults: string[] = [];
    for (const [id, {path, command}] of commands) {
      const words = id.replaceAll(':', ' ');
      if (!isRemitCommand(command)) faults.push(`${path} is no RemitCommand`);
      if (!command.summary) faults.push(`${path} has no summary`);
      const examples = (command.examples ?? []).map((example) =>
        typeof example === 'string' ? example : (example as {command: string}).command,
      );
      if (examples.length === 0) faults.push(`${path} has no example`);
      for (const example of examples) {
        const line = example.replaceAll('<%= config.bin %>', 'remit').replaceAll('<%= command.id %>', words);
        const calls = line.split('\n').flatMap(remitCallsIn);
        if (!calls.some((argv) => argv.join(' ').startsWith(words)))
          faults.push(`${path}: no call of itself in ${line}`);
        for (const argv of calls) {
          const fault = await faultOf(argv, commands);
          if (fault !== undefined) faults.push(`${path}: ${line}: ${fault}`);
        }
      }
    }
    none(faults);
  });
});
