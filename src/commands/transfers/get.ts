import {findAccountTransfer, withLabels} from '../../cli/resources/money/account-transfers.ts';
import {warnOf} from '../../cli/resources/reads.ts';
import {RemitCommand} from '../../cli/core/command.ts';
import {idArg} from '../../cli/input/global-flags.ts';
import {accountTransferView} from '../../output/views/treasury.ts';

export default class TransfersGet extends RemitCommand {
  static override summary = 'Show one account transfer';
  static override description =
    'The service documents no operation for a single account transfer, so this command searches the list.';
  static override args = {id: idArg('account transfer')};
  static override examples = ['<%= config.bin %> transfers get 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11'];

  async run() {
    const {args} = await this.parse(TransfersGet);
    const context = await this.open();
    const transfer = await findAccountTransfer(context, args.id, warnOf(context));
    context.out.record(await withLabels(context, transfer), accountTransferView);
    return transfer;
  }
}
