import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import fc from 'fast-check';
import {describe, it} from 'mocha';
import {commandLine, Commands} from '../../../src/cli/line/command-line.ts';

describe('a command to repeat', () => {
  it('is what was typed, with the changes', () => {
    assert.equal(
      commandLine('payouts:list', ['--limit', '2', '--cursor', 'old', '--json'], {
        without: ['--cursor'],
        add: ['--cursor', 'new'],
      }),
      'remit payouts list --limit 2 --json --cursor new',
    );
    assert.equal(
      commandLine('payouts:list', ['--cursor=old'], {without: ['--cursor']}),
      'remit payouts list',
    );
    assert.equal(
      commandLine('help', ['--', '--cursor', 'x'], {without: ['--cursor'], add: ['-q']}),
      'remit help -q -- --cursor x',
    );
  });

  it('survives a shell, whatever the words are', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string().filter((word) => !word.includes('\0')),
          {maxLength: 4},
        ),
        (argv) => {
          const line = commandLine('x', argv).replace(/^remit x/, 'printf "%s\\0"');
          const said = execFileSync('/bin/sh', ['-c', `${line}`], {encoding: 'utf8'});
          assert.equal(said, argv.length === 0 ? '\0' : argv.map((word) => `${word}\0`).join(''));
        },
      ),
      {numRuns: 30},
    );
  });
});

describe('a command to type next', () => {
  const commands = (changes: Partial<ConstructorParameters<typeof Commands>[0]> = {}) =>
    new Commands({profile: 'work', mode: 'test', named: false, ...changes});

  it('has the active profile, and --live if it writes with a live key', () => {
    assert.equal(commands().read('payouts', 'get', 'x'), 'remit payouts get x -p work');
    assert.equal(commands().write('payouts', 'approve', 'x'), 'remit payouts approve x -p work');
    const live = commands({mode: 'live'});
    assert.equal(live.read('payouts', 'get', 'x'), 'remit payouts get x -p work');
    assert.equal(live.write('payouts', 'approve', 'x'), 'remit payouts approve x --live -p work');
    assert.equal(commands({profile: undefined}).read('payouts', 'list'), 'remit payouts list');
  });

  it('quotes what a shell would act on', () => {
    assert.equal(commands().read('payouts', 'get', 'a b;c'), "remit payouts get 'a b;c' -p work");
  });

  it('repeats the typed words with the profile once', () => {
    const typed = {id: 'payouts:list', argv: ['--limit', '2']};
    assert.equal(commands().again(typed), 'remit payouts list --limit 2 -p work');
    const named = {id: 'payouts:list', argv: ['-p', 'work', '--cursor', 'old']};
    assert.equal(
      commands({named: true}).again(named, {without: ['--cursor'], add: ['--cursor', 'new']}),
      'remit payouts list -p work --cursor new',
    );
  });
});
