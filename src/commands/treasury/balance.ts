import {RemitCommand} from '../../cli/core/command.ts';
import {accountArg} from '../../cli/input/flags.ts';
import {resolveId} from '../../cli/resources/names.ts';
import {balanceView} from '../../output/views/treasury.ts';

export default class TreasuryBalance extends RemitCommand {
  static override summary = 'Show the latest reported balance of a treasury account';
  static override args = {account: accountArg};
  static override examples = ['<%= config.bin %> treasury balance 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11'];

  async run() {
    const {args} = await this.parse(TreasuryBalance);
    const context = await this.open();
    const {client, out, stop} = context;
    const id = await resolveId(context, 'treasury account', args.account);
    const {data} = await client.treasury.balance({account_id: id}, {signal: stop.signal});
    out.record(data, balanceView);
    return data;
  }
}
