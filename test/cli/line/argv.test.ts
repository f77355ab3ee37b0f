import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, it} from 'mocha';
import {readCall, type TypedCall, type CommandTree} from '../../../src/cli/line/argv.ts';
import {GLOBAL_FLAGS} from '../../../src/cli/core/main.ts';
import type {RemitError} from '../../../src/errors.ts';
import {runCli} from '../run-cli.ts';

const commands = ['payouts:list', 'payouts:create', 'payouts:batch:run', 'whoami', 'help', 'sandbox:start'];
const TREE: CommandTree = {
  commands: new Set(commands),
  topics: new Set(['payouts', 'payouts:batch', 'sandbox']),
};
const read = (line: string): TypedCall => readCall(line === '' ? [] : line.split(' '), TREE, GLOBAL_FLAGS);
const run = (id: string, ...argv: string[]): TypedCall => ({kind: 'run', id, argv});
const help = (id: string): TypedCall => ({kind: 'help', id});

describe('the words before a command’s own flags', () => {
  for (const [line, call] of [
    ['payouts list', run('payouts:list')],
    ['payouts:list', run('payouts:list')],
    ['payouts list --limit 3', run('payouts:list', '--limit', '3')],
    ['-p x payouts list', run('payouts:list', '-p', 'x')],
    ['--profile x payouts list --all', run('payouts:list', '--profile', 'x', '--all')],
    ['--profile=x payouts list', run('payouts:list', '--profile=x')],
    ['-px payouts list', run('payouts:list', '-px')],
    ['payouts --profile p list', run('payouts:list', '--profile', 'p')],
    ['payouts -o json batch -q run file.csv', run('payouts:batch:run', '-o', 'json', '-q', 'file.csv')],
    ['--json -qy payouts list', run('payouts:list', '--json', '-qy')],
    ['-p payouts payouts list', run('payouts:list', '-p', 'payouts')],
    ['payouts list -- --json', run('payouts:list', '--', '--json')],
    ['whoami', run('whoami')],
    ['help payouts list', run('help', 'payouts', 'list')],
    ['', help('')],
    ['--help', help('')],
    ['-h', help('')],
    ['payouts', help('payouts')],
    ['payouts --help', help('payouts')],
    ['--help payouts list', help('payouts:list')],
    ['payouts list --limit 3 -h', help('payouts:list')],
    ['--json', help('')],
    ['--version', {kind: 'version'}],
    ['-v', {kind: 'version'}],
    ['--json -v', {kind: 'version'}],
    ['payouts list -- --help', run('payouts:list', '--', '--help')],
  ] as const) {
    it(`"${line}" ${call.kind}s ${'id' in call ? call.id || 'remit' : ''}`, () =>
      assert.deepEqual(read(line), call));
  }

  for (const [line, message, hint] of [
    ['payots list', 'unknown command: remit payots list', 'remit payouts list'],
    ['payout', 'unknown command: remit payout', 'remit payouts'],
    ['payouts lst', 'unknown command: remit payouts lst', 'remit payouts list'],
    ['payouts:lsit', 'unknown command: remit payouts lsit', 'remit payouts list'],
    ['list payouts', 'unknown command: remit list payouts', 'remit payouts list'],
    ['batch run x.csv', 'unknown command: remit batch run x.csv', 'remit payouts batch run x.csv'],
    ['run $X --json', 'unknown command: remit run $X', "remit payouts batch run '$X' --json"],
    ['-p p batch run a:b -q', 'unknown command: remit batch run a:b', 'remit payouts batch run a:b -q -p p'],
    ['payouts lst -- -x', 'unknown command: remit payouts lst', 'remit payouts list -- -x'],
    ['payouts:lst --limit 3', 'unknown command: remit payouts lst', 'remit payouts list --limit 3'],
    ['list payouts --all', 'unknown command: remit list payouts', 'remit payouts list --all'],
    ['payouts -h lst', 'unknown command: remit payouts lst', 'remit payouts list --help'],
    ['payout x --json', 'unknown command: remit payout x', 'remit payouts'],
    ['batch', 'unknown command: remit batch', 'remit payouts batch'],
    ['payouts run', 'unknown command: remit payouts run', 'remit payouts batch run'],
    ['approve', 'unknown command: remit approve', 'remit --help'],
    ['payouts frobnicate', 'unknown command: remit payouts frobnicate', 'remit payouts --help'],
    ['xyzzy --json', 'unknown command: remit xyzzy', 'remit --help'],
    ['xyzzy --help', 'unknown command: remit xyzzy', 'remit --help'],
    ['--frob payouts list', 'unknown flag --frob before a command', 'remit --help'],
    ['--api-key=live_secret payouts list', 'unknown flag --api-key before a command', 'remit --help'],
    [
      'payouts --limit 3 list',
      'unknown flag --limit after "payouts", which is not yet a command',
      'remit payouts --help',
    ],
    ['-p', '-p needs a value', 'remit --help'],
    ['-- payouts list', 'unknown flag -- before a command', 'remit --help'],
    ['-z whoami', 'unknown flag -z before a command', 'remit --help'],
  ] as const) {
    it(`"${line}" is refused: ${message}`, () => {
      assert.throws(
        () => read(line),
        (error: RemitError) => {
          assert.equal(error.code, 'USAGE');
          assert.equal(error.message, message);
          assert.equal(error.hint, hint);
          return true;
        },
      );
    });
  }

  describe('of a command that needs arguments', () => {
    const tree: CommandTree = {
      commands: new Set(['payouts:batch:find', 'webhooks:send']),
      topics: new Set(['payouts', 'payouts:batch', 'webhooks']),
      requiredArgs: (id) => (id === 'webhooks:send' ? ['to', 'payload'] : ['reference']),
    };
    for (const [line, hint] of [
      ['find', 'payouts batch find REFERENCE'],
      ['-p p find', 'payouts batch find REFERENCE -p p'],
      ['find -p p', 'payouts batch find REFERENCE -p p'],
      ['find --json -q', 'payouts batch find REFERENCE --json -q'],
      ['find -p', 'payouts batch find REFERENCE -p'],
      ['find R-1', 'payouts batch find R-1'],
      ['find -p p R-1', 'payouts batch find -p p R-1'],
      ['find --help', 'payouts batch find --help'],
      ['find --batch B', 'payouts batch find --batch B'],
      ['find -- -R', 'payouts batch find -- -R'],
      ['webhooks snd', 'webhooks send TO PAYLOAD'],
      ['webhooks snd 3000 -q', 'webhooks send 3000 PAYLOAD -q'],
    ] as const)
      it(`"${line}": the suggested command is complete`, () => {
        assert.throws(
          () => readCall(line.split(' '), tree, GLOBAL_FLAGS),
          (error: RemitError) => {
            assert.equal(error.hint, `remit ${hint}`);
            return true;
          },
        );
      });

    it('has the names that the command declares', async () => {
      const ran = await runCli(['find', '-o', 'json']);
      assert.deepEqual([ran.exitCode, ran.error().hint], [2, 'remit payouts batch find REFERENCE -o json']);
    });
  });

  it('mean the same wherever the global flags are', () => {
    const flags = [['-p', 'x'], ['--json'], ['-q'], ['--retries', '3'], ['--fields=a,b'], ['-oid']];
    fc.assert(
      fc.property(
        fc.constantFrom(...commands),
        fc.array(fc.tuple(fc.constantFrom(...flags), fc.nat({max: 3})), {maxLength: 4}),
        (id, placed) => {
          const words = id.split(':');
          const argv = words.flatMap((word, index) => [
            ...placed.filter(([, at]) => at === index).flatMap(([flag]) => flag),
            word,
          ]);
          const after = placed.filter(([, at]) => at >= words.length).flatMap(([flag]) => flag);
          const call = readCall([...argv, ...after], TREE, GLOBAL_FLAGS);
          assert.equal(call.kind, 'run');
          assert.equal(call.kind === 'run' && call.id, id);
          assert.deepEqual(
            call.kind === 'run' && [...call.argv].sort(),
            placed.flatMap(([flag]) => flag).sort(),
          );
        },
      ),
    );
  });

  it('never crash', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom('payouts', 'list', '-p', '--json', '--', '-h'))),
        (argv) => {
          try {
            readCall(argv, TREE, GLOBAL_FLAGS);
          } catch (error) {
            assert.equal((error as RemitError).code, 'USAGE');
          }
        },
      ),
    );
  });
});
