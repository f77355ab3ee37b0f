import {RemitCommand} from '../../cli/core/command.ts';
import {idArg} from '../../cli/input/flags.ts';
import {subaccountView} from '../../output/views/moves.ts';

export default class SubaccountsGet extends RemitCommand {
  static override summary = 'Show one subaccount with its balance';
  static override args = {id: idArg('subaccount')};
  static override examples = ['<%= config.bin %> subaccounts get 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11'];

  async run() {
    const {args} = await this.parse(SubaccountsGet);
    const {client, out, stop} = await this.open();
    const {data} = await client.subaccounts.get({id: args.id}, {signal: stop.signal});
    out.record(data, subaccountView);
    return data;
  }
}
