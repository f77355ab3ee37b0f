import {RemitCommand} from '../../cli/core/command.ts';
import {idArg} from '../../cli/input/global-flags.ts';
import {resolveId} from '../../cli/resources/names.ts';
import {OF_SUBACCOUNT, showRecent} from '../../cli/resources/recent.ts';
import {readRecord} from '../../cli/resources/reads.ts';
import {subaccountView} from '../../output/views/moves.ts';

export default class SubaccountsGet extends RemitCommand {
  static override summary =
    'Show one subaccount with its balance, and its matches among the last 200 payouts and payins';
  static override args = {id: idArg('subaccount', 'name')};
  static override examples = ['<%= config.bin %> subaccounts get 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11'];

  async run() {
    const {args} = await this.parse(SubaccountsGet);
    const context = await this.open();
    const id = await resolveId(context, 'subaccount', args.id);
    const data = await readRecord(context, 'subaccounts.get', {id});
    context.out.record(data, subaccountView);
    await showRecent(context, id, OF_SUBACCOUNT);
    return data;
  }
}
