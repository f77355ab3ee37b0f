import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import fc from 'fast-check';
import {describe, it} from 'mocha';
import {commandLine} from '../../src/cli/command-line.ts';

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
