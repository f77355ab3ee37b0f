import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {brotliDecompressSync} from 'node:zlib';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {helpForm} from '../../src/cli/help/help.ts';
import {layOut} from '../../src/cli/help/layout.ts';
import {topicTreeOf} from '../../src/cli/core/main.ts';
import {sourceConfig} from '../cli/run-cli.ts';
import {readJson, ROOT} from '../repo/tree.ts';
import {BIN, cleanEnv, spawnCli} from './spawn-cli.ts';

type Places = Record<string, [at: number, length: number]>;

/** util-linux: gives a command a terminal of its own. */
const HAS_TERMINALS = /util-linux/.test(String(spawnSync('script', ['--version']).stdout));

describe('help that the build wrote', function () {
  this.timeout(120_000);
  const places = readJson('dist/help-of-all.json') as {commands: Places; topics: Places};
  const texts = readFileSync(join(ROOT, 'dist', 'help-of-all.br'));
  const all = {...places.commands, ...places.topics};
  const written = (id: string) => {
    const [at, length] = all[id]!;
    return brotliDecompressSync(texts.subarray(at, at + length)).toString();
  };
  const ON_PAPER = {width: 80, styles: false};

  it('is what the tool would write, for every command and topic', async () => {
    const config = await sourceConfig();
    for (const id of Object.keys(all))
      assert.equal(written(id), await helpForm(config, id, {isShort: true}), `${id}: npm run build`);
  });

  it('has every command and every topic', async () => {
    const {commands, topics} = topicTreeOf((await sourceConfig()).commandIDs);
    assert.deepEqual(Object.keys(places.commands).sort(), [...commands].sort());
    assert.deepEqual(Object.keys(places.topics).sort(), [...topics].sort());
  });

  for (const words of ['payouts create', 'payouts batch run', 'webhooks', 'sandbox faults'])
    it(`is the help of ${words} with and without a flag that only the tool reads`, async () => {
      const fast = await spawnCli([...words.split(' '), '--help']);
      assert.deepEqual(fast, await spawnCli(['--no-color', ...words.split(' '), '-h']));
      assert.equal(fast.stdout, layOut(written(words.replaceAll(' ', ':')), ON_PAPER));
    });

  describe('without a whole dist', () => {
    let root: string;
    beforeEach(() => {
      root = mkdtempSync(join(tmpdir(), "remit's stale-"));
      mkdirSync(join(root, 'bin'));
      for (const name of ['run.cjs', 'refuse.cjs'])
        copyFileSync(join(ROOT, 'bin', name), join(root, 'bin', name));
    });
    afterEach(() => rmSync(root, {recursive: true}));
    const remit = (...words: string[]) =>
      spawnSync(process.execPath, [join(root, 'bin', 'run.cjs'), ...words], {
        ...{env: {...cleanEnv(), XDG_CACHE_HOME: join(root, 'cache')}, encoding: 'utf8'},
      });

    it('names the build in a clone, with a command for any folder', () => {
      mkdirSync(join(root, 'src'));
      const missing = remit('whoami', '--help');
      assert.equal(missing.status, 13);
      const quoted = `'${root.replace("'", `'\\''`)}'`;
      const hint = `npm --prefix ${quoted} run build`;
      assert.match(missing.stderr, /^Error: remit is not built: .*commands\.txt'\n/);
      assert.ok(missing.stderr.endsWith(`\nHint: ${hint}\n`), missing.stderr);
      const json = remit('payouts', 'list', '-o', 'json');
      assert.equal(json.status, 13);
      const {error} = JSON.parse(json.stderr) as {error: Record<string, unknown>};
      assert.deepEqual([error['code'], error['exit_code'], error['hint']], ['STATE_DAMAGED', 13, hint]);
    });

    it('reports a damaged installation if the help cannot be read', () => {
      mkdirSync(join(root, 'dist'));
      writeFileSync(join(root, 'dist', 'commands.txt'), 'whoami');
      for (const json of ['{"commands": {"whoami": "its help"}}', '{"commands": {}}', '{}', '']) {
        writeFileSync(join(root, 'dist', 'help-of-all.json'), json);
        const {status, stdout, stderr} = remit('whoami', '--help');
        assert.deepEqual([status, stdout], [13, ''], json);
        assert.match(
          stderr,
          /^Error: this installation of remit is damaged: .*\nHint: install remit again\n$/,
          json,
        );
      }
    });

    for (const [part, words] of [
      ['remit.cjs', ['whoami']],
      ['rest.cjs', ['payouts', 'batch', 'list']],
      ['more.cjs', ['payees', 'create']],
      ['layout.cjs', ['whoami', '--help']],
    ] as const)
      for (const damage of ['truncated', 'missing', 'empty'])
        it(`reports a damaged installation if ${part} is ${damage}`, () => {
          mkdirSync(join(root, 'dist'));
          for (const name of readdirSync(join(ROOT, 'dist')))
            if (/\.(cjs|txt|json)$/.test(name))
              copyFileSync(join(ROOT, 'dist', name), join(root, 'dist', name));
          copyFileSync(join(ROOT, 'package.json'), join(root, 'package.json'));
          const file = join(root, 'dist', part);
          if (damage === 'missing') rmSync(file);
          else truncateSync(file, damage === 'empty' ? 0 : Math.floor(statSync(file).size / 2));
          const text = remit(...words);
          assert.deepEqual([text.status, text.stdout], [13, ''], text.stderr.slice(0, 500));
          assert.match(
            text.stderr,
            /^Error: this installation of remit is damaged: .{1,300}\nHint: install remit again\n$/,
          );
          const {error} = JSON.parse(remit(...words, '--json').stderr || '{}') as {error?: {code: string}};
          if (part !== 'layout.cjs') assert.equal(error?.code, 'STATE_DAMAGED');
        });
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
