import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, mkdtempSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {delimiter, join} from 'node:path';
import {parse} from 'yaml';
import {readText} from '../repo/tree.ts';
import {BIN, cleanEnv} from './spawn-cli.ts';

const blocksOf = (page: string, language: string): string[] =>
  [
    ...readText(`docs/guides/${page}`).matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g')),
  ].map(([, block]) => block!.trim());

/** A folder with nothing of ours, and `remit` on the path as after an installation. */
function freshMachine(): {home: string; env: NodeJS.ProcessEnv} {
  const home = mkdtempSync(join(tmpdir(), 'remit-guides-'));
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'remit'), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`, {mode: 0o755});
  const env = cleanEnv();
  return {home, env: {...env, HOME: home, PATH: `${bin}${delimiter}${env['PATH'] ?? ''}`}};
}

/** Runs a script as a reader types it: it ends at the first command that fails. */
async function run(script: string, {home, env}: ReturnType<typeof freshMachine>): Promise<string> {
  const child = spawn('/bin/bash', ['-e', '-o', 'pipefail', '-c', script], {
    ...{env, cwd: home},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  const [code] = (await once(child, 'close')) as [number | null];
  assert.equal(code, 0, `${script}\n${text}`);
  return text;
}

const onFreePort = (script: string): string =>
  script.replaceAll('remit sandbox start', 'remit sandbox start --port 0');

/** At a terminal these ask; a page that ends with `sandbox stop` leaves that to the test. */
const withoutPrompts = (script: string): string =>
  script
    .replace(/^(remit payouts batch (?:run|release|resume) (?!.*--(?:yes|confirm)).*)$/gm, '$1 --yes')
    .replace(/\nremit sandbox stop$/, '');

describe('the commands of the guides', function () {
  this.timeout(180_000);
  const pages: readonly [page: string, commands: number, says: readonly RegExp[]][] = [
    ['../start.md', 20, [/settled/, /Batch salaries is complete: 3 of 3/, /are equal/, /already paid +3/]],
    [
      'payouts.md',
      17,
      [/settled/, /Nothing new was created: payout/, /canceled/, /exit code 9/, /to this payee/],
    ],
    ['waiting.md', 8, [/debited|settled/]],
    ['treasury.md', 15, [/Inbound credit/, /Days are in UTC/, /Operating account/]],
    ['subaccounts.md', 10, [/SETTLED/, /125\.00 USD/]],
    ['payment-methods.md', 7, [/verified/]],
    ['scripting.md', 22, [/"status":"settled"/, /Acme Ltd/, /complete: 1 of 1/]],
    ['going-live.md', 13, [/LIVE/, /complete: 1 of 1/, /exported to .*first-paid\.csv/]],
    ['continuous-integration.md', 6, [/complete: 1 of 1/, /are equal/]],
  ];
  for (const [page, commands, says] of pages)
    it(`work as printed, from the first to the last: ${page}`, async () => {
      const machine = freshMachine();
      const script = withoutPrompts(onFreePort(blocksOf(page, 'sh').join('\n')));
      for (const csv of blocksOf(page, 'csv')) writeFileSync(join(machine.home, 'salaries.csv'), `${csv}\n`);
      assert.ok(
        script.split('remit ').length > commands,
        'the page has fewer commands than this test expects',
      );
      try {
        const text = await run(script, machine);
        for (const pattern of says) assert.match(text, pattern);
      } finally {
        await run('remit sandbox stop', machine);
      }
    });

  it('work as steps of the workflow for continuous integration', async () => {
    const [yaml] = blocksOf('continuous-integration.md', 'yaml');
    const workflow = parse(yaml!) as {jobs: {test: {env: Record<string, string>; steps: {run?: string}[]}}};
    const {env, steps} = workflow.jobs.test;
    const machine = freshMachine();
    const folders = Object.entries(env).map(([name, path]) => [
      name,
      path.replace(/\$\{\{ runner\.temp \}\}/, machine.home),
    ]);
    Object.assign(machine.env, Object.fromEntries(folders), {CI: 'true'});
    const scripts = steps.flatMap(({run: script}) =>
      script?.startsWith('npm install') ? [] : (script ?? []),
    );
    assert.equal(scripts.length, 4);
    const texts: string[] = [];
    for (const script of scripts) texts.push(await run(onFreePort(script), machine));
    assert.match(texts[1]!, /settled/);
    assert.match(texts[2]!, /"balanced":\s*true/);
  });
});
