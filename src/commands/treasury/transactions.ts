import {RemitCommand} from '../../cli/core/command.ts';
import {listFlags, namedAccountArg} from '../../cli/input/flags.ts';
import {showRecords} from '../../cli/resources/lists.ts';
import {resolveId} from '../../cli/resources/names.ts';
import {bankTransactionView} from '../../output/views/treasury.ts';

export default class TreasuryTransactions extends RemitCommand {
  static override summary = 'List the bank-reported transactions of a treasury account';
  static override args = {account: namedAccountArg};
  static override examples = [
    '<%= config.bin %> treasury transactions 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11',
    '<%= config.bin %> treasury transactions ACCOUNT --all -o csv > transactions.csv',
  ];
  static override flags = {...listFlags};

  async run() {
    const {args, flags} = await this.parse(TreasuryTransactions);
    const context = await this.open();
    const id = await resolveId(context, 'treasury account', args.account);
    const shown = {view: bankTransactionView, flags, typed: this.typed};
    await showRecords(context, 'treasury.transactions', {account_id: id, order: flags.order}, shown);
  }
}
