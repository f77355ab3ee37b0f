import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {helpForm} from '../../src/cli/help/help.ts';
import {layOut} from '../../src/cli/help/layout.ts';
import {treeOf} from '../../src/cli/core/main.ts';
import {sourceConfig} from '../cli/run-cli.ts';
import {readJson, ROOT} from '../repo/tree.ts';
import {BIN, cleanEnv, spawnCli} from './spawn-cli.ts';

type Places = Record<string, [at: number, length: number]>;

/** util-linux: gives a command a terminal of its own. */
const HAS_TERMINALS = /util-linux/.test(String(spawnSync('script', ['--version']).stdout));

describe('help that the build wrote', function () {
  this.timeout(120_000);
  const places = readJson('dist/help-of-all.json') as {commands: Places; topics: Places};
  const texts = readFileSync(join(ROOT, 'dist', 'help-of-all.txt'));
  const all = {...places.commands, ...places.topics};
  const written = (id: string) => {
    const [at, length] = all[id]!;
    return texts.toString('utf8', at, at + length);
  };
  const ON_PAPER = {width: 80, styles: false};

  it('is what the tool would write, for every command and topic', async () => {
    const config = await sourceConfig();
    for (const id of Object.keys(all))
      assert.equal(written(id), await helpForm(config, id), `${id}: npm run build`);
  });

  it('has every command and every topic', async () => {
    const {commands, topics} = treeOf((await sourceConfig()).commandIDs);
    assert.deepEqual(Object.keys(places.commands).sort(), [...commands].sort());
    assert.deepEqual(Object.keys(places.topics).sort(), [...topics].sort());
  });

  for (const words of ['payouts create', 'payouts batch run', 'webhooks', 'sandbox faults'])
    it(`is the help of ${words} with and without a flag that only the tool reads`, async () => {
      const fast = await spawnCli([...words.split(' '), '--help']);
      assert.deepEqual(fast, await spawnCli(['--no-color', ...words.split(' '), '-h']));
      assert.equal(fast.stdout, layOut(written(words.replaceAll(' ', ':')), ON_PAPER));
    });

  it('leaves what is not a command or topic to the tool', async () => {
    const wrong = await spawnCli(['payout', 'create', '--help']);
    assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
    assert.match(wrong.stderr, /remit payouts create/);
    const inherited = await spawnCli(['constructor', '--help']);
    assert.deepEqual([inherited.code, inherited.stdout], [2, '']);
  });

  if (!HAS_TERMINALS) it('skipped: script of util-linux is not installed', () => {});
  for (const columns of HAS_TERMINALS ? [0, 60, 80, 100, 120, 200] : [])
    it(`is the same on a terminal of ${columns} columns, whatever the variables for colours`, () => {
      const show = (flags: string, env: Record<string, string> = {}) => {
        const line = `stty cols ${columns}; exec "${process.execPath}" "${BIN}" ${flags}`;
        const {stdout} = spawnSync('script', ['-qec', line, '/dev/null'], {
          env: cleanEnv({TERM: 'xterm-256color', ...env}),
          encoding: 'utf8',
          timeout: 60_000,
        });
        return stdout;
      };
      for (const [env, isStyled] of [
        [{}, true],
        [{CI: '1'}, true],
        [{FORCE_COLOR: '1', TERM: 'dumb'}, true],
        [{NO_COLOR: '1'}, false],
        [{TERM: 'dumb'}, false],
      ] as const) {
        const fast = show('payouts create --help', env);
        assert.equal(/\x1b\[1mUSAGE/.test(fast), isStyled, JSON.stringify(env));
        assert.equal(fast, show('-q payouts create --help', env), JSON.stringify(env));
      }
    });
});
