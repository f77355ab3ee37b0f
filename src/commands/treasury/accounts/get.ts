import {RemitCommand} from '../../../cli/core/command.ts';
import {namedAccountArg} from '../../../cli/input/flags.ts';
import {resolveId} from '../../../cli/resources/names.ts';
import {warnOf} from '../../../cli/resources/reads.ts';
import {findTreasuryAccount} from '../../../cli/resources/treasury-accounts.ts';
import {treasuryAccountView} from '../../../output/views/treasury.ts';

export default class TreasuryAccountsGet extends RemitCommand {
  static override summary = 'Show one treasury account';
  static override description =
    'The service documents no operation for a single treasury account, so this command searches the list.';
  static override args = {account: namedAccountArg};
  static override examples = ['<%= config.bin %> treasury accounts get 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11'];

  async run() {
    const {args} = await this.parse(TreasuryAccountsGet);
    const context = await this.open();
    const id = await resolveId(context, 'treasury account', args.account);
    const account = await findTreasuryAccount(context, id, warnOf(context));
    context.out.record(account, treasuryAccountView);
    return account;
  }
}
