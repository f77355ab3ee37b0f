import {Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {bodyFlags, currencyFlag} from '../../cli/input/flags.ts';
import {write} from '../../cli/write/write.ts';
import {subaccountView} from '../../output/views/moves.ts';

export default class SubaccountsCreate extends RemitCommand {
  static override summary = 'Create a subaccount';
  static override examples = [
    "<%= config.bin %> subaccounts create --name 'Rent'",
    "<%= config.bin %> subaccounts create --name 'Rent' --currency USD -o id",
  ];
  static override flags = {
    name: Flags.string({required: true, helpValue: 'NAME', description: 'name of the subaccount'}),
    currency: currencyFlag({description: "ISO 4217 (default: the main account's)"}),
    ...bodyFlags,
  };

  async run() {
    const {flags} = await this.parseWithData(SubaccountsCreate);
    const context = await this.open();
    const body = {name: flags.name, currency_code: flags.currency};
    const outcome = await write(context, {
      operation: 'subaccounts.create',
      body,
      dryRun: flags['dry-run'],
      facts: {operation: 'create a subaccount', party: ['name', flags.name]},
      noun: 'subaccount',
      shows: () => body,
      checkedBy: ['subaccounts', 'list', '--limit', '5'],
      shownBy: (id) => ['subaccounts', 'get', id],
      view: subaccountView,
    });
    return this.conclude(outcome);
  }
}
