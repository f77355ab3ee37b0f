import {showWithReturn} from '../../cli/core/bank-returns.ts';
import {RemitCommand} from '../../cli/core/command.ts';
import {idArg} from '../../cli/input/global-flags.ts';
import {readRecord} from '../../cli/resources/reads.ts';
import {payinView} from '../../output/views/transfers.ts';

export default class PayinsGet extends RemitCommand {
  static override summary = 'Show one payin';
  static override args = {id: idArg('payin')};
  static override examples = ['<%= config.bin %> payins get 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11'];

  async run() {
    const {args} = await this.parse(PayinsGet);
    const context = await this.open();
    const payin = await readRecord(context, 'payins.get', {id: args.id});
    await showWithReturn(context, payin, payinView);
    return payin;
  }
}
