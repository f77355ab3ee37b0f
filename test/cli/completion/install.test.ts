import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync, lstatSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, describe, it} from 'mocha';
import {runCli, scratch} from '../run-cli.ts';

describe('completion install', () => {
  let home: string;
  beforeEach(() => {
    home = scratch();
  });
  const run = (...words: string[]) =>
    runCli(['completion', ...words], {env: {HOME: home, SHELL: '/usr/bin/zsh'}});
  const read = (...path: string[]) => readFileSync(join(home, ...path), 'utf8');

  it('writes the script of the shell in SHELL, and one line in its start-up file', async () => {
    writeFileSync(join(home, '.zshrc'), 'export A=1', {mode: 0o640});
    for (let time = 0; time < 2; time += 1) assert.equal((await run('install')).exitCode, 0);
    const script = join(home, '.local', 'share', 'remit', 'completion.zsh');
    assert.match(readFileSync(script, 'utf8'), /^#compdef remit\n/);
    assert.equal(read('.zshrc'), `export A=1\n[ -f ${script} ] && . ${script} # completion of remit\n`);
    assert.equal(statSync(join(home, '.zshrc')).mode & 0o777, 0o640, 'its mode is kept');
    assert.ok(existsSync(join(home, '.cache', 'remit', 'completion')));
  });

  it('keeps a start-up file that is a link', async () => {
    mkdirSync(join(home, 'dotfiles'));
    writeFileSync(join(home, 'dotfiles', 'bashrc'), '');
    symlinkSync(join('dotfiles', 'bashrc'), join(home, '.bashrc'));
    await run('install', 'bash');
    assert.ok(lstatSync(join(home, '.bashrc')).isSymbolicLink());
    assert.match(read('dotfiles', 'bashrc'), /completion\.bash # completion of remit\n$/);
  });

  it('needs no line for fish, and shows the one for PowerShell', async () => {
    await run('install', 'fish');
    assert.match(read('.config', 'fish', 'completions', 'remit.fish'), /complete -c remit/);
    const {stderr} = await run('install', 'powershell');
    assert.match(stderr, /Add-Content \$PROFILE '\. ''.*completion\.ps1'''/);
  });

  it('is undone by uninstall', async () => {
    writeFileSync(join(home, '.zshrc'), 'export A=1\n');
    await run('install');
    const {stdout, exitCode} = await run('uninstall');
    assert.equal(exitCode, 0);
    assert.match(stdout, /Removed .*completion\.zsh/);
    assert.equal(read('.zshrc'), 'export A=1\n');
    assert.ok(!existsSync(join(home, '.local', 'share', 'remit', 'completion.zsh')));
    assert.ok(!existsSync(join(home, '.cache', 'remit', 'completion')));
    assert.match((await run('uninstall')).stdout, /not installed for zsh/);
  });

  it('asks for the shell if SHELL is another one', async () => {
    const {exitCode, stderr} = await runCli(['completion', 'install'], {
      env: {HOME: home, SHELL: '/bin/tcsh'},
    });
    assert.equal(exitCode, 2);
    assert.match(stderr, /remit completion install bash/);
  });
});
