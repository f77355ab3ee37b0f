import {Args} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {namedAccountArg, dryRunFlags} from '../../cli/input/flags.ts';
import {requireId} from '../../cli/resources/names.ts';
import {findTreasuryAccount} from '../../cli/resources/treasury-accounts.ts';
import {write} from '../../cli/write/write.ts';
import {treasuryAccountView} from '../../output/views/treasury.ts';

export default class TreasuryLabel extends RemitCommand {
  static override summary = 'Change the label of a treasury account';
  static override args = {
    account: namedAccountArg,
    label: Args.string({required: true, description: 'new label'}),
  };
  static override examples = [
    "<%= config.bin %> treasury label 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11 'Operating account'",
  ];
  static override flags = {...dryRunFlags};

  async run() {
    const {args, flags} = await this.parse(TreasuryLabel);
    const context = await this.open();
    requireId(context, 'treasury account', args.account);
    const body = {label: args.label};
    const outcome = await write(context, {
      operation: 'treasury.updateLabel',
      params: {account_id: args.account},
      body,
      dryRun: flags['dry-run'],
      facts: {operation: 'label a treasury account', party: ['account', args.account]},
      noun: 'treasury account',
      id: args.account,
      done: 'was relabelled',
      leaves: body,
      checkedBy: ['treasury', 'accounts', 'get', args.account],
      read: () => findTreasuryAccount(context, args.account),
      view: treasuryAccountView,
    });
    return this.conclude(outcome);
  }
}
