import assert from 'node:assert/strict';
import {spawn, spawnSync, type ChildProcessWithoutNullStreams} from 'node:child_process';
import {once} from 'node:events';
import {chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import {before, describe, it} from 'mocha';
import {TEXTS} from '../commands/hostile-texts.ts';
import {readText} from '../repo/tree.ts';
import {activeIn} from '../sanitize/canaries.ts';
import {BIN, cleanEnv, spawnCli} from './spawn-cli.ts';

/** A hang is a failure. */
const TIMEOUT_MS = 60_000;

/** How each shell prints the candidates for a line, one to a line. */
const ASK: Readonly<Record<string, (script: string) => {args: string[]; input?: string}>> = {
  bash: (script) => ({
    args: [
      '--norc',
      '-c',
      `. ${script}; COMP_WORDS=($LINE); [[ $LINE == *' ' ]] && COMP_WORDS+=(''); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _remit; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ],
  }),
  fish: (script) => ({
    args: ['--no-config', '-c', `. ${script}; complete -C $LINE | string replace -r '\\t.*' ''`],
  }),
  // zsh completes only in its line editor: one runs in a pseudo-terminal, and compadd prints what matches.
  zsh: (script) => ({
    args: ['-f', '-s'],
    input: `
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z 'PS1=; unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -u -d ${script}.dump; . ${script}'
zpty -w z 'compadd() { if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi; local -a hits; builtin compadd -A hits "$@"; print -rl -- "HIT:"\${^hits}; }'
zpty -w z 'finish() { print -r -- "DO""NE"; zle send-break }; zle -C show list-choices _main_complete; zle -N finish; bindkey "^I" show; bindkey "^]" finish; print -r -- "REA""DY"'
zpty -r z out '*READY*'
zpty -w -n z "$LINE"$'\\t\\x1d'
zpty -r z out '*DONE*'
print -r -- "$out" | tr -d '\\r' | sed -n 's/.*HIT://p'
`,
  }),
};

describe('completion in a shell', function () {
  this.timeout(TIMEOUT_MS * 2);
  const bin = mkdtempSync(join(tmpdir(), 'remit-complete-'));
  const calls = join(bin, 'calls');
  const env = cleanEnv({PATH: `${bin}:${process.env['PATH']}`});
  /** Ids and names that a shell would run or break at, or that would be read as a flag. */
  const hostile = [
    ...[`$(echo ran >> ${calls})`, `\`echo ran >> ${calls}\``, `;echo ran >> ${calls};`, '--live', '-y'],
    ...Object.values(TEXTS).map((text) => text.slice(-200)),
    ...['a b', "a'b", 'a"b', 'a\nb', 'a\\', '*', '~', '!!', '{a,b}', '>a', '#a', 'a&'],
  ];

  before(() => {
    // The tool as the shells find it, with a record of each time it is started.
    writeFileSync(
      join(bin, 'remit'),
      `#!/bin/sh\necho "$1 $2" >> ${calls}\nexec "${process.execPath}" "${BIN}" "$@"\n`,
    );
    chmodSync(join(bin, 'remit'), 0o755);
    const config = join(env['HOME']!, '.config', 'remit');
    mkdirSync(config, {recursive: true, mode: 0o700});
    const profile = {base_url: 'http://127.0.0.1:9', key: {stored: 'test_aaaaaaaaaaaaaaaa'}, mode: 'test'};
    writeFileSync(
      join(config, 'config.json'),
      JSON.stringify({version: 1, default: 'prod', profiles: {prod: profile, stage: profile}}),
      {
        mode: 0o600,
      },
    );
    const batch = join(env['HOME']!, '.local', 'state', 'remit', 'batches', 'payout', 'may-2024');
    mkdirSync(batch, {recursive: true});
    writeFileSync(join(batch, 'journal.db'), '');
    const cache = join(env['XDG_CACHE_HOME']!, 'remit', 'completion');
    mkdirSync(cache, {recursive: true, mode: 0o700});
    const seen = (...ids: string[]) =>
      ids.map((id) => ({id, label: `settled $(echo ran >> ${calls})`, atMs: Date.now()}));
    const payouts = seen('0192a000-0000-7000-8000-000000000001', ...hostile);
    const types = seen('payout.returned', ...hostile);
    const prod = {baseUrl: 'http://127.0.0.1:9', ids: {payouts, 'event-types': types}};
    writeFileSync(join(cache, 'prod.json'), JSON.stringify(prod));
    const local = {baseUrl: '', ids: {deliveries: seen('dlv_1', ...hostile)}};
    writeFileSync(join(cache, '(local).json'), JSON.stringify(local));
    for (const name of hostile.filter((one) => !/[\0/]/.test(one) && one.length < 100)) {
      mkdirSync(join(batch, '..', name), {recursive: true});
      writeFileSync(join(batch, '..', name, 'journal.db'), '');
    }
  });

  for (const [shell, ask] of Object.entries(ASK)) {
    if (spawnSync(shell, ['--version']).error !== undefined) {
      it(`skipped: ${shell} is not installed`, () => undefined);
      continue;
    }
    describe(shell, () => {
      let script: string;
      before(async () => {
        script = join(bin, `completion.${shell}`);
        writeFileSync(script, (await spawnCli(['completion', shell], env)).stdout);
      });

      /** The candidates for a line, and how remit was started for them. */
      function complete(line: string): {offered: string[]; started: string[]} {
        writeFileSync(calls, '');
        const {args, input} = ask(script);
        const {stdout, stderr, error} = spawnSync(shell, args, {
          env: {...env, LINE: line, TERM: 'dumb'},
          input: input ?? '',
          encoding: 'utf8',
          timeout: TIMEOUT_MS,
          cwd: bin,
        });
        assert.equal(error, undefined, stderr);
        assert.equal(stderr, '', line);
        const offered = stdout.split('\n').filter((word) => word !== '');
        return {
          offered,
          started: readFileSync(calls, 'utf8')
            .split('\n')
            .filter((word) => word !== ''),
        };
      }

      it('completes topics, commands, flags and fixed values by one short start of remit', () => {
        const cases: [string, string[]][] = [
          ['remit payo', ['payouts']],
          ['remit payouts batch re', ['release', 'report', 'resolve', 'resume', 'retry']],
          ['remit payouts create --sub', ['--subaccount']],
          ['remit payouts create --quie', ['--quiet']],
          ['remit payouts create --rail instant', ['instant_bank', 'instant_card']],
          ['remit payouts create --rail=instant_b', ['--rail=instant_bank']],
          ['remit -o json payouts li', ['list']],
          ['remit payouts wait --until deb', ['debited']],
          ['remit help exit', ['exit-codes']],
        ];
        for (const [line, expected] of cases) {
          const {offered, started} = complete(line);
          assert.deepEqual([...offered].sort(), expected, line);
          assert.match(started.join('; '), /^__complete =\S*$/, line);
        }
        if (shell === 'fish') assert.deepEqual(complete('remit PAYOU').offered, ['payouts']);
      });

      it('completes profiles, batches, event types and ids by one short start of remit', () => {
        const cases: [string, string[]][] = [
          ['remit payouts list -p st', ['stage']],
          ['remit payouts batch status ma', ['may-2024']],
          ['remit webhooks endpoints create --event-types payin', ['payin.failed', 'payin.settled']],
          ['remit payouts get 0192', ['0192a000-0000-7000-8000-000000000001']],
        ];
        for (const [line, expected] of cases) {
          const {offered, started} = complete(line);
          assert.deepEqual([...offered].sort(), expected, line);
          assert.match(started.join('; '), /^__complete =\S*$/, line);
        }
      });

      it('offers nothing that the shell would run or break at, and nothing that is read as a flag', () => {
        const cases: [string, string][] = [
          ['remit payouts get ', '0192a000-0000-7000-8000-000000000001'],
          ['remit payouts batch status ', 'may-2024'],
          ['remit sandbox deliveries show ', 'dlv_1'],
          ['remit webhooks listen --expect payout.r', 'payout.returned'],
          [`remit payouts list --status $(echo\\ ran\\ >>${calls}) -p st`, 'stage'],
        ];
        for (const [line, expected] of cases) {
          const {offered, started} = complete(line);
          if (shell === 'bash') assert.deepEqual(offered, [expected], line);
          assert.ok(offered.includes(expected), line); // other shells may add flags
          const bad = offered.filter((one) => hostile.includes(one));
          assert.deepEqual(bad, [], line);
          assert.match(started.join('; '), /^__complete =\S*$/, line);
        }
      });

      it('completes files where a file is expected, and nothing where nothing is known', () => {
        writeFileSync(join(bin, 'april.csv'), '');
        if (shell !== 'bash') {
          // in bash, readline completes files itself
          assert.deepEqual(complete('remit payouts batch plan ap').offered, ['april.csv']);
          const [path] = complete('remit webhooks sign x --secret-from=ap').offered;
          assert.match(path ?? '', /^(--secret-from=)?april\.csv$/);
        }
        assert.deepEqual(complete('remit payouts create --amount 1').offered, []);
        assert.deepEqual(complete('remit payouts create -- --ra').offered, []);
      });
    });
  }

  it('has a part of its own in the launcher, which is never an error', async () => {
    for (const words of [['=', 'payouts', 'list', '-p'], ['=x', 'unknown'], ['='], []]) {
      const {code, stderr} = await spawnCli(['__complete', ...words], env);
      assert.deepEqual([code, stderr], [0, ''], words.join(' '));
    }
    const other = cleanEnv();
    mkdirSync(join(other['HOME']!, '.config', 'remit'), {recursive: true, mode: 0o700});
    writeFileSync(join(other['HOME']!, '.config', 'remit', 'config.json'), 'damaged');
    const {code, stdout, stderr} = await spawnCli(['__complete', '=', 'payouts', 'list', '-p'], other);
    assert.deepEqual([code, stdout, stderr], [0, '', '']);
  });

  it('loads less than a fiftieth of the tool for a value', () => {
    const small = readText('dist/complete.cjs').length;
    const parts = ['remit', 'more', 'rest'].map((part) => readText(`dist/${part}.cjs`).length);
    const whole = parts.reduce((sum, length) => sum + length, 0);
    assert.ok(small < whole / 50, `${small} characters`);
    assert.doesNotMatch(
      readText('dist/complete.cjs'),
      /require\("node:(http|https|net|tls|sqlite|crypto)"\)/,
    );
  });
});

/** What another program named `remit` might print for a word: the script itself must keep it safe. */
const CANDIDATES = [
  '$(touch ran)',
  '`touch ran`',
  ';touch ran;',
  '&& touch ran',
  '> ran',
  "a'b",
  'a"b',
  'a b  c',
  'a\\',
  '*',
  '~',
  '!!',
  '{a,b}',
  '#a',
  'a\u001b[2Jb\u0007c',
  'a\u009b31m\u202eb\u2066',
  '=HYPERLINK("x")',
  '水 e\u0301',
];

/** bash with its line editor, in a pseudo-terminal; what is written to it is typed. */
class Editor {
  text = '';
  readonly #child: ChildProcessWithoutNullStreams;

  constructor(folder: string, env: Record<string, string>) {
    const shell = `bash --noprofile --rcfile ${join(folder, 'rc')} -i`;
    this.#child = spawn('script', ['-q', '-e', '-c', shell, '/dev/null'], {cwd: folder, env});
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => (this.text += text));
  }

  type(keys: string): void {
    this.#child.stdin.write(keys);
  }

  /** Waits for the output, until the time limit of the test. */
  async until(isReached: (text: string) => boolean): Promise<void> {
    while (!isReached(this.text)) {
      if (this.#child.exitCode !== null) assert.fail(`bash ended: ${this.text}`);
      await wait(5);
    }
  }

  async close(): Promise<void> {
    this.#child.stdin.end('\u0003\u0004');
    this.#child.kill();
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit');
  }
}

describe('completion in the line editor of bash', function () {
  this.timeout(TIMEOUT_MS);
  const isHere = ['script', 'bash'].every((name) => spawnSync(name, ['--version']).status === 0);
  if (process.platform !== 'linux' || !isHere) {
    it('skipped: no script of util-linux, or no bash', () => undefined);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'remit-editor-'));
  const [offered, typed] = [join(folder, 'offered'), join(folder, 'typed')];
  let editor: Editor;

  before(async () => {
    const {stdout} = await spawnCli(['completion', 'bash']);
    writeFileSync(join(folder, 'completion'), stdout);
    const settings = ['show-all-if-ambiguous on', 'bell-style none', 'enable-bracketed-paste off'];
    const rc = [
      ...settings.map((one) => `bind 'set ${one}'`),
      ...['. ./completion', `HISTFILE=; PS1='READY> '; PS2='OPEN> '`],
    ];
    writeFileSync(join(folder, 'rc'), `${rc.join('\n')}\n`);
    const remit = `#!/bin/sh
if [ "$1" = __complete ]; then exec cat ${offered}; fi
printf '%s\\0' "$@" > ${typed}
echo RECEIVED
`;
    writeFileSync(join(folder, 'remit'), remit, {mode: 0o755});
    editor = new Editor(folder, {
      ...cleanEnv({PATH: `${folder}:${process.env['PATH']}`}),
      ...{TERM: 'dumb', LC_ALL: 'C'},
    });
    await editor.until((text) => text.includes('READY> '));
  });
  after(() => editor.close());

  for (const candidate of CANDIDATES)
    it(`types ${JSON.stringify(candidate)} as one word, and runs nothing of it`, async () => {
      writeFileSync(offered, `${candidate}\ta label $(touch ran)\n`);
      editor.text = '';
      editor.type('remit payouts get \t\r');
      await editor.until((text) => text.includes('RECEIVED') || text.includes('OPEN> '));
      assert.equal(readFileSync(typed, 'utf8'), `payouts\0get\0${candidate}\0`, editor.text);
      assert.deepEqual(activeIn(editor.text.replaceAll('\r', '')), []);
      assert.ok(!existsSync(join(folder, 'ran')));
      await editor.until((text) => text.endsWith('READY> '));
    });

  it('shows several as words, and runs nothing of them', async () => {
    writeFileSync(offered, CANDIDATES.map((one) => `a${one}\n`).join(''));
    editor.text = '';
    editor.type('remit payouts get a\t');
    await editor.until((text) => text.includes('HYPERLINK') && /READY> remit payouts get \S+$/.test(text));
    assert.deepEqual(activeIn(editor.text.replaceAll('\r', '')), []);
    assert.ok(!existsSync(join(folder, 'ran')));
    editor.type('\u0003');
  });
});
