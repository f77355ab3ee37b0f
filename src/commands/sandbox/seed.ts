import {Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {count} from '../../cli/input/global-flags.ts';
import {callControl} from '../../cli/sandbox/control.ts';
import {sandboxCommand} from '../../cli/sandbox/target.ts';
import {RemitError} from '../../errors.ts';
import {seededView} from '../../output/views/sandbox.ts';
import type {Seeded} from '../../sandbox/base/shown-records.ts';

const MOST = 100_000;

export default class SandboxSeed extends RemitCommand {
  static override summary = 'Create payees and payers, each with a verified default bank account';
  static override description =
    'Takes --payees, --payers or both. The same seed always gives the same ids; using it again changes nothing.';
  static override examples = [
    '<%= config.bin %> sandbox seed --payees 3',
    '<%= config.bin %> sandbox seed --payees 1000 --payers 50 -o csv > parties.csv',
  ];
  static override flags = {
    payees: count(0, MOST)({default: 0, description: 'number of payees'}),
    payers: count(0, MOST)({default: 0, description: 'number of payers'}),
    seed: Flags.string({default: 'remit', helpValue: 'TEXT', description: 'determines ids and names'}),
    mode: Flags.option({
      options: ['test', 'live'] as const,
      default: 'test' as const,
      description: 'entity to create them in',
    })(),
  };

  async run() {
    const {flags} = await this.parse(SandboxSeed);
    const local = this.openLocal();
    const {payees, payers, seed, mode} = flags;
    if (payees + payers === 0)
      throw new RemitError('USAGE', 'the number is missing: add --payees N or --payers N', {
        hint: sandboxCommand(local, 'seed', '--payees', '3'),
      });
    const made = await callControl<Seeded>(local, 'POST', '/sandbox/seed', {payees, payers, seed, mode});
    const parties = [
      ...made.payees.map((payee) => ({kind: 'payee', ...payee})),
      ...made.payers.map((payer) => ({kind: 'payer', ...payer})),
    ];
    await local.out.list(parties, seededView);
  }
}
