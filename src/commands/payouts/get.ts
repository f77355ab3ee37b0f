import {showWithReturn} from '../../cli/core/bank-returns.ts';
import {RemitCommand} from '../../cli/core/command.ts';
import {idArg} from '../../cli/input/global-flags.ts';
import {readRecord} from '../../cli/resources/reads.ts';
import {payoutView} from '../../output/views/transfers.ts';

export default class PayoutsGet extends RemitCommand {
  static override summary = 'Show one payout';
  static override args = {id: idArg('payout')};
  static override examples = ['<%= config.bin %> payouts get 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11'];

  async run() {
    const {args} = await this.parse(PayoutsGet);
    const context = await this.open();
    const payout = await readRecord(context, 'payouts.get', {id: args.id});
    await showWithReturn(context, payout, payoutView);
    return payout;
  }
}
